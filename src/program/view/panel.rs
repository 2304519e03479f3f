//! The panel of a page: the run, its machine and its scene in words, and warnings.

use std::collections::BTreeSet;

use cloth_core::error::Result;
use cloth_scene::Scene;
use cloth_scene::spec::Cloth;
use serde::{Deserialize, Serialize};

use crate::program::check::Record;
use crate::program::output::{ClothPart, RunHead, Status, steps_jsonl};
use crate::program::words::{grouped, plural, significant};

/// Facts under a heading.
#[derive(Debug, Clone, Serialize)]
pub struct Section {
    title: &'static str,
    /// Names and values.
    rows: Vec<(String, String)>,
}

/// The rows of a section while they are gathered.
#[derive(Default)]
struct Rows(Vec<(String, String)>);

impl Rows {
    fn add(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_owned(), value.into()));
    }

    /// Adds the first of `parts`, and how many more there are. Nothing without one.
    fn add_list(&mut self, name: &str, mut parts: Vec<String>) {
        let more = parts.len().saturating_sub(NAMED);
        parts.truncate(NAMED);
        if more > 0 {
            parts.push(format!("and {more} more"));
        }
        if !parts.is_empty() {
            self.add(name, parts.join("; "));
        }
    }
}

/// What the page says about the run in words.
pub fn sections(head: &RunHead, record: &Record) -> Vec<Section> {
    let section = |title, rows: Rows| Section { title, rows: rows.0 };
    vec![
        section("Run", run(head, record)),
        section("Machine", machine(head)),
        section("Scene", scene(head, &record.scene)),
    ]
}

fn run(head: &RunHead, record: &Record) -> Rows {
    let mut rows = Rows::default();
    let status = match head.status {
        Status::Running => "not complete",
        Status::Complete => "complete",
        Status::Failed => "failed",
        Status::Interrupted => "interrupted",
    };
    rows.add("Status", status);
    let frames = record.frames.end.saturating_sub(record.frames.start + 1);
    let all = u64::from(record.scene.frames).saturating_sub(record.frames.start);
    rows.add("Frames", format!("{frames} of {all}"));
    rows.add(
        "Frame",
        format!(
            "{} s, up to {}",
            significant(record.frame_s()),
            plural(head.steps_per_frame as usize, "step")
        ),
    );
    rows.add("Format of frames", record.format.name());
    rows.add("Program", format!("cloth-sim {}", head.version));
    if let Some(begun) = &head.begun_from {
        rows.add("Begun from", format!("frame {} of {}", begun.frame, begun.run));
    }
    if !head.resumed.is_empty() {
        rows.add("Resumed", plural(head.resumed.len(), "time"));
    }
    if head.energy.largest_internal_j > 0.0 {
        let joules = |value: f64| format!("{} J", significant(value));
        rows.add("Work", joules(head.energy.work_j));
        rows.add("Rises without work", format!("{:.1e} J", head.energy.unexplained_j));
    }
    rows
}

fn machine(head: &RunHead) -> Rows {
    let mut rows = Rows::default();
    rows.add("Ranks", head.ranks.to_string());
    rows.add("Threads of a rank", head.threads.to_string());
    rows.add("Transport", &*head.transport);
    let hosts = BTreeSet::from_iter(head.places.iter().map(|place| place.host.as_str()));
    rows.add("Hosts", Vec::from_iter(hosts).join(", "));
    let most = 16;
    for place in head.places.iter().take(most) {
        let own = grouped(place.vertices as u64);
        let kind = if head.bodies.is_some() { "bodies" } else { "vertices" };
        rows.add(&format!("Rank {}", place.rank), format!("cores {}; {own} {kind}", place.cores));
    }
    if head.places.len() > most {
        rows.add("Further ranks", (head.places.len() - most).to_string());
    }
    rows
}

fn scene(head: &RunHead, scene: &Scene) -> Rows {
    let mut rows = Rows::default();
    let [x, y, z] = scene.gravity_m_per_s2;
    match scene.gravity_keyframes.is_empty() {
        true => rows.add("Gravity", format!("({x}, {y}, {z}) m/s\u{b2}")),
        false => rows.add("Gravity", "changes over time".to_owned()),
    }
    if !scene.friction_keyframes.is_empty() {
        rows.add("Friction", "changes over time");
    }
    if !scene.cloths.is_empty() {
        add_cloths(&mut rows, head, scene);
    }
    if let Some(pairs) = scene.apart_in_words() {
        rows.add("Kept apart", pairs);
    }
    if !scene.obstacles.is_empty() {
        rows.add("Obstacles", grouped(scene.obstacles.len() as u64));
    }
    if let Some(bodies) = &head.bodies {
        rows.add("Movable bodies", grouped(bodies.count));
        rows.add("Subdomains", grouped(bodies.subdomains as u64));
    }
    if !scene.joints.is_empty() {
        rows.add("Entries of joints", grouped(scene.joints.len() as u64));
    }
    rows.add("Seed", scene.seed.to_string());
    rows
}

/// What the scene sets of its cloths.
fn add_cloths(rows: &mut Rows, head: &RunHead, scene: &Scene) {
    let name = |cloth: &Cloth| cloth.name.clone().unwrap_or_default();
    rows.add("Cloths", grouped(scene.cloths.len() as u64));
    if !scene.seams.is_empty() {
        rows.add("Seams", grouped(scene.seams.len() as u64));
    }
    let mapped = |cloth: &Cloth| {
        let settings = BTreeSet::from_iter(cloth.maps.iter().map(|map| map.of));
        let words = settings.iter().map(|it| format!("{it:?}").to_lowercase());
        let words = Vec::from_iter(words).join(", ");
        (!words.is_empty()).then(|| format!("{}: {words}", name(cloth)))
    };
    rows.add_list("Maps", scene.cloths.iter().filter_map(mapped).collect());
    let limit = |cloth: &Cloth| {
        let percent = significant(100.0 * cloth.strain_limit?);
        Some(format!("{} {percent} %", name(cloth)))
    };
    rows.add_list("Strain limit", scene.cloths.iter().filter_map(limit).collect());
    let millimetres = |distance_m: f64| format!("{} mm", significant(1e3 * distance_m));
    let materials = scene.materials.iter();
    let materials =
        materials.filter_map(|it| Some(format!("{} {}", it.name, millimetres(it.distance_m?))));
    let pairs = scene.material_pairs.iter().filter_map(|it| {
        let (first, second) = &it.materials;
        Some(format!("{first} with {second} {}", millimetres(it.distance_m?)))
    });
    let own = [millimetres(scene.contact.distance_m)].into_iter();
    rows.add_list("Contact distance", own.chain(materials).chain(pairs).collect());
    rows.add("Patches", grouped(head.patches as u64));
}

/// The most entries of a list, and the most objects of a warning.
const NAMED: usize = 5;

/// What a user should know about the run: how it ended, and what its frames recorded.
///
/// # Errors
/// A line of `steps.jsonl` that is damaged.
pub fn warnings(head: &RunHead, record: &Record) -> Result<Vec<String>> {
    let mut warnings = Vec::from_iter(record.unfinished.clone());
    warnings.extend(head.error.clone());
    warnings.extend(head.warnings.iter().cloned());
    warnings.extend(record.meshes.iter().map(|(file, fault)| format!("{file}: {fault}")));
    if head.energy.is_fault() {
        warnings.push(head.energy.gain());
    }
    if head.bodies.is_none() {
        warnings.extend(of_frames(record)?);
    }
    Ok(warnings)
}

/// A line of `steps.jsonl`: what is warned about.
#[derive(Deserialize)]
struct Line {
    frame: u64,
    #[serde(flatten)]
    part: ClothPart,
}

fn of_frames(record: &Record) -> Result<Vec<String>> {
    let (mut waiting, mut yielded) = (Affected::default(), Affected::default());
    for line in steps_jsonl::read_if_any::<Line>(&record.folder)? {
        let Line { frame, part } = line?;
        part.waiting.iter().for_each(|it| waiting.add(&it.body, frame));
        part.yielded.iter().for_each(|it| yielded.add(&it.obstacle, frame));
    }
    let texts = [waiting.text("waited for room"), yielded.text("gave way to cloth")];
    Ok(texts.into_iter().flatten().collect())
}

/// Objects that something happened to, and when.
#[derive(Default)]
struct Affected {
    names: BTreeSet<String>,
    frames: Vec<u64>,
}

impl Affected {
    fn add(&mut self, name: &str, frame: u64) {
        self.names.insert(name.to_owned());
        if self.frames.last() != Some(&frame) {
            self.frames.push(frame);
        }
    }

    fn text(&self, what: &str) -> Option<String> {
        let (first, last) = (self.frames.first()?, self.frames.last()?);
        let named = Vec::from_iter(self.names.iter().take(NAMED).map(String::as_str)).join(", ");
        let others = match self.names.len().saturating_sub(NAMED) {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        let frames = plural(self.frames.len(), "frame");
        Some(format!("{named}{others} {what}: {frames}, from frame {first} to {last}"))
    }
}

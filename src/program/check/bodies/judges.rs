//! The judges of frames of bodies.

use cloth_rigid::body::BodyId;
use cloth_rigid::constraint::joint::Second;
use cloth_rigid::simulation::overlap::Overlap;

use crate::program::check::bodies::{
    BodyCheck, BodyFacts, BodyRun, Expected, Found, Opening, Rise, Watch, Wrong,
};
use crate::program::check::{Findings, Judge, Verdict};
use crate::program::words::plural;

/// Is each body of the scene there once, sound, and with the bits that the run has recorded?
#[derive(Default)]
pub struct Presence {
    /// The last frame that could be read, and its bodies, rising.
    before: Option<(u64, Vec<BodyId>)>,
}

impl Judge<BodyCheck> for Presence {
    fn columns(&self, _: &BodyCheck) -> &'static [&'static str] {
        &["  bodies"]
    }

    fn frame(&mut self, check: &BodyCheck, known: Option<&BodyFacts>, found: &mut Verdict) {
        let BodyCheck { run, recorded, .. } = check;
        let whole = known.and_then(|known| known.whole);
        found.values.insert("bodies", known.filter(|_| whole.is_some()).map(|it| it.bodies as f64));
        let Some(known) = known else { return };
        // Before frame 0 there are the bodies of the scene. Those before the first frame of a run
        // that begins with a frame of another are not known.
        let (number, first) = (found.number, run.record.frames.start);
        let scene = || if first == 0 { run.ids().collect() } else { known.ids.clone() };
        let (last, before) = self.before.take().unwrap_or_else(|| (first, scene()));
        let gone = Found::missing(&before, &known.ids);
        let back = Found::missing(&known.ids, &before);
        let back = (back.count > 0).then_some((Wrong::Back, back));
        let wrong = Vec::from_iter(known.wrong.clone().into_iter().chain(back));
        for (wrong, bodies) in &wrong {
            found.fault(format_args!("{}: {}", wrong.words(), named(run, bodies)));
        }
        if let Some(whole) = whole {
            found.cells.push(known.bodies.to_string());
            let left = recorded.left(last, number);
            if gone.count != left {
                let gone = named(run, &gone);
                found.fault(format_args!(
                    "gone: {gone}; steps.jsonl says that {left} left the domain"
                ));
            } else if wrong.is_empty() && !recorded.agrees(number, whole.bodies_hash) {
                found.fault("its bodies are not bit by bit those that steps.jsonl has recorded");
            }
        }
        self.before = Some((number, known.ids.clone()));
    }
}

/// "2 bodies (balls[3], rods[0])". Bodies are named like in a scene.
fn named(run: &BodyRun, found: &Found) -> String {
    let name = |&id: &u64| match run.expected(id) {
        Expected::Absent => format!("body {id}"),
        Expected::Free | Expected::Keyframed => run.setup.name_of(id),
    };
    let mut names = Vec::from_iter(found.first.iter().map(name));
    if found.count > names.len() as u64 {
        names.push("...".to_owned());
    }
    match names.is_empty() {
        true => "none".to_owned(),
        false => format!("{} ({})", plural(found.count as usize, "body"), names.join(", ")),
    }
}

/// How deep do bodies overlap?
pub struct Overlaps {
    /// The deepest that is allowed, as a share of half of the smaller body's width.
    pub most: f64,
    /// The deepest overlap so far, and its frame.
    pub deepest: Option<(u64, Overlap)>,
}

impl Judge<BodyCheck> for Overlaps {
    fn columns(&self, _: &BodyCheck) -> &'static [&'static str] {
        &["   deepest m", "overlap %"]
    }

    fn frame(&mut self, check: &BodyCheck, known: Option<&BodyFacts>, found: &mut Verdict) {
        let whole = known.and_then(|known| known.whole);
        let overlap = whole.and_then(|whole| whole.overlap);
        found.values.insert("overlap_share", overlap.map(|it| it.share));
        if whole.is_some() {
            let (depth, share) = overlap.map_or((0.0, 0.0), |it| (it.depth, it.share));
            found.cells.extend([format!("{depth:.3e}"), format!("{:.3}", 100.0 * share)]);
        }
        let Some(overlap) = overlap else { return };
        if overlap.share > self.most {
            let (overlap, limit) = (overlapping(&check.run, &overlap), 100.0 * self.most);
            found.fault(format_args!("{overlap}, more than {limit} %"));
        }
        if self.deepest.is_none_or(|(_, deepest)| overlap.share >= deepest.share) {
            self.deepest = Some((found.number, overlap));
        }
    }

    fn end(&self, check: &BodyCheck, findings: &mut Findings) {
        findings.extremes.push(match &self.deepest {
            Some((frame, overlap)) => {
                format!("deepest overlap: frame {frame}: {}", overlapping(&check.run, overlap))
            }
            None => "no two bodies overlap".to_owned(),
        });
        if self.deepest.is_some_and(|(_, overlap)| overlap.share > self.most) {
            findings.remedy = Some(
                "see the list on standard output; more steps (steps_per_frame) or more sweeps \
                 (response: Nonsmooth) keep bodies apart",
            );
        }
    }
}

fn overlapping(run: &BodyRun, Overlap { bodies, depth, share, point }: &Overlap) -> String {
    let [first, second] = bodies.map(|id| run.setup.name_of(id));
    let (percent, [x, y, z]) = (100.0 * share, [point.x, point.y, point.z]);
    format!(
        "{first} and {second} overlap by {depth:.3e} m ({percent:.3} %) at ({x:.6}, {y:.6}, {z:.6}) m"
    )
}

/// How far are joints open?
pub struct Openings {
    /// The most that is allowed, as a share of the radius of the smaller body.
    pub most: f64,
    /// The widest gap so far, and its frame.
    pub widest: Option<(u64, Opening)>,
    /// The last frame with joints of which one body has left the domain, and these joints.
    pub lost: Option<(u64, Vec<u32>)>,
}

impl Judge<BodyCheck> for Openings {
    fn frame(&mut self, check: &BodyCheck, known: Option<&BodyFacts>, found: &mut Verdict) {
        let joints = known.map(|known| &known.joints);
        let widest = joints.and_then(|joints| joints.widest);
        found.values.insert("joint_gap_m", widest.map(|it| it.gap_m));
        let Some(joints) = joints else { return };
        if let Some(worst) = joints.worst.filter(|it| it.share > self.most) {
            let (share, limit) = (100.0 * worst.share, 100.0 * self.most);
            let opening = opening(&check.run, &worst);
            found.fault(format_args!(
                "{opening}: {share:.3} % of the smaller body's radius, more than {limit} %"
            ));
        }
        let is_wider = |it: &Opening| self.widest.is_none_or(|(_, known)| it.gap_m >= known.gap_m);
        self.widest = widest.filter(is_wider).map(|it| (found.number, it)).or(self.widest);
        if !joints.lost.is_empty() {
            self.lost = Some((found.number, joints.lost.clone()));
        }
    }

    /// A body that has left while its joint has not is no fault: a body that is missing otherwise
    /// is one.
    fn end(&self, check: &BodyCheck, findings: &mut Findings) {
        findings.extremes.extend(self.widest.map(|(frame, widest)| {
            format!("widest joint: frame {frame}: {}", opening(&check.run, &widest))
        }));
        findings.extremes.extend(self.lost.as_ref().map(|(frame, lost)| {
            let (count, first) = (plural(lost.len(), "joint"), joint(&check.run, lost[0]));
            format!("frame {frame}: one body of {count} has left the domain, first {first}")
        }));
    }
}

/// "joint 3 of links[2] and links[3] is open by 1e-6 m and tilted by 0 degrees".
fn opening(run: &BodyRun, opening: &Opening) -> String {
    let Opening { gap_m, tilt_deg, .. } = opening;
    let name = joint(run, opening.joint);
    format!("{name} is open by {gap_m:.3e} m and tilted by {tilt_deg:.3e} degrees")
}

fn joint(BodyRun { setup, .. }: &BodyRun, number: u32) -> String {
    let joint = &setup.joints.all()[number as usize];
    let second = match joint.second {
        Second::Movable(id) => setup.name_of(id),
        Second::Fixed(place) => setup.name_of(setup.fixed.id(place)),
        Second::Space => "space".to_owned(),
    };
    format!("joint {number} of {} and {second}", setup.name_of(joint.first))
}

/// Did energy rise without work?
#[derive(Default)]
pub struct EnergyRises {
    watch: Watch,
    /// The bodies of the frame before.
    ids: Vec<BodyId>,
}

impl Judge<BodyCheck> for EnergyRises {
    fn columns(&self, _: &BodyCheck) -> &'static [&'static str] {
        &["    energy J"]
    }

    fn frame(&mut self, check: &BodyCheck, known: Option<&BodyFacts>, found: &mut Verdict) {
        let whole = known.and_then(|known| Some((known, known.whole?.energy)));
        found.values.insert("kinetic_j", whole.map(|(_, energy)| energy.kinetic_j));
        found.values.insert("potential_j", whole.map(|(_, energy)| energy.potential_j));
        let Some((known, energy)) = whole else { return };
        found.cells.push(format!("{:.5e}", energy.sum()));
        // A body that leaves takes its energy along, which may be below 0.
        if Found::missing(&self.ids, &known.ids).count > 0 {
            self.watch = Watch::default();
        }
        self.ids.clone_from(&known.ids);
        let rise = self.watch.rise(found.number, energy, known.energies.clone());
        let is_judged = check.run.source_of_energy().is_none();
        if let Some(Rise { since, rise_j, limit_j }) = rise.filter(|_| is_judged) {
            found.fault(format_args!(
                "energy is {rise_j:.3e} J above that of frame {since}, more than {limit_j:.3e} J"
            ));
        }
    }

    fn end(&self, check: &BodyCheck, findings: &mut Findings) {
        let source = check.run.source_of_energy();
        findings.extremes.extend(source.map(|it| format!("energy is not judged: {it}")));
    }
}

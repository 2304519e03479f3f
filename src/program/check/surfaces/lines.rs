//! What a check of surfaces says: rows of the table, and lines of faults and warnings.

use crate::verify::Intersection;

use crate::program::check::surfaces::drawn::Folded;
use crate::program::check::surfaces::folder::CheckedRun;
use crate::program::check::surfaces::frame::FrameCheck;
use crate::program::check::surfaces::rises::{JointGap, Rises, StepRise};
use crate::program::check::surfaces::sewn::SeamState;
use crate::program::words::{plural, significant, small_length};

/// How many rises of energy are listed.
const RISES: usize = 10;

/// Says what was found in the frames of a run.
pub struct Lines<'a> {
    /// The run.
    pub run: &'a CheckedRun,
    /// The largest strain that is allowed.
    pub max_strain: f64,
}

impl Lines<'_> {
    /// The row of a frame, behind its number.
    pub fn row(&self, frame: &FrameCheck) -> String {
        match &frame.strain {
            Some(strain) => format!(
                "{:>13}  {:>9.3}  {:>13.3}  {:>12.3}",
                frame.intersections(),
                strain.stretch * 100.0,
                strain.compression * 100.0,
                strain.percentile_95 * 100.0,
            ),
            // Bodies alone.
            None if frame.is_read => format!("{:>13}", frame.intersections()),
            None => format!("{:>13}", "-"),
        }
    }

    /// The faults of a frame.
    pub fn faults(&self, frame: &FrameCheck) -> Vec<String> {
        let file = self.run.record.format.frame_name(frame.frame);
        let mut lines = Vec::new();
        if let Some(fault) = &frame.fault {
            lines.push(format!("{file}: {fault}"));
        }
        if let Some(strain) = frame.strain.filter(|strain| strain.largest() > self.max_strain) {
            let (strain, limit) = (strain.largest() * 100.0, self.max_strain * 100.0);
            lines
                .push(format!("{file}: an edge is strained by {strain:.3} %, more than {limit} %"));
        }
        if let Some((edge, count)) = &frame.absurd {
            let ([a, b], object) = (edge.vertices, self.name(edge.object as u32));
            let (length, rest) = (edge.length, edge.rest);
            let more = match count - 1 {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            lines.push(format!(
                "{file}: edge ({a}, {b}) of {object} is {length} m long, at rest {rest} m{more}"
            ));
        }
        self.add_intersections(&file, frame, &mut lines);
        lines
    }

    fn add_intersections(&self, file: &str, frame: &FrameCheck, lines: &mut Vec<String>) {
        for (&[a, b], count) in &frame.counts {
            let count = plural(*count, "intersection");
            lines.push(match a == b {
                true => format!("{file}: {count} of {} with itself", self.name(a)),
                false => format!("{file}: {count} between {} and {}", self.name(a), self.name(b)),
            });
        }
        lines.extend(frame.first.iter().map(|found| self.intersection(found)));
        match frame.intersections() - frame.first.len() {
            0 => {}
            more => lines.push(format!("    and {more} more")),
        }
        if frame.folded.is_some() && frame.intersections() + frame.simulated > 0 {
            let count = plural(frame.simulated, "intersection");
            lines.push(format!("{file}: {count} of the triangles of the simulation"));
        }
    }

    /// A warning of quads that a viewer may cut the other way.
    pub fn folded(&self, frames: &[FrameCheck]) -> Option<String> {
        let folded = frames.iter().filter_map(|it| Some((it.frame, it.folded?)));
        let (all, most_in_one) =
            folded.clone().fold((0, 0), |(all, most), (_, (_, count))| (all + 1, most.max(count)));
        let angle = |(_, (folded, _)): &(u64, (Folded, usize))| folded.angle_deg;
        let (frame, (folded, _)) = folded.max_by(|a, b| angle(a).total_cmp(&angle(b)))?;
        let [a, b, c, d] = folded.quad.corners;
        Some(format!(
            "warning: quads are folded by more than 90 degrees in {}, up to {most_in_one} in one; \
             the most, by {:.0} degrees, is ({a}, {b}, {c}, {d}) of {} in {}\n    \
             a viewer may cut them the other way than the simulation; \
             with --set output.polygons=Triangles frames hold the cut of the simulation",
            plural(all, "frame"),
            folded.angle_deg,
            self.name(folded.object as u32),
            self.run.record.format.frame_name(frame),
        ))
    }

    /// The first rises of energy, and the balance if it is at fault.
    pub fn rises(&self, rises: &Rises) -> Vec<String> {
        let line = |&StepRise { step, frame, rise }: &StepRise| {
            let (vertex, object) = self.run.local(rise.vertex as u32);
            let [x, y, z] = rise.at_m;
            format!(
                "step {step} (frame {frame}): energy rose by {:.3e} J without work, more than {:.3e} J; \
                 vertex {vertex} of {object} at ({x:.6}, {y:.6}, {z:.6}) m got most",
                rise.unexplained_j, rise.limit_j
            )
        };
        let mut lines = Vec::from_iter(rises.steps.iter().take(RISES).map(line));
        match rises.steps.len().saturating_sub(RISES) {
            0 => {}
            more => lines.push(format!("    and {}", plural(more, "more step"))),
        }
        lines.extend(rises.balance.is_fault().then(|| rises.balance.gain().to_string()));
        lines
    }

    /// How far the joint opened that opened most.
    pub fn joints(&self, rises: &Rises) -> Option<String> {
        let JointGap { step, frame, gap_m } = rises.joint?;
        let joints = self.run.record.scene.joints.len();
        let gap = small_length(gap_m);
        (joints > 0)
            .then(|| format!("joints: open by at most {gap}, in step {step} (frame {frame})"))
    }

    /// How many stitches are open in the last frame.
    pub fn seams(&self, frames: &[FrameCheck]) -> Option<String> {
        let (frame, state) = frames.iter().rev().find_map(|it| Some((it.frame, it.seams?)))?;
        let SeamState { open_seams, open, late, unwelded, stretch_m } = state;
        let all = self.run.seams.iter().map(|seam| seam.stitches.len()).sum::<usize>();
        let (count, stitches) = (self.run.seams.len(), plural(all, "stitch"));
        let seams = plural(count, "seam");
        let widest = format!("the widest thread is {} mm too long", significant(1e3 * stretch_m));
        let threads = match unwelded {
            0 => String::new(),
            _ => format!("; not welded: {unwelded} (the summary of the run says why)"),
        };
        Some(match open {
            0 => format!("{seams} of {stitches}: none is open in frame {frame}; {widest}{threads}"),
            _ => {
                let time = if late > 0 { "" } else { ", before their time to close is over" };
                format!(
                    "warning: {open_seams} of {seams} open in frame {frame}{time}: {open} of \
                     {stitches}; {widest}{threads}"
                )
            }
        })
    }

    /// Vertices are numbered from 0 in their own objects, like in a scene.
    fn intersection(&self, found: &Intersection) -> String {
        let [p, q] = found.edge.map(|vertex| self.run.local(vertex).0);
        let [a, b, c] = found.face.map(|vertex| self.run.local(vertex).0);
        let [of_edge, of_face] = found.objects.map(|object| self.name(object));
        let place = found.place;
        format!(
            "    edge ({p}, {q}) of {of_edge} meets face ({a}, {b}, {c}) of {of_face} at ({:.6}, {:.6}, {:.6}) m",
            place.x, place.y, place.z
        )
    }

    fn name(&self, object: u32) -> &str {
        &self.run.objects[object as usize].name
    }
}

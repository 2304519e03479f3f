//! The judges of frames of surfaces.

use cloth_step::EnergyRise;

use crate::program::check::surfaces::recorded::Recorded;
use crate::program::check::surfaces::{
    AtStep, CheckedRun, Folded, SeamState, SurfaceCheck, SurfaceFacts,
};
use crate::program::check::{Findings, Judge, Verdict};
use crate::program::words::{plural, significant, small_length};
use crate::verify::Intersection;

/// Does an edge meet a face, as a viewer draws them?
#[derive(Default)]
pub struct Crossings {
    /// Whether any frame has intersections, as drawn and in the simulation.
    is_drawn: bool,
    is_simulated: bool,
}

impl Judge<SurfaceCheck> for Crossings {
    fn columns(&self, _: &SurfaceCheck) -> &'static [&'static str] {
        &["intersections"]
    }

    fn frame(&mut self, check: &SurfaceCheck, known: Option<&SurfaceFacts>, found: &mut Verdict) {
        let count = known.map(SurfaceFacts::intersections);
        found.values.insert("intersections", count.map(|it| it as f64));
        let (Some(known), Some(count)) = (known, count) else { return };
        found.cells.push(count.to_string());
        for (&[a, b], &count) in &known.counts {
            let (count, first) = (plural(count, "intersection"), check.run.name(a));
            found.fault(match a == b {
                true => format!("{count} of {first} with itself"),
                false => format!("{count} between {first} and {}", check.run.name(b)),
            });
        }
        found.faults.extend(known.first.iter().map(|it| line(&check.run, it)));
        match count - known.first.len() {
            0 => {}
            more => found.faults.push(format!("    and {more} more")),
        }
        if known.folded.is_some() && count + known.simulated > 0 {
            let count = plural(known.simulated, "intersection");
            found.fault(format_args!("{count} of the triangles of the simulation"));
        }
        self.is_drawn |= count > 0;
        self.is_simulated |= known.simulated > 0;
    }

    fn end(&self, _: &SurfaceCheck, findings: &mut Findings) {
        if self.is_simulated {
            findings.remedy = Some(
                "see the list on standard output; more steps (steps_per_frame) or a larger \
                 contact.distance_m keep cloth apart",
            );
        } else if self.is_drawn {
            findings.remedy = Some(
                "only quads that a viewer cuts the other way intersect; repeat the run with \
                 --set output.polygons=Triangles",
            );
        }
    }
}

/// Vertices are numbered from 0 in their own objects, like in a scene.
fn line(run: &CheckedRun, found: &Intersection) -> String {
    let [p, q] = found.edge.map(|vertex| run.local(vertex).0);
    let [a, b, c] = found.face.map(|vertex| run.local(vertex).0);
    let [of_edge, of_face] = found.objects.map(|object| run.name(object));
    let [x, y, z] = [found.place.x, found.place.y, found.place.z];
    format!(
        "    edge ({p}, {q}) of {of_edge} meets face ({a}, {b}, {c}) of {of_face} at ({x:.6}, {y:.6}, {z:.6}) m"
    )
}

/// How far are edges of cloth from their rest lengths?
pub struct Lengths {
    /// The largest strain that is allowed.
    pub most: f64,
}

impl Judge<SurfaceCheck> for Lengths {
    fn columns(&self, check: &SurfaceCheck) -> &'static [&'static str] {
        match check.run.has_cloth() {
            true => &["stretch %", "compression %", "95th perc. %"],
            false => &[],
        }
    }

    fn frame(&mut self, check: &SurfaceCheck, known: Option<&SurfaceFacts>, found: &mut Verdict) {
        let strain = known.and_then(|known| known.strain);
        found.values.insert("stretch", strain.map(|it| it.stretch));
        found.values.insert("compression", strain.map(|it| it.compression));
        found.values.insert("strain_percentile_95", strain.map(|it| it.percentile_95));
        if let Some(strain) = strain {
            let shares = [strain.stretch, strain.compression, strain.percentile_95];
            found.cells.extend(shares.map(|share| format!("{:.3}", 100.0 * share)));
            let (largest, limit) = (strain.stretch.max(-strain.compression), 100.0 * self.most);
            if largest > self.most {
                let percent = 100.0 * largest;
                found.fault(format_args!(
                    "an edge is strained by {percent:.3} %, more than {limit} %"
                ));
            }
        }
        if let Some((edge, count)) = known.and_then(|known| known.absurd) {
            let ([a, b], object) = (edge.vertices, check.run.name(edge.object as u32));
            let (length, rest) = (edge.length, edge.rest);
            let more = match count - 1 {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            found.fault(format_args!(
                "edge ({a}, {b}) of {object} is {length} m long, at rest {rest} m{more}"
            ));
        }
    }
}

/// Are there quads that a viewer may cut the other way?
#[derive(Default)]
pub struct Folds {
    /// Number of frames with such quads.
    frames: usize,
    /// The most in a frame.
    most: usize,
    /// The quad that is folded most, and its frame.
    worst: Option<(u64, Folded)>,
}

impl Judge<SurfaceCheck> for Folds {
    fn frame(&mut self, _: &SurfaceCheck, known: Option<&SurfaceFacts>, found: &mut Verdict) {
        let Some((folded, count)) = known.and_then(|known| known.folded) else { return };
        self.frames += 1;
        self.most = self.most.max(count);
        if self.worst.is_none_or(|(_, worst)| folded.angle_deg >= worst.angle_deg) {
            self.worst = Some((found.number, folded));
        }
    }

    fn end(&self, check: &SurfaceCheck, findings: &mut Findings) {
        let Some((frame, folded)) = self.worst else { return };
        let [a, b, c, d] = folded.quad.corners;
        findings.remarks.push(format!(
            "warning: quads are folded by more than 90 degrees in {}, up to {} in one; \
             the most, by {:.0} degrees, is ({a}, {b}, {c}, {d}) of {} in {}\n    \
             a viewer may cut them the other way than the simulation; \
             with --set output.polygons=Triangles frames hold the cut of the simulation",
            plural(self.frames, "frame"),
            self.most,
            folded.angle_deg,
            check.run.name(folded.object as u32),
            check.run.record.format.frame_name(frame),
        ));
    }
}

/// How many rises of energy are listed.
const RISES: usize = 10;

/// Did energy rise without work, in a step or in sum?
pub struct EnergyOfSteps;

impl Judge<SurfaceCheck> for EnergyOfSteps {
    fn end(&self, check: &SurfaceCheck, findings: &mut Findings) {
        let Recorded { rises, balance, .. } = &check.recorded;
        findings.remarks.extend(rises.iter().take(RISES).map(|it| rise(&check.run, it)));
        match rises.len().saturating_sub(RISES) {
            0 => {}
            more => findings.remarks.push(format!("    and {}", plural(more, "more step"))),
        }
        findings.remarks.extend(balance.is_fault().then(|| balance.gain()));
        let place = match rises.len() {
            0 if balance.is_fault() => "sum".to_owned(),
            0 => return,
            count => plural(count, "step"),
        };
        findings.fault_of_run(
            format!("energy rose without work in {place}"),
            "see the list on standard output; raise steps_per_frame, or look for what is pressed or \
             pinned in contact there",
            ", but in the energy of steps",
        );
    }
}

fn rise(run: &CheckedRun, AtStep { step, frame, what }: &AtStep<EnergyRise>) -> String {
    let (vertex, object) = run.local(what.vertex as u32);
    let [x, y, z] = what.at_m;
    format!(
        "step {step} (frame {frame}): energy rose by {:.3e} J without work, more than {:.3e} J; \
         vertex {vertex} of {object} at ({x:.6}, {y:.6}, {z:.6}) m got most",
        what.unexplained_j, what.limit_j
    )
}

/// How far did joints open?
pub struct JointsOfSteps {
    /// The widest gap that is allowed, as a share of the radius of the smallest body.
    pub most: f64,
}

impl Judge<SurfaceCheck> for JointsOfSteps {
    fn end(&self, check: &SurfaceCheck, findings: &mut Findings) {
        let Some(AtStep { step, frame, what: gap_m }) = check.recorded.joint_gap_m else { return };
        if !check.run.record.scene.joints.is_empty() {
            let gap = small_length(gap_m);
            let place = format!("in step {step} (frame {frame})");
            findings.remarks.push(format!("joints: open by at most {gap}, {place}"));
        }
        if check.run.body_radius_m.is_some_and(|radius_m| gap_m > self.most * radius_m) {
            findings.fault_of_run(
                "a joint was open by more than --max-joint-gap of the smallest body".to_owned(),
                "raise steps_per_frame, or look for joints that pull at each other",
                ", but in the joints of steps",
            );
        }
    }
}

/// Are seams closed once their time is over?
#[derive(Default)]
pub struct Seams {
    /// The last frame that could be read, and its seams.
    last: Option<(u64, SeamState)>,
}

impl Judge<SurfaceCheck> for Seams {
    fn frame(&mut self, _: &SurfaceCheck, known: Option<&SurfaceFacts>, found: &mut Verdict) {
        let seams = known.and_then(|known| known.seams);
        found.values.insert("open_stitches", seams.map(|it| it.open as f64));
        found.values.insert("unwelded_stitches", seams.map(|it| it.unwelded as f64));
        found.values.insert("seam_stretch_m", seams.map(|it| it.stretch_m));
        self.last = seams.map(|seams| (found.number, seams)).or(self.last);
    }

    fn end(&self, check: &SurfaceCheck, findings: &mut Findings) {
        let Some((frame, state)) = self.last else { return };
        let SeamState { open_seams, open, late, unwelded, stretch_m } = state;
        let all = check.run.seams.iter().map(|seam| seam.stitches.len()).sum::<usize>();
        let (count, stitches) = (check.run.seams.len(), plural(all, "stitch"));
        let seams = plural(count, "seam");
        let widest = format!("the widest thread is {} mm too long", significant(1e3 * stretch_m));
        let threads = match unwelded {
            0 => String::new(),
            _ => format!("; not welded: {unwelded} (the summary of the run says why)"),
        };
        let time = if late > 0 { "" } else { ", before their time to close is over" };
        findings.remarks.push(match open {
            0 => format!("{seams} of {stitches}: none is open in frame {frame}; {widest}{threads}"),
            _ => format!(
                "warning: {open_seams} of {seams} open in frame {frame}{time}: {open} of \
                 {stitches}; {widest}{threads}"
            ),
        });
        if late > 0 {
            let (stitches, verb) = (plural(late, "stitch"), if late == 1 { "is" } else { "are" });
            findings.fault_of_run(
                format!("{stitches} {verb} open although the time to close (close_s) is over"),
                "look for what holds the sides apart; raise most_n_per_m or close_s of the seam, or \
                 make the pieces wider",
                ", but in the seams",
            );
        }
    }
}

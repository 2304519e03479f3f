//! What a check of bodies says: rows of the table, and lines of faults.

use cloth_rigid::constraint::joint::Second;
use cloth_rigid::simulation::overlap::Overlap;

use crate::program::check::CheckSettings;
use crate::program::check::bodies::energy::Rise;
use crate::program::check::bodies::folder::{BodyRun, Expected};
use crate::program::check::bodies::frame::{BodyCheck, Found};
use crate::program::check::bodies::joints::Opening;
use crate::program::check::bodies::recorded::Recorded;
use crate::program::words::plural;

/// Says what was found in the frames of a run.
pub struct Lines<'a> {
    /// The run.
    pub run: &'a BodyRun,
    /// What it says about its steps.
    pub recorded: &'a Recorded,
    /// What is allowed.
    pub settings: &'a CheckSettings,
}

impl Lines<'_> {
    /// Whether bodies of a frame overlap more than is allowed.
    pub fn is_too_deep(&self, frame: &BodyCheck) -> bool {
        frame.overlap.as_ref().is_some_and(|overlap| overlap.share > self.settings.max_overlap)
    }

    /// Whether the bodies are sound, but not those of the run, bit by bit.
    fn is_changed(&self, frame: &BodyCheck) -> bool {
        let is_whole = frame.energy.is_some() && frame.has_sound_bodies();
        let agrees = self.recorded.agrees(frame.frame, frame.bodies_hash);
        is_whole && !self.has_lost(frame) && !agrees
    }

    /// Whether other bodies are gone than the run has recorded. What happened to a frame that could
    /// not be read is a fault of its own.
    fn has_lost(&self, frame: &BodyCheck) -> bool {
        frame.energy.is_some() && frame.gone.count != self.left(frame)
    }

    /// How many bodies left the domain since the last frame that could be read, as recorded.
    fn left(&self, frame: &BodyCheck) -> u64 {
        self.recorded.left(frame.after, frame.frame)
    }

    /// The deepest overlap of all frames.
    pub fn deepest(&self, frames: &[BodyCheck]) -> String {
        let overlaps = frames.iter().filter_map(|it| Some((it.frame, it.overlap.as_ref()?)));
        match overlaps.max_by(|(_, a), (_, b)| a.share.total_cmp(&b.share)) {
            Some((frame, overlap)) => {
                format!("deepest overlap: frame {frame}: {}", self.overlap(overlap))
            }
            None => "no two bodies overlap".to_owned(),
        }
    }

    /// The widest gap of a joint of all frames. None in a scene without joints.
    pub fn widest(&self, frames: &[BodyCheck]) -> Option<String> {
        let gaps = frames.iter().filter_map(|it| Some((it.frame, it.joints.widest?)));
        let (frame, widest) = gaps.max_by(|(_, a), (_, b)| a.gap_m.total_cmp(&b.gap_m))?;
        Some(format!("widest joint: frame {frame}: {}", self.opening(&widest)))
    }

    /// The joints of which one body has left the domain and the other has not, in the last frame
    /// with some. This is no fault: a body that is missing otherwise is one.
    pub fn lost(&self, frames: &[BodyCheck]) -> Option<String> {
        let frame = frames.iter().rev().find(|frame| !frame.joints.lost.is_empty())?;
        let (joint, number) = (self.joint(frame.joints.lost[0]), frame.frame);
        let count = plural(frame.joints.lost.len(), "joint");
        Some(format!("frame {number}: one body of {count} has left the domain, first {joint}"))
    }

    /// "joint 3 of links[2] and links[3] is open by 1e-6 m and tilted by 0 degrees".
    fn opening(&self, opening: &Opening) -> String {
        let Opening { joint, gap_m, tilt_deg, .. } = *opening;
        let name = self.joint(joint);
        format!("{name} is open by {gap_m:.3e} m and tilted by {tilt_deg:.3e} degrees")
    }

    fn joint(&self, number: u32) -> String {
        let joint = &self.run.setup.joints.all()[number as usize];
        let second = match joint.second {
            Second::Movable(id) => self.run.setup.name_of(id),
            Second::Fixed(place) => self.run.setup.name_of(self.run.setup.fixed.id(place)),
            Second::Space => "space".to_owned(),
        };
        format!("joint {number} of {} and {second}", self.run.setup.name_of(joint.first))
    }

    /// The row of a frame, behind its number.
    pub fn row(&self, frame: &BodyCheck) -> String {
        let Some(energy) = frame.energy else { return format!("{:>8}", "-") };
        let (depth, share) = frame.overlap.map_or((0.0, 0.0), |it| (it.depth, it.share));
        let (bodies, share, energy_j) = (frame.bodies, 100.0 * share, energy.sum());
        format!("{bodies:>8}  {depth:>12.3e}  {share:>9.3}  {energy_j:>12.5e}")
    }

    /// The faults of a frame.
    pub fn faults(&self, frame: &BodyCheck) -> Vec<String> {
        let mut faults = Vec::from_iter(frame.fault.clone());
        for (found, what) in [
            (&frame.damaged, "numbers that no body has"),
            (&frame.changed, "another shape, size, material or group than in the scene"),
            (&frame.misplaced, "not where keyframes put them"),
            (&frame.doubled, "there more than once"),
            (&frame.unknown, "not in frames of this scene"),
            (&frame.outside, "outside the domain"),
            (&frame.back, "back after they were gone"),
        ] {
            if found.count > 0 {
                faults.push(format!("{what}: {}", self.found(found)));
            }
        }
        if self.has_lost(frame) {
            let (gone, left) = (self.found(&frame.gone), self.left(frame));
            faults.push(format!("gone: {gone}; steps.jsonl says that {left} left the domain"));
        }
        if self.is_changed(frame) {
            let what = "its bodies are not bit by bit those that steps.jsonl has recorded";
            faults.push(what.to_owned());
        }
        if let Some(overlap) = frame.overlap.as_ref().filter(|_| self.is_too_deep(frame)) {
            let limit = 100.0 * self.settings.max_overlap;
            faults.push(format!("{}, more than {limit} %", self.overlap(overlap)));
        }
        if let Some(worst) = frame.joints.worst.filter(|it| it.share > self.settings.max_joint_gap)
        {
            let (share, limit) = (100.0 * worst.share, 100.0 * self.settings.max_joint_gap);
            let opening = self.opening(&worst);
            faults.push(format!(
                "{opening}: {share:.3} % of the smaller body's radius, more than {limit} %"
            ));
        }
        faults.extend(frame.rise.map(|Rise { since, rise_j, limit_j }| {
            format!(
                "energy is {rise_j:.3e} J above that of frame {since}, more than {limit_j:.3e} J"
            )
        }));
        let file = self.run.record.format.frame_name(frame.frame);
        faults.into_iter().map(|fault| format!("{file}: {fault}")).collect()
    }

    fn overlap(&self, Overlap { bodies, depth, share, point }: &Overlap) -> String {
        let [first, second] = bodies.map(|id| self.run.setup.name_of(id));
        format!(
            "{first} and {second} overlap by {depth:.3e} m ({:.3} %) at ({:.6}, {:.6}, {:.6}) m",
            100.0 * share,
            point.x,
            point.y,
            point.z
        )
    }

    /// "2 bodies (balls[3], rods[0])". Bodies are named like in a scene.
    fn found(&self, found: &Found) -> String {
        let name = |&id: &u64| match self.run.expected(id) {
            Expected::Absent => format!("body {id}"),
            Expected::Free | Expected::Keyframed => self.run.setup.name_of(id),
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
}

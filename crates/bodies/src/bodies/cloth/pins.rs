//! Vertices that are held, follow a keyframed rigid motion, or follow an obstacle; exactly, or drawn by
//! springs.

use crate::bodies::prescribed::{KeyframedMotion, Rigid, SurfacePoint};
use crate::bodies::timed::{AmplitudeKey, factor};
use cloth_core::{Vec3, VertexId};

/// A group of vertices whose motion is prescribed from `start_s` to `end_s`.
#[derive(Debug, Clone)]
pub struct PinGroup {
    /// The vertices, in the numbering of all cloths.
    pub vertices: Vec<VertexId>,
    /// Time from which they are held, s.
    pub start_s: f64,
    /// Time from which they are free again, s.
    pub end_s: f64,
    /// The rigid motion that they follow. Without one they stay in place.
    pub motion: Option<KeyframedMotion>,
    /// The obstacle that they follow instead.
    pub follow: Option<Follow>,
    /// The springs that draw them there. Without them they are held exactly.
    pub springs: Option<PinSprings>,
}

/// The springs of a pin.
#[derive(Debug, Clone, PartialEq)]
pub struct PinSprings {
    /// The stiffness of each vertex, in the order of the vertices, N/m.
    pub stiffness_n_per_m: Vec<f64>,
    /// Its factor over time, by ascending time. Always 1 without keys.
    pub strength: Vec<AmplitudeKey>,
}

/// What springs do to a vertex of cloth at the place x (m): their force is `pull - stiffness x`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Draw {
    /// The sum of their stiffnesses, N/m.
    pub stiffness: f64,
    /// The sum of stiffness times place, N.
    pub pull: Vec3,
}

impl Draw {
    /// The work (J) of the springs on a vertex on its way from `x0` to `x1` (m): the energy that they
    /// lose.
    pub fn work_j(&self, x0: Vec3, x1: Vec3) -> f64 {
        (self.pull - (x0 + x1) * (0.5 * self.stiffness)).dot(&(x1 - x0))
    }
}

/// How pinned vertices go with an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub struct Follow {
    /// The number of the obstacle.
    pub obstacle: usize,
    /// Where each vertex is relative to the surface, in the order of the vertices.
    pub points: Vec<SurfacePoint>,
}

/// All pins of a scene.
#[derive(Debug, Clone, Default)]
pub struct Pins {
    /// In scene order. If two groups hold a vertex, the first one decides.
    pub groups: Vec<PinGroup>,
}

/// Where each pinned vertex was when its group took hold, m: one list for each group, empty before
/// the group takes hold. Vertices that follow an obstacle have their places now. Part of the state.
pub type Captured = Vec<Vec<Vec3>>;

impl Pins {
    /// Nothing captured yet.
    pub fn nothing_captured(&self) -> Captured {
        vec![Vec::new(); self.groups.len()]
    }

    /// Notes the positions of the groups that take hold at `time_s` (s); `x` are those of all cloth
    /// vertices (m).
    pub fn capture(&self, captured: &mut Captured, x: &[Vec3], time_s: f64) {
        for (group, places) in self.groups.iter().zip(captured) {
            if places.is_empty() && group.is_active(time_s) {
                *places = group.places(x);
            }
        }
    }

    /// Fills `targets` with the vertices that are held in a step from `t0_s` (s) on, and with their
    /// positions (m) at its end. Each vertex occurs once, by rising vertex. `lead` says how each
    /// group moves until then; `x` are the positions of all cloth vertices at the start (m).
    pub fn targets(
        &self,
        captured: &Captured,
        x: &[Vec3],
        t0_s: f64,
        lead: impl Fn(usize) -> Lead,
        targets: &mut Vec<(VertexId, Vec3)>,
    ) {
        targets.clear();
        for (number, (group, places)) in self.groups.iter().zip(captured).enumerate() {
            if group.holds(t0_s) {
                let lead = lead(number);
                targets.extend(
                    group
                        .vertices
                        .iter()
                        .zip(places)
                        .map(|(&vertex, &place)| (vertex, lead.place(place, x[vertex as usize]))),
                );
            }
        }
        // The sort is stable, so the first group of a vertex stays in front.
        targets.sort_by_key(|&(vertex, _)| vertex);
        targets.dedup_by_key(|&mut (vertex, _)| vertex);
    }

    /// Writes what springs do to each of `vertices` vertices in a step from `t0_s` to `t1_s` (s) to
    /// `draws`, which is left empty if no spring acts. They draw to where the pins are at its end.
    pub fn write_draws(
        &self,
        captured: &Captured,
        [t0_s, t1_s]: [f64; 2],
        vertices: usize,
        draws: &mut Vec<Draw>,
    ) {
        draws.clear();
        for (group, places) in self.groups.iter().zip(captured) {
            let Some(springs) = group.springs.as_ref().filter(|_| group.is_active(t0_s)) else {
                continue;
            };
            draws.resize(vertices, Draw::default());
            let (pose, strength) = (group.pose_at(t1_s), factor(&springs.strength, t1_s));
            let places = places.iter().zip(&springs.stiffness_n_per_m);
            for (&vertex, (&place, stiffness)) in group.vertices.iter().zip(places) {
                let (draw, stiffness) = (&mut draws[vertex as usize], stiffness * strength);
                draw.stiffness += stiffness;
                draw.pull += pose.map_or(place, |pose| pose.apply(place)) * stiffness;
            }
        }
    }
}

/// How the vertices of a group are led in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lead {
    /// To where they were captured, or where a handle is.
    Captured,
    /// To the image of that place.
    Moved(Rigid),
    /// This share of the way from where they are to that place.
    Share(f64),
}

impl Lead {
    fn place(&self, captured: Vec3, x: Vec3) -> Vec3 {
        match self {
            Self::Captured => captured,
            Self::Moved(motion) => motion.apply(captured),
            Self::Share(share) => x + (captured - x) * *share,
        }
    }
}

impl PinGroup {
    /// Its rigid motion until `time_s` (s), from where it took hold. None if it stays there.
    pub fn pose_at(&self, time_s: f64) -> Option<Rigid> {
        self.motion.as_ref().map(|motion| motion.since(self.start_s, time_s))
    }

    /// The positions of its vertices among those of all cloth vertices, `x` (m).
    pub fn places(&self, x: &[Vec3]) -> Vec<Vec3> {
        self.vertices.iter().map(|&vertex| x[vertex as usize]).collect()
    }

    /// Whether it holds its vertices exactly at `time_s` (s).
    pub fn holds(&self, time_s: f64) -> bool {
        self.springs.is_none() && self.is_active(time_s)
    }

    /// Whether it holds or draws its vertices at `time_s` (s).
    pub fn is_active(&self, time_s: f64) -> bool {
        self.start_s <= time_s && time_s < self.end_s
    }
}

//! The joints of bodies in a step.

use crate::model::Model;
use crate::report::StepReport;
use crate::state::context::Context;
use crate::state::joint_springs::{JointSpring, Purpose};
use crate::state::motion::StepMotion;
use crate::time::clock::Span;
use crate::time::scheme::Scheme;
use cloth_bodies::bodies::BodyPose;
use cloth_bodies::bodies::joints::FrameInSpace;
use cloth_bodies::bodies::joints::body_joint::{BodyJoint, Second};
use cloth_bodies::bodies::joints::forces::JointStep;
use cloth_bodies::bodies::joints::kind::JointKind;
use cloth_bodies::bodies::joints::pose::RelativePose;
use cloth_bodies::bodies::prescribed::{PrescribedPose, Rigid};
use cloth_bodies::bodies::rigid::turn;
use cloth_bodies::contact::{ContactSpring, Sides, Term};
use cloth_core::ids::NodeId;
use cloth_core::linear::Jacobian;
use cloth_core::math::{Mat3, Vec3};

/// Which velocities the forces of joints are taken about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// Those of free flight, before the first solve.
    FreeFlight,
    /// Those of the base of the solve.
    Base,
}

impl StepMotion {
    /// Finds the springs of all joints for the next solve, about its base. Every rank has all. Joints
    /// outside of the region of a repair keep the springs of the solve before.
    pub(crate) fn find_joint_springs(&mut self, here: &Context) {
        let model = here.model;
        let solved = here.region.map(|_| self.locking_forces(here.span.scheme));
        let last = solved.unwrap_or_else(|| self.start.joint_forces.clone());
        let mut before = std::mem::take(&mut self.joint_springs);
        before.resize(model.joints.len(), Vec::new());
        let about = if here.region.is_some() { About::Base } else { About::FreeFlight };
        let of = JointsInStep {
            model,
            motion: self,
            span: here.span,
            u: self.about().u,
            about,
            last: &last,
        };
        let stays = |joint: &BodyJoint| {
            let node = model.numbering.bodies()[joint.first].nodes.start;
            here.region.is_some_and(|region| !region.has(node))
        };
        let joints = model.joints.iter().zip(before).enumerate();
        let springs = joints.map(
            |(number, (joint, before))| {
                if stays(joint) { before } else { of.springs(number) }
            },
        );
        self.joint_springs = springs.collect();
    }

    /// The springs of joints in the last solve. At the velocities that it found, `push` is their force
    /// (N).
    pub(crate) fn exerted_by_joints(
        &self,
        scheme: Scheme,
    ) -> impl Iterator<Item = Vec<JointSpring>> {
        let at_end = move |it: &JointSpring| {
            let velocity = it.spring.sides.velocity(|node| self.solved_velocity(node as usize));
            let push = it.spring.force(velocity, scheme.step_s());
            JointSpring { spring: ContactSpring { velocity, push, ..it.spring }, ..*it }
        };
        self.joint_springs.iter().map(move |of_joint| of_joint.iter().map(at_end).collect())
    }

    /// The force that holds the points of each joint together on its first body, N, in the last solve.
    pub(crate) fn locking_forces(&self, scheme: Scheme) -> Vec<Vec3> {
        let lock = |of_joint: Vec<JointSpring>| {
            let lock = of_joint.iter().find(|it| it.purpose == Purpose::Locks);
            lock.map_or_else(Vec3::zeros, |it| it.spring.push)
        };
        self.exerted_by_joints(scheme).map(lock).collect()
    }

    /// Reports how far the rigid joint that is open most is open at the end of the step.
    pub(crate) fn note_joints(&self, here: &Context, report: &mut StepReport) {
        let coordinates = self.moved_bodies(here.model, here.span.scheme);
        let poses = self.joint_poses(here.model, &coordinates);
        for (joint, pose) in here.model.joints.iter().zip(poses) {
            if joint.settings.compliance == 0.0 {
                report.joint_gap_m = report.joint_gap_m.max(pose.gap(&joint.settings));
            }
        }
    }

    /// The velocity (m/s) at the end of the step that is expected of a node of a body. The base of the
    /// solve has the velocities `u`.
    pub(crate) fn expected(&self, model: &Model, u: &[Vec3], about: About, node: NodeId) -> Vec3 {
        match (about, self.body_terms(model).of(node)) {
            (About::FreeFlight, Some(terms)) => self.start.u0[node as usize] + terms.free,
            _ => u[node as usize],
        }
    }

    /// The poses of all joints at the end of the step.
    pub(crate) fn joint_poses<'a>(
        &'a self,
        model: &'a Model,
        coordinates: &'a [Vec<f64>],
    ) -> impl Iterator<Item = RelativePose> + 'a {
        model.joints.iter().map(|joint| {
            pose_of(model, joint, coordinates, |number| self.start.obstacle_ways[number][1])
        })
    }
}

/// The pose of `joint` where bodies are at `coordinates`, and obstacles in the poses `obstacle`.
pub(crate) fn pose_of(
    model: &Model,
    joint: &BodyJoint,
    coordinates: &[Vec<f64>],
    obstacle: impl Fn(usize) -> Option<PrescribedPose>,
) -> RelativePose {
    let on_body = |side: usize, body: usize| {
        let pose = model.bodies[body].pose(&coordinates[body], &[Vec3::zeros(); 2]);
        joint.on_body(side, &pose.unwrap_or(BodyPose::AT_REST))
    };
    let first = on_body(0, joint.first);
    let second = match joint.second {
        Second::Body(body) => on_body(1, body),
        Second::Obstacle(number) => {
            joint.held(obstacle(number).and_then(PrescribedPose::rigid).as_ref())
        }
        Second::Space => joint.held(None),
    };
    RelativePose::between(&joint.settings, &[first, second])
}

/// All joints in a step.
struct JointsInStep<'a> {
    model: &'a Model,
    motion: &'a StepMotion,
    span: &'a Span,
    u: &'a [Vec3],
    about: About,
    /// The force that held the points of each joint together on its first body, N.
    last: &'a [Vec3],
}

/// One side of a joint.
struct JointSide {
    /// Its frame in the middle of the step, and where it is expected at the end.
    frames: [FrameInSpace; 2],
    /// The body that has it, if forces move it.
    body: Option<usize>,
}

impl JointsInStep<'_> {
    fn expected(&self, node: NodeId) -> Vec3 {
        self.motion.expected(self.model, self.u, self.about, node)
    }

    fn side(&self, joint: &BodyJoint, side: usize) -> JointSide {
        let held = |ends: [Option<Rigid>; 2]| JointSide {
            frames: ends.map(|motion| joint.held(motion.as_ref())),
            body: None,
        };
        let second = if side == 0 { Second::Body(joint.first) } else { joint.second };
        match second {
            Second::Space => held([None; 2]),
            Second::Obstacle(number) => {
                let way = self.motion.start.obstacle_ways[number];
                let [start, end] = way.map(|pose| pose.and_then(PrescribedPose::rigid));
                let between =
                    |(start, end): (Rigid, Rigid)| start.towards(&end, 0.5, joint.frames[1].point);
                held([start.zip(end).map(between), end])
            }
            Second::Body(number) => {
                let (body, range) =
                    (&self.model.bodies[number], &self.model.numbering.bodies()[number]);
                let u: Vec<Vec3> = range.nodes.clone().map(|node| self.expected(node)).collect();
                let frame = |at: &[f64]| {
                    joint.on_body(side, &body.pose(at, &u).unwrap_or(BodyPose::AT_REST))
                };
                let end =
                    self.span.scheme.moved(&**body, &self.motion.start.coordinates[number], &u);
                let middle = frame(&self.motion.middles[number]);
                JointSide { frames: [middle, frame(&end)], body: Some(number) }
            }
        }
    }

    fn springs(&self, number: usize) -> Vec<JointSpring> {
        let (joint, h) = (&self.model.joints[number], self.span.scheme.step_s());
        let sides = [0, 1].map(|side| self.side(joint, side));
        let at_start = |number: usize| self.motion.start.obstacle_ways[number][0];
        let start = pose_of(self.model, joint, &self.motion.start.coordinates, at_start);
        let [middle, end] = [0, 1].map(|at| {
            RelativePose::between(&joint.settings, &[sides[0].frames[at], sides[1].frames[at]])
        });
        let end = end.going_on_from(&start, &joint.settings);
        // The force acts on both bodies at one point, so that it turns no pair of them. The line of
        // a distance goes through both points.
        let point = sides[0].frames[0].0;
        let second = match joint.settings.kind {
            JointKind::Distance => sides[1].frames[0].0,
            _ => point,
        };
        let between = [false, true].map(|turns| self.sides(&sides, [point, second], turns));
        let held = self.held(&sides[1], second);
        let rate = |u: &dyn Fn(NodeId) -> Vec3, at: usize| between[at].velocity(u) - held[at];
        let rates = |u: &dyn Fn(NodeId) -> Vec3| [rate(u, 0), rate(u, 1)];
        let rates = [
            rates(&|node| self.motion.start.u0[node as usize]),
            rates(&|node| self.expected(node)),
        ];
        let step = JointStep {
            joint,
            start: &start,
            middle: &middle,
            end: &end,
            rates,
            masses: [0, 1].map(|at| self.reduced_mass(&between[at])),
            inverse_masses: [0, 1].map(|at| self.inverse_mass(&between[at])),
            steps_s: [h, self.span.whole_s],
            time_s: self.span.t1_s,
        };
        let springs = step.forces().map(|force| {
            let at = usize::from(force.turns);
            let velocity = between[at].velocity(|node| self.u[node as usize]);
            let back = velocity - (rates[1][at] + held[at]);
            let spring = ContactSpring {
                sides: between[at],
                stiffness: force.stiffness,
                velocity,
                push: force.push - force.stiffness * back * h,
                lasting: Vec3::zeros(),
            };
            let purpose = match (force.is_driven, force.turns) {
                (true, _) => Purpose::Drives,
                (false, false) => Purpose::Locks,
                (false, true) => Purpose::LocksTurns,
            };
            JointSpring { spring, held: held[at], purpose }
        });
        let mut springs = Vec::from_iter(springs);
        self.add_straightening(self.last[number], &between[0], &mut springs);
        springs
    }

    /// Adds what the `force` (N) of the joint on its first body changes where it turns a body: the
    /// torque `r x F` has an arm `r` that turns too. Without this, a taut chain gains energy. Only a
    /// pull counts: a push makes the matrix indefinite.
    fn add_straightening(&self, force: Vec3, sides: &Sides, springs: &mut Vec<JointSpring>) {
        for term in sides.terms() {
            let Jacobian::Arm(arm) = term.jacobian else { continue };
            let (pull, length) = (force.dot(&arm), arm.norm());
            if pull <= 0.0 || length == 0.0 {
                continue;
            }
            let along = arm / length;
            let mut sides = Sides::default();
            sides.push(term.node, Jacobian::Weight(1.0));
            sides.end_first();
            let velocity = self.u[term.node as usize];
            // The arm is that in the middle of the step.
            let scale = self.straightening_scale(term.node) * 0.5;
            let stiffness = (Mat3::identity() - along * along.transpose()) * (pull * scale);
            let back = velocity - self.expected(term.node);
            let push = stiffness * back * -self.span.scheme.step_s();
            let spring = ContactSpring { sides, stiffness, velocity, push, lasting: Vec3::zeros() };
            springs.push(JointSpring {
                spring,
                held: Vec3::zeros(),
                purpose: Purpose::Straightens,
            });
        }
    }

    /// Radians by unit of an angular node, 1/m.
    fn straightening_scale(&self, node: NodeId) -> f64 {
        let Some(body) = self.model.numbering.body_of_node(node) else { return 0.0 };
        self.model.bodies[body].turn_of(1).unwrap_or(0.0)
    }

    /// How nodes move the two `points` (m) relative to each other, or turn the two bodies.
    fn sides(&self, sides: &[JointSide; 2], points: [Vec3; 2], turns: bool) -> Sides {
        let mut result = Sides::default();
        for (side, (sign, point)) in sides.iter().zip([1.0, -1.0].into_iter().zip(points)) {
            if let Some(number) = side.body {
                let (body, range) =
                    (&self.model.bodies[number], &self.model.numbering.bodies()[number]);
                let at = &self.motion.middles[number];
                for (place, node) in range.nodes.clone().enumerate() {
                    let jacobian = match turns {
                        false => Some(body.jacobian(at, place, sign, &(point * sign))),
                        true => body.turn_of(place).map(|it| Jacobian::Weight(it * sign)),
                    };
                    jacobian.into_iter().for_each(|jacobian| result.push(node, jacobian));
                }
            }
            if sign > 0.0 {
                result.end_first();
            }
        }
        result
    }

    /// The velocity of the second frame at `point` (m/s), and its angular velocity (rad/s), if no
    /// force moves it. Else zero.
    fn held(&self, side: &JointSide, point: Vec3) -> [Vec3; 2] {
        let [(middle, from), (end, to)] = side.frames;
        if side.body.is_some() || (middle, from) == (end, to) {
            return [Vec3::zeros(); 2];
        }
        let half_s = 0.5 * self.span.scheme.step_s();
        let spin = turn(&(to * from.inverse())) / half_s;
        [(end - middle) / half_s + spin.cross(&(point - middle)), spin]
    }

    /// The reduced mass of both sides in the mean over all directions, kg or kg m^2, as if forces
    /// went through the centres of their bodies.
    fn reduced_mass(&self, sides: &Sides) -> f64 {
        let terms = self.motion.body_terms(self.model);
        let inverse = |it: &Term| match (terms.of(it.node), it.jacobian) {
            (Some(of_node), Jacobian::Weight(w)) => w * w * of_node.mass[1].trace() / 3.0,
            _ => 0.0,
        };
        1.0 / sides.terms().iter().map(inverse).sum::<f64>()
    }

    /// The change of the relative motion of both sides by a unit impulse between them, 1/kg or
    /// 1/(kg m^2).
    fn inverse_mass(&self, sides: &Sides) -> Mat3 {
        let terms = self.motion.body_terms(self.model);
        let of_term = |it: &Term| {
            let matrix = it.jacobian.matrix();
            Some(matrix * terms.of(it.node)?.mass[1] * matrix.transpose())
        };
        sides.terms().iter().filter_map(of_term).sum()
    }
}

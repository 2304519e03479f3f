//! Closed loops, and bodies that joints hold more than they need, against closed forms and ordinary
//! differential equations of one angle.

use std::f64::consts::{PI, TAU};

use cloth_sim::bodies::joints::kind::JointKind;
use cloth_sim::math::Vec3;
use nalgebra::{Isometry3, Point3, UnitQuaternion};

use super::{cuboid, energy, joint, places, world};
use crate::scene::{DENSITY, GRAVITY, Scene};

/// Largest error of a phase, degrees, and of the sum of energies, as a part of the largest kinetic one.
const MOST_DEGREES: f64 = 0.1;
const MOST_ENERGY: f64 = 1e-3;

/// A mechanism in the plane of x and y, at a place.
struct Mechanism {
    world: Scene,
    place: Isometry3<f64>,
}

impl Mechanism {
    /// Gravity is along -y.
    fn new(place: &Isometry3<f64>, step_s: f64, gravity: f64) -> Self {
        Self { world: world(step_s, place * Vec3::new(0.0, -gravity, 0.0)), place: *place }
    }

    /// A box whose x axis is turned by `angle`. `rates` are those of x, y and the angle.
    fn bar(&mut self, size: [f64; 3], [x, y, angle]: [f64; 3], rates: [f64; 3]) {
        let place = self.place;
        let state =
            &mut self.world.add(cuboid(size), (place * Point3::new(x, y, 0.0)).coords).state;
        state.rotation =
            place.rotation * UnitQuaternion::from_scaled_axis(Vec3::new(0.0, 0.0, angle));
        state.twist.linear = place * Vec3::new(rates[0], rates[1], 0.0);
        state.twist.angular = place * Vec3::new(0.0, 0.0, rates[2]);
    }

    fn join(&mut self, kind: JointKind, first: u64, second: Option<u64>, point: [f64; 3]) {
        let axis = if kind == JointKind::Slider { Vec3::x() } else { Vec3::z() };
        let point = (self.place * Point3::from(point)).coords;
        self.world.join(first, second, point, self.place * axis, joint(kind));
    }

    /// Runs to `time_s`. Returns how far the first body is from the turn `expected`, degrees, and how
    /// far the energy was off at most, as a part of the largest kinetic energy.
    fn run(&mut self, time_s: f64, expected: f64) -> [f64; 2] {
        let steps = (time_s / self.world.settings.step_s).round() as usize;
        let (start, mut off, mut most) = (energy(&self.world), 0.0f64, self.world.energy());
        for _ in 0..steps {
            self.world.step();
            off = off.max((energy(&self.world) - start).abs());
            most = most.max(self.world.energy());
        }
        let x = self.place.inverse() * (self.world.bodies[0].state.rotation * Vec3::x());
        let angle = libm::atan2(x.y, x.x) - expected;
        [(angle - TAU * (angle / TAU).round()).to_degrees(), off / most]
    }
}

/// The angle after `time_s`, by Runge and Kutta, of a mechanism with the inertia `inertia(angle)` and
/// the potential energy `potential(angle)`.
fn turned(
    [mut angle, mut rate]: [f64; 2],
    time_s: f64,
    inertia: impl Fn(f64) -> f64,
    potential: impl Fn(f64) -> f64,
) -> f64 {
    let (steps, small) = (20_000, 1e-5);
    let slope =
        |of: &dyn Fn(f64) -> f64, at: f64| (of(at + small) - of(at - small)) / (2.0 * small);
    let rates = |[angle, rate]: [f64; 2]| {
        let push = 0.5 * slope(&inertia, angle) * rate * rate + slope(&potential, angle);
        [rate, -push / inertia(angle)]
    };
    let h = time_s / f64::from(steps);
    for _ in 0..steps {
        let at = |part: f64, k: [f64; 2]| [angle + part * h * k[0], rate + part * h * k[1]];
        let a = rates([angle, rate]);
        let b = rates(at(0.5, a));
        let c = rates(at(0.5, b));
        let d = rates(at(1.0, c));
        let mean = |k: usize| (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]) / 6.0;
        (angle, rate) = (angle + h * mean(0), rate + h * mean(1));
    }
    angle
}

#[test]
fn a_gate_on_one_to_four_hinges_turns_evenly() {
    for (place, [step_s, speed]) in
        [(0, [1e-3, 3.0]), (1, [1e-3, 0.7]), (1, [4e-3, -5.0]), (0, [1e-2, 2.0])]
    {
        for hinges in 1..=4 {
            let mut gate = Mechanism::new(&places()[place], step_s, 0.0);
            // Its weight is along the axis.
            gate.world.settings.gravity = places()[place] * Vec3::new(0.0, 0.0, -GRAVITY);
            gate.bar([1.2, 0.05, 1.0], [0.6, 0.0, 0.0], [0.0, 0.6 * speed, speed]);
            for hinge in 0..hinges {
                gate.join(JointKind::Hinge, 0, None, [0.0, 0.0, 0.3 * f64::from(hinge) - 0.45]);
            }
            let [degrees, off] = gate.run(3.0, 3.0 * speed);
            println!("{hinges} hinges, {step_s} s, {speed} rad/s: {degrees:e} degrees, {off:e}");
            let exact = MOST_DEGREES * (step_s / 1e-3).powi(2);
            assert!(degrees.abs() < exact && off < MOST_ENERGY);
        }
    }
}

#[test]
fn a_parallelogram_keeps_its_phase_with_and_without_gravity() {
    let [crank, width, thick] = [0.5, 1.0, 0.04];
    let [of_crank, of_bar] = [crank, width].map(|length| DENSITY * length * thick * thick);
    let own = of_crank * (crank * crank + thick * thick) / 12.0;
    let inertia = 2.0 * (own + of_crank * crank * crank / 4.0) + of_bar * crank * crank;
    for (place, gravity, [angle, speed]) in [
        (0, 0.0, [0.4, 2.0]),
        (1, 0.0, [2.0, -6.0]),
        (0, GRAVITY, [-1.0, 1.0]),
        (1, GRAVITY, [0.3, 9.0]),
    ] {
        let mut machine = Mechanism::new(&places()[place], 1e-3, gravity);
        let [x, y] = [crank * libm::cos(angle), crank * libm::sin(angle)];
        let [u, v] = [-y * speed, x * speed];
        for foot in [0.0, width] {
            let at = [foot + x / 2.0, y / 2.0, angle];
            machine.bar([crank, thick, thick], at, [u / 2.0, v / 2.0, speed]);
        }
        machine.bar([width, thick, thick], [width / 2.0 + x, y, 0.0], [u, v, 0.0]);
        for (body, foot) in [(0, 0.0), (1, width)] {
            machine.join(JointKind::Hinge, body, None, [foot, 0.0, 0.0]);
            machine.join(JointKind::Hinge, body, Some(2), [foot + x, y, 0.0]);
        }
        let lift = gravity * crank * (of_crank + of_bar);
        let expected = turned([angle, speed], 10.0, |_| inertia, |angle| lift * libm::sin(angle));
        let [degrees, off] = machine.run(10.0, expected);
        println!("gravity {gravity}, {speed} rad/s: {degrees:e} degrees, energy {off:e}");
        assert!(degrees.abs() < MOST_DEGREES && off < MOST_ENERGY);
    }
}

#[test]
fn a_slider_crank_keeps_its_phase_with_and_without_gravity() {
    let [crank, rod, thick] = [0.2, 0.6, 0.03];
    let [of_crank, of_rod] = [crank, rod].map(|length| DENSITY * length * thick * thick);
    let piston = DENSITY * 1e-3;
    let moment = |mass: f64, length: f64| mass * (length * length + thick * thick) / 12.0;
    // The rod's angle and the piston's place, and how fast they change with the angle of the crank.
    let pose = |angle: f64| {
        let (sine, cosine) = libm::sincos(angle);
        let tilt = -libm::asin(crank * sine / rod);
        let turn = -crank * cosine / (rod * libm::cos(tilt));
        let place = crank * cosine + rod * libm::cos(tilt);
        [tilt, turn, place, -crank * sine - rod * libm::sin(tilt) * turn]
    };
    let inertia = |angle: f64| {
        let ([_, turn, _, along], (sine, cosine)) = (pose(angle), libm::sincos(angle));
        let middle = [(along - crank * sine) / 2.0, crank * cosine / 2.0];
        let of_rod = of_rod * (middle[0] * middle[0] + middle[1] * middle[1])
            + moment(of_rod, rod) * turn * turn;
        moment(of_crank, crank) + of_crank * crank * crank / 4.0 + of_rod + piston * along * along
    };
    for (place, gravity, [angle, speed]) in [
        (0, 0.0, [0.3, 4.0]),
        (1, 0.0, [PI, -9.0]),
        (0, GRAVITY, [0.3, 6.0]),
        (1, GRAVITY, [-2.0, 1.0]),
    ] {
        let mut machine = Mechanism::new(&places()[place], 5e-4, gravity);
        let ([tilt, turn, foot, along], (sine, cosine)) = (pose(angle), libm::sincos(angle));
        let [x, y] = [crank * cosine, crank * sine];
        let [u, v] = [-y * speed, x * speed];
        machine.bar([crank, thick, thick], [x / 2.0, y / 2.0, angle], [u / 2.0, v / 2.0, speed]);
        let rates = [(u + along * speed) / 2.0, v / 2.0, turn * speed];
        machine.bar([rod, thick, thick], [(x + foot) / 2.0, y / 2.0, tilt], rates);
        machine.bar([0.1; 3], [foot, 0.0, 0.0], [along * speed, 0.0, 0.0]);
        machine.join(JointKind::Hinge, 0, None, [0.0; 3]);
        machine.join(JointKind::Hinge, 0, Some(1), [x, y, 0.0]);
        machine.join(JointKind::Hinge, 1, Some(2), [foot, 0.0, 0.0]);
        machine.join(JointKind::Slider, 2, None, [foot, 0.0, 0.0]);
        let lift = gravity * crank * (of_crank + of_rod) / 2.0;
        let expected = turned([angle, speed], 10.0, inertia, |angle| lift * libm::sin(angle));
        let [degrees, off] = machine.run(10.0, expected);
        println!("gravity {gravity}, {speed} rad/s: {degrees:e} degrees, energy {off:e}");
        assert!(degrees.abs() < MOST_DEGREES && off < MOST_ENERGY);
    }
}

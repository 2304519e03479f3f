//! Pinned vertices in contact: no contact may throw the cloth.

use cloth_sim::bodies::Setup;
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::bodies::cloth::setup::{ClothSetup, Pin};
use cloth_sim::bodies::prescribed::{Keyframe, KeyframedMotion};
use cloth_sim::math::Vec3;
use cloth_sim::mesh::shapes::{Diagonal, sheet};
use cloth_sim::step::Measure;

use crate::contact::level_plane;
use crate::physics::*;

const WIDTH_M: f64 = 0.5;
const DENSITY: f64 = 0.2;

/// A square of cloth that lies `height` (m) above the plane, shifted by `shift` (m).
fn lying(height: f64, shift: [f64; 2]) -> ClothSetup {
    let mesh = sheet(WIDTH_M, WIDTH_M, 20, 20, Diagonal::Alternating);
    let mut cloth = cloth(mesh, Material::isotropic(DENSITY, 500.0, 0.3, 1e-5));
    for p in &mut cloth.positions {
        *p += Vec3::new(shift[0], height, shift[1]);
    }
    cloth
}

/// Takes the vertices whose rest position is `chosen` at `start_s` (s), and leads them by `to` (m)
/// within `time_s` (s).
fn lead(
    cloth: &mut ClothSetup,
    chosen: impl Fn(&Vec3) -> bool,
    start_s: f64,
    time_s: f64,
    to: Vec3,
) {
    let vertices = vertices_where(&cloth.rest, chosen);
    assert!(!vertices.is_empty());
    let key =
        |time_s, translation| Keyframe { time_s, translation, axis: Vec3::y(), angle_deg: 0.0 };
    let keyframes = vec![key(0.0, Vec3::zeros()), key(time_s, to)];
    let motion = Some(KeyframedMotion { center: Vec3::zeros(), keyframes });
    cloth.pins.push(Pin {
        vertices,
        start_s,
        end_s: f64::INFINITY,
        motion,
        follow: None,
        springs: None,
    });
}

fn near(place: Vec3) -> impl Fn(&Vec3) -> bool {
    move |p| (p - place).norm() < 0.2 * WIDTH_M / 20.0
}

/// Runs `cloths` on a plane for half a second in steps of `step_s`. Energy may rise only by the
/// work of the handles. This work is at most a few times the work of a hand that takes all of the
/// cloth along by `to` (m) in `time_s` (s), with its friction.
fn check(name: &str, cloths: Vec<ClothSetup>, step_s: f64, to: Vec3, time_s: f64) {
    let scene = scene(step_s);
    let mass = cloths.len() as f64 * DENSITY * WIDTH_M * WIDTH_M;
    let speed = to.norm() / time_s;
    let of_a_hand = mass * (G * to.norm() + 0.5 * speed * speed) + 1e-3;
    let setup = Setup { cloths, obstacles: vec![level_plane()], ..Setup::default() };
    let (energies, unexplained) = simulate(&scene, setup, |simulation| {
        let (mut energies, mut unexplained) = (vec![simulation.total_energy()?], 0.0);
        while simulation.time_s() < 0.5 {
            let report = simulation.step()?;
            unexplained += report.measured(Measure::UnexplainedRise);
            energies.push(simulation.total_energy()?);
        }
        Ok((energies, unexplained))
    });
    let rise = largest_rise(&energies);
    println!(
        "{name}, {step_s} s: rise {rise:.4} J (a hand: {of_a_hand:.4} J), unexplained {unexplained:.1e} J"
    );
    // Three handles under another sheet, in steps of 10 ms: 3 mJ. All others: less than 1 mJ.
    assert!(unexplained < 5e-3);
    assert!(rise < 4.0 * of_a_hand);
}

/// Without a bound of the effective mass such a hand adds up to 2e5 J.
#[test]
fn a_hand_that_takes_cloth_from_a_table_adds_no_more_than_its_work() {
    let (corner, middle) = (Vec3::new(-0.25, 0.0, -0.25), Vec3::new(0.025, 0.0, 0.025));
    let up = Vec3::new(0.02, 0.1, 0.03);
    for step_s in [1e-3, 4e-3, 1e-2] {
        for (name, place, start_s) in [("corner", corner, 0.0), ("middle", middle, 0.1)] {
            // The vertex starts over a face, and this far from an edge of the plane.
            for offset in [0.013, 1e-3, 1e-6, 1e-9] {
                let shift = [0.05 + offset - place.x, 0.037 - place.z];
                let mut cloth = lying(1e-3, shift);
                lead(&mut cloth, near(place), start_s, 0.3, up);
                let name = format!("{name}, {offset:.0e} m from an edge");
                check(&name, vec![cloth], step_s, up, 0.3);
            }
        }
    }
}

#[test]
fn an_edge_dragged_over_a_table_adds_no_more_than_its_work() {
    let along = Vec3::new(-0.3, 0.0, 0.0);
    for step_s in [1e-3, 4e-3, 1e-2] {
        let mut cloth = lying(1e-3, [0.0; 2]);
        lead(&mut cloth, |p| p.x < -0.249, 0.0, 0.4, along);
        check("dragged", vec![cloth], step_s, along, 0.4);
    }
}

/// Two handles meet in one contact, and one of them is under another sheet.
#[test]
fn handles_under_another_sheet_add_no_more_than_their_work() {
    let up = Vec3::new(0.02, 0.1, 0.05);
    for step_s in [1e-3, 1e-2] {
        let (mut low, mut high) = (lying(1e-3, [0.0; 2]), lying(2.1e-3, [0.007, 0.003]));
        (low.name, high.name) = ("low".to_owned(), "high".to_owned());
        lead(&mut low, near(Vec3::zeros()), 0.1, 0.3, up);
        lead(&mut low, near(Vec3::new(0.025, 0.0, 0.025)), 0.1, 0.3, up);
        lead(&mut high, near(Vec3::zeros()), 0.1, 0.3, up);
        check("two sheets", vec![low, high], step_s, up, 0.3);
    }
}

/// It starts within the contact distance, and stays where it is.
#[test]
fn a_pin_that_starts_near_a_table_holds_the_cloth_there() {
    for step_s in [1e-3, 1e-2] {
        let mut cloth = lying(0.9e-3, [0.013, 0.02]);
        hold(&mut cloth, near(Vec3::zeros()));
        check("0.9 mm above a table", vec![cloth], step_s, Vec3::zeros(), 1.0);
    }
}

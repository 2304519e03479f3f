//! Room `step`: prescribed bodies that leave cloth no room. Which bodies wait, which go on, and
//! how the waiting ones catch up.

use std::path::Path;
use std::sync::Arc;

use cloth_sim::error::Result;
use cloth_sim::math::Vec3;
use cloth_sim::ranks::in_process;
use cloth_sim::step::Counter;
use cloth_sim::verify::{Threads, intersections};
use cloth_sim::{Model, Simulation, scene};

const PRESS: &str = include_str!("../scenes/press.ron");
const LIMBS: &str = include_str!("../scenes/limbs.ron");

/// A sheet over a floor; one of its corners is a handle 4 mm above it.
const HANDLE: &str = r#"(
    steps_per_frame: 10,
    cloths: [(
        name: "sheet",
        shape: Sheet(width_m: 0.1, length_m: 0.1, columns: 5, rows: 5),
        transform: (translation_m: (0, 0.004, 0)),
        material: Fabric("cotton"),
        pins: [(select: Nearest((0.05, 0, 0.05)), end_s: 0.01), (select: Nearest((-0.05, 0, -0.05)))],
    )],
    obstacles: [(name: "floor", shape: Plane(width_m: 1, length_m: 1))],
)"#;

/// Calls `work` with the simulation of a scene. `change` is a piece of its text and the
/// replacement.
fn with_simulation<T: Send>(
    text: &str,
    change: (&str, &str),
    work: impl Fn(&mut Simulation) -> Result<T> + Sync,
) -> Result<T> {
    assert!(text.contains(change.0));
    let text = text.replacen(change.0, change.1, 1);
    Ok(with_ranks(&text, [1, 1], work)?.remove(0))
}

/// Calls `work` with the simulation of a scene on the given numbers of ranks and threads.
fn with_ranks<T: Send>(
    text: &str,
    [ranks, threads]: [usize; 2],
    work: impl Fn(&mut Simulation) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let parsed = scene::parse(text, "pinch.ron").unwrap();
    let scene = scene::complete(parsed, Path::new("pinch.ron")).unwrap();
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes");
    let setup = scene::build(&scene, &home).unwrap();
    let model = Model::new(scene.settings(), setup, |partition| partition(ranks)).unwrap();
    let model = Arc::new(model);
    in_process::run(ranks, |world| {
        let mut simulation = Simulation::new(model.clone(), world, threads)?;
        work(&mut simulation)
    })
}

/// Steps until 0.4 s, for each of these numbers of steps in a frame of 20 ms.
const SIZES: [u32; 3] = [2, 5, 20];

#[test]
fn only_the_body_that_pinches_waits_and_it_reaches_its_motion_exactly() {
    for size in SIZES {
        let change = format!("steps_per_frame: {size}");
        let [largest_m, solves] =
            with_simulation(PRESS, ("steps_per_frame: 5", &change), |simulation| {
                let (mut waited, mut solves, mut largest_m) = ([0, 0], 0, 0.0_f64);
                let steps = 20 * u64::from(size);
                simulation.run(steps, |simulation, report| {
                    solves += report.get(Counter::Solves);
                    let time_s = simulation.time_s();
                    let prescribed =
                        simulation.model().obstacles.iter().map(|it| it.pose_at(time_s));
                    let prescribed = Vec::from_iter(prescribed);
                    let poses = simulation.obstacle_poses();
                    let waiting = simulation.waiting();
                    // The ball is never behind. The press is behind, or exactly at its prescribed
                    // place.
                    assert_eq!((poses[0], poses[2]), (None, prescribed[2]));
                    match waiting.as_slice() {
                        [] => assert_eq!(poses[1], prescribed[1]),
                        [press] => {
                            assert_eq!(press.name, "`press`");
                            assert!(press.behind_m > 0.0 && press.place.y < 2e-3, "{press:?}");
                            largest_m = largest_m.max(press.behind_m);
                        }
                        _ => panic!("{waiting:?}"),
                    }
                    // It waits while its motion is in the floor, and goes on soon after that.
                    waited[0] += usize::from((0.1..0.2).contains(&time_s) && !waiting.is_empty());
                    waited[1] += usize::from(time_s > 0.35 && !waiting.is_empty());
                    Ok(())
                })?;
                assert_eq!(waited, [5 * size as usize, 0]);
                Ok([largest_m, solves as f64 / steps as f64])
            })
            .unwrap();
        println!("{size} steps a frame: {largest_m:.4} m behind, {solves:.2} solves a step");
        // Its lower edge gets 10 mm into the floor.
        assert!((0.008..0.03).contains(&largest_m), "{largest_m}");
    }
}

#[test]
fn a_handle_below_the_floor_waits_and_follows_when_it_is_led_up_again() {
    let height_m = |step: i32| match step {
        ..20 => 0.004 - 5e-4 * f64::from(step),
        20..40 => -0.006,
        _ => (-0.006 + 5e-4 * f64::from(step - 40)).min(0.004),
    };
    with_simulation(HANDLE, ("name", "name"), |simulation| {
        let mut behind = 0;
        // The pins take hold in the first step.
        simulation.step()?;
        for step in 0..70 {
            let place = Vec3::new(-0.05, height_m(step), -0.05);
            simulation.set_handle(1, &[place])?;
            simulation.step()?;
            let x = simulation.positions()[0];
            assert!(x.y >= 0.0);
            match simulation.waiting().as_slice() {
                [] => assert_eq!(x, place),
                [handle] => {
                    assert_eq!(handle.name, "pins[1] of `sheet`");
                    assert!((handle.behind_m - (x - place).norm()).abs() < 1e-15);
                    behind += 1;
                }
                more => panic!("{more:?}"),
            }
        }
        // The floor leaves it no room in steps 8 to 51. From step 40 on it is led upwards.
        assert!((40..55).contains(&behind), "{behind}");
        assert!(simulation.waiting().is_empty());
        Ok(())
    })
    .unwrap();
}

/// `LIMBS` with its obstacles the other way round.
fn limbs_swapped() -> String {
    let (before, limbs) = LIMBS.split_once("obstacles: [").unwrap();
    let (leg, arm) = limbs.rsplit_once("        (\n            name: \"arm\"").unwrap();
    let (arm, after) = arm.rsplit_once("    ],").unwrap();
    format!("{before}obstacles: [\n        (\n            name: \"arm\"{arm}{leg}    ],{after}")
}

#[test]
fn a_waiting_arm_goes_back_for_a_leg_which_never_waits() {
    let run = |simulation: &mut Simulation| {
        let (mut most_m, mut hashes) = (0.0_f64, Vec::new());
        simulation.run(200, |simulation, _| {
            for body in simulation.waiting() {
                assert_eq!(body.name, "`arm`", "at {} s", simulation.time_s());
                most_m = most_m.max(body.behind_m);
            }
            assert_eq!(meeting(simulation), 0);
            hashes.push(simulation.hash()?);
            Ok(())
        })?;
        assert!(simulation.waiting().is_empty());
        Ok((most_m, hashes))
    };
    let one = with_ranks(LIMBS, [1, 1], run).unwrap().remove(0);
    println!("the arm is at most {:.1} mm behind", 1e3 * one.0);
    // The limbs overlap by nearly 5 cm. The furthest vertex of the arm goes further than that.
    assert!((0.04..0.15).contains(&one.0), "{}", one.0);
    for ranks in [2, 3] {
        for other in with_ranks(LIMBS, [ranks, 1], run).unwrap() {
            assert!(other == one, "other bits on {ranks} ranks");
        }
    }
    let swapped = with_ranks(&limbs_swapped(), [1, 1], run).unwrap().remove(0);
    assert!((swapped.0 - one.0).abs() < 0.01, "{} or {} m", one.0, swapped.0);
}

/// A ball comes down on a stack of sheets on a plate, until it leaves them a quarter of the room
/// that they need. Then it goes up again.
fn pressed(layers: usize) -> String {
    let sheet = |layer: usize| {
        format!(
            r#"(
                name: "sheet_{layer}",
                shape: Sheet(width_m: 0.06, length_m: 0.06, columns: 8, rows: 8),
                transform: (translation_m: (0, {}, 0)),
                material: Fabric("cotton"),
            ),"#,
            1e-3 * (layer + 1) as f64
        )
    };
    let (sheets, room_m) = (String::from_iter((0..layers).map(sheet)), 1e-3 * (layers + 1) as f64);
    format!(
        r#"(
            frames: 1, frames_per_second: 25, steps_per_frame: 10, cloths: [{sheets}],
            obstacles: [
                (
                    name: "plate",
                    shape: Box(size_m: (0.1, 0.01, 0.1)),
                    transform: (translation_m: (0, -0.005, 0)),
                ),
                (
                    name: "ball",
                    shape: Sphere(radius_m: 0.02),
                    transform: (translation_m: (0.001, {}, 0.002)),
                    motion: (keyframes: [
                        (time_s: 0), (time_s: 0.1, translation_m: (0, {}, 0)),
                        (time_s: 0.2, translation_m: (0, {}, 0)), (time_s: 0.3),
                    ]),
                ),
            ],
        )"#,
        0.022 + room_m,
        -0.002 - 0.75 * room_m,
        -0.002 - 0.75 * room_m,
    )
}

#[test]
fn a_ball_waits_as_long_as_layers_under_it_can_still_be_held_apart() {
    for layers in 1..=4 {
        let least_m = with_ranks(&pressed(layers), [1, 1], |simulation| {
            let (mut waited, mut least_m) = (false, f64::INFINITY);
            simulation.run(75, |simulation, report| {
                waited |= !simulation.waiting().is_empty();
                least_m = least_m.min(report.smallest_gap_m);
                assert_eq!(report.get(Counter::Truncated), 0, "at {} s", simulation.time_s());
                Ok(())
            })?;
            assert!(waited && simulation.waiting().is_empty(), "{:?}", simulation.waiting());
            Ok(least_m)
        });
        let least_m = least_m.unwrap().remove(0);
        println!("{layers} layers: gaps are at least {:.2} mm", 1e3 * least_m);
        // The layers share their room, so a gap may be smaller than half of the contact distance.
        assert!(least_m > 2e-4 && least_m < 1e-3, "{least_m}");
    }
}

#[test]
fn a_run_that_stops_names_the_bodies_the_place_and_what_to_do() {
    let stop = ("frames: 20", "contact: (on_pinch: Stop), frames: 20");
    let error = with_simulation(PRESS, stop, |simulation| simulation.run(100, |_, _| Ok(())));
    let said = error.unwrap_err().to_string();
    for words in [
        "no room",
        "`sheet`",
        "`floor`, `press`",
        "the motion of `press`",
        "contact.on_pinch: Hold",
    ] {
        assert!(said.contains(words), "{said}");
    }
}

/// The number of intersections, including those of cloth with cloth.
fn meeting(simulation: &Simulation) -> usize {
    let model = simulation.model();
    let cloth = simulation.positions().len();
    let mut x = simulation.positions().to_vec();
    x.resize(model.numbering.vertices(), Vec3::zeros());
    let poses = simulation.obstacle_poses();
    model.place_obstacles(true, &mut x[cloth..], |number, _| poses[number]);
    intersections(&Threads::INLINE, &model.surfaces, &x).len()
}

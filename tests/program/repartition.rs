//! Rooms `partition` and `step`: patches that change their owner during a run change no bit of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::run::{Frames, Start, frames_of, simulate, steps_of};
use cloth_sim::ranks::in_process;
use cloth_sim::scene;
use cloth_sim::step::{Model, Simulation};

fn test_scene(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes").join(name)
}

/// The results of a run: the hash of the state after each step, and the number of memories of
/// contacts that changed their rank.
struct Outcome {
    hashes: Vec<u64>,
    moved_memories: usize,
}

/// Runs `steps` steps of the scene `name`. Before each step `owners` may return new owners of the
/// patches. Its arguments are the number of the step and the number of patches.
fn run(
    ranks: usize,
    name: &str,
    steps: u64,
    owners: impl Fn(u64, u32) -> Option<Vec<u32>> + Sync,
) -> Outcome {
    let path = test_scene(name);
    let scene = scene::load(&path).unwrap();
    let setup = scene::build(&scene, path.parent().unwrap()).unwrap();
    let model = Arc::new(Model::new(scene.settings(), setup, |build| build(ranks)).unwrap());
    let patches = model.partition.patches.len() as u32;
    let outcomes = in_process::run(ranks, |world| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        let mut outcome = Outcome { hashes: Vec::new(), moved_memories: 0 };
        for step in 0..steps {
            if let Some(owners) = owners(step, patches) {
                let before = simulation.state().contacts.clone();
                let hash = simulation.hash()?;
                simulation.repartition(&owners)?;
                assert_eq!(simulation.hash()?, hash, "step {step}");
                assert_eq!(simulation.partition().rank_of_patch, owners);
                let after = &simulation.state().contacts;
                outcome.moved_memories += after.iter().filter(|it| !before.contains(it)).count();
            }
            simulation.step()?;
            outcome.hashes.push(simulation.hash()?);
        }
        Ok(outcome)
    });
    let mut outcomes = outcomes.unwrap();
    let moved_memories = outcomes.iter().map(|outcome| outcome.moved_memories).sum();
    Outcome { moved_memories, ..outcomes.swap_remove(0) }
}

/// In turn: neighbouring patches on different ranks, all patches on one rank, and each half on a
/// rank.
fn changing(ranks: u32) -> impl Fn(u64, u32) -> Option<Vec<u32>> + Sync {
    move |step, patches| match step % 12 {
        2 => Some((0..patches).map(|patch| (patch + step as u32) % ranks).collect()),
        3 => Some(vec![step as u32 % ranks; patches as usize]),
        7 => Some((0..patches).map(|patch| (patch * ranks / patches).min(ranks - 1)).collect()),
        _ => None,
    }
}

#[test]
fn owners_that_change_with_contacts_change_no_bit() {
    for (name, steps) in [("layers.ron", 60), ("landing.ron", 100), ("press.ron", 40)] {
        let reference = run(1, name, steps, |_, _| None).hashes;
        for ranks in [2, 3] {
            let outcome = run(ranks, name, steps, changing(ranks as u32));
            assert_eq!(outcome.hashes, reference, "{name} on {ranks} ranks");
            assert!(outcome.moved_memories > 100, "{name}: {}", outcome.moved_memories);
        }
    }
}

#[test]
fn owners_that_are_no_ranks_are_refused() {
    let path = test_scene("layers.ron");
    let scene = scene::load(&path).unwrap();
    let setup = scene::build(&scene, path.parent().unwrap()).unwrap();
    let model = Arc::new(Model::new(scene.settings(), setup, |build| build(2)).unwrap());
    let ran = in_process::run(2, |world| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        let mut owners = simulation.partition().rank_of_patch.clone();
        owners[3] = 2;
        let refused = simulation.repartition(&owners).unwrap_err().to_string();
        assert!(refused.contains("patch 3 has the owner 2"), "{refused}");
        assert!(simulation.repartition(&owners[1..]).is_err());
        assert_eq!(simulation.partition(), &model.partition);
        Ok(())
    });
    ran.unwrap();
}

/// After every frame patches go to other ranks, according to the counted work of the last frames.
#[test]
fn runs_that_repartition_write_the_same_frames() {
    let scene = test_scene("layers.ron");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |start, setting: &str| {
        let folder = folder.path().join(format!("{start:?}{setting}"));
        let frames = simulate(start, &scene, &folder, &["--set", setting]);
        let records = frames_of(&folder);
        let count = |step: &&serde_json::Value| step["repartitions"].as_u64().expect("a number");
        let first_rank = steps_of(&records).into_iter().filter(|step| step["rank"] == 0);
        (frames, first_rank.map(|step| count(&step)).sum::<u64>())
    };
    let (reference, none): (Frames, u64) = run(Start::Threads(1, 1), "partition.repartition=Never");
    assert_eq!(none, 0);
    let mut starts = vec![Start::Threads(2, 1), Start::Threads(3, 2)];
    starts.extend(cfg!(feature = "mpi").then_some(Start::Mpi(2)));
    for start in starts {
        let (frames, repartitions) = run(start, "partition.repartition=Always");
        assert_eq!(frames, reference, "{start:?}");
        assert!(repartitions >= 3, "{start:?}: {repartitions}");
        assert_eq!(run(start, "partition.repartition=Auto").0, reference, "{start:?}");
    }
}

//! Dropped pairs outlive a step in the state alone.

use std::path::Path;
use std::sync::Arc;

use cloth_collision::collision::Pair;
use cloth_core::ranks::in_process;
use cloth_step::{Dropped, Model, Simulation};

/// A limb is pressed into an arm that wears a sleeve: from step 20 to 65 of 100.
fn overlap() -> Arc<Model> {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes");
    let scene = cloth_scene::load(&scenes.join("overlap.ron")).unwrap();
    let setup = cloth_scene::build(&scene, &scenes).unwrap();
    Arc::new(Model::new(scene.settings(), setup, |partition| partition(1)).unwrap())
}

#[test]
fn a_run_goes_on_from_the_state_of_another_one_with_the_same_bits() {
    let model = overlap();
    let ran = in_process::run(1, |world| {
        let mut first = Simulation::new(model.clone(), world, 1)?;
        first.run(50, |_, _| Ok(()))?;
        assert!(!first.state.dropped.is_empty());
        let mut second = Simulation::new(model.clone(), world, 1)?;
        second.state = first.state.clone();
        for _ in 50..80 {
            first.step()?;
            second.step()?;
            assert_eq!(first.hash()?, second.hash()?);
        }
        assert!(first.state.dropped.is_empty());
        // The hash shows them.
        let hash = first.hash()?;
        first.state.dropped = Dropped::new(vec![[7, 1]]);
        assert_ne!(first.hash()?, hash);
        Ok(())
    });
    ran.unwrap();
}

#[test]
fn only_pairs_of_a_vertex_with_the_obstacle_that_it_passes_are_dropped() {
    let model = overlap();
    let first_of = |number: usize| {
        let surface = &model.surfaces.list[model.object_of_obstacle(number)];
        surface.faces[0]
    };
    let ([a, b, c], [d, e, _]) = (first_of(1), first_of(0));
    let dropped = Dropped::new(vec![[7, 1]]);
    for (pair, kept) in [
        (Pair::vertex_face(7, [a, b, c]), false),
        (Pair::vertex_face(8, [a, b, c]), true),
        (Pair::vertex_face(a, [6, 7, 8]), false),
        (Pair::vertex_face(d, [6, 7, 8]), true),
        (Pair::edge_edge([7, 9], [a, b]), false),
        (Pair::edge_edge([7, 9], [d, e]), true),
        (Pair::edge_edge([7, 9], [20, 21]), true),
        (Pair::vertex_face(7, [20, 21, 22]), true),
    ] {
        assert_eq!(dropped.keeps(&pair, &model), kept, "{pair:?}");
    }
}

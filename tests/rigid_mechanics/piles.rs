//! Heaps of spheres and boxes come to rest, and are as steep as real ones.

use crate::heaps::{Grain, RESPONSES, Rest, heap, print_rest, repose};
use crate::scene::Response;

#[test]
fn heaps_of_spheres_and_boxes_come_to_rest() {
    for response in RESPONSES {
        let spheres = Rest::of(&heap(response, false, [6, 10], 2e-3, 1.6));
        print_rest("360 spheres", response, &spheres);
        let boxes = Rest::of(&heap(response, true, [5, 6], 2e-3, 1.6));
        print_rest("150 boxes", response, &boxes);
        // FFD quivers with the speed `n g h` of `n` layers.
        let (speed, overlap) = if response == Response::Ffd { (0.3, 0.4) } else { (0.01, 0.02) };
        for rest in [spheres, boxes] {
            assert!(rest.mean_speed < speed && rest.overlap < overlap, "{response:?}: {rest:?}");
        }
        assert!(response == Response::Ffd || spheres.overlap < 0.01, "{spheres:?}");
    }
}

/// Glass beads, friction 0.16 to 0.3, form heaps of 22 to 26 degrees.
#[test]
fn a_heap_of_spheres_is_as_steep_as_one_of_glass_beads() {
    let (degrees, left) =
        repose(Response::Nonsmooth { sweeps: 10 }, Grain::Sphere, 0.2, 12.0, 2e-3);
    println!("NSCD: {degrees:.1} degrees, {left} spheres");
    assert!((20.0..29.0).contains(&degrees), "{degrees}");
    // It quivers and therefore flows, so its slope is between that of a liquid and that of a heap.
    let (degrees, left) = repose(Response::Ffd, Grain::Sphere, 0.2, 9.0, 2e-3);
    println!("FFD: {degrees:.1} degrees, {left} spheres");
    assert!((6.0..22.0).contains(&degrees), "{degrees}");
}

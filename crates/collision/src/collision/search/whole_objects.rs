//! Which objects are tested against each other: a sweep along one axis.

use crate::collision::dop::Dop18;
use crate::collision::surface::Surfaces;
use crate::collision::test::{Test, TestTrees};

/// An object as a whole.
struct Root {
    object: u32,
    node: u32,
    /// The extent of its bounds along the axis of the sweep, m.
    extent: [f32; 2],
}

/// The tests that all others unfold from: each object as a whole against itself and against each
/// other one, where the two meet ([`Moves::meets`](crate::collision::Moves::meets)), one has
/// changed, and their extents overlap along one axis. Rising, so the order does not depend on the
/// axis. With `n` objects along a line it takes `n log n` comparisons.
///
/// Source: sweep and prune (Cohen, Lin, Manocha & Ponamgi 1995), along one axis and without
/// memory.
pub(super) fn whole_objects(trees: &TestTrees, surfaces: &Surfaces) -> Vec<Test> {
    let roots = || {
        let numbered = (0..).zip(&surfaces.list);
        numbered.filter_map(|(object, surface)| Some((object, surface.hierarchy.root()?)))
    };
    let axis = longest(roots().map(|(object, node)| trees.bounds(object, node)));
    let mut sorted = Vec::from_iter(roots().map(|(object, node)| {
        let extent = trees.bounds(object, node).extent(axis);
        Root { object, node, extent }
    }));
    sorted.sort_unstable_by(|a, b| a.extent[0].total_cmp(&b.extent[0]));
    let moves = |object: u32| surfaces.list[object as usize].moves;
    let mut tests = Vec::new();
    for (place, first) in sorted.iter().enumerate() {
        let later = sorted[place..].iter().take_while(|it| it.extent[0] <= first.extent[1]);
        for second in later {
            let [a, b] = match first.object <= second.object {
                true => [first, second],
                false => [second, first],
            };
            let test = Test { obj1: a.object, dop1: a.node, obj2: b.object, dop2: b.node };
            let meets = moves(a.object).meets(moves(b.object), a.object == b.object);
            if meets && !surfaces.are_excluded(a.object, b.object) && trees.has_changed(&test) {
                tests.push(test);
            }
        }
    }
    tests.sort_unstable_by_key(|test| [test.obj1, test.obj2]);
    tests
}

/// The axis (0 to 2) along which the middles of `bounds` reach farthest.
fn longest<'a>(bounds: impl Iterator<Item = &'a Dop18>) -> usize {
    let mut reach = [[f32::INFINITY, f32::NEG_INFINITY]; 3];
    for bounds in bounds {
        for (axis, [low, high]) in reach.iter_mut().enumerate() {
            let [from, to] = bounds.extent(axis);
            (*low, *high) = (low.min(from + to), high.max(from + to));
        }
    }
    let length = |axis: usize| reach[axis][1] - reach[axis][0];
    (1..3).fold(0, |best, axis| if length(axis) > length(best) { axis } else { best })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collision::surface::{Moves, Surface};
    use cloth_core::Vec3;
    use cloth_core::mesh::Topology;

    /// A triangle for each place (m), of the given size (m).
    fn triangles(places: &[([f64; 3], f64)]) -> (Surfaces, Vec<Vec<Dop18>>) {
        let all = places.iter().zip(0..).map(|(&(at, size), object)| {
            let first = 3 * object;
            let corners = [[0.0; 3], [size, 0.0, 0.0], [0.0, size, size]];
            let rest = Vec::from_iter(corners.map(|x| Vec3::from(x) + Vec3::from(at)));
            let topology = Topology::new(&[[0, 1, 2]]).unwrap();
            let moves = [Moves::Deforms, Moves::Rigid, Moves::Prescribed][object as usize % 3];
            let surface = Surface::new(first, &[[0, 1, 2]], &topology, &rest, None, moves);
            let bounds = rest.iter().map(|x| Dop18::swept(x, x, 1e-3));
            let bounds = bounds.fold(Dop18::EMPTY, |sum, it| sum.union(&it));
            let nodes = vec![bounds; surface.hierarchy.nodes().len()];
            (surface, nodes)
        });
        let (list, nodes) = all.unzip();
        (Surfaces::new(list), nodes)
    }

    proptest! {
        #[test]
        fn no_two_objects_that_overlap_are_left_out(
            places in prop::collection::vec(([-1.0..1.0, -0.2..0.2, -3.0..3.0_f64], 0.0..0.5_f64), 1..40),
        ) {
            let (surfaces, bounds) = triangles(&places);
            let trees =
                TestTrees { surfaces: &surfaces.list, bounds: &bounds, sweep: None, changed: None };
            let found = whole_objects(&trees, &surfaces);
            prop_assert!(found.is_sorted_by_key(|test| [test.obj1, test.obj2]));
            let found = Vec::from_iter(found.iter().map(|test| [test.obj1, test.obj2]));
            let count = places.len() as u32;
            for pair in (0..count).flat_map(|a| (a..count).map(move |b| [a, b])) {
                let [a, b] = pair.map(|object| &surfaces.list[object as usize]);
                let meets = a.moves.meets(b.moves, pair[0] == pair[1]);
                let [a, b] = pair.map(|object| &bounds[object as usize][0]);
                let times = found.iter().filter(|&&it| it == pair).count();
                prop_assert!(times <= usize::from(meets));
                prop_assert!(times == 1 || !meets || !a.overlaps(b));
            }
        }
    }
}

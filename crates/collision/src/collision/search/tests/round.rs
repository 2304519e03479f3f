//! Searches for balls and capsules against brute force.

use super::*;
use crate::collision::ccd::time_of_round_impact;

/// Vertices of the ends of two balls and two capsules, after those of a sheet.
const ENDS: [&[u32]; 4] = [&[9], &[10], &[11, 12], &[13, 14]];
const RADII: [f64; 4] = [0.2, 0.05, 0.1, 0.01];

/// A cloth, two balls, two capsules and an obstacle.
fn round_surfaces() -> Surfaces {
    let (faces, rest) = test_sheet(3);
    let sheet = |first, parts, moves| {
        Surface::new(first, &faces, &Topology::of_any(&faces), &rest, parts, moves)
    };
    let mut list = vec![sheet(0, Some((&[0; 9][..], 5)), Moves::Deforms)];
    for (number, (ends, radius_m)) in ENDS.iter().zip(RADII).enumerate() {
        let x = Vec::from_iter(ends.iter().map(|&end| Vec3::x() * f64::from(end)));
        let parts = vec![number as PatchId + 1; ends.len()];
        list.push(Surface::round(ends[0], &x, radius_m, Some((&parts, 5)), Moves::Rigid));
    }
    list.push(sheet(15, None, Moves::Prescribed));
    Surfaces::new(list)
}

/// The pairs that stand for the distances of all that meets a round surface.
fn pairs_of_round(surfaces: &Surfaces) -> Vec<Pair> {
    let flat = || surfaces.list.iter().filter(|surface| surface.radius_m == 0.0);
    let mut pairs = Vec::new();
    for (number, ends) in ENDS.iter().enumerate() {
        for surface in flat() {
            let of_face =
                |face: &[u32; 3]| ends.iter().map(|&end| Pair::vertex_face(end, *face)).collect();
            pairs.extend(surface.faces.iter().flat_map::<Vec<_>, _>(of_face));
            let edges = Vec::from_iter(surface.leaves.edges.lists().flatten().copied());
            let axis = (ends.len() == 2).then(|| [ends[0], ends[1]]);
            pairs.extend(
                axis.iter().flat_map(|axis| edges.iter().map(|edge| Pair::edge_edge(*axis, *edge))),
            );
        }
        for others in &ENDS[number + 1..] {
            let face = |of: &[u32]| [of[0], of[of.len() - 1], of[of.len() - 1]];
            pairs.extend(ends.iter().map(|&end| Pair::vertex_face(end, face(others))));
            pairs.extend(others.iter().map(|&end| Pair::vertex_face(end, face(ends))));
            if ends.len() + others.len() == 4 {
                pairs.push(Pair::edge_edge([ends[0], ends[1]], [others[0], others[1]]));
            }
        }
    }
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn all_that_comes_near_a_round_surface_is_found(
        vectors in prop::collection::vec(
            ([-1.0..1.0, -1.0..1.0, -1.0..1.0], [-1.0..1.0, -1.0..1.0, -1.0..1.0]), 24
        ),
        speed in prop_oneof![Just(0.0), Just(0.03), Just(0.3)],
        radius in prop_oneof![Just(1e-4), 0.001..0.1],
    ) {
        let surfaces = round_surfaces();
        let x0 = Vec::from_iter(vectors.iter().map(|(x, _)| Vec3::from(*x)));
        let x1 = Vec::from_iter(vectors.iter().zip(&x0).map(|((_, v), x)| x + speed * Vec3::from(*v)));
        let radii = surfaces.radii();
        let sweep = Sweep { x0: &x0, x1: &x1, radius, radii };
        let mut finder = CandidateFinder::new(&surfaces);
        finder.refit(&Threads::INLINE, &surfaces, &sweep);
        let (_, found) = finder.share(&surfaces, &sweep, &[0, 1, 2, 3, 4]);
        let is_round = |pair: &Pair| pair.vertices.iter().any(|&vertex| radii.of(vertex) > 0.0);
        let all = pairs_of_round(&surfaces);
        prop_assert!(found.iter().filter(|pair| is_round(pair)).all(|pair| all.contains(pair)));
        for pair in all {
            let (start, end) = (pair.gather(&x0), pair.gather(&x1));
            let radius_m = radii.of_pair(&pair);
            let comes = time_of_round_impact(pair.kind(), &start, &end, radius_m, 0.8 * radius);
            prop_assert!(comes.is_none() || found.binary_search(&pair).is_ok(), "{:?}", pair);
        }
    }
}

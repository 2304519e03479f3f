use super::*;
use crate::{Solid, Solids};
use cloth_core::mesh::Mesh;

/// A shape of each kind with these sizes.
fn samples(sizes: [f64; 3]) -> impl Iterator<Item = Shape> {
    let sample = move |&number: &u32| Shape::of_number(number, sizes, 0).unwrap();
    Shape::NUMBERS.iter().map(sample)
}

/// The triangles that frames show for a shape.
fn triangles(shape: &Shape) -> Mesh {
    let (_, document) = Shape::surfaces().find(|it| it.0 == shape.number()).unwrap();
    let faces = document.corners.chunks(3).map(|face| [0, 1, 2].map(|i| face[i].vertex));
    let faces = faces.collect();
    Mesh { positions: document.positions.iter().map(|x| shape.stretch(x)).collect(), faces }
}

#[test]
fn numbers_of_kinds_differ() {
    let mut numbers = [Shape::NUMBERS, &[SOLID, HALF_SPACE]].concat();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), Shape::NUMBERS.len() + 2);
}

#[test]
fn a_shape_comes_back_from_its_bits_and_has_the_reach_that_is_asked_for() {
    for shape in samples([0.3, 0.2, 0.7]).chain([Shape::Solid(7)]) {
        assert_eq!(Shape::of_words(&shape.words()), Some(shape));
    }
    for shape in samples([0.3, 0.2, 0.7]) {
        let reach = shape.with_reach(5.0).reach(|_| 0.0);
        assert!((reach - 5.0).abs() < 1e-14, "{shape:?}");
    }
}

#[test]
fn measures_and_support_are_those_of_the_triangles() {
    let solids = Solids::default();
    for shape in samples([0.3, 0.2, 0.7]) {
        let mesh = triangles(&shape);
        // The triangles of a round shape lie inside it, so their solid has less mass.
        let (solid, frame) = Solid::mesh(&mesh, 0.0, "").unwrap();
        let whole = solids.mass_properties(&shape, 1.0);
        let share = |part: f64, whole: f64| (0.85..1.0 + 1e-9).contains(&(part / whole));
        assert!(share(solid.volume, whole.mass), "{shape:?}: {}", solid.volume);
        let [mut part, mut all] = [solid.moments, whole.inertia].map(|it| Vec::from(it.as_slice()));
        [&mut part, &mut all].iter_mut().for_each(|it| it.sort_by(f64::total_cmp));
        assert!((0..3).all(|i| share(part[i], all[i])), "{shape:?}: {part:?} {all:?}");
        assert!(
            frame.origin.norm() < 1e-9 && share(solid.reach, solids.reach(&shape)),
            "{shape:?}"
        );

        let (mut width, most) = (f64::INFINITY, |shape: &Shape, out: &Vec3| {
            out.dot(&shape.support(out, |_| Vec3::zeros())) + shape.margin()
        });
        let mut outs: Vec<Vec3> = mesh.positions.iter().map(|x| x.normalize()).collect();
        outs.extend([Vec3::x(), Vec3::y(), Vec3::z()]);
        for out in &outs {
            let farthest = mesh.positions.iter().map(|x| out.dot(x)).fold(0.0, f64::max);
            assert!(share(farthest, most(&shape, out)), "{shape:?}: {out:?} {farthest}");
            width = width.min(most(&shape, out) + most(&shape, &-out));
            let feature = shape.feature(out, |_| Feature::new());
            let low = most(&shape, out) - shape.margin() - 2.0 * ALONG * solids.reach(&shape);
            assert!(feature.iter().all(|x| out.dot(x) >= low), "{shape:?}: {out:?}");
        }
        assert!(2.0 * solids.half_width(&shape) <= width + 1e-9, "{shape:?}: {width}");
    }
}

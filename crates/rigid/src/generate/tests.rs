use super::*;
use crate::Shape;
use crate::shape::Sphere;

fn generator(placement: Placement, sizes: Sizes) -> Generator {
    Generator {
        seed: 7,
        first_id: 100,
        placement,
        sizes,
        form: Sphere { radius_m: 1.0 }.into(),
        rotation: None,
        velocities: Velocities::Random { most: 2.0 },
        spin: Vec3::zeros(),
        material: 0,
        density: 1000.0,
    }
}

fn lattice() -> Lattice {
    Lattice { origin: Vec3::new(0.5, -1.0, 2.0), spacing: 0.2, counts: [7, 6, 5] }
}

fn random() -> Placement {
    Placement::Random { count: 300, low: Vec3::zeros(), high: Vec3::new(1.7, 1.3, 1.5) }
}

const SIZES: Sizes = Sizes::Uniform { low: 0.03, high: 0.08 };

fn positions(generator: &Generator) -> Vec<Vec3> {
    (0..generator.count()).map(|k| generator.body(k).state.position).collect()
}

#[test]
fn spheres_of_a_close_packing_touch_twelve_others() {
    let packing = generator(Placement::Hexagonal(lattice()), Sizes::Constant(0.1));
    let positions = positions(&packing);
    let mut most = 0;
    for x in &positions {
        let apart = || positions.iter().map(|y| (x - y).norm()).filter(|&d| d > 0.0);
        assert!(apart().all(|distance| distance > 0.2 - 1e-12));
        most = most.max(apart().filter(|distance| *distance < 0.2 + 1e-12).count());
    }
    assert_eq!(most, 12);
}

#[test]
fn random_bodies_do_not_overlap_and_stay_in_their_box() {
    let generator = generator(random(), SIZES);
    generator.check("bodies[0]").unwrap();
    let bodies: Vec<_> = (0..300).map(|k| generator.body(k)).collect();
    let radius = |body: &Body| match body.shape {
        Shape::Sphere(Sphere { radius_m: radius }) => radius,
        _ => panic!("a sphere"),
    };
    for (k, a) in bodies.iter().enumerate() {
        let (x, r) = (a.state.position, radius(a));
        assert!((0.03..=0.08).contains(&r) && a.state.twist.linear.norm() <= 2.0);
        assert!(x.iter().all(|&c| c >= r) && x.x <= 1.7 - r && x.y <= 1.3 - r);
        for b in &bodies[..k] {
            assert!((x - b.state.position).norm() >= r + radius(b) - 1e-12);
        }
    }
}

#[test]
fn a_box_lists_all_bodies_in_it() {
    let placements = [Placement::Grid(lattice()), Placement::Hexagonal(lattice()), random()];
    for placement in placements {
        let generator = generator(placement, SIZES);
        let positions = positions(&generator);
        for k in 0..50u64 {
            let corner = |k: u64| {
                Vec3::from_fn(|axis, _| {
                    let part = generator.uniform(k, Use::Place, axis as u64);
                    4.0 * part - 1.5
                })
            };
            let (low, high) = (corner(k).inf(&corner(k + 99)), corner(k).sup(&corner(k + 99)));
            let mut listed = generator.numbers_within(&low, &high);
            listed.sort_unstable();
            assert!(listed.windows(2).all(|two| two[0] < two[1]));
            for (number, x) in (0..).zip(&positions) {
                let is_inside = (0..3).all(|axis| low[axis] <= x[axis] && x[axis] <= high[axis]);
                assert!(!is_inside || listed.binary_search(&number).is_ok());
            }
        }
    }
}

#[test]
fn few_bodies_in_a_large_box_have_few_cells() {
    for count in (1..40).chain([371, 5000]) {
        for high in [Vec3::repeat(10.0), Vec3::new(10.0, 10.0, 0.5), Vec3::new(1.0, 20.0, 0.05)] {
            let generator = generator(
                Placement::Random { count, low: Vec3::zeros(), high },
                Sizes::Constant(1e-5),
            );
            let cells: u64 = generator.cells().iter().product();
            assert!((count..=8 * count + 100).contains(&cells), "{count} {high:?} {cells}");
        }
    }
}

#[test]
fn more_bodies_than_fit_are_refused() {
    let mut generator = generator(random(), SIZES);
    generator.sizes = Sizes::Constant(0.2);
    let error = generator.check("bodies[3]").unwrap_err().to_string();
    assert!(error.contains("bodies[3].arrangement: 300 bodies of up to 0.2 m"), "{error}");
    assert!(error.contains("36 cells"), "{error}");
    generator.sizes = Sizes::Constant(f64::NAN);
    assert!(generator.check("bodies[3]").is_err());
}

//! Compares both divisions with brute force.

use super::*;
use cloth_core::mix;
use cloth_core::partition::methods::power::Diagram;

fn random(k: u64) -> f64 {
    (mix(k.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 11) as f64 / (1u64 << 53) as f64
}

/// A point of the domain.
fn point(domain: &Domain, k: u64) -> Vec3 {
    domain.low() + Vec3::from_fn(|axis, _| random(4 * k + axis as u64) * domain.period()[axis])
}

/// A point of the ball around `centre`.
fn point_of_ball(centre: &Vec3, radius: f64, k: u64) -> Vec3 {
    let direction = Vec3::from_fn(|axis, _| random(4 * k + axis as u64) - 0.5);
    centre + direction.normalize() * radius * random(4 * k + 3)
}

fn domain(periodic: [bool; 3]) -> Domain {
    Domain::new(Vec3::new(-0.3, 0.1, 1.0), Vec3::new(1.1, 1.2, 2.3), periodic).unwrap()
}

fn grid(domain: Domain) -> Subdomains {
    Subdomains::Grid(Grid::new(domain, [3, 4, 5]).unwrap())
}

fn diagram(domain: &Domain, sites: u64) -> Diagram {
    Diagram {
        sites: (0..sites).map(|k| point(domain, 700 + k)).collect(),
        potentials: (0..sites).map(|k| 0.02 * random(9000 + k)).collect(),
    }
}

fn cells(domain: Domain) -> Subdomains {
    Subdomains::Cells(Cells::new(domain, diagram(&domain, 20), 0.5).unwrap())
}

const BORDERS: [[bool; 3]; 3] = [[false; 3], [true; 3], [true, false, true]];

fn all() -> impl Iterator<Item = Subdomains> {
    BORDERS.into_iter().flat_map(|periodic| [grid(domain(periodic)), cells(domain(periodic))])
}

#[test]
fn a_point_has_one_owner_and_borders_belong_to_the_box_above() {
    for periodic in BORDERS {
        let domain = Domain::new(Vec3::repeat(-0.7), Vec3::repeat(2.3), periodic).unwrap();
        let grid = Grid::new(domain, [7, 1, 10]).unwrap();
        for (axis, count) in [(0, 7u32), (2, 10)] {
            for k in 0..=count {
                let edge = match k {
                    k if k == count => 2.3,
                    k => -0.7 + 3.0 * f64::from(k) / f64::from(count),
                };
                for (x, owner) in [(edge.next_down(), k.max(1) - 1), (edge, k.min(count - 1))] {
                    let mut point = Vec3::repeat(0.5);
                    point[axis] = x;
                    let (wrapped, _) = domain.wrap(&point);
                    let at = grid.owner(&wrapped);
                    let place = if axis == 0 { at % 7 } else { at / 7 };
                    let expected = match periodic[axis] {
                        true if k == 0 && x < edge => count - 1,
                        true if k == count && x == edge => 0,
                        _ => owner,
                    };
                    assert_eq!(place, expected, "{x:?} {periodic:?}");
                }
            }
        }
    }
}

#[test]
fn wrapped_points_are_inside_and_images_bring_them_back() {
    let domain = domain([true; 3]);
    for k in 0..3000 {
        let x = domain.low()
            + Vec3::from_fn(|axis, _| {
                (3.0 * random(4 * k + axis as u64) - 1.0) * domain.period()[axis]
            });
        let (wrapped, image) = domain.wrap(&x);
        assert!(
            (0..3)
                .all(|axis| domain.low()[axis] <= wrapped[axis]
                    && wrapped[axis] < domain.high()[axis])
        );
        assert!((domain.shifted(&wrapped, image) - x).norm() < 1e-14);
        assert_eq!(domain.wrap(&wrapped), (wrapped, [0; 3]));
    }
    let unit = Domain::new(Vec3::zeros(), Vec3::repeat(1.0), [true; 3]).unwrap();
    assert_eq!(unit.wrap(&Vec3::repeat(-1e-30)).0, Vec3::repeat(1.0_f64.next_down()));
}

#[test]
fn cells_have_the_points_that_are_nearest_to_their_sites() {
    let domain = domain([false; 3]);
    let (cells, diagram) = (cells(domain), diagram(&domain, 20));
    for k in 0..20_000 {
        let x = point(&domain, k);
        assert_eq!(cells.owner(&x), diagram.site_of(&x));
        let beyond = x + domain.period() * 2.0;
        assert_eq!(cells.owner(&beyond), diagram.site_of(&beyond));
    }
}

#[test]
fn a_ball_touches_the_owners_of_all_its_points() {
    for subdomains in all() {
        let domain = subdomains.domain();
        let (mut enclosed, mut missed) = (0, 0);
        for k in 0..400 {
            let (centre, radius) = (point(domain, k), 0.4 * random(k + 50_000));
            let images = domain.images(&centre, radius);
            let home = subdomains.owner(&centre);
            assert!(subdomains.overlaps(home, &centre, 0.0));
            let is_enclosed = subdomains.depth(home, &centre) > radius;
            enclosed += usize::from(is_enclosed);
            for j in 0..100 {
                let (x, image) = domain.wrap(&point_of_ball(&centre, radius, 1000 * k + j));
                let owner = subdomains.owner(&x);
                assert!(subdomains.touches(owner, &images, radius));
                assert!(!is_enclosed || (owner == home && image == [0; 3]));
            }
            let all = 0..subdomains.count() as u32;
            missed += all.filter(|&s| !subdomains.touches(s, &images, radius)).count();
        }
        // Both answers must occur.
        assert!(enclosed > 10 && missed > 1000, "{enclosed} {missed}");
    }
}

#[test]
fn neighbours_are_mutual_and_have_all_points_within_reach() {
    for subdomains in all() {
        let domain = *subdomains.domain();
        let reach = 0.9 * subdomains.smallest_edge();
        let all = 0..subdomains.count() as u32;
        let neighbours: Vec<_> = all.map(|s| subdomains.neighbours(s, reach).unwrap()).collect();
        for (s, others) in (0..).zip(&neighbours) {
            assert!(!others.contains(&s) && others.is_sorted());
            assert!(others.iter().all(|&other| neighbours[other as usize].contains(&s)));
        }
        for k in 0..20_000 {
            let x = point(&domain, k);
            let (y, _) = domain.wrap(&point_of_ball(&x, reach, k));
            let [s, other] = [subdomains.owner(&x), subdomains.owner(&y)];
            assert!(s == other || neighbours[s as usize].contains(&other), "{s} {other}");
        }
        assert!(subdomains.neighbours(0, 1.1 * subdomains.smallest_edge()).is_err());
    }
    let periodic = grid(domain([true; 3]));
    assert_eq!(periodic.neighbours(0, 0.1).unwrap().len(), 26);
    let open = grid(domain([false; 3]));
    assert_eq!(open.neighbours(0, 0.1).unwrap().len(), 7);
}

#[test]
fn a_ball_has_every_image_that_reaches_into_the_domain() {
    let domain = domain([true, false, true]);
    for k in 0..500 {
        let (centre, radius) = (point(&domain, k), 0.5 * random(k + 50_000));
        let images = domain.images(&centre, radius);
        for number in 0..27i8 {
            let image = [number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1];
            let at = domain.shifted(&centre, image);
            let is_near = (0..3).all(|axis| {
                domain.low()[axis] <= at[axis] + radius && at[axis] - radius <= domain.high()[axis]
            });
            let listed = images.iter().filter(|&&one| one == (image, at)).count();
            assert_eq!(listed, usize::from(is_near && image[1] == 0));
        }
        assert!(domain.depth(&centre, true) <= radius || images.len() == 1);
    }
}

#[test]
fn a_region_finds_its_images_and_the_ranks_around_it() {
    let subdomains = std::sync::Arc::new(grid(domain([true; 3])));
    let rank_of = std::sync::Arc::new((0..60).map(|s| s / 7).collect::<Vec<u32>>());
    for rank in 0..10 {
        let region = Region::new(rank, subdomains.clone(), rank_of.clone(), 0.1).unwrap();
        assert_eq!(region.own().is_empty(), rank == 9);
        for k in 0..300 {
            let centre = point(subdomains.domain(), k);
            let images = subdomains.domain().images(&centre, 0.1);
            let mut found = Vec::new();
            region.images(&centre, 0.1, |image, at| found.push((image, at)));
            let reaches = |at: &Vec3| region.own().iter().any(|&s| subdomains.overlaps(s, at, 0.1));
            assert_eq!(images.iter().any(|(_, at)| reaches(at)), region.touches(&images, 0.1));
            let expected = images.iter().filter(|(image, at)| *image != [0; 3] && reaches(at));
            assert_eq!(found, expected.copied().collect::<Vec<_>>());
            if region.has(subdomains.owner(&centre)) {
                let others = (0..60u32).filter(|&s| subdomains.touches(s, &images, 0.1));
                let mut ranks: Vec<_> = others.map(|s| region.rank_of(s)).collect();
                ranks.dedup();
                ranks.retain(|&other| other as usize != rank);
                assert_eq!(region.touched_neighbours(&images, 0.1)[..], ranks);
            }
        }
    }
}

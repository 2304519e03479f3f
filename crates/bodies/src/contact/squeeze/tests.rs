//! Squeezed triangles between prescribed ones.

use super::*;
use crate::contact::ContactDistance;
use crate::contact::point::find_contacts;
use cloth_collision::collision::Pair;
use cloth_core::ranks::in_process;

const DISTANCE_M: f64 = 1e-3;

fn distance() -> ContactDistance<'static> {
    ContactDistance::alike(DISTANCE_M, Default::default())
}

/// `layers` triangles between two prescribed ones, all 1 cm wide, with `gaps` (m) from the
/// lowest to the highest one. The upper one moves by `moved` (m).
fn pressed(gaps: &[f64], moved: Vec3) -> (Vec<Contact>, Vec<bool>, [Vec<Vec3>; 2]) {
    let (mut x0, mut faces, mut up) = (Vec::new(), Vec::new(), 0.0);
    for (layer, gap) in [0.0].iter().chain(gaps).enumerate() {
        up += gap;
        let first = x0.len() as u32;
        let wide = 0.01 * (1.0 + 0.3 * layer as f64);
        let corners = [[-wide, -wide], [wide, -wide], [0.0, wide]];
        x0.extend(corners.map(|[x, z]| Vec3::new(x, up, z)));
        faces.push([first, first + 1, first + 2]);
    }
    let last = x0.len() - 3;
    let prescribed: Vec<bool> = (0..x0.len()).map(|at| at < 3 || at >= last).collect();
    let mut x1 = x0.clone();
    x1[last..].iter_mut().for_each(|x| *x += moved);
    let mut pairs = Vec::new();
    for two in faces.windows(2) {
        for (one, other) in [(two[0], two[1]), (two[1], two[0])] {
            pairs.extend(one.map(|vertex| Pair::vertex_face(vertex, other)));
        }
    }
    let mut contacts = Vec::new();
    find_contacts(&pairs, &x0, &x1, &distance(), None, &mut contacts);
    (contacts, prescribed, [x0, x1])
}

/// The aims of all contacts of [`pressed`], m.
fn aims(gaps: &[f64], moved: Vec3) -> Vec<f64> {
    let (contacts, prescribed, [x0, x1]) = pressed(gaps, moved);
    let motion = PrescribedMotion { prescribed: &prescribed, x0: &x0, x1: &x1 };
    let of_ranks = |ranks: usize| {
        let found = in_process::run(ranks, |world| {
            let is_own = |vertex: VertexId| vertex as usize % ranks == world.rank();
            Squeezed::find(world, contacts.iter(), &motion, is_own, &distance())
        });
        found.unwrap()
    };
    let squeezed = of_ranks(1).remove(0);
    assert!(of_ranks(3).iter().all(|other| *other == squeezed));
    contacts.iter().map(|contact| squeezed.aim_m(contact, &distance())).collect()
}

#[test]
fn layers_between_plates_share_their_room() {
    for gaps in [&[3e-4, 9e-4][..], &[8e-4, 1e-4, 6e-4], &[5e-4, 9e-4, 2e-4, 8e-4]] {
        let share = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let found = aims(gaps, Vec3::zeros());
        assert!(!found.is_empty());
        assert!(found.iter().all(|aim| (aim - share).abs() < 1e-12), "{found:?} {share}");
    }
}

/// One to four layers need a room of `n + 1/2` contact distances. The lid turns about an edge, so
/// one of its vertices stands still: the side is known by one that moves.
#[test]
fn rooms_below_their_limit_name_the_vertices_that_come_nearer() {
    for layers in 1..=4 {
        for (part, is_narrow) in [(0.45, true), (0.55, false)] {
            let room_m = (layers as f64 + part) * DISTANCE_M;
            let gaps = vec![room_m / (layers as f64 + 1.0); layers + 1];
            let (contacts, prescribed, [x0, mut x1]) = pressed(&gaps, Vec3::zeros());
            let last = x1.len() - 1;
            x1[last - 2..last].iter_mut().for_each(|x| x.y -= 1e-5);
            let motion = PrescribedMotion { prescribed: &prescribed, x0: &x0, x1: &x1 };
            let found = in_process::run(1, |world| {
                Squeezed::find(world, contacts.iter(), &motion, |_| true, &distance())
            });
            let narrow = found.unwrap().remove(0).narrow;
            assert_eq!(!narrow.is_empty(), is_narrow, "{layers} layers: {narrow:?}");
            for (vertex, comes) in narrow.iter().flat_map(|narrow| narrow.sides) {
                let moves = (last - 2..last).contains(&(vertex as usize));
                assert!(comes == moves && (moves || vertex < 3), "{narrow:?}");
            }
        }
    }
}

#[test]
fn plates_that_approach_leave_less_room() {
    let found = aims(&[7e-4, 7e-4], Vec3::new(3e-3, -4e-4, 0.0));
    assert!(found.iter().all(|aim| (aim - 5e-4).abs() < 1e-12), "{found:?}");
}

#[test]
fn cloth_with_room_aims_at_the_contact_distance() {
    assert!(aims(&[9e-4, 1.2e-3], Vec3::zeros()).iter().all(|&aim| aim == DISTANCE_M));
    assert!(aims(&[9e-4, 9e-4], 5e-4 * Vec3::y()).iter().all(|&aim| aim == DISTANCE_M));
}

//! The imperfection of the start. Cloth that lies exactly in a plane, with all that acts on it, never
//! leaves that plane by itself: where it is pushed together it is crushed instead of folded. So each
//! vertex starts a little off the plane.

use std::collections::BTreeSet;

use robust::{Coord3D, orient3d};

use crate::spec::Scene;
use cloth_bodies::bodies::Setup;
use cloth_bodies::bodies::cloth::setup::ClothSetup;
use cloth_core::math::{Vec3, mix};

/// The imperfection of cloth in a plane, in diagonals of the box around it. With less, folds come
/// later: a curtain of 1 m that is drawn in 0.3 s is pressed by 17 % with 1e-9 m, by 25 % with
/// 1e-12 m and by 30 % with 1e-16 m.
const OF_SIZE: f64 = 1e-9;
/// It is at most this part of the clearance, so that it matters to nothing nearby.
const OF_CLEARANCE: f64 = 1e-3;

/// Moves the vertices of each cloth of `setup` along their normals by up to its imperfection, each by
/// a share that follows from its number alone. So equal layers keep their distance. What pins or
/// bodies hold stays in place.
pub(super) fn add_imperfections(scene: &Scene, setup: &mut Setup) {
    let mut first = 0;
    for (cloth, built) in scene.cloths.iter().zip(&mut setup.cloths) {
        let most_m = cloth.imperfection_m.unwrap_or_else(|| match is_trapped(scene, built) {
            true => (OF_SIZE * size_m(built)).min(OF_CLEARANCE * scene.contact.clearance_m),
            false => 0.0,
        });
        let attached = setup.attachments.iter().filter_map(|it| it.vertex.checked_sub(first));
        let pinned = built.pins.iter().flat_map(|pin| &pin.vertices).copied();
        let held = BTreeSet::from_iter(pinned.chain(attached));
        first += built.positions.len() as u32;
        if most_m == 0.0 {
            continue;
        }
        let areas = areas(built);
        for (vertex, (x, area)) in (0..).zip(built.positions.iter_mut().zip(areas)) {
            if let Some(normal) =
                area.try_normalize(f64::MIN_POSITIVE).filter(|_| !held.contains(&vertex))
            {
                *x += normal * (most_m * share(vertex));
            }
        }
    }
}

/// Whether `cloth` lies exactly in a plane, and gravity and wind along it. The rounding of a plane that
/// is turned is imperfection enough.
fn is_trapped(scene: &Scene, cloth: &ClothSetup) -> bool {
    let x = || cloth.positions.iter().copied();
    let farthest = |from: &dyn Fn(&Vec3) -> f64| x().max_by(|a, b| from(a).total_cmp(&from(b)));
    let first = cloth.positions.first().copied().unwrap_or_default();
    let second = farthest(&|x| (x - first).norm_squared()).unwrap_or(first);
    let area = |x: &Vec3| (second - first).cross(&(x - first)).norm_squared();
    let third = farthest(&area).unwrap_or(first);
    let [a, b, c] = [first, second, third].map(coordinates);
    let keyed = &scene.gravity_keyframes;
    let constant = Some(scene.gravity_m_per_s2).filter(|_| keyed.is_empty());
    let gravity = keyed.iter().map(|key| key.gravity_m_per_s2).chain(constant);
    let wind = scene.air.wind.iter().map(|key| key.velocity_m_per_s);
    let wind = wind.filter(|_| scene.air.drag().is_some());
    let ends_of_forces = gravity.chain(wind).map(|it| first + Vec3::from(it));
    x().chain(ends_of_forces).all(|x| orient3d(a, b, c, coordinates(x)) == 0.0)
}

fn coordinates(x: Vec3) -> Coord3D<f64> {
    Coord3D { x: x.x, y: x.y, z: x.z }
}

/// The areas of the faces around each vertex, doubled, along their normals, m^2.
fn areas(cloth: &ClothSetup) -> Vec<Vec3> {
    let mut areas = vec![Vec3::zeros(); cloth.positions.len()];
    for face in &cloth.faces {
        let [a, b, c] = face.map(|vertex| cloth.positions[vertex as usize]);
        let area = (b - a).cross(&(c - a));
        face.iter().for_each(|&vertex| areas[vertex as usize] += area);
    }
    areas
}

/// The diagonal of the box around `cloth`, m.
fn size_m(cloth: &ClothSetup) -> f64 {
    let x = || cloth.positions.iter().copied();
    let low = x().reduce(|a, b| a.inf(&b)).unwrap_or_default();
    (x().reduce(|a, b| a.sup(&b)).unwrap_or_default() - low).norm()
}

/// A number between -1 and 1 for each vertex.
fn share(vertex: u32) -> f64 {
    let bits = mix((u64::from(vertex) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 11;
    bits as f64 / (1_u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::build;
    use crate::load::parse;

    /// How far the cloth is off the plane z = 0, at most, and its vertices, m.
    fn start(obj: &str, cloth: &str, scene: &str) -> (f64, Vec<Vec3>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("m.obj"), obj).unwrap();
        let cloth = |name: &str| {
            format!(
                "(name: \"{name}\", shape: Mesh(\"m.obj\"), material: Fabric(\"cotton\"), {cloth})"
            )
        };
        let text = format!("(cloths: [{}, {}], {scene})", cloth("one"), cloth("two"));
        let cloths = build(&parse(&text, "s.ron").unwrap(), folder.path()).unwrap().cloths;
        assert_eq!(cloths[0].positions, cloths[1].positions, "equal layers keep their distance");
        let off = cloths[0].positions.iter().map(|x| x.z.abs()).fold(0.0, f64::max);
        (off, cloths[0].positions.clone())
    }

    #[test]
    fn only_cloth_in_a_plane_with_all_that_acts_on_it_starts_off_its_place() {
        let square = "v 0 0 0\nv 3 0 0\nv 3 4 0\nv 0 4 0\nf 1 2 3 4\n";
        let (off, x) = start(square, "pins: [(select: Vertices([3]))],", "");
        assert!(off > 1e-10 && off <= 5e-9 && x[3].z == 0.0, "{x:?}");
        assert!(start(square, "imperfection_m: 1e-3,", "").0 > 1e-4);
        let drag = "normal_drag_n_s_per_m3: 1";
        for (cloth, scene) in [
            ("imperfection_m: 0,", String::new()),
            ("", "gravity_m_per_s2: (0, -9, 1e-9),".to_owned()),
            ("", format!("air: (wind: [(velocity_m_per_s: (0, 1, 1))], {drag}),")),
            ("transform: (translation_m: (0, 0, 1)),", "gravity_m_per_s2: (0, 0, -9),".to_owned()),
        ] {
            let (off, x) = start(square, cloth, &scene);
            assert!(x.iter().all(|it| it.z == x[0].z), "{cloth} {scene}: {off}");
        }
        let bent = square.replace("v 3 4 0", "v 3 4 1e-12");
        assert_eq!(start(&bent, "", "").0, 1e-12);
    }
}

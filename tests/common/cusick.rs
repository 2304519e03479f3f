//! A round specimen of fabric that hangs over a disc, as in Cusick's drape meter (BS 5058, ISO
//! 9073-9): 30 cm wide, clamped between two discs of 18 cm.
#![allow(dead_code)] // each program uses a part of it

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use cloth_sim::bodies::cloth::material::{Material, MaterialSpec};
use cloth_sim::math::Vec3;
use cloth_sim::mesh::Mesh;
use cloth_sim::mesh::shapes::{Disc, ShapeKind};
use cloth_sim::step::GravityKey;

use super::flat_meshes::{FlatMesh, Look};
use super::physics::{G, Random, alone, cloth, hold, settle, simulate, statics};

/// Radius of the specimen, m.
const SPECIMEN: f64 = 0.15;
/// Radius of the disc, m.
const DISC: f64 = 0.09;
/// Gravity grows to its full value within this time, because the meter lowers the specimen slowly, s.
/// Let go at once, cloth comes to rest with more folds and a higher coefficient.
const LOWERING_S: f64 = 8.0;
/// A lobe of the rim is a fold if it stands out by this much, m.
const FOLD: f64 = 0.004;
/// Side of a pixel of the shadow, m.
const PIXEL: f64 = 5e-4;

/// A fabric of the library.
pub fn fabric(name: &str) -> Material {
    MaterialSpec::Fabric(name.to_owned()).resolve("fabric").expect("the library knows it")
}

/// A mesh of the specimen, and the radius within which it is held. Curvature begins half a cell
/// behind the last held vertices, so these lie half a cell outside of the disc.
#[derive(Clone)]
pub struct Specimen {
    mesh: Mesh,
    held: f64,
}

impl Specimen {
    /// Rings of triangles, `overhang` of them free.
    pub fn rings(overhang: u32) -> Self {
        let cell = (SPECIMEN - DISC) / (f64::from(overhang) + 0.5);
        let held = DISC + 0.5 * cell;
        let inner = (held / cell).round();
        let rings = inner as u32 + overhang;
        let mut mesh = Disc { radius_m: f64::from(rings), rings }.mesh();
        for p in &mut mesh.positions {
            let r = p.norm();
            *p *= if r > inner { (held + (r - inner) * cell) / r } else { held / inner };
        }
        Self { mesh, held }
    }

    /// Delaunay triangles of random points with the edges of `rings`. Vertices of the rim are moved
    /// onto its circle. The last held ones lie half a cell outside of the disc on average.
    pub fn random(overhang: u32, seed: u64) -> Self {
        let cell = (SPECIMEN - DISC) / (f64::from(overhang) + 0.5);
        let side = 2.2 * SPECIMEN;
        let flat = FlatMesh::rectangle(side, side, (side / cell).round() as u32, Look::Even, seed);
        let place = |&[x, y]: &[f64; 2]| Vec3::new(x - 0.5 * side, 0.0, -y);
        let mut places: Vec<Vec3> = flat.points.iter().map(place).collect();
        let mut faces = flat.faces;
        let at = |places: &[Vec3], face: &[u32; 3]| face.map(|v| places[v as usize]);
        faces.retain(|face| at(&places, face).iter().sum::<Vec3>().norm() < 3.0 * SPECIMEN);
        let mut faces_at: HashMap<[u32; 2], u32> = HashMap::new();
        for &[a, b, c] in &faces {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                *faces_at.entry([from.min(to), from.max(to)]).or_default() += 1;
            }
        }
        for v in faces_at.iter().filter(|(_, faces)| **faces == 1).flat_map(|(edge, _)| *edge) {
            let p = &mut places[v as usize];
            *p *= SPECIMEN / p.norm();
        }
        // Three vertices of the rim make no triangle.
        faces.retain(|face| {
            let [a, b, c] = at(&places, face);
            (b - a).cross(&(c - a)).norm() > 0.2 * cell * cell
        });
        let (mut positions, mut number) = (Vec::new(), HashMap::new());
        for v in faces.iter_mut().flatten() {
            *v = *number.entry(*v).or_insert_with(|| {
                positions.push(places[*v as usize]);
                positions.len() as u32 - 1
            });
        }
        Self { mesh: Mesh { positions, faces }, held: DISC + cell }
    }

    /// Lowers the specimen and waits until no vertex has been faster than 0.5 mm/s for 0.2 s. `start`
    /// turns the mesh against the fabric and roughens it by 0.2 mm.
    pub fn drape(&self, material: Material, start: u32, step_s: f64) -> Drape {
        let (mut mesh, mut random) = (self.mesh.clone(), Random(u64::from(start)));
        let (sin, cos) = libm::sincos(f64::from(start));
        for p in &mut mesh.positions {
            *p = Vec3::new(cos * p.x + sin * p.z, 0.0, cos * p.z - sin * p.x);
        }
        let mut cloth = cloth(mesh, Material { mass_damping_per_s: 10.0, ..material });
        hold(&mut cloth, |p| p.norm() < self.held + 1e-9);
        for p in cloth.positions.iter_mut().filter(|p| p.norm() > self.held + 1e-9) {
            p.y = 2e-4 * random.signed();
        }
        let faces = cloth.faces.clone();
        let mut scene = statics(step_s);
        scene.solver.relative_residual = 1e-6;
        let key = |time_s, g: f64| GravityKey { time_s, gravity_m_per_s2: [0.0, -g, 0.0] };
        scene.gravity_keyframes = vec![key(0.0, 0.0), key(LOWERING_S, G)];
        let (positions, seconds) = simulate(&scene, alone(cloth), |simulation| {
            while simulation.time_s() < LOWERING_S {
                simulation.step()?;
            }
            let seconds = settle(simulation, 5e-4, 120.0)?;
            Ok((simulation.positions().to_vec(), seconds))
        });
        Drape { positions, faces, seconds }
    }
}

/// A specimen at rest.
pub struct Drape {
    /// Places of the vertices, m.
    pub positions: Vec<Vec3>,
    /// Triangles.
    pub faces: Vec<[u32; 3]>,
    /// Time until it rested, s.
    pub seconds: f64,
}

impl Drape {
    /// The drape coefficient, %: the area of the shadow outside of the disc, over that of the flat
    /// specimen.
    pub fn coefficient(&self) -> f64 {
        let shadow = PIXEL * PIXEL * self.shadow().len() as f64;
        100.0 * (shadow / PI - DISC * DISC) / (SPECIMEN * SPECIMEN - DISC * DISC)
    }

    /// The number of folds: lobes of the shadow's outline.
    pub fn folds(&self) -> usize {
        let mut outline = vec![0_f64; 360];
        for (x, z) in self.shadow() {
            let turn = (libm::atan2(z, x) / TAU).rem_euclid(1.0);
            let r = &mut outline[(360.0 * turn) as usize % 360];
            *r = r.max(x.hypot(z));
        }
        let lowest = (0..360).min_by(|&a, &b| outline[a].total_cmp(&outline[b])).unwrap_or(0);
        let (mut folds, mut rises) = (0, true);
        let (mut low, mut high) = (outline[lowest], outline[lowest]);
        for r in (1..=360).map(|step| outline[(lowest + step) % 360]) {
            (low, high) = (low.min(r), high.max(r));
            if rises && high - low > FOLD && r < high - FOLD {
                (folds, rises, low) = (folds + 1, false, r);
            } else if !rises && r > low + FOLD {
                (rises, high) = (true, r);
            }
        }
        folds
    }

    /// Centres of the pixels that the cloth covers, seen from above.
    fn shadow(&self) -> Vec<(f64, f64)> {
        let side = (2.1 * SPECIMEN / PIXEL) as usize;
        let at = |i: usize| (i as f64 + 0.5) * PIXEL - 1.05 * SPECIMEN;
        let first = |x: f64| ((x + 1.05 * SPECIMEN) / PIXEL).max(0.0) as usize;
        let mut covered = vec![false; side * side];
        for face in &self.faces {
            let corners = face.map(|v| self.positions[v as usize]);
            let span = |of: fn(&Vec3) -> f64| {
                let values = corners.each_ref().map(of);
                let (low, high) = (values.iter().copied().fold(f64::INFINITY, f64::min), values);
                first(low)..(first(high.iter().copied().fold(-1.0, f64::max)) + 1).min(side)
            };
            let columns = span(|p| p.x);
            for j in span(|p| p.z) {
                for i in columns.clone() {
                    let (x, z) = (at(i), at(j));
                    let sides = [0, 1, 2].map(|k| {
                        let (a, b) = (corners[k], corners[(k + 1) % 3]);
                        (b.x - a.x) * (z - a.z) - (b.z - a.z) * (x - a.x)
                    });
                    covered[j * side + i] |=
                        sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0);
                }
            }
        }
        let pixels = (0..side * side).filter(|&k| covered[k]);
        pixels.map(|k| (at(k % side), at(k / side))).collect()
    }
}

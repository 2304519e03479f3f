//! How much of a mesh's resistance to bending is false: membranes of constant strain lock.
//!
//! A sheet wound around a cylinder is not stretched. Triangles are flat, so their edges become
//! chords, shorter than the arcs. Where neighbours ask for different strains, no motion of the
//! vertices serves all of them. The mesh is stretched, or it wrinkles from vertex to vertex, and both
//! cost energy that the sheet does not have.
//!
//! Triangles that are all alike ask for one strain, and do not lock. Otherwise the excess grows as
//! `(a^2 / (R t))^2`, with edges a, the radius R, and the effective thickness t of
//! [`effective_thickness`], until wrinkles cost less than strain. From there on the shape of the
//! triangles alone decides. docs/meshes.md has the comparison with strips that were simulated.
//!
//! [`Locking`] samples the mesh: its cost does not grow with the mesh, apart from one pass that looks
//! for the worst triangles.

mod patch;

use crate::bodies::cloth::locking::patch::Patch;
use crate::bodies::cloth::material::Material;
use crate::bodies::cloth::setup::{ClothSetup, RestTriangle};
use cloth_core::{FaceId, Vec2};

/// Faces that stand for the whole mesh.
const SAMPLES: usize = 24;
/// Faces that may be the worst ones.
const SUSPECTS: usize = 8;
/// Directions of bends, evenly over half a turn.
const DIRECTIONS: u32 = 4;

/// Places of a mesh at which locking can be computed, for any radius.
pub struct Locking {
    material: Material,
    /// Evenly spread over the faces.
    samples: Vec<Patch>,
    /// Around the longest and flattest faces.
    suspects: Vec<Patch>,
}

/// What a bend of some radius costs beyond the energy of bending, as a share of it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Excess {
    /// Mean of the places that stand for the whole mesh.
    pub mean: f64,
    /// The largest one at any place.
    pub worst: f64,
    /// The face where it is.
    pub worst_face: FaceId,
}

impl Locking {
    /// Chooses places of the cloth at rest. Without stiffness against bending nothing can be wrong
    /// with it: [`None`].
    pub fn new(cloth: &ClothSetup) -> Option<Self> {
        let (planes, material) = (&cloth.rest_planes, cloth.material);
        if planes.is_empty() || !material.bending.is_positive_definite() {
            return None;
        }
        let around = |face: usize| Patch::around(cloth, face as FaceId);
        let count = planes.len().min(SAMPLES);
        let samples = (0..count).map(|i| around((2 * i + 1) * planes.len() / (2 * count)));
        let suspects = suspects(planes).into_iter().map(around);
        Some(Self { material, samples: samples.collect(), suspects: suspects.collect() })
    }

    /// The excess of bends to `radius_m`, in the direction where the mean is largest.
    pub fn excess(&self, radius_m: f64) -> Excess {
        let of_direction = |direction: u32| {
            let angle = std::f64::consts::PI * f64::from(direction) / f64::from(DIRECTIONS);
            self.excess_along(Vec2::new(libm::cos(angle), libm::sin(angle)), radius_m)
        };
        (0..DIRECTIONS).map(of_direction).fold(Excess::default(), |all, one| {
            let worse = if one.worst > all.worst { one } else { all };
            Excess { mean: all.mean.max(one.mean), ..worse }
        })
    }

    /// The excess of bends to `radius_m` whose curvature has the direction `along` (warp, weft), a
    /// unit vector.
    pub fn excess_along(&self, along: Vec2, radius_m: f64) -> Excess {
        let mut excess = Excess::default();
        let (mut extra, mut exact) = (0.0, 0.0);
        for (at, patch) in self.samples.iter().chain(&self.suspects).enumerate() {
            let [of_patch, exactly] = patch.energies(&self.material, along, radius_m.recip());
            if of_patch > excess.worst * exactly {
                (excess.worst, excess.worst_face) = (of_patch / exactly, patch.face());
            }
            if at < self.samples.len() {
                extra += of_patch;
                exact += exactly;
            }
        }
        Excess { mean: extra / exact, ..excess }
    }
}

/// The thickness of a solid plate with this stiffness, `sqrt(12 D / (E t))`, m: of the softer
/// direction in bending and the stiffer one in the plane.
pub fn effective_thickness(material: &Material) -> f64 {
    let bending = material.bending.d11.min(material.bending.d22);
    (12.0 * bending / material.membrane.c11.max(material.membrane.c22)).sqrt()
}

/// The faces that lock first if their neighbours differ: the longest and flattest ones.
fn suspects(planes: &[RestTriangle]) -> Vec<usize> {
    let flatness = |plane: &RestTriangle| {
        let sides = [plane.x1, plane.x2, plane.x2 - plane.x1].map(|side| side.norm_squared());
        let longest = sides.into_iter().fold(0.0, f64::max);
        longest * longest / plane.area()
    };
    let mut ranked: Vec<(f64, usize)> = Vec::with_capacity(2 * SUSPECTS);
    for (face, plane) in planes.iter().enumerate() {
        let of_face = flatness(plane);
        if ranked.len() < SUSPECTS || ranked[ranked.len() - 1].0 < of_face {
            let at = ranked.partition_point(|&(known, _)| known >= of_face);
            ranked.insert(at, (of_face, face));
            ranked.truncate(SUSPECTS);
        }
    }
    ranked.into_iter().map(|(_, face)| face).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::cloth::setup::{LoadSetup, RestTriangle};
    use cloth_core::Vec3;
    use cloth_core::mesh::shapes::{Diagonal, sheet};
    use cloth_core::mesh::{ObjDocument, SurfaceMesh};

    /// A sheet of 20 x 20 cells of 10 mm.
    fn locking(diagonal: Diagonal, thickness_m: f64) -> Locking {
        let rigidity = 500.0 * thickness_m * thickness_m / 12.0;
        let surface = SurfaceMesh::from_mesh(sheet(0.2, 0.2, 20, 20, diagonal)).unwrap();
        let rest = surface.document.positions.clone();
        let plane = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|vertex| rest[vertex as usize]);
            RestTriangle::along(b - a, c - a, Vec3::x())
        };
        let cloth = ClothSetup {
            name: "sheet".to_owned(),
            document: ObjDocument::default(),
            rest_planes: surface.faces.iter().map(plane).collect(),
            faces: surface.faces,
            topology: surface.topology,
            positions: rest.clone(),
            rest,
            is_flat: false,
            folds: Vec::new(),
            sewn: Vec::new(),
            material: Material::isotropic(0.2, 500.0, 0.3, rigidity),
            factors: Default::default(),
            pins: Vec::new(),
            loads: LoadSetup::default(),
        };
        Locking::new(&cloth).unwrap()
    }

    #[test]
    fn triangles_that_are_alike_do_not_lock() {
        for diagonal in [Diagonal::Same, Diagonal::Equilateral] {
            let locking = locking(diagonal, 1e-3);
            for degrees in [0.0_f64, 30.0, 45.0, 110.0] {
                let (sine, cosine) = degrees.to_radians().sin_cos();
                let excess = locking.excess_along(Vec2::new(cosine, sine), 0.1);
                assert!(excess.mean < 1e-4, "{diagonal:?}, {degrees}: {excess:?}");
            }
        }
    }

    /// The numbers are those of all triangles together, by another program.
    #[test]
    fn alternating_diagonals_lock_in_diagonal_bends() {
        let diagonal = Vec2::new(0.5_f64.sqrt(), 0.5_f64.sqrt());
        for (thickness_m, exact) in
            [(20e-3, 4.5e-5), (2.5e-3, 2.82e-3), (1e-3, 0.0157), (5e-5, 0.114)]
        {
            let locking = locking(Diagonal::Alternating, thickness_m);
            let excess = locking.excess_along(diagonal, 0.1).mean;
            assert!((excess / exact - 1.0).abs() < 0.25, "{thickness_m} m: {excess}, not {exact}");
            assert!(locking.excess_along(Vec2::x(), 0.1).mean < 1e-6);
        }
    }
}

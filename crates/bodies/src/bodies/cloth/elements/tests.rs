//! Checks that hold for every element of the list.

use std::sync::Arc;

use sprs::CsMat;

use super::*;
use crate::bodies::cloth::assembly::Stability;
use crate::bodies::cloth::energy::EnergyState;
use crate::bodies::cloth::material::{BendingStiffness, Material, MembraneStiffness};
use crate::bodies::cloth::setup::{ClothSetup, RestTriangle};
use crate::bodies::cloth::{AirDrag, Assembly, ClothModel};
use cloth_core::ByPatch;
use cloth_core::linear::BlockMatrix;
use cloth_core::mesh::Topology;
use cloth_core::partition::{Graph, Partition, Patches};

const SIDE: u32 = 9;
const CELL: f64 = 0.01;

/// A number in -1..1, the same for the same `key`.
fn noise(key: u32) -> f64 {
    let z = (key.wrapping_add(1)).wrapping_mul(2_654_435_761);
    f64::from((z ^ z >> 15).wrapping_mul(2_246_822_519) as i32) / f64::from(i32::MAX)
}

fn noise3(key: u32) -> Vec3 {
    Vec3::from_fn(|axis, _| noise(3 * key + axis as u32))
}

/// Two sheets of different orthotropic fabrics, with irregular meshes.
fn cloths() -> Vec<ClothSetup> {
    let sheet = |fabric: f64| {
        let vertex = |v: u32| {
            let flat = Vec3::new(f64::from(v % SIDE), f64::from(v / SIDE), 0.0);
            (flat + noise3(v) * 0.2) * CELL
        };
        let rest: Vec<Vec3> = (0..SIDE * SIDE).map(vertex).collect();
        let corners = (0..SIDE * (SIDE - 1)).filter(|v| v % SIDE < SIDE - 1);
        let cell = |v: u32| [[v, v + 1, v + SIDE + 1], [v, v + SIDE + 1, v + SIDE]];
        let faces: Vec<[u32; 3]> = corners.flat_map(cell).collect();
        let plane = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| rest[v as usize]);
            RestTriangle::along(b - a, c - a, Vec3::x())
        };
        let membrane = MembraneStiffness::new(400.0 * fabric, 900.0, 0.2, 40.0);
        let bending = BendingStiffness { d11: 3e-5 * fabric, d12: 4e-6, d22: 1e-5, d66: 6e-6 };
        ClothSetup {
            name: String::new(),
            document: Default::default(),
            topology: Topology::new(&faces).unwrap(),
            rest_planes: faces.iter().map(plane).collect(),
            positions: rest.clone(),
            rest,
            is_flat: false,
            folds: Vec::new(),
            sewn: Vec::new(),
            faces,
            material: Material {
                stiffness_damping_s: 1e-3,
                ..Material::new(0.2, membrane, bending)
            },
            factors: Default::default(),
            pins: Vec::new(),
            loads: Default::default(),
        }
    };
    vec![sheet(1.0), sheet(2.0)]
}

/// Rows of all ranks: vertex, right-hand side, and its numbers of the matrix with their places.
type Rows = Vec<(VertexId, Vec3, Vec<(usize, usize, f64)>)>;

/// The couplings of `model`, and their division among `ranks` ranks.
fn divide(model: &ClothModel, ranks: usize) -> (Graph, Partition) {
    let graph = Graph::from_cliques(model.vertex_count(), model.couplings());
    let patches = Arc::new(Patches::new(&graph, &model.ranges, 16).unwrap());
    let partition = Partition::new(&graph, patches, ranks).unwrap();
    (graph, partition)
}

/// Assembles the step of `inputs` on `ranks` ranks.
fn assemble(model: &ClothModel, inputs: &StepInputs, ranks: usize) -> Rows {
    let (graph, partition) = divide(model, ranks);
    let mut all = Rows::new();
    for rank in 0..ranks {
        let layout = Layout::new(&graph, &partition, rank);
        let mut matrix = BlockMatrix::new(&layout, &graph).unwrap();
        let mut assembly = Assembly::new(model, &layout, matrix.structure());
        assembly.begin(&Threads::INLINE, model, inputs);
        let mut rhs = vec![Vec3::zeros(); layout.own.len()];
        let (structure, values) = matrix.split_mut();
        let pieces = (values, ByPatch::new(&mut rhs, &layout.patch_offsets));
        Threads::INLINE.for_each_patch(pieces, 1, |patch, (values, rhs)| {
            let first = layout.patch_offsets[patch] as usize;
            let nodes = &layout.own[first..][..rhs.data.len()];
            let mut rows = PatchEquations::new(patch, first, nodes, structure, values, rhs.data);
            assembly.fill(patch, model, inputs, &mut rows);
            rows.finish();
        });
        let numbers: CsMat<f64> = matrix.to_triplets().to_csr();
        all.extend(layout.own.iter().zip(rhs).map(|(&vertex, rhs)| {
            let rows = 3 * vertex as usize..3 * vertex as usize + 3;
            let of_row = |row| {
                let numbers = numbers.outer_view(row).unwrap();
                numbers.iter().map(|(column, &value)| (row, column, value)).collect::<Vec<_>>()
            };
            (vertex, rhs, rows.flat_map(of_row).collect())
        }));
    }
    all.sort_by_key(|&(vertex, ..)| vertex);
    all
}

/// The models of explicit and of implicit bending.
fn models() -> [ClothModel; 2] {
    let air = AirDrag { normal: 5.0, tangential: 0.5, normal_square: 2.0, ..Default::default() };
    let models = [1e-6, 0.1].map(|step_s| ClothModel::new(&cloths(), &[], air, step_s));
    let [explicit, implicit] = models.each_ref().map(|model| model.elements.bending.implicit());
    assert!(explicit[0] == 0 && implicit[0] == implicit[1]);
    models
}

fn present(model: &ClothModel) -> Vec<Vec3> {
    let cloths = cloths();
    let rest = cloths.iter().flat_map(|cloth| &cloth.rest);
    rest.zip(0..model.vertex_count() as u32).map(|(x, v)| x + noise3(v + 77) * 2e-3).collect()
}

#[test]
fn assembled_forces_are_the_gradient_of_the_energy() {
    for model in models() {
        let mut x = present(&model);
        let v = vec![Vec3::zeros(); x.len()];
        let (gravity, wind) = (Vec3::zeros(), Vec3::zeros());
        let inputs = StepInputs {
            x0: &x,
            v0: &v,
            x: &x,
            v: &v,
            ahead_s: 1.0,
            h: 1.0,
            stability: Stability::EULER,
            gravity,
            loads: &[],
            draws: &[],
            wind,
            clamps: 0,
        };
        let rows = assemble(&model, &inputs, 1);
        let size = rows.iter().map(|(_, force, _)| force.norm()).fold(0.0, f64::max);
        let (graph, partition) = divide(&model, 1);
        let layout = Layout::new(&graph, &partition, 0);
        let matrix = BlockMatrix::new(&layout, &graph).unwrap();
        let mut assembly = Assembly::new(&model, &layout, matrix.structure());
        let mut energy = |x: &[Vec3]| -> f64 {
            let state = EnergyState { x, v: &v, gravity, clamps: 0 };
            let energies = assembly.energies(&Threads::INLINE, &model, &layout, state);
            energies.iter().map(|patch| patch.internal_j).sum()
        };
        for (vertex, force, _) in &rows {
            let at = *vertex as usize;
            for axis in 0..3 {
                let middle = x[at][axis];
                x[at][axis] = middle + 1e-8;
                let above = energy(&x);
                x[at][axis] = middle - 1e-8;
                let slope = (above - energy(&x)) / 2e-8;
                x[at][axis] = middle;
                assert!((force[axis] + slope).abs() < 1e-6 * size, "{} {slope}", force[axis]);
            }
        }
    }
}

#[test]
fn rows_have_the_same_bits_on_any_number_of_ranks() {
    for model in models() {
        let x = present(&model);
        let v: Vec<Vec3> = (0..x.len() as u32).map(|v| noise3(v + 999)).collect();
        let (gravity, wind) = (Vec3::new(0.0, 0.0, -9.81), Vec3::x());
        let inputs = StepInputs {
            x0: &x,
            v0: &v,
            x: &x,
            v: &v,
            ahead_s: 1e-3,
            h: 1e-3,
            stability: Stability::EULER,
            gravity,
            loads: &x,
            draws: &[],
            wind,
            clamps: 0,
        };
        let one = assemble(&model, &inputs, 1);
        assert_eq!(one.len(), x.len());
        assert!(assemble(&model, &inputs, 3) == one);
    }
}

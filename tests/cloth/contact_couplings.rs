//! Rooms `contact` and `linear`: contacts between cloth and cloth in the linear system, across
//! patches and ranks, against a dense solve. The springs are made by hand, because the algebra
//! does not depend on the positions.

use crate::physics::Random;
use cloth_bodies::contact::{ContactSpring, Sides};
use cloth_core::linear::{PreconditionerKind, Tolerance, add_block};
use cloth_core::threads::Threads;
use cloth_sim::bodies::Setup;
use cloth_sim::bodies::cloth::assembly::{Stability, StepInputs};
use cloth_sim::bodies::cloth::material::Material;
use cloth_sim::error::Result;
use cloth_sim::math::{Mat3, Vec3};
use cloth_sim::mesh::shapes::{Diagonal, sheet};
use cloth_sim::partition::{Gather, Layout};
use cloth_sim::ranks::{World, in_process as ranks};
use cloth_sim::step::BodyTerms;
use cloth_sim::step::SystemTerms;
use cloth_sim::step::{Integrator, Scheme};
use cloth_sim::step::{Model, StepSystem};
use nalgebra::{DMatrix, DVector};

const H: f64 = 4e-3;
/// Number of vertices of the first cloth.
const FIRST: u32 = 8 * 7;
/// Number of vertices of both cloths.
const ALL: u32 = FIRST + 6 * 6;

/// Two sheets, the first one folded over in the middle, in patches of 8 vertices.
fn model(ranks: usize) -> Model {
    let material = Material::isotropic(0.2, 300.0, 0.3, 1e-5);
    let mut folded = crate::physics::cloth(sheet(0.35, 0.3, 7, 6, Diagonal::Same), material);
    for x in folded.positions.iter_mut().filter(|x| x.x > 0.0) {
        *x = Vec3::new(-x.x, 0.001, x.z);
    }
    let flat = crate::physics::cloth(sheet(0.25, 0.25, 5, 5, Diagonal::Alternating), material);
    let mut scene = crate::physics::scene(H);
    scene.patch_vertices = 8;
    let setup = Setup { cloths: vec![folded, flat], obstacles: Vec::new(), ..Setup::default() };
    let model = Model::new(scene.settings(), setup, |build| build(ranks)).unwrap();
    assert_eq!(model.cloth.vertex_count(), ALL as usize);
    model
}

/// A spring on four vertices. The first `first_side` form one side, the others the second. The
/// sides belong to different cloths, or lie far from each other in one.
fn spring(random: &mut Random, first_side: usize, vertices: [u32; 4]) -> ContactSpring {
    let split = |random: &mut Random, n: usize, sign: f64| {
        let parts: Vec<f64> = (0..n).map(|_| 1.1 + random.signed()).collect();
        let sum: f64 = parts.iter().sum();
        parts.into_iter().map(move |part| sign * part / sum).collect::<Vec<f64>>()
    };
    let weights = [split(random, first_side, 1.0), split(random, 4 - first_side, -1.0)].concat();
    let normal = random.vector().normalize();
    let across = Mat3::identity() - normal * normal.transpose();
    let weights = [weights[0], weights[1], weights[2], weights[3]];
    ContactSpring {
        sides: Sides::of_weights(&vertices, &weights, first_side),
        stiffness: (normal * normal.transpose() + across * 0.3) * (50e-5 / (H * H)),
        velocity: Vec3::zeros(),
        push: random.vector() * 0.01,
        lasting: Vec3::zeros(),
    }
}

fn nodes(spring: &ContactSpring) -> [u32; 4] {
    std::array::from_fn(|a| spring.sides.terms()[a].node)
}

fn weights(spring: &ContactSpring) -> [f64; 4] {
    std::array::from_fn(|a| spring.sides.terms()[a].jacobian.matrix()[(0, 0)])
}

/// Springs of all kinds between both cloths and within the first. Some end at vertices that are
/// no cloth, and some have a weight of zero.
fn springs(model: &Model) -> Vec<ContactSpring> {
    let mut random = Random(5);
    let faces = &model.cloth.faces;
    let (folded, flat): (Vec<[u32; 3]>, Vec<[u32; 3]>) =
        faces.iter().copied().partition(|face| face[0] < FIRST);
    let mut springs = Vec::new();
    for i in 0..90_usize {
        let [a, b, c] = folded[i * 17 % folded.len()];
        let [d, e, f] = flat[i * 31 % flat.len()];
        let far = (a + FIRST / 2) % FIRST;
        let (first_side, vertices) = match i % 5 {
            0 => (1, [a, d, e, f]),
            1 => (1, [e, a, b, c]),
            2 => (2, [b, c, d, f]),
            3 => (1, [far, a, b, c]),
            _ => (1, [a, ALL, ALL + 1, ALL + 2]),
        };
        let mut spring = spring(&mut random, first_side, vertices);
        if i % 7 == 0 {
            // A closest point on an edge of the face.
            let mut weights = weights(&spring);
            weights[2] += weights[3];
            weights[3] = 0.0;
            spring.sides = Sides::of_weights(&vertices, &weights, first_side);
        }
        springs.push(spring);
    }
    springs.sort_by_key(|spring| (spring.sides.first_side(), nodes(spring)));
    springs
}

/// One step of one system.
struct Case<'a> {
    springs: &'a [ContactSpring],
    targets: &'a [(u32, Vec3)],
    gravity: Vec3,
    kind: PreconditionerKind,
}

impl Case<'_> {
    /// Runs `read` on the system of each rank after its assembly. Each rank gets the springs
    /// that push its vertices.
    fn on_rank<T>(
        &self,
        model: &Model,
        world: &dyn World,
        threads: usize,
        read: impl FnOnce(&mut StepSystem, &Layout, &Threads) -> Result<T>,
    ) -> Result<T> {
        let layout = Layout::new(&model.graph, &model.partition, world.rank());
        let tolerance = Tolerance {
            relative_residual: 1e-13,
            velocity_m_per_s: f64::INFINITY,
            least_reference: 0.0,
            max_iterations: 2000,
        };
        let mut system = StepSystem::new(model, &model.partition, &layout, self.kind, tolerance)?;
        let threads = Threads::new(threads)?;
        let pushes_here = |spring: &&ContactSpring| {
            let mut sides = nodes(spring).into_iter().zip(weights(spring));
            sides.any(|(node, weight)| weight != 0.0 && layout.own_index(node).is_some())
        };
        let mine: Vec<_> = self.springs.iter().filter(pushes_here).copied().collect();
        let velocities = velocities();
        let inputs = StepInputs {
            x0: &model.initial,
            v0: &velocities,
            x: &model.initial,
            v: &velocities,
            ahead_s: H,
            h: H,
            stability: Stability::EULER,
            gravity: self.gravity,
            loads: &[],
            draws: &[],
            wind: Vec3::zeros(),
            clamps: 0,
        };
        let prescribed = Vec::from_iter(self.targets.iter().map(|&(vertex, target)| {
            let at = vertex as usize;
            (vertex, (target - model.initial[at]) / H - velocities[at])
        }));
        // First with other contacts: nothing of them may remain.
        for contacts in [&mine[mine.len() / 3..], &mine] {
            let terms = SystemTerms {
                scheme: Scheme::new(Integrator::Euler, H),
                inputs: &inputs,
                first_changes: &vec![self.gravity * H; velocities.len()],
                prescribed: &prescribed,
                bodies: BodyTerms::NONE,
                contacts,
                joints: &[],
                region: None,
            };
            system.assemble(&threads, model, &layout, &terms);
        }
        read(&mut system, &layout, &threads)
    }

    /// The change of velocity of all vertices.
    fn solve(&self, ranks: usize, threads: usize) -> Vec<Vec3> {
        let model = model(ranks);
        let mut results = ranks::run(ranks, |world| {
            self.on_rank(&model, world, threads, |system, _, threads| {
                assert!(system.solve(world, threads, &model.initial)?.converged());
                let mut all = vec![Vec3::zeros(); ALL as usize];
                Gather::new(&model.partition).to_all(
                    world,
                    &Threads::INLINE,
                    system.delta_u(),
                    &mut all,
                )?;
                Ok(all)
            })
        });
        let results = results.as_mut().unwrap();
        assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "ranks agree");
        results.swap_remove(0)
    }

    /// All entries of the system as assembled on one rank, with its couplings.
    fn assembled(&self) -> (DMatrix<f64>, DVector<f64>) {
        let model = model(1);
        let dense = ranks::run(1, |world| {
            self.on_rank(&model, world, 1, |system, layout, _| {
                let n = 3 * ALL as usize;
                let (mut dense, mut right) = (DMatrix::zeros(n, n), DVector::zeros(n));
                let (matrix, rhs) = system.system();
                let mut entries = matrix.to_triplets();
                for (row, column, block) in system.couplings().blocks() {
                    let [row, column] = [row, column].map(|local| layout.own[local as usize]);
                    add_block(&mut entries, row, column, &block);
                }
                entries.triplet_iter().for_each(|(value, place)| dense[place] += value);
                for (&vertex, value) in layout.own.iter().zip(rhs) {
                    right.fixed_rows_mut::<3>(3 * vertex as usize).copy_from(value);
                }
                Ok((dense, right))
            })
        });
        dense.unwrap().remove(0)
    }

    /// The assembled system without contacts, with the springs added here.
    fn expected(&self) -> (DMatrix<f64>, DVector<f64>) {
        let (mut dense, mut right) = Case { springs: &[], ..*self }.assembled();
        for spring in self.springs {
            let (vertices, weights) = (nodes(spring), weights(spring));
            let cloth = |&a: &usize| vertices[a] < ALL;
            for a in (0..4).filter(cloth) {
                let row = 3 * vertices[a] as usize;
                let mut force = right.fixed_rows_mut::<3>(row);
                force += spring.push * (H * weights[a]);
                for b in (0..4).filter(cloth) {
                    let column = 3 * vertices[b] as usize;
                    let factor = H * H * weights[a] * weights[b];
                    let mut block = dense.fixed_view_mut::<3, 3>(row, column);
                    block += spring.stiffness * factor;
                }
            }
        }
        (dense, right)
    }

    /// The dense solution of the system as it is stored. The rows of a vertex with a target prescribe its velocity change.
    fn dense_solution(&self) -> DVector<f64> {
        let (mut dense, mut right) = self.assembled();
        let (initial, velocities) = (model(1).initial, velocities());
        for &(vertex, target) in self.targets {
            let v = vertex as usize;
            dense.fixed_rows_mut::<3>(3 * v).fill(0.0);
            dense.fixed_view_mut::<3, 3>(3 * v, 3 * v).fill_with_identity();
            let prescribed = (target - initial[v]) / H - velocities[v];
            right.fixed_rows_mut::<3>(3 * v).copy_from(&prescribed);
        }
        dense.lu().solve(&right).unwrap()
    }
}

fn velocities() -> Vec<Vec3> {
    let mut random = Random(11);
    (0..ALL).map(|_| random.vector() * 0.1).collect()
}

const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

#[test]
fn the_system_is_that_of_the_springs() {
    let springs = springs(&model(1));
    let kind = PreconditionerKind::BlockJacobi;
    let case = Case { springs: &springs, targets: &[], gravity: GRAVITY, kind };
    let ((dense, right), (expected, expected_right)) = (case.assembled(), case.expected());
    // Blocks beside the diagonal are in single precision.
    assert!((dense - &expected).amax() < 1e-7 * expected.amax());
    assert!((right - &expected_right).amax() < 1e-14 * expected_right.amax());
}

#[test]
fn solutions_agree_with_a_dense_solve_and_have_the_same_bits_on_any_ranks_and_threads() {
    let model = model(1);
    let mut springs = springs(&model);
    // Two pinned vertices, one moving and one at rest. Springs join both to free vertices.
    let (moves, rests) = (10, FIRST + 8);
    let x = |vertex: u32| model.initial[vertex as usize];
    let targets = [(moves, x(moves) + Vec3::new(3e-4, 1e-4, 0.0)), (rests, x(rests))];
    let mut random = Random(3);
    for face in [model.cloth.faces[20], model.cloth.faces[41]] {
        springs.push(spring(&mut random, 1, [rests, face[0], face[1], face[2]]));
    }
    springs.push(spring(&mut random, 2, [FIRST + 20, FIRST + 21, moves, moves + 1]));

    for &kind in PreconditionerKind::ALL {
        for targets in [&[][..], &targets] {
            let case = Case { springs: &springs, targets, gravity: GRAVITY, kind };
            let exact = case.dense_solution();
            let alone = case.solve(1, 1);
            for (v, delta) in alone.iter().enumerate() {
                let error = (delta - exact.fixed_rows::<3>(3 * v)).norm();
                assert!(error < 1e-9 * exact.amax(), "{kind:?}, vertex {v}: {error}");
            }
            for (ranks, threads) in [(1, 2), (2, 1), (3, 2), (4, 1), (7, 1), (7, 2), (20, 1)] {
                assert!(case.solve(ranks, threads) == alone, "{kind:?}, {ranks} x {threads}");
            }
        }
    }
}

#[test]
fn contacts_between_cloths_keep_momentum() {
    let model = model(1);
    let mut springs = springs(&model);
    springs.retain(|spring| nodes(spring).iter().all(|&v| v < ALL));
    let kind = PreconditionerKind::BlockJacobi;
    let case = Case { springs: &springs, targets: &[], gravity: Vec3::zeros(), kind };
    let impulses: Vec<Vec3> =
        case.solve(3, 1).iter().zip(&model.cloth.masses).map(|(dv, &m)| dv * m).collect();
    let size: f64 = impulses.iter().map(|p| p.norm()).sum();
    let total: Vec3 = impulses.iter().sum();
    assert!(total.norm() < 1e-11 * size, "{total:?} of {size}");
    // The momentum of each cloth alone changes, so the springs do act.
    let first: Vec3 = impulses[..FIRST as usize].iter().sum();
    assert!(first.norm() > 1e-3 * size);
}

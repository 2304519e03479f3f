//! Collision detection of one rank: refit, root tests, candidates.
//!
//! Who executes the tests below the roots is left to the caller: [`CandidateFinder::collect`] takes
//! them one after the other, [`CandidateFinder::collect_with`] lends them out.

#[cfg(test)]
mod tests;
pub mod traversal;
mod whole_objects;

use std::convert::Infallible;

use crate::collision::dop::Dop18;
use crate::collision::pair::Pair;
use crate::collision::screen::Pace;
use crate::collision::search::traversal::{Found, Traversal};
use crate::collision::search::whole_objects::whole_objects;
use crate::collision::surface::{Moves, Surface, Surfaces};
use crate::collision::sweep::Sweep;
use crate::collision::test::{Test, TestCounters, TestOutcome, TestTrees};
use cloth_core::{ByPatch, PatchId, Threads, Vec3, VertexId};

/// Vertices that one thread bounds at a time.
const CHUNK: usize = 1024;

/// Tests above the parts that a thread takes at a time.
const TESTS_PER_CHUNK: usize = 32;

/// The working memory of one rank's collision detection.
pub struct CandidateFinder {
    /// Bounds of all vertices of all objects over the step.
    vertices: Vec<Dop18>,
    /// Bounds of the nodes of each object's hierarchy over the step.
    nodes: Vec<Vec<Dop18>>,
    /// Where each object stood when it was refitted; empty if it moved then.
    standing: Vec<Vec<Vec3>>,
    /// For what distance all objects are refitted, m.
    radius: f64,
    /// Boundaries of the chunks of each object's vertices.
    chunks: Vec<Vec<u32>>,
    /// Set by a partial refit: the next search looks for pairs with these vertices only.
    strayed: Option<Strayed>,
    /// How the vertices move in the next search.
    pace: Pace,
    /// Whether any rank has root tests.
    any_roots: bool,
    candidates: Vec<Pair>,
}

/// Vertices that left their paths or may stop on them, by vertex, and the nodes above them, by
/// object.
struct Strayed {
    vertices: Vec<bool>,
    nodes: Vec<Vec<bool>>,
}

impl CandidateFinder {
    /// Memory for the hierarchies of `surfaces`.
    pub fn new(surfaces: &Surfaces) -> Self {
        let list = &surfaces.list;
        let nodes = |surface: &Surface| vec![Dop18::EMPTY; surface.hierarchy.nodes().len()];
        Self {
            vertices: vec![Dop18::EMPTY; surfaces.vertex_count()],
            nodes: list.iter().map(nodes).collect(),
            standing: vec![Vec::new(); list.len()],
            radius: 0.0,
            chunks: list.iter().map(|surface| chunks(surface.vertex_count)).collect(),
            strayed: None,
            pace: Pace::Common,
            any_roots: false,
            candidates: Vec::new(),
        }
    }

    /// Refits all hierarchies to a motion. All bounds grow by half of its radius, and by those of
    /// round surfaces. An obstacle
    /// that has not moved since its last refit is skipped.
    pub fn refit(&mut self, threads: &Threads, surfaces: &Surfaces, sweep: &Sweep) {
        (self.strayed, self.pace) = (None, Pace::Common);
        let radius = sweep.radius;
        let same_radius = radius == self.radius;
        self.radius = radius;
        for (object, surface) in surfaces.list.iter().enumerate() {
            let own = surface.vertices();
            let (x0, x1) = (&sweep.x0[own.clone()], &sweep.x1[own.clone()]);
            if surface.moves == Moves::Prescribed {
                let standing = &mut self.standing[object];
                if same_radius && standing == x0 && standing == x1 {
                    continue;
                }
                standing.clear();
                if x0 == x1 {
                    standing.extend_from_slice(x0);
                }
            }
            let grown = 0.5 * radius + surface.radius_m;
            let vertices = ByPatch::new(&mut self.vertices[own], &self.chunks[object]);
            threads.for_each_patch(vertices, 1, |chunk, vertices| {
                let from = chunk * CHUNK;
                for ((bounds, x0), x1) in vertices.data.iter_mut().zip(&x0[from..]).zip(&x1[from..])
                {
                    *bounds = Dop18::swept(x0, x1, grown);
                }
            });
            let nodes = &mut self.nodes[object];
            surface.hierarchy.refit(threads, &surface.leaves, &self.vertices, nodes);
        }
    }

    /// Refits to a motion that differs from that of the last refit in the `strayed` vertices only,
    /// which are given in rising order. The next search replaces the candidates that have one of
    /// these vertices, and keeps all others. In it all vertices move at this `pace`. The motion may
    /// also be the same.
    pub fn refit_strayed(
        &mut self,
        surfaces: &Surfaces,
        sweep: &Sweep,
        strayed: &[VertexId],
        pace: Pace,
    ) {
        self.pace = pace;
        let mut vertices = vec![false; self.vertices.len()];
        for &vertex in strayed {
            let at = vertex as usize;
            vertices[at] = true;
            let grown = 0.5 * sweep.radius + sweep.radii.of(vertex);
            self.vertices[at] = Dop18::swept(&sweep.x0[at], &sweep.x1[at], grown);
        }
        let changed = surfaces.list.iter().zip(&mut self.nodes).map(|(surface, bounds)| {
            let mut nodes = vec![false; bounds.len()];
            if vertices[surface.vertices()].contains(&true) {
                let (hierarchy, leaves) = (&surface.hierarchy, &surface.leaves);
                hierarchy.refit_changed(leaves, &self.vertices, &vertices, bounds, &mut nodes);
            }
            nodes
        });
        self.strayed = Some(Strayed { nodes: changed.collect(), vertices });
    }

    /// A rank's share of the root tests.
    ///
    /// There is a root test for each pair of parts whose bounds overlap. A part is the subtree
    /// of a patch, or a whole obstacle; a body of few nodes is one patch. The rank that has a
    /// patch among `own_patches` tests it against itself and against obstacles. Two patches are
    /// tested by the rank of the first one if the sum of their numbers is even, else by the rank of
    /// the second one.
    ///
    /// Every rank executes the tests above the parts. Only the rank of patch 0 returns their
    /// counts; all others return zero, so that the sum over the ranks counts each test once.
    pub fn root_tests(
        &mut self,
        threads: &Threads,
        surfaces: &Surfaces,
        sweep: &Sweep,
        own_patches: &[PatchId],
        roots: &mut Vec<Test>,
    ) -> TestCounters {
        let owns = |patch| own_patches.binary_search(&patch).is_ok();
        let (all, counters) = self.above_parts(threads, surfaces, sweep);
        self.any_roots = !all.is_empty();
        let own = all.iter().filter(|root| patch_of(&surfaces.list, root).is_some_and(owns));
        roots.clear();
        roots.extend(own);
        if owns(0) { counters } else { TestCounters::default() }
    }

    /// The root tests of all ranks, each with its patch, and the counts of the tests above them.
    pub fn all_root_tests(
        &self,
        surfaces: &Surfaces,
        sweep: &Sweep,
    ) -> (Vec<(PatchId, Test)>, TestCounters) {
        let (all, counters) = self.above_parts(&Threads::INLINE, surfaces, sweep);
        let with_patch = |root| Some((patch_of(&surfaces.list, &root)?, root));
        (all.into_iter().filter_map(with_patch).collect(), counters)
    }

    /// Executes the tests above the parts, one level of the test tree after the other. Returns the
    /// root tests that overlap, and counts of the executed tests.
    fn above_parts(
        &self,
        threads: &Threads,
        surfaces: &Surfaces,
        sweep: &Sweep,
    ) -> (Vec<Test>, TestCounters) {
        let trees = self.trees(surfaces, sweep);
        let (mut roots, mut counters) = (Vec::new(), TestCounters::default());
        let mut level = whole_objects(&trees, surfaces);
        while !level.is_empty() {
            let mut below = (Vec::new(), (std::mem::take(&mut roots), counters));
            threads.collect(&level, TESTS_PER_CHUNK, &mut below, |tests, (next, found)| {
                let (roots, counters) = found;
                for test in tests {
                    let above = trees.is_above_parts(test);
                    let outcome = trees.execute(test);
                    if above || outcome == TestOutcome::Apart {
                        counters.count(test);
                    }
                    match outcome {
                        TestOutcome::Split(first, second) if above => next.extend([first, second]),
                        TestOutcome::SplitItself(tests) if above => next.extend(tests),
                        TestOutcome::Apart => {}
                        _ => roots.push(*test),
                    }
                }
            });
            (level, (roots, counters)) = below;
        }
        (roots, counters)
    }

    /// Whether any rank has root tests, after [`CandidateFinder::root_tests`]. All ranks know it.
    pub fn any_roots(&self) -> bool {
        self.any_roots
    }

    /// Collects the candidates below the `roots`: all elementary pairs that are
    /// [`near`](super::dop::near) over the motion of the last refit, except those that are screened
    /// out or lie in a flat region. After a refit all vertices move at a common pace. After a
    /// partial refit they move at its pace, and only pairs with a strayed vertex are replaced.
    /// Returns counts of the executed tests and of the candidates found.
    ///
    /// It executes all tests on the calling thread, depth first. Tests compare a shared search
    /// with it.
    pub fn collect(
        &mut self,
        surfaces: &Surfaces,
        sweep: &Sweep,
        roots: impl IntoIterator<Item = Test>,
    ) -> TestCounters {
        let collected = self.collect_with(surfaces, sweep, |traversal, candidates| {
            let (mut stack, mut counters) = (Vec::new(), TestCounters::default());
            let mut found = Found::default();
            for root in roots {
                stack.push(root);
                while !stack.is_empty() {
                    traversal.run(&mut stack, &mut counters, &mut found);
                }
            }
            candidates.append(&mut found.candidates);
            Ok::<_, Infallible>(counters)
        });
        collected.unwrap_or_else(|never| match never {})
    }

    /// Collects candidates as [`CandidateFinder::collect`] does. `find` executes the tests: it adds
    /// the pairs that it finds to its list, and returns the counts.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn collect_with<E>(
        &mut self,
        surfaces: &Surfaces,
        sweep: &Sweep,
        find: impl FnOnce(&Traversal, &mut Vec<Pair>) -> Result<TestCounters, E>,
    ) -> Result<TestCounters, E> {
        let mut candidates = self.take_kept();
        let kept = candidates.len();
        let counted = find(&self.traversal(surfaces, sweep), &mut candidates)?;
        let found = (candidates.len() - kept) as u64;
        self.candidates = candidates;
        Ok(TestCounters { candidates: found, ..counted })
    }

    /// The candidates that stay after the last refit.
    fn take_kept(&mut self) -> Vec<Pair> {
        let mut candidates = std::mem::take(&mut self.candidates);
        let strayed = self.strayed.as_ref();
        candidates.retain(|pair| strayed.is_some_and(|strayed| !pair.has_any(&strayed.vertices)));
        candidates
    }

    fn trees<'a>(&'a self, surfaces: &'a Surfaces, sweep: &'a Sweep) -> TestTrees<'a> {
        TestTrees {
            surfaces: &surfaces.list,
            bounds: &self.nodes,
            sweep: Some(sweep),
            changed: self.strayed.as_ref().map(|strayed| strayed.nodes.as_slice()),
        }
    }

    /// What tests are executed on, after a refit to `sweep`.
    pub fn traversal<'a>(&'a self, surfaces: &'a Surfaces, sweep: &'a Sweep) -> Traversal<'a> {
        Traversal {
            trees: self.trees(surfaces, sweep),
            sweep,
            pace: self.pace,
            vertices: &self.vertices,
            sought: self.strayed.as_ref().map(|strayed| strayed.vertices.as_slice()),
        }
    }

    /// This rank's candidates, each once, in the order in which they were found. With several
    /// processors or ranks, this order and the rank that finds a pair change from run to run.
    pub fn candidates(&self) -> &[Pair] {
        &self.candidates
    }
}

#[cfg(test)]
impl CandidateFinder {
    /// The whole search of the rank that owns `patches`, on one processor: counts and sorted
    /// candidates.
    pub fn share(
        &mut self,
        surfaces: &Surfaces,
        sweep: &Sweep,
        patches: &[PatchId],
    ) -> (TestCounters, Vec<Pair>) {
        let mut roots = Vec::new();
        let mut counters = self.root_tests(&Threads::INLINE, surfaces, sweep, patches, &mut roots);
        counters.add(&self.collect(surfaces, sweep, roots));
        let mut found = self.candidates.clone();
        found.sort_unstable();
        (counters, found)
    }
}

/// The patch that a root test belongs to, with all tests that unfold from it.
pub fn patch_of(surfaces: &[Surface], test: &Test) -> Option<PatchId> {
    let patch = |object: u32, node| surfaces[object as usize].hierarchy.patch(node);
    let owner = match (patch(test.obj1, test.dop1), patch(test.obj2, test.dop2)) {
        (Some(p), Some(q)) if (p + q) % 2 == 1 => Some(q),
        (p, q) => p.or(q),
    };
    debug_assert!(owner.is_some(), "a root test between two obstacles");
    owner
}

/// Boundaries of chunks of `count` vertices.
fn chunks(count: usize) -> Vec<u32> {
    (0..count).step_by(CHUNK).chain([count]).map(|at| at as u32).collect()
}

//! Collision detection of one rank: refit, traversal, candidates.

#[cfg(test)]
mod tests;

use crate::collision::dop::Dop18;
use crate::collision::pair::Pair;
use crate::collision::surface::{Moves, Surface, Surfaces};
use crate::collision::test::{Outcome, Sweep, Task, Test, TestCounters, TestTrees};
use crate::error::Result;
use crate::ids::{PatchId, VertexId};
use crate::math::Vec3;
use crate::ranks::World;
use crate::stealing::replay::RecordedTrees;
use crate::stealing::{Processors, Search};
use crate::threads::{ByPatch, Threads};

/// Vertices that one thread bounds at a time.
const CHUNK: usize = 1024;

/// The working memory of one rank's collision detection.
pub struct Detector {
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
    /// What the next search is confined to.
    strayed: Option<Strayed>,
    stack: Vec<Test>,
    /// Whether any rank has root tests.
    any_roots: bool,
    candidates: Vec<Pair>,
}

/// Vertices that left their paths, by vertex, and the nodes above them, by object.
struct Strayed {
    vertices: Vec<bool>,
    nodes: Vec<Vec<bool>>,
}

impl Detector {
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
            stack: Vec::new(),
            any_roots: false,
            candidates: Vec::new(),
        }
    }

    /// Refits all hierarchies to a motion, each grown by half of its radius. An
    /// obstacle that stands where it stood is skipped.
    pub fn refit(&mut self, threads: &Threads, surfaces: &Surfaces, sweep: &Sweep) {
        self.strayed = None;
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
            let vertices = ByPatch::new(&mut self.vertices[own], &self.chunks[object]);
            threads.for_each_patch(vertices, 1, |chunk, vertices| {
                let from = chunk * CHUNK;
                for ((bounds, x0), x1) in vertices.data.iter_mut().zip(&x0[from..]).zip(&x1[from..])
                {
                    *bounds = Dop18::swept(x0, x1, 0.5 * radius);
                }
            });
            let nodes = &mut self.nodes[object];
            surface.hierarchy.refit(threads, &surface.faces, &self.vertices, nodes);
        }
    }

    /// Refits to the same motion but for the `strayed` vertices, rising, which take
    /// another way: what is collected next replaces the candidates that have one of
    /// them, and the others stay.
    pub fn refit_strayed(&mut self, surfaces: &Surfaces, sweep: &Sweep, strayed: &[VertexId]) {
        let mut vertices = vec![false; self.vertices.len()];
        for &vertex in strayed {
            let at = vertex as usize;
            vertices[at] = true;
            self.vertices[at] = Dop18::swept(&sweep.x0[at], &sweep.x1[at], 0.5 * sweep.radius);
        }
        let changed = surfaces.list.iter().zip(&mut self.nodes).map(|(surface, bounds)| {
            let mut nodes = vec![false; bounds.len()];
            if vertices[surface.vertices()].contains(&true) {
                let (hierarchy, faces) = (&surface.hierarchy, &surface.faces);
                hierarchy.refit_changed(faces, &self.vertices, &vertices, bounds, &mut nodes);
            }
            nodes
        });
        self.strayed = Some(Strayed { nodes: changed.collect(), vertices });
    }

    /// A rank's share of the root tests, one for each pair of parts whose bounds
    /// overlap: a cloth's subtree of a patch, or an obstacle. The owner of a patch
    /// tests it against itself and against obstacles; two patches belong to the
    /// owner of the first if the sum of their numbers is even, else to that of the
    /// second. The shares of all ranks are all root tests.
    ///
    /// Every rank executes the tests above them, whose bounds lie above the parts;
    /// the counters returned are theirs, and zero but for the owner of patch 0.
    pub fn root_tests(
        &mut self,
        surfaces: &Surfaces,
        sweep: &Sweep,
        own_patches: &[PatchId],
        roots: &mut Vec<Test>,
    ) -> TestCounters {
        let trees = self.trees(surfaces, sweep);
        let owns = |patch| own_patches.binary_search(&patch).is_ok();
        let mut counters = TestCounters::default();
        let mut any_roots = false;
        roots.clear();
        let mut stack: Vec<Test> = trees.of_whole_objects().collect();
        while let Some(test) = stack.pop() {
            let above = trees.is_above_parts(&test);
            let outcome = trees.execute(&test);
            if above || outcome == Outcome::Apart {
                counters.count(&test);
            }
            match outcome {
                Outcome::Split(first, second) if above => stack.extend([first, second]),
                Outcome::SplitItself(tests) if above => stack.extend(tests),
                Outcome::Apart => {}
                _ => {
                    any_roots = true;
                    if owner(surfaces, &test).is_some_and(owns) {
                        roots.push(test);
                    }
                }
            }
        }
        self.any_roots = any_roots;
        if owns(0) { counters } else { TestCounters::default() }
    }

    /// Collects the candidates below the `roots`: all elementary pairs that are
    /// [`near`](super::dop::near) and not screened out over the motion of the last refit,
    /// of which a partial one keeps those without a strayed vertex. Returns what was
    /// counted. By plain recursion on the calling thread: the measure of
    /// [`Detector::collect_shared`].
    pub fn collect(
        &mut self,
        surfaces: &Surfaces,
        sweep: &Sweep,
        roots: impl IntoIterator<Item = Test>,
    ) -> TestCounters {
        let mut counters = TestCounters::default();
        let (mut stack, mut candidates) = (std::mem::take(&mut self.stack), self.take_kept());
        let kept = candidates.len();
        let search = self.search(surfaces, sweep);
        for root in roots {
            stack.push(root);
            while !stack.is_empty() {
                search.run(&mut stack, &mut counters, &mut candidates);
            }
        }
        self.stack = stack;
        counters.candidates = self.replace(candidates, kept);
        counters
    }

    /// As [`Detector::collect`], shared by all processors of all ranks: a rank's
    /// candidates may lie below the roots of another one. `roots` are this rank's of
    /// the last [`Detector::root_tests`]; those of each patch are a top-level task.
    ///
    /// Collective, unless there are no roots on any rank.
    ///
    /// # Errors
    /// If a rank fails.
    pub fn collect_shared(
        &mut self,
        (world, threads): (&dyn World, &Threads),
        processors: &mut Processors,
        surfaces: &Surfaces,
        sweep: &Sweep,
        roots: &mut [Test],
    ) -> Result<TestCounters> {
        let alone = world.size() == 1 && threads.count() == 1;
        let tasks = if alone { in_one(roots) } else { of_each_patch(surfaces, roots) };
        let mut candidates = self.take_kept();
        let kept = candidates.len();
        let (search, tasks) = (self.search(surfaces, sweep), (tasks, self.any_roots));
        let counted = processors.run((world, threads), &search, tasks, &mut candidates)?;
        let candidates = self.replace(candidates, kept);
        Ok(TestCounters { candidates, ..counted })
    }

    /// The test trees below the root tests of all ranks, that is of so many `patches`.
    pub fn test_trees(
        &mut self,
        surfaces: &Surfaces,
        sweep: &Sweep,
        patches: usize,
    ) -> RecordedTrees {
        let (all, mut roots) = (Vec::from_iter(0..patches as PatchId), Vec::new());
        let above = self.root_tests(surfaces, sweep, &all, &mut roots);
        let owned = roots.iter().filter_map(|root| Some((owner(surfaces, root)?, *root)));
        RecordedTrees::record(&self.search(surfaces, sweep), &Vec::from_iter(owned), above)
    }

    /// The candidates that the last refit does not ask for again.
    fn take_kept(&mut self) -> Vec<Pair> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.retain(|pair| !self.is_sought(pair));
        candidates
    }

    /// Takes the first `kept` of the `candidates` and those of the others that were
    /// sought; returns how many these are.
    fn replace(&mut self, mut candidates: Vec<Pair>, kept: usize) -> u64 {
        let mut at = 0;
        candidates.retain(|pair| {
            at += 1;
            at <= kept || self.is_sought(pair)
        });
        self.candidates = candidates;
        (self.candidates.len() - kept) as u64
    }

    /// True if the last refit asks for this pair: any but for a partial one.
    fn is_sought(&self, pair: &Pair) -> bool {
        let strayed =
            |strayed: &Strayed| pair.vertices.iter().any(|&v| strayed.vertices[v as usize]);
        self.strayed.as_ref().is_none_or(strayed)
    }

    fn trees<'a>(&'a self, surfaces: &'a Surfaces, sweep: &'a Sweep) -> TestTrees<'a> {
        TestTrees {
            surfaces: &surfaces.list,
            bounds: &self.nodes,
            sweep: Some(sweep),
            changed: self.strayed.as_ref().map(|strayed| strayed.nodes.as_slice()),
        }
    }

    fn search<'a>(&'a self, surfaces: &'a Surfaces, sweep: &'a Sweep) -> Search<'a> {
        Search { trees: self.trees(surfaces, sweep), sweep, vertices: &self.vertices }
    }

    /// This rank's candidates, each once, in the order in which they were found. Of
    /// several processors and ranks, that order and who found which change from run to run.
    pub fn candidates(&self) -> &[Pair] {
        &self.candidates
    }
}

/// Root tests as one task, if there are any.
fn in_one(roots: &[Test]) -> Vec<Task> {
    Vec::from_iter((!roots.is_empty()).then(|| roots.to_vec()))
}

/// Root tests by the patch whose owner executes them, in its order.
fn of_each_patch(surfaces: &Surfaces, roots: &mut [Test]) -> Vec<Task> {
    roots.sort_unstable_by_key(|test| owner(surfaces, test));
    let of_one_patch = |a: &Test, b: &Test| owner(surfaces, a) == owner(surfaces, b);
    Vec::from_iter(roots.chunk_by(of_one_patch).map(<[Test]>::to_vec))
}

/// The patch whose owner executes a root test.
fn owner(surfaces: &Surfaces, test: &Test) -> Option<PatchId> {
    let patch = |object: u32, node| surfaces.list[object as usize].hierarchy.patch(node);
    match (patch(test.obj1, test.dop1), patch(test.obj2, test.dop2)) {
        (Some(p), Some(q)) if (p + q) % 2 == 1 => Some(q),
        (p, _) => p,
    }
}

/// Boundaries of chunks of `count` vertices.
fn chunks(count: usize) -> Vec<u32> {
    (0..count).step_by(CHUNK).chain([count]).map(|at| at as u32).collect()
}

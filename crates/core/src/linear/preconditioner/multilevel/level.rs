//! A level above the patches: its nodes, in groups, and a V-cycle over this level and those above.
//!
//! A node of the lowest level is a patch; a node of each other level is a group of the level below.
//! All ranks have all levels, and compute the same. The smoother is a sweep of Gauss & Seidel over
//! the groups, forwards before the correction by the levels above and backwards after it, so the
//! cycle is symmetric. The highest level is one group, which is solved exactly.

use crate::linear::preconditioner::multilevel::group::{
    Block6, Factor, GroupMatrix, GroupMotions, Motion, add, add_impulse, lift, of_groups,
    transposed,
};
use crate::{EachPatch, Threads, Vec3};

/// Nodes in groups, and what couples them.
pub struct Level {
    /// First node of each group, and the number of nodes.
    groups: Vec<u32>,
    /// First pair of each node, and the number of pairs.
    pair_offsets: Vec<u32>,
    /// The later node of each pair of coupled nodes.
    later: Vec<u32>,
    /// The pair of the groups in the level above, for pairs of nodes of two groups.
    parents: Vec<Option<u32>>,
    /// Centre of each node, m.
    pub centres: Vec<Vec3>,
    /// What couples each node to itself.
    pub diagonal: Vec<Block6>,
    /// What couples the nodes of each pair.
    pub blocks: Vec<Block6>,
    /// The blocks in single precision, for pairs of nodes of two groups.
    narrow: Vec<[Motion; 6]>,
    /// Arm of each node from the centre of its group, m.
    arms: Vec<[f32; 3]>,
    factors: Vec<Factor>,
    /// What acts on the nodes.
    pub right: Vec<Motion>,
    /// How they move.
    pub solution: Vec<Motion>,
    work: Vec<Motion>,
}

impl Level {
    /// Levels over nodes of which `pairs`, each rising and in rising order, couple. `leaves` has
    /// the place of each node in a binary tree, rising; a group has the nodes below one vertex of
    /// the tree three branches up.
    pub fn all(leaves: &[u32], pairs: &[[u32; 2]]) -> Vec<Self> {
        let (mut leaves, mut pairs) = (leaves.to_vec(), pairs.to_vec());
        let mut levels: Vec<Self> = Vec::new();
        loop {
            let parents: Vec<u32> = leaves.iter().map(|leaf| leaf >> 3).collect();
            let mut above = parents.clone();
            above.dedup();
            let number =
                |node: u32| above.partition_point(|&it| it < parents[node as usize]) as u32;
            let group_of: Vec<u32> = (0..leaves.len() as u32).map(number).collect();
            let of_groups = pairs.iter().map(|pair| pair.map(|node| group_of[node as usize]));
            let mut pairs_above: Vec<_> = of_groups.clone().filter(|[a, b]| a != b).collect();
            pairs_above.sort_unstable();
            pairs_above.dedup();
            let parents = of_groups.map(|pair| pairs_above.binary_search(&pair).ok());
            let parents = parents.map(|place| place.map(|place| place as u32)).collect();
            levels.push(Self::new(&group_of, &pairs, parents));
            if above.len() <= 1 {
                return levels;
            }
            (leaves, pairs) = (above, pairs_above);
        }
    }

    fn new(group_of: &[u32], pairs: &[[u32; 2]], parents: Vec<Option<u32>>) -> Self {
        let nodes = group_of.len();
        let count = group_of.last().map_or(0, |&last| last + 1);
        let firsts = |count: u32, keys: &dyn Fn(u32) -> usize| {
            (0..=count).map(keys).map(|at| at as u32).collect()
        };
        Self {
            groups: firsts(count, &|group| group_of.partition_point(|&it| it < group)),
            pair_offsets: firsts(nodes as u32, &|node| {
                pairs.partition_point(|pair| pair[0] < node)
            }),
            later: pairs.iter().map(|pair| pair[1]).collect(),
            parents,
            centres: vec![Vec3::zeros(); nodes],
            diagonal: vec![Block6::default(); nodes],
            blocks: vec![Block6::default(); pairs.len()],
            narrow: vec![[Motion::default(); 6]; pairs.len()],
            arms: vec![[0.0; 3]; nodes],
            factors: vec![Factor::new(); count as usize],
            right: vec![Motion::default(); nodes],
            solution: vec![Motion::default(); nodes],
            work: vec![Motion::default(); nodes],
        }
    }

    fn nodes(&self, group: usize) -> std::ops::Range<usize> {
        self.groups[group] as usize..self.groups[group + 1] as usize
    }

    fn pairs(&self, node: usize) -> std::ops::Range<usize> {
        self.pair_offsets[node] as usize..self.pair_offsets[node + 1] as usize
    }

    /// Prepares `levels` for cycles. Before: the lowest one has centres and blocks.
    pub fn factor(levels: &mut [Self], threads: &Threads) {
        if let Some((level, above)) = levels.split_first_mut() {
            level.refill(threads, above.first_mut());
            Self::factor(above, threads);
        }
    }

    fn refill(&mut self, threads: &Threads, above: Option<&mut Self>) {
        let mut factors = std::mem::take(&mut self.factors);
        threads.for_each_patch(EachPatch(&mut factors), 1, |group, factor| {
            factor.0[0].refill(&mut self.group_matrix(group));
        });
        self.factors = factors;
        for (narrow, block) in self.narrow.iter_mut().zip(&self.blocks) {
            *narrow = block.map(|row| row.map(|entry| entry as f32));
        }
        if let Some(above) = above {
            self.sum_into(above);
        }
    }

    fn group_matrix(&self, group: usize) -> GroupMatrix {
        let (nodes, mut matrix) = (self.nodes(group), GroupMatrix::new());
        for node in nodes.clone() {
            let place = node - nodes.start;
            matrix.add_diagonal(place, &self.diagonal[node]);
            for pair in self.pairs(node).filter(|&pair| self.parents[pair].is_none()) {
                let other = self.later[pair] as usize - nodes.start;
                matrix.add_pair(place, other, &self.blocks[pair]);
            }
        }
        matrix
    }

    /// Fills centres and blocks of the level above.
    fn sum_into(&mut self, above: &mut Self) {
        above.blocks.fill(Block6::default());
        for group in 0..above.centres.len() {
            let nodes = self.nodes(group);
            // Nodes that cannot move may have no centre.
            let moves = |node: &usize| self.diagonal[*node][0][0] > 0.0;
            let count = nodes.clone().filter(moves).count();
            let sum: Vec3 = nodes.clone().filter(moves).map(|node| self.centres[node]).sum();
            let centre = sum / count.max(1) as f64;
            above.centres[group] = centre;
            for node in nodes {
                self.arms[node] = (self.centres[node] - centre).map(|x| x as f32).into();
            }
        }
        let arm = |node: usize| Vec3::from(self.arms[node].map(f64::from));
        for group in 0..above.centres.len() {
            let mut sum = Block6::default();
            for node in self.nodes(group) {
                add(&mut sum, &of_groups(&self.diagonal[node], &arm(node), &arm(node)));
                for pair in self.pairs(node) {
                    let other = self.later[pair] as usize;
                    let block = of_groups(&self.blocks[pair], &arm(node), &arm(other));
                    match self.parents[pair] {
                        Some(parent) => add(&mut above.blocks[parent as usize], &block),
                        None => {
                            add(&mut sum, &block);
                            add(&mut sum, &transposed(&block));
                        }
                    }
                }
            }
            above.diagonal[group] = sum;
        }
    }

    /// Finds the `solution` of the lowest of `levels` for its `right`, nearly.
    pub fn cycle(levels: &mut [Self]) {
        let Some((level, above)) = levels.split_first_mut() else { return };
        level.sweep_forwards();
        if let Some(next) = above.first_mut() {
            level.sum_residual(&mut next.right);
            Self::cycle(above);
            level.correct(&above[0].solution);
            level.sweep_backwards();
        }
    }

    /// One sweep, from zero.
    fn sweep_forwards(&mut self) {
        self.work.copy_from_slice(&self.right);
        for group in 0..self.factors.len() {
            self.solve(group);
            self.nodes(group).for_each(|node| self.push(node));
        }
    }

    /// One sweep, from the solution.
    fn sweep_backwards(&mut self) {
        self.work.copy_from_slice(&self.right);
        (0..self.solution.len()).for_each(|node| self.push(node));
        for group in (0..self.factors.len()).rev() {
            for node in self.nodes(group) {
                let pull = self.pull(node);
                self.work[node].iter_mut().zip(pull).for_each(|(w, pull)| *w -= pull);
            }
            self.solve(group);
        }
    }

    fn solve(&mut self, group: usize) {
        let (nodes, mut right) = (self.nodes(group), GroupMotions::default());
        right[..nodes.len()].copy_from_slice(&self.work[nodes.clone()]);
        let solution = self.factors[group].solve(&right);
        self.solution[nodes.clone()].copy_from_slice(&solution[..nodes.len()]);
    }

    /// Subtracts what the motion of `node` exerts on later nodes of other groups.
    fn push(&mut self, node: usize) {
        let motion = self.solution[node];
        for pair in self.pairs(node).filter(|&pair| self.parents[pair].is_some()) {
            let work = &mut self.work[self.later[pair] as usize];
            for (row, m) in self.narrow[pair].iter().zip(motion) {
                work.iter_mut().zip(row).for_each(|(w, entry)| *w -= entry * m);
            }
        }
    }

    /// What later nodes of other groups exert on `node`.
    fn pull(&self, node: usize) -> Motion {
        let mut sum = Motion::default();
        for pair in self.pairs(node).filter(|&pair| self.parents[pair].is_some()) {
            let motion = &self.solution[self.later[pair] as usize];
            for (sum, row) in sum.iter_mut().zip(&self.narrow[pair]) {
                *sum += row.iter().zip(motion).map(|(entry, m)| entry * m).sum::<f32>();
            }
        }
        sum
    }

    /// Sums the residual of each group after a forward sweep. Only later groups have moved since
    /// the group was solved.
    fn sum_residual(&self, sums: &mut [Motion]) {
        for (group, sum) in sums.iter_mut().enumerate() {
            *sum = Motion::default();
            for node in self.nodes(group) {
                let residual = self.pull(node).map(|pull| -pull);
                add_impulse(sum, &residual, &self.arms[node]);
            }
        }
    }

    /// Moves the nodes with their groups.
    fn correct(&mut self, motions: &[Motion]) {
        for (group, motion) in motions.iter().enumerate() {
            for node in self.nodes(group) {
                let more = lift(motion, &self.arms[node]);
                self.solution[node].iter_mut().zip(more).for_each(|(m, more)| *m += more);
            }
        }
    }
}

//! Max projection: of several responses on one unit, only the largest counts.
//!
//! Source: Thomaszewski & Blochinger 2007, section 3.2.

use std::cmp::Reverse;

use bytemuck::{Pod, Zeroable};

use cloth_collision::collision::{Pair, PairKind};
use cloth_core::{NodeId, Vec3, VertexId};

/// A change of velocity that one pair asks of one node.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct NodeResponse {
    /// The first node of its unit. The unit is all nodes that an impulse changes together.
    pub unit: NodeId,
    /// The node whose velocity changes.
    pub node: NodeId,
    /// The colliding pair.
    pub pair: Pair,
    padding: u32,
    /// Sum of the squared changes of all nodes of the unit by this pair, (m/s)^2.
    size: f64,
    /// What to add to the velocity (m/s).
    pub delta_u: [f64; 3],
}

impl NodeResponse {
    /// A response, with -0 made +0. None if it is zero or not finite. `size` is the sum of the
    /// squared changes of all nodes of its unit.
    pub(super) fn new(
        unit: NodeId,
        node: NodeId,
        pair: Pair,
        delta_u: Vec3,
        size: f64,
    ) -> Option<Self> {
        let delta_u = delta_u.map(|component| component + 0.0);
        let counts = delta_u != Vec3::zeros() && delta_u.iter().all(|v| v.is_finite());
        counts.then_some(Self { unit, node, pair, padding: 0, size, delta_u: delta_u.into() })
    }

    /// Total order of the pairs that ask for a change of one unit, by size first.
    fn key(&self) -> (u64, [VertexId; 4], PairKind) {
        (self.size.to_bits(), self.pair.vertices, self.pair.kind())
    }
}

/// Max projection: sorts by unit, and keeps for each unit the responses of the pair that asks for
/// the largest change, under a total order. The result does not depend on order and grouping, so
/// parts may be projected first, and then their union.
pub fn max_project(responses: &mut Vec<NodeResponse>) {
    responses.sort_unstable_by_key(|response| {
        let bits = response.delta_u.map(f64::to_bits);
        (response.unit, Reverse(response.key()), response.node, Reverse(bits))
    });
    responses.dedup_by(|later, kept| {
        later.unit == kept.unit && (later.key() != kept.key() || later.node == kept.node)
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn max_projection_does_not_depend_on_order_or_grouping(
            drawn in prop::collection::vec((0..5u32, 0..3u32, [-2..3, -2..3, -2..3i32]), 0..40),
            turn in 0..40usize,
            cut in 0..40usize,
        ) {
            let all: Vec<NodeResponse> = drawn
                .iter()
                .filter_map(|&(vertex, other, v)| {
                    let pair = Pair::vertex_face(vertex, [10 + other, 20, 30]);
                    let v = Vec3::from(v.map(f64::from));
                    NodeResponse::new(vertex, vertex, pair, v, v.norm_squared())
                })
                .collect();
            let mut expected = all.clone();
            max_project(&mut expected);
            for response in &all {
                let kept = expected.iter().find(|kept| kept.node == response.node);
                prop_assert!(kept.is_some_and(|kept| kept.key() >= response.key()));
            }
            let mut turned = all.clone();
            turned.rotate_left(turn.min(all.len()));
            let (first, second) = turned.split_at(cut.min(all.len()));
            let mut parts = [first.to_vec(), second.to_vec()];
            parts.iter_mut().for_each(max_project);
            let mut union = parts.concat();
            max_project(&mut union);
            prop_assert_eq!(union, expected);
        }
    }

    #[test]
    fn a_body_takes_the_changes_of_all_its_nodes_from_one_pair() {
        let pair = |other: u32| Pair::vertex_face(9, [10 + other, 20, 30]);
        let response = |node, other, size| NodeResponse::new(4, node, pair(other), Vec3::x(), size);
        let all = [(4, 0, 2.0), (5, 0, 2.0), (4, 1, 3.0), (5, 1, 3.0)];
        let mut all = Vec::from_iter(all.iter().filter_map(|&(n, o, size)| response(n, o, size)));
        max_project(&mut all);
        assert_eq!(all.len(), 2);
        assert!(
            all.iter()
                .zip([4, 5])
                .all(|(kept, node)| { kept.node == node && kept.pair == pair(1) })
        );
    }

    #[test]
    fn what_is_not_finite_or_nothing_is_no_response() {
        let pair = Pair::vertex_face(0, [1, 2, 3]);
        let response = |delta_u| NodeResponse::new(0, 0, pair, delta_u, 1.0);
        assert_eq!(response(Vec3::new(f64::NAN, 0.0, 0.0)), None);
        assert_eq!(response(-Vec3::zeros()), None);
        let kept = response(Vec3::new(-0.0, 1.0, 0.0));
        assert_eq!(kept.map(|r| r.delta_u[0].to_bits()), Some(0));
    }
}

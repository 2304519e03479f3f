//! Whether neighbouring stitches go along both sides of a seam in the same order.

use std::collections::{BTreeSet, HashMap, HashSet};

use cloth_bodies::bodies::Setup;
use cloth_bodies::bodies::cloth::setup::ClothSetup;
use cloth_bodies::bodies::seam::Stitch;
use cloth_core::ids::NONE;
use cloth_core::math::Vec3;

/// What becomes of the edges of the boundary whose both ends are sewn.
#[derive(Default)]
pub(super) struct Order {
    /// Edges that meet an edge with its front on the same side.
    fitting: usize,
    /// Edges that meet one with its front on the other side: both faces go along it in the same direction.
    turned: usize,
    /// The ends of neighbouring threads that meet no fitting edge, and would be shorter if they exchanged
    /// ends on one side. Vertices are numbered among those of all cloths.
    crossed: BTreeSet<[[u32; 2]; 2]>,
}

impl Order {
    /// That of `stitches` of `cloths`.
    pub fn new(cloths: &[ClothSetup], stitches: &[Stitch]) -> Self {
        let x = Vec::from_iter(cloths.iter().flat_map(|cloth| cloth.positions.iter().copied()));
        let way = |from: u32, to: u32| -> Vec3 { x[to as usize] - x[from as usize] };
        let along = along(cloths);
        let partners = partners(true, &Vec::from_iter(stitches.iter().map(|it| it.vertices)));
        let of = |vertex: &u32| partners.get(vertex).map_or(&[][..], Vec::as_slice);
        let (mut order, mut apart) = (Self::default(), BTreeSet::new());
        for &[a0, a1] in &along {
            for (b0, b1) in of(&a0).iter().flat_map(|&b0| of(&a1).iter().map(move |&b1| (b0, b1))) {
                let is_turned = along.contains(&[b0, b1]);
                order.turned += usize::from(is_turned);
                if along.contains(&[b1, b0]) {
                    order.fitting += 1;
                } else if way(a0, a1).dot(&way(b0, b1)) < 0.0 {
                    let mut threads = [[a0.min(b0), a0.max(b0)], [a1.min(b1), a1.max(b1)]];
                    threads.sort_unstable();
                    let threads_of = if is_turned { &mut order.crossed } else { &mut apart };
                    threads_of.insert(threads);
                }
            }
        }
        // At corners, where several seams meet, a few neighbours are sewn to parts that are not beside each
        // other, in any direction.
        if apart.len() > order.fitting {
            order.crossed.append(&mut apart);
        }
        order
    }

    /// Whether most neighbouring threads cross.
    pub fn is_crossed(&self) -> bool {
        self.crossed.len() > self.fitting
    }

    /// Whether most edges of the boundary that welds would join have their fronts on opposite sides.
    pub fn joins_front_to_back(&self) -> bool {
        self.turned > self.fitting
    }

    /// The threads that cross, in words. Vertices count from 0 in their cloths, which have the vertices
    /// from `firsts` on. None if there are none.
    pub fn describe(&self, firsts: &[u32]) -> Option<String> {
        let own = |vertex: u32| {
            vertex - firsts[firsts.partition_point(|&first| first <= vertex).saturating_sub(1)]
        };
        let [one, other] = self.crossed.first()?.map(|ends| ends.map(own));
        let count = self.crossed.len();
        Some(format!(
            "neighbouring threads cross, such as {one:?} and {other:?} (vertices from 0), {count} in all: they \
             go along the two sides in opposite orders"
        ))
    }
}

/// What helps where threads cross.
pub(super) const SAME_ORDER: &str = "sew each vertex to the one across from it: exchange the ends of these \
    threads on one side (Blender: delete the loose edges and bridge the two edge loops again)";

/// The edges of the boundary of all cloths, in the directions of their faces.
fn along(cloths: &[ClothSetup]) -> HashSet<[u32; 2]> {
    let mut along = HashSet::new();
    let mut first = 0;
    for cloth in cloths {
        for (face, sides) in cloth.faces.iter().zip(&cloth.topology.face_edges) {
            for (opposite, &edge) in sides.iter().enumerate() {
                if cloth.topology.edge_faces[edge as usize][1] == NONE {
                    let ends = [face[(opposite + 1) % 3], face[(opposite + 2) % 3]];
                    along.insert(ends.map(|it| it + first));
                }
            }
        }
        first += cloth.positions.len() as u32;
    }
    along
}

/// What each vertex is paired with, if `both`, also second vertices with first ones.
pub(super) fn partners(both: bool, pairs: &[[u32; 2]]) -> HashMap<u32, Vec<u32>> {
    let mut partners = HashMap::<u32, Vec<u32>>::new();
    for &[a, b] in pairs {
        partners.entry(a).or_default().push(b);
        if both {
            partners.entry(b).or_default().push(a);
        }
    }
    partners
}

/// The warnings about seams of `setup` whose threads cross.
pub(super) fn crossed_threads(setup: &Setup) -> Vec<String> {
    let ends = setup.cloths.iter().scan(0, |end, cloth| {
        *end += cloth.positions.len() as u32;
        Some(*end - cloth.positions.len() as u32)
    });
    let firsts = Vec::from_iter(ends);
    let warning = |(number, stitches): (usize, &Vec<Stitch>)| {
        let said = Order::new(&setup.cloths, stitches).describe(&firsts)?;
        Some(format!("seams[{number}].stitches: {said}; {SAME_ORDER}"))
    };
    let stitches = setup.seams.iter().map(|seam| &seam.stitches);
    stitches.enumerate().filter_map(warning).collect()
}

//! Builds seams: finds the pairs of vertices that stitches connect.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::check::held_open;
use crate::distances::DistanceTable;
use crate::seam_order::{Order, SAME_ORDER, partners};
use crate::select::Candidates;
use crate::spec::{Scene, SeamSide, SeamSpec, Stitches};
use cloth_bodies::bodies::Setup;
use cloth_bodies::bodies::cloth::setup::ClothSetup;
use cloth_bodies::bodies::seam::{Seam, Stitch};
use cloth_core::bounds::did_you_mean;
use cloth_core::error::{Error, Result};
use cloth_core::ids::{NONE, VertexId};
use cloth_core::math::Vec3;

/// What seams need of a cloth beside its setup.
#[derive(Default)]
pub(super) struct Sewn {
    /// The lines of its mesh before it was refined.
    lines: Vec<[u32; 2]>,
    /// As in [`Candidates`].
    origins: Vec<[u32; 3]>,
    /// The vertices that a side selects, by the numbers of seam and side.
    sides: BTreeMap<[usize; 2], Vec<u32>>,
}

impl Sewn {
    /// That of the cloth `name`, whose mesh has `lines`.
    ///
    /// # Errors
    /// A side that selects nothing.
    pub(super) fn new(
        scene: &Scene,
        name: Option<&str>,
        lines: Vec<[u32; 2]>,
        candidates: &Candidates,
    ) -> Result<Self> {
        if scene.seams.is_empty() {
            return Ok(Self::default());
        }
        let mut sides = BTreeMap::new();
        for (seam, spec) in scene.seams.iter().enumerate() {
            let Stitches::Between { first, second } = &spec.stitches else { continue };
            for (side, SeamSide { cloth, select }) in [first, second].into_iter().enumerate() {
                if name == Some(cloth) {
                    let at = format!("seams[{seam}].stitches.{}.select", SIDES[side]);
                    sides.insert([seam, side], candidates.select(select, &at)?);
                }
            }
        }
        Ok(Self { lines, origins: candidates.origins.to_vec(), sides })
    }

    /// The vertices on each edge of the mesh before it was refined, from its lower to its higher end.
    fn on_edges(&self) -> HashMap<[u32; 2], Vec<u32>> {
        let mut on_edges = HashMap::<_, Vec<u32>>::new();
        for (vertex, &[a, b, c]) in (0..).zip(&self.origins) {
            if a != b && b == c {
                on_edges.entry([a, b]).or_default().push(vertex);
            }
        }
        on_edges
    }
}

const SIDES: [&str; 2] = ["first", "second"];

/// The seams of `scene` between the cloths of `setup`, of which `sewn` has the rest.
///
/// # Errors
/// A name that no cloth has, sides that do not fit each other, a mesh without lines.
pub(super) fn seams(
    scene: &Scene,
    setup: &Setup,
    sewn: &[Sewn],
    distances: &DistanceTable,
) -> Result<Vec<Seam>> {
    if scene.seams.is_empty() {
        return Ok(Vec::new());
    }
    let firsts = setup.cloths.iter().scan(0, |first, cloth| {
        *first += cloth.positions.len() as VertexId;
        Some(*first - cloth.positions.len() as VertexId)
    });
    let builder = SeamBuilder {
        cloths: &setup.cloths,
        sewn,
        firsts: firsts.collect(),
        shares: setup.cloths.iter().map(shares_m).collect(),
        materials: scene.cloths.iter().map(|it| scene.material(it.touch.as_deref())).collect(),
        distances,
    };
    let seam = |(i, spec)| builder.seam(spec, i);
    scene.seams.iter().enumerate().map(seam).collect()
}

struct SeamBuilder<'a> {
    cloths: &'a [ClothSetup],
    sewn: &'a [Sewn],
    /// The first vertex of each cloth.
    firsts: Vec<VertexId>,
    /// The length of a seam that each vertex of each cloth stands for, m.
    shares: Vec<Vec<f64>>,
    /// The material that each cloth touches with.
    materials: Vec<Option<u16>>,
    distances: &'a DistanceTable,
}

impl SeamBuilder<'_> {
    fn seam(&self, spec: &SeamSpec, number: usize) -> Result<Seam> {
        let at = format!("seams[{number}].stitches");
        let (cloths, pairs) = match &spec.stitches {
            Stitches::Lines(name) => {
                let cloth = self.cloth(name, &at)?;
                let lines = &self.sewn[cloth].lines;
                if lines.is_empty() {
                    let cause = format!("the mesh of `{name}` has no lines (`l`)");
                    let remedy = "export it with its loose edges, or sew by Between or Pairs";
                    return Err(Error::input(at, cause, remedy));
                }
                ([cloth; 2], self.also_between([cloth; 2], lines))
            }
            Stitches::Pairs { first, second, vertices } => {
                let cloths = [self.cloth(first, &at)?, self.cloth(second, &at)?];
                self.check_listed(cloths, vertices, &format!("{at}.vertices"))?;
                (cloths, self.also_between(cloths, vertices))
            }
            Stitches::Between { first, second } => {
                let cloths = [(first, 0), (second, 1)].map(|(side, number)| {
                    self.cloth(&side.cloth, &format!("{at}.{}.cloth", SIDES[number]))
                });
                let [first, second] = cloths;
                let cloths = [first?, second?];
                (cloths, self.between(cloths, number, &at)?)
            }
        };
        let stitch = |[a, b]: [u32; 2]| {
            let place = |cloth: usize, vertex: u32| self.cloths[cloth].positions[vertex as usize];
            let share = |cloth: usize, vertex: u32| self.shares[cloth][vertex as usize];
            Stitch {
                vertices: [self.firsts[cloths[0]] + a, self.firsts[cloths[1]] + b],
                start_m: (place(cloths[0], a) - place(cloths[1], b)).norm(),
                share_m: 0.5 * (share(cloths[0], a) + share(cloths[1], b)),
            }
        };
        let stitches = Vec::from_iter(pairs.iter().copied().map(stitch));
        if let Some(it) = stitches.iter().find(|it| it.vertices[0] == it.vertices[1]) {
            let vertex = it.vertices[0] - self.firsts[cloths[0]];
            let cause = format!("it sews vertex {vertex} to itself");
            return Err(Error::input(at, cause, "sew it to another vertex"));
        }
        let SeamSpec { close_s, gap_m, stiffness_n_per_m2, most_n_per_m, weld, .. } = *spec;
        let welds = weld.unwrap_or(cloths[0] == cloths[1] && gap_m.is_none());
        if welds && cloths[0] != cloths[1] {
            let cause = "vertices of two cloths cannot become one";
            let remedy = "put both parts into one mesh, or leave out `weld`";
            return Err(Error::input(format!("seams[{number}].weld"), cause, remedy));
        }
        let order = if welds { Order::new(self.cloths, &stitches) } else { Order::default() };
        if let Some(cause) = order.describe(&self.firsts).filter(|_| order.is_crossed()) {
            return Err(Error::input(at, cause, SAME_ORDER));
        }
        if order.joins_front_to_back() {
            let cause = "the fronts of its two sides look in opposite directions across the seam";
            let remedy = "turn over one of the parts (flip its faces), or set `weld: false`";
            return Err(Error::input(at, cause, remedy));
        }
        let of_pairs = pairs.iter().map(|&pair| self.distance_m(cloths, pair));
        let distance_m = of_pairs.fold(0.0, f64::max);
        let gap_m = gap_m.unwrap_or(distance_m);
        if gap_m < distance_m {
            return Err(held_open(&format!("seams[{number}].gap_m"), gap_m, distance_m, true));
        }
        Ok(Seam { stitches, close_s, gap_m, stiffness_n_per_m2, most_n_per_m, welds })
    }

    /// The contact distance of a vertex of each of two `cloths`, m.
    fn distance_m(&self, cloths: [usize; 2], vertices: [u32; 2]) -> f64 {
        let [a, b] = cloths.map(|cloth| self.materials[cloth]);
        let factor = |side: usize| {
            let factors = &self.cloths[cloths[side]].factors.distance;
            factors.get(vertices[side] as usize).copied().unwrap_or(1.0)
        };
        let [first, second] = self.distances.parts(a, b);
        first * factor(0) + second * factor(1)
    }

    fn cloth(&self, name: &str, at: &str) -> Result<usize> {
        self.cloths.iter().position(|cloth| cloth.name == name).ok_or_else(|| {
            let names = Vec::from_iter(self.cloths.iter().map(|cloth| cloth.name.as_str()));
            let cause = format!("there is no cloth `{name}`");
            Error::input(at, cause, did_you_mean(name, &names))
        })
    }

    /// Fails if a pair names a vertex that its mesh does not have.
    fn check_listed(&self, cloths: [usize; 2], pairs: &[[u32; 2]], at: &str) -> Result<()> {
        if pairs.is_empty() {
            return Err(Error::input(at, "it names no pair", "list at least one"));
        }
        for (side, cloth) in cloths.into_iter().enumerate() {
            let is_old = |origin: &&[u32; 3]| origin[0] == origin[1] && origin[1] == origin[2];
            let count = self.sewn[cloth].origins.iter().filter(is_old).count();
            if let Some(pair) = pairs.iter().find(|pair| pair[side] as usize >= count) {
                let name = &self.cloths[cloth].name;
                let cause = format!("it names vertex {}, but `{name}` has {count}", pair[side]);
                let remedy = format!("choose from 0 to {}", count - 1);
                return Err(Error::input(at, cause, remedy));
            }
        }
        Ok(())
    }

    /// The listed pairs, and those of the vertices that refinement has put between neighbours on a
    /// boundary.
    fn also_between(&self, cloths: [usize; 2], listed: &[[u32; 2]]) -> Vec<[u32; 2]> {
        let mut pairs = once(cloths, listed.to_vec());
        let [first, second] = cloths.map(|cloth| self.sewn[cloth].on_edges());
        let boundaries = cloths.map(|cloth| boundary_vertices(&self.cloths[cloth]));
        let partners = partners(cloths[0] == cloths[1], &pairs);
        let mut edges = Vec::from_iter(&first);
        edges.sort_unstable();
        for (&[a0, a1], on_edge) in edges {
            let (Some(of_0), Some(of_1)) = (partners.get(&a0), partners.get(&a1)) else { continue };
            for (&b0, &b1) in of_0.iter().flat_map(|b0| of_1.iter().map(move |b1| (b0, b1))) {
                let Some(opposite) = second.get(&[b0.min(b1), b0.max(b1)]) else { continue };
                let mut opposite = opposite.clone();
                if b0 > b1 {
                    opposite.reverse();
                }
                let between = on_edge.iter().copied().zip(opposite).map(|(a, b)| [a, b]);
                pairs.extend(
                    between.filter(|[a, b]| boundaries[0].contains(a) || boundaries[1].contains(b)),
                );
            }
        }
        once(cloths, pairs)
    }

    /// The pairs between two stretches of boundary, in the order in which they start nearest to each
    /// other.
    fn between(&self, cloths: [usize; 2], seam: usize, at: &str) -> Result<Vec<[u32; 2]>> {
        let side = |side: usize| {
            let selected = self.sewn[cloths[side]].sides.get(&[seam, side]);
            let at = format!("{at}.{}.select", SIDES[side]);
            stretch(&self.cloths[cloths[side]], selected.map_or(&[], Vec::as_slice), &at)
        };
        let [first, second] = [side(0)?, side(1)?];
        let counts = [&first, &second].map(|it| it.vertices.len());
        if counts[0] != counts[1] {
            let cause = format!("{} vertices of boundary meet {}", counts[0], counts[1]);
            let remedy =
                "mesh both sides with the same number of vertices; they are sewn one by one";
            return Err(Error::input(at, cause, remedy));
        }
        let count = counts[0];
        let place = |side: usize, vertex: u32| {
            let positions: &[Vec3] = &self.cloths[cloths[side]].positions;
            positions[vertex as usize]
        };
        let turns = if first.is_closed && second.is_closed { count } else { 1 };
        let orders = (0..turns).flat_map(|turn| [(turn, false), (turn, true)]);
        let partner = |(turn, reversed): (usize, bool), i: usize| {
            let at = (i + turn) % count;
            second.vertices[if reversed { count - 1 - at } else { at }]
        };
        let way = |order: (usize, bool)| -> f64 {
            let ways = first.vertices.iter().enumerate();
            ways.map(|(i, &a)| (place(0, a) - place(1, partner(order, i))).norm()).sum()
        };
        let best = orders.map(|order| (way(order), order)).min_by(|a, b| a.0.total_cmp(&b.0));
        let order = best.map_or((0, false), |(_, order)| order);
        let pairs = (0..count).map(|i| [first.vertices[i], partner(order, i)]);
        Ok(once(cloths, pairs.collect()))
    }
}

/// Vertices along a boundary.
struct Stretch {
    vertices: Vec<u32>,
    /// Whether the last one is beside the first one.
    is_closed: bool,
}

/// The boundary edges of `cloth`.
fn boundary(cloth: &ClothSetup) -> impl Iterator<Item = (usize, [u32; 2])> + '_ {
    let edges = cloth.topology.edges.iter().zip(&cloth.topology.edge_faces).enumerate();
    edges.filter(|(_, (_, faces))| faces[1] == NONE).map(|(number, (&edge, _))| (number, edge))
}

/// Each of these `pairs` of the `cloths` once. Within one cloth their order does not matter.
fn once(cloths: [usize; 2], mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    if cloths[0] == cloths[1] {
        pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn boundary_vertices(cloth: &ClothSetup) -> BTreeSet<u32> {
    boundary(cloth).flat_map(|(_, edge)| edge).collect()
}

/// The `selected` vertices on the boundary of `cloth`, in the order along it.
///
/// # Errors
/// If they are not one stretch.
fn stretch(cloth: &ClothSetup, selected: &[u32], at: &str) -> Result<Stretch> {
    let is_selected = |vertex: &u32| selected.binary_search(vertex).is_ok();
    let mut neighbours = BTreeMap::<u32, Vec<u32>>::new();
    for (_, [a, b]) in boundary(cloth).filter(|(_, edge)| edge.iter().all(is_selected)) {
        neighbours.entry(a).or_default().push(b);
        neighbours.entry(b).or_default().push(a);
    }
    let end = neighbours.iter().find(|(_, others)| others.len() == 1);
    let Some((&begin, _)) = end.or(neighbours.iter().next()) else {
        let cause = "it selects no edge of the boundary";
        return Err(Error::input(at, cause, "select neighbours on the boundary of the cloth"));
    };
    let is_closed = end.is_none();
    let (mut vertices, mut seen) = (vec![begin], BTreeSet::from([begin]));
    let mut last = begin;
    while let Some(&next) = neighbours[&last].iter().find(|&it| !seen.contains(it)) {
        vertices.push(next);
        seen.insert(next);
        last = next;
    }
    if vertices.len() < neighbours.len() {
        let rest = neighbours.len() - vertices.len();
        let cause = format!(
            "it selects more than one stretch of the boundary: {} vertices, and {rest} elsewhere",
            vertices.len()
        );
        return Err(Error::input(at, cause, "make a seam of each stretch"));
    }
    Ok(Stretch { vertices, is_closed })
}

/// The length of a seam that each vertex stands for, m: on a boundary half of its edges there, and
/// elsewhere the side of a square of its area.
fn shares_m(cloth: &ClothSetup) -> Vec<f64> {
    let mut on_boundary = vec![0.0; cloth.positions.len()];
    let mut areas = vec![0.0; cloth.positions.len()];
    let lengths = Vec::from_iter(cloth.rest_lengths());
    for (number, edge) in boundary(cloth) {
        edge.into_iter().for_each(|it| on_boundary[it as usize] += 0.5 * lengths[number]);
    }
    for (face, rest) in cloth.faces.iter().zip(&cloth.rest_planes) {
        face.iter().for_each(|&it| areas[it as usize] += rest.area() / 3.0);
    }
    let share = |(length, area): (f64, f64)| if length > 0.0 { length } else { area.sqrt() };
    on_boundary.into_iter().zip(areas).map(share).collect()
}

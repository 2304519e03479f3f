//! A run with cloth in a page: cloths and moving obstacles as surfaces, bodies by their poses.

use std::collections::BTreeMap;

use cloth_bodies::bodies::cloth::material::MaterialSpec;
use cloth_bodies::bodies::joints::body_joint::{BodyJoint, Second};
use cloth_core::error::Result;
use cloth_core::math::Vec3;
use cloth_scene::Scene;

use crate::program::check::Record;
use crate::program::check::surfaces::CheckedRun;
use crate::program::output::{fields, names, tables};
use crate::program::view::arrays::in_8_bits;
use crate::program::view::cloth_values::mapped_settings;
use crate::program::view::limit::cluster;
use crate::program::view::{
    Arrays, Bounds, FrameBlock, Gaps, JointHead, Kept, MappedSetting, ObjectHead, Posed, Role,
    Stage, Still,
};
use crate::verify::Surface;

/// Larger coordinates (m) count as not finite.
const FAR: f64 = 1e9;

/// Gaps are shown up to this many contact distances.
const REACH: f64 = 2.0;

/// A run with cloth.
pub struct ClothStage {
    run: CheckedRun,
    /// Number of cloths.
    cloths: usize,
    /// The neighbours of each vertex of cloth.
    neighbours: Vec<Vec<u32>>,
    /// All triangles, over the vertices of all objects.
    faces: Vec<[u32; 3]>,
    /// Gaps are sought up to this, m.
    reach_m: f64,
    posed: Option<Posed>,
    joints: Vec<JointHead>,
    /// What maps multiply.
    mapped: Vec<MappedSetting>,
    /// The vertices of each moving surface that are shown, if faces are thinned.
    kept: Option<Vec<Kept>>,
    /// Time (s) and positions (m) of the frame before.
    before: Option<(f64, Vec<Vec3>)>,
}

impl ClothStage {
    /// Reads everything except the frames.
    ///
    /// # Errors
    /// The errors of `check`: a folder whose scene, obstacles or frames cannot be read.
    pub fn open(record: Record) -> Result<Self> {
        let run = CheckedRun::open(record)?;
        let scene = &run.record.scene;
        let (mut joints, mut mapped, mut posed) = (Vec::new(), Vec::new(), None);
        if !scene.bodies.is_empty() || scene.cloths.iter().any(|it| !it.maps.is_empty()) {
            match cloth_scene::build(scene, &run.record.folder) {
                Ok(setup) => {
                    joints = setup.joints.iter().map(joint).collect();
                    mapped = mapped_settings(&setup);
                    let bodies = setup.bodies.len();
                    posed = (bodies > 0).then(|| Posed::read(&run, bodies)).transpose()?;
                }
                // Without the files of its maps cloth is shown without them.
                Err(_) if scene.bodies.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        let cloths = scene.cloths.len();
        let faces = run.surfaces.list.iter().flat_map(|it| it.faces.iter().copied()).collect();
        let reach_m = REACH * scene.largest_distance_m();
        let neighbours = neighbours(&run, cloths);
        let (kept, before) = (None, None);
        Ok(Self { run, cloths, neighbours, faces, reach_m, posed, joints, mapped, kept, before })
    }

    /// The places of the surfaces whose vertices are in the frames: cloths and moving obstacles.
    fn moving(&self) -> impl Iterator<Item = usize> {
        let bodies = self.posed.as_ref().map_or(0, Posed::count);
        let fixed = self.run.surfaces.vertex_count() - self.run.fixed.len();
        let is_in_frames = move |&at: &usize| at < self.cloths || at >= self.cloths + bodies;
        let surfaces = self.run.surfaces.list.iter();
        let count = surfaces.take_while(|it| it.vertices().start < fixed).count();
        (0..count).filter(is_in_frames)
    }

    /// `values` of all vertices, of those that are shown, in the order of the page.
    fn shown<T: Copy>(&self, values: &[T], surfaces: impl Iterator<Item = usize>) -> Vec<T> {
        let mut shown = Vec::new();
        for (number, at) in surfaces.enumerate() {
            let own = &values[self.run.surfaces.list[at].vertices()];
            match &self.kept {
                None => shown.extend_from_slice(own),
                Some(kept) => shown.extend(kept[number].vertices.iter().map(|&v| own[v as usize])),
            }
        }
        shown
    }

    /// The positions of all vertices in frame `number` (m), and its time (s).
    fn positions(&self, number: u64) -> std::result::Result<(f64, Vec<Vec3>), String> {
        let frame = self.run.frame(number)?;
        let x = Vec::from_iter(frame.surfaces.iter().flatten().chain(&self.run.fixed).copied());
        let is_far = |x: &Vec3| !x.iter().all(|it| it.abs() < FAR);
        match x.iter().position(is_far) {
            None => Ok((frame.time_s, x)),
            Some(vertex) => Err(format!("vertex {vertex} is not at a finite place")),
        }
    }

    /// Of each vertex of cloth the strain of its edge with the largest absolute strain.
    fn strains(&self, x: &[Vec3]) -> Vec<f64> {
        let objects = self.run.objects.iter().zip(&self.run.surfaces.list);
        let edges = objects.flat_map(|(object, surface)| {
            let first = surface.first_vertex;
            let edges = object.edges.iter().map(move |edge| edge.map(|vertex| vertex + first));
            edges.zip(&object.rest_lengths)
        });
        fields::strains(edges, &x[..self.neighbours.len()])
    }

    /// The mean speed of each vertex of cloth since the frame before, m/s.
    fn speeds(&self, time_s: f64, x: &[Vec3]) -> Vec<f64> {
        let count = self.neighbours.len();
        let Some((before_s, before)) = &self.before else { return vec![0.0; count] };
        let pairs = x.iter().zip(before).take(count);
        pairs.map(|(x, before)| (x - before).norm() / (time_s - before_s)).collect()
    }

    /// The gap of each vertex of cloth, m.
    fn gaps(&self, x: &[Vec3]) -> Vec<f64> {
        let mut gaps = Gaps::new(x, &self.faces, self.reach_m);
        gaps.enter(x[..self.neighbours.len()].iter().copied());
        let surfaces = &self.run.surfaces;
        let place = |vertex: u32| {
            surfaces.list.partition_point(|it| it.vertices().end <= vertex as usize) as u32
        };
        let meet =
            |a: u32, b: u32| !surfaces.has_excluded() || !surfaces.are_excluded(place(a), place(b));
        let own = self.neighbours.iter().zip(0..);
        own.map(|(own, vertex)| gaps.of(vertex, own, meet)).collect()
    }

    fn objects(&self) -> Vec<ObjectHead> {
        let moving = Vec::from_iter(self.moving());
        let first_fixed = self.run.surfaces.vertex_count() - self.run.fixed.len();
        let object = |(at, surface): (usize, &Surface)| {
            let number = moving.iter().position(|&it| it == at);
            if number.is_none() && surface.vertices().start < first_fixed {
                return None;
            }
            let kept = number.and_then(|number| Some(&self.kept.as_ref()?[number]));
            let is_cloth = at < self.cloths;
            Some(ObjectHead {
                name: self.run.objects[at].name.clone(),
                role: if is_cloth { Role::Cloth } else { Role::Obstacle },
                moves: number.is_some(),
                vertices: kept.map_or(surface.vertex_count, |it| it.vertices.len()),
                faces: kept.map_or(surface.faces.len(), |it| it.faces.len()),
                fabric: is_cloth.then(|| fabric(&self.run.record.scene, at)),
            })
        };
        self.run.surfaces.list.iter().enumerate().filter_map(object).collect()
    }

    /// The triangles of all objects that are shown, each numbered in its own object.
    fn shown_faces(&self) -> Vec<u32> {
        let mut faces = Vec::new();
        let moving = Vec::from_iter(self.moving());
        let surfaces = &self.run.surfaces.list;
        for (number, &at) in moving.iter().enumerate() {
            match &self.kept {
                Some(kept) => faces.extend(kept[number].faces.iter().flatten()),
                None => faces.extend(own_faces(&surfaces[at]).flatten()),
            }
        }
        let first_fixed = self.run.surfaces.vertex_count() - self.run.fixed.len();
        let fixed = surfaces.iter().filter(|it| it.vertices().start >= first_fixed);
        faces.extend(fixed.flat_map(own_faces).flatten());
        faces
    }
}

impl Stage for ClothStage {
    fn still(&self) -> Still {
        let mut surfaces = Arrays::default();
        surfaces.add_u32("faces", self.shown_faces());
        surfaces.add_f32("fixed", self.run.fixed.iter().flat_map(|x| [x.x, x.y, x.z]));
        let count = self.neighbours.len();
        if let Some([patches, ranks]) = read_partition(&self.run.record, count) {
            surfaces.add_u16("patch", self.shown(&patches, 0..self.cloths));
            surfaces.add_u16("rank", self.shown(&ranks, 0..self.cloths));
        }
        let mut ranges = BTreeMap::new();
        for MappedSetting { name, factors } in &self.mapped {
            let (shares, range) = in_8_bits(&self.shown(factors, 0..self.cloths));
            surfaces.add_u8(name, shares);
            ranges.insert(*name, range);
        }
        let (shapes, bodies) = Posed::heads(self.posed.as_ref());
        let (objects, joints) = (self.objects(), self.joints.clone());
        Still { objects, surfaces, ranges, shapes, bodies, joints }
    }

    fn frame(&mut self, number: u64) -> std::result::Result<FrameBlock, String> {
        let (time_s, x) = self.positions(number)?;
        let poses = match self.posed.is_some() {
            true => tables::read_poses(&self.run.record.folder, number)?,
            false => Vec::new(),
        };
        let shown = self.shown(&x, self.moving());
        let bounds = Bounds::around(shown.iter().chain(poses.iter().map(|it| &it.centre)));
        let mut frame = FrameBlock::new(number, time_s, bounds);
        frame.arrays.add_u16("positions", bounds.shares(&shown));
        let of_cloth = |values: &[f64]| self.shown(values, 0..self.cloths);
        frame.add_values("strain", &of_cloth(&self.strains(&x)));
        frame.add_values("speed", &of_cloth(&self.speeds(time_s, &x)));
        frame.add_values_of("gap", &of_cloth(&self.gaps(&x)), [0.0, self.reach_m]);
        if let Some(posed) = &self.posed {
            posed.add(&poses, &bounds, &mut frame)?;
        }
        self.before = Some((time_s, x));
        Ok(frame)
    }

    fn begin_again(&mut self) {
        self.before = None;
    }

    fn thin(&mut self, share: f64) -> Result<Option<[usize; 2]>> {
        let first = self.run.record.frames.clone().find_map(|it| self.positions(it).ok());
        let Some((_, x)) = first.filter(|_| share < 1.0) else { return Ok(None) };
        let kept = self.moving().map(|at| {
            let surface = &self.run.surfaces.list[at];
            let faces = Vec::from_iter(own_faces(surface));
            cluster(&x[surface.vertices()], &faces, share)
        });
        let kept = Vec::from_iter(kept);
        let after = kept[..self.cloths].iter().map(|it| it.vertices.len()).sum();
        self.kept = Some(kept);
        Ok(Some([self.neighbours.len(), after]))
    }
}

/// The triangles of a surface, numbered in it.
fn own_faces(surface: &Surface) -> impl Iterator<Item = [u32; 3]> {
    surface.faces.iter().map(|face| face.map(|vertex| vertex - surface.first_vertex))
}

/// The neighbours of each vertex of the first `cloths` surfaces.
fn neighbours(run: &CheckedRun, cloths: usize) -> Vec<Vec<u32>> {
    let surfaces = &run.surfaces.list[..cloths];
    let mut neighbours = vec![Vec::new(); surfaces.last().map_or(0, |it| it.vertices().end)];
    for (object, surface) in run.objects.iter().zip(surfaces) {
        for edge in &object.edges {
            let [a, b] = edge.map(|vertex| vertex + surface.first_vertex);
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
    }
    neighbours
}

/// The fabric of a cloth, as the scene names it.
fn fabric(scene: &Scene, cloth: usize) -> String {
    match scene.cloths.get(cloth).map(|it| &it.material) {
        Some(MaterialSpec::Fabric(name)) => name.clone(),
        Some(MaterialSpec::Isotropic(_)) => "Isotropic".to_owned(),
        Some(MaterialSpec::Orthotropic(_)) => "Orthotropic".to_owned(),
        None => String::new(),
    }
}

fn joint(joint: &BodyJoint) -> JointHead {
    let [first, second] = joint.frames.map(|frame| <[f64; 3]>::from(frame.point));
    let (body, point) = match joint.second {
        Second::Body(body) => (Some(body), Some(second)),
        Second::Space => (None, Some(second)),
        Second::Obstacle(_) => (None, None),
    };
    let kind = format!("{:?}", joint.settings.kind);
    JointHead { kind, bodies: [Some(joint.first), body], points: [Some(first), point] }
}

/// Patch and rank of each of the `count` vertices of cloth. None without the file, or if it is not
/// of this run.
fn read_partition(record: &Record, count: usize) -> Option<[Vec<u16>; 2]> {
    let rows = tables::read_rows(&record.folder, names::PARTITION).ok()?;
    let rows = BTreeMap::<u32, [u64; 2]>::from_iter(rows);
    // A page distinguishes 65,536 of them.
    let column = |at: usize| rows.values().map(|row| row[at] as u16).collect();
    (rows.len() == count).then(|| [0, 1].map(column))
}

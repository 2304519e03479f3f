//! A run of rigid bodies alone in a page: shapes, and the poses of all bodies in each frame.

use std::collections::BTreeMap;

use cloth_core::error::Result;
use cloth_core::math::Vec3;
use cloth_rigid::FrameBody;
use cloth_rigid::body::BodyId;
use cloth_rigid::constraint::joint::{Joint, Second};
use cloth_rigid::fixed::FixedShape;
use cloth_rigid::shape::Shape;
use cloth_rigid::surfaces::Surfaces;
use cloth_scene::bodies::spec::Parallel;

use crate::program::check::Record;
use crate::program::check::bodies::BodyRun;
use crate::program::output::formats::obj::read_pieces;
use crate::program::output::names;
use crate::program::output::tables::read_rows;
use crate::program::view::posed::in_16_bits;
use crate::program::view::stage::place_of;
use crate::program::view::{
    Arrays, BodiesHead, Bounds, FrameBlock, JointHead, ObjectHead, Role, ShapeHead, Stage, Still,
};

/// The number of a body that is not in a frame, in the array of ranks or workers.
pub const ABSENT: u16 = u16::MAX;

/// A run of rigid bodies alone.
pub struct BodyStage {
    run: BodyRun,
    /// The ids of all bodies that are in the first frame, rising.
    ids: Vec<BodyId>,
    still: Still,
}

impl BodyStage {
    /// Reads everything except the frames, and one frame for the sizes of the bodies.
    ///
    /// # Errors
    /// The errors of `check`: a folder whose scene, obstacles or frames cannot be read.
    pub fn open(record: Record) -> Result<Self> {
        let run = BodyRun::open(record)?;
        let ids = Vec::from_iter(run.ids());
        let (shapes, bodies) = Shapes::of(&run, &ids).heads(&run);
        let (objects, surfaces) = standing(&run)?;
        let joints = run.setup.joints.all().iter().map(|it| joint(&run, &ids, it)).collect();
        let ranges = BTreeMap::new();
        let still = Still { objects, surfaces, ranges, shapes, bodies, joints };
        Ok(Self { run, ids, still })
    }

    /// Adds what the tables beside frame `number` say about bodies: `rank` or `worker`, and
    /// `force` if the run has written forces. A table that is missing adds nothing.
    fn add_tables(&self, number: u64, rows: &[Option<&FrameBody>], frame: &mut FrameBlock) {
        let folder = &self.run.record.folder;
        let mut homes = vec![ABSENT; self.ids.len()];
        let owners = names::beside(names::OWNERS, number);
        if let Ok(owners) = read_rows::<(u64, u64, u64)>(folder, &owners) {
            for (first, last, rank) in owners {
                let places = self.ids.partition_point(|&id| id < first)..;
                let own = self.ids[places.clone()].iter().take_while(|&&id| id <= last).count();
                // A page distinguishes 65,535 of them.
                homes[places.start..places.start + own].fill((rank as u16).min(ABSENT - 1));
            }
        }
        for (home, row) in homes.iter_mut().zip(rows) {
            match row {
                None => *home = ABSENT,
                Some(_) if *home == ABSENT => *home = 0,
                Some(_) => {}
            }
        }
        let has_workers = matches!(self.run.setup.parallel, Parallel::Workers { .. });
        frame.arrays.add_u16(if has_workers { "worker" } else { "body_rank" }, homes);
        type Contact = (u64, u64, [f64; 3], [f64; 3], [f64; 3], f64);
        let contacts = names::beside(names::CONTACTS, number);
        if let Ok(contacts) = read_rows::<Contact>(folder, &contacts) {
            let mut forces = vec![0.0; self.ids.len()];
            for (first, second, _, _, force, _) in contacts {
                for id in [first, second] {
                    if let Ok(place) = self.ids.binary_search(&id) {
                        forces[place] += Vec3::from(force).norm();
                    }
                }
            }
            frame.add_values("force", &forces);
        }
    }
}

impl Stage for BodyStage {
    fn still(&self) -> Still {
        self.still.clone()
    }

    fn frame(&mut self, number: u64) -> std::result::Result<FrameBlock, String> {
        let shown = self.run.source.frame(number)?;
        let by_id = BTreeMap::from_iter(shown.bodies.iter().map(|row| (row.id, row)));
        let rows = Vec::from_iter(self.ids.iter().map(|id| by_id.get(id).copied()));
        if let Some(row) = shown.bodies.iter().find(|row| !row.is_finite()) {
            return Err(format!("body {} has numbers that are not finite", row.id));
        }
        let centre = |row: &Option<&FrameBody>| row.map(|row| Vec3::from(row.position));
        let present = Vec::from_iter(rows.iter().filter_map(centre));
        let bounds = Bounds::around(present.iter());
        let mut frame = FrameBlock::new(number, shown.time_s, bounds);
        let absent = present.first().copied().unwrap_or_default();
        let centres = Vec::from_iter(rows.iter().map(|row| centre(row).unwrap_or(absent)));
        frame.arrays.add_u16("centres", bounds.shares(&centres));
        let turn = |row: &Option<&FrameBody>| row.map_or([0.0, 0.0, 0.0, 1.0], |it| it.rotation);
        frame.arrays.add_u16("turns", in_16_bits(rows.iter().map(turn)));
        let speed = |row: &Option<&FrameBody>| row.map_or(0.0, |it| Vec3::from(it.velocity).norm());
        frame.add_values("body_speed", &Vec::from_iter(rows.iter().map(speed)));
        self.add_tables(number, &rows, &mut frame);
        Ok(frame)
    }

    fn begin_again(&mut self) {}

    fn thin(&mut self, _: f64) -> Result<Option<[usize; 2]>> {
        Ok(None)
    }
}

/// The shapes of all bodies.
#[derive(Default)]
struct Shapes {
    /// A shape that stands for all that are stretched from it.
    list: Vec<Shape>,
    /// Of each body its place in the list.
    of_each: Vec<u16>,
    /// Of each body the factors along x, y and z.
    scales: Vec<[f64; 3]>,
}

impl Shapes {
    /// The shapes of the bodies with these `ids`. Free bodies are as at the start.
    fn of(run: &BodyRun, ids: &[BodyId]) -> Self {
        let mut shapes = Self::default();
        let fixed = run.setup.fixed.bodies();
        for &id in ids {
            let free = run.setup.body(id).map(|body| body.shape);
            let shape = free.or_else(|| {
                let place = fixed.binary_search_by_key(&id, |body| body.id).ok()?;
                match fixed[place].shape {
                    FixedShape::Shape(shape) => Some(shape),
                    FixedShape::HalfSpace => None,
                }
            });
            shapes.add(shape);
        }
        shapes
    }

    /// Adds a body. One without a shape is not seen.
    fn add(&mut self, shape: Option<Shape>) {
        let Some(shape) = shape else {
            self.of_each.push(0);
            self.scales.push([0.0; 3]);
            return;
        };
        let (standing, scale) = match shape {
            Shape::Solid(_) => (shape, [1.0; 3]),
            // The caps of a capsule are not stretched: all sizes have the same factor.
            Shape::Capsule(_) => (shape.with_reach(1.0), [shape.reach(|_| 1.0); 3]),
            _ => {
                let unit = Shape::of_number(shape.number(), [1.0; 3], 0).unwrap_or(shape);
                (unit, shape.stretch(&Vec3::repeat(1.0)).into())
            }
        };
        self.of_each.push(place_of(&mut self.list, standing, same));
        self.scales.push(scale);
    }

    fn heads(self, run: &BodyRun) -> (Vec<ShapeHead>, BodiesHead) {
        let Self { list, of_each, scales } = self;
        let surfaces = Surfaces::new(&run.setup.solids);
        let head = |shape: &Shape| {
            let stretch = |x: &Vec3| shape.stretch(x);
            let positions = surfaces.document(shape).positions.iter().map(stretch);
            ShapeHead::new(shape.is_ball(), &Vec::from_iter(positions), &surfaces.faces(shape))
        };
        let shapes = list.iter().map(head).collect();
        let (count, mut each) = (of_each.len(), Arrays::default());
        each.add_u16("shape", of_each);
        let group = |id| run.setup.group_of(id) as u16;
        each.add_u16("group", run.ids().map(group).collect());
        each.add_f32("scale", scales.into_iter().flatten());
        let groups = run.setup.groups.iter().map(|group| group.name.clone()).collect();
        (shapes, BodiesHead { groups, count, of_each: each })
    }
}

/// Whether two shapes are the same but for rounding.
fn same(a: &Shape, b: &Shape) -> bool {
    let sizes = |shape: &Shape| shape.sizes(|id| [f64::from(id), 0.0, 0.0]);
    let near = sizes(a).into_iter().zip(sizes(b)).all(|(a, b)| (a - b).abs() < 1e-3);
    a.number() == b.number() && near
}

/// What stands still: its objects, with their `faces` and `fixed` positions (m).
fn standing(run: &BodyRun) -> Result<(Vec<ObjectHead>, Arrays)> {
    let folder = &run.record.folder;
    let mut arrays = Arrays::default();
    let list = match folder.join(names::OBSTACLES).exists() {
        true => read_pieces(folder, names::OBSTACLES, "repeat the run")?.list,
        false => Vec::new(),
    };
    let bodies = Vec::from_iter(run.setup.fixed.bodies().iter().filter(|it| it.motion.is_none()));
    let (mut objects, mut faces, mut positions) = (Vec::new(), Vec::new(), Vec::new());
    for (number, piece) in list.iter().enumerate() {
        let x = &piece.document.positions;
        let own = piece.document.corners.chunks_exact(3).map(|it| [0, 1, 2].map(|i| it[i].vertex));
        let before = faces.len();
        faces.extend(own.flatten());
        positions.extend(x.iter().flat_map(|x| [x.x, x.y, x.z]));
        // Walls that lie outside of the domain are not in the file, and have no other place in it.
        let all_are_there = bodies.len() == list.len();
        let body = bodies.get(number).filter(|_| all_are_there);
        let is_plane = x.len() <= 6 && (faces.len() - before) / 3 == x.len().saturating_sub(2);
        objects.push(ObjectHead {
            name: body.map_or_else(String::new, |body| run.setup.name_of(body.id)),
            role: if is_plane { Role::Wall } else { Role::Obstacle },
            moves: false,
            vertices: x.len(),
            faces: (faces.len() - before) / 3,
            fabric: None,
        });
    }
    arrays.add_u32("faces", faces);
    arrays.add_f32("fixed", positions);
    Ok((objects, arrays))
}

fn joint(run: &BodyRun, ids: &[BodyId], joint: &Joint) -> JointHead {
    let place = |id: BodyId| ids.binary_search(&id).ok();
    let [first, second] = joint.frames;
    let (body, point) = match joint.second {
        Second::Movable(id) => (place(id), second.point),
        Second::Space => (None, second.point),
        Second::Fixed(at) => {
            let body = &run.setup.fixed.bodies()[at as usize];
            match body.motion {
                Some(_) => (place(body.id), second.point),
                None => {
                    let state = body.state(0.0, 0.0);
                    (None, second.at(&state.position, &state.rotation).0)
                }
            }
        }
    };
    let kind = format!("{:?}", joint.settings.kind);
    let points = [first.point, point].map(|it| Some(it.into()));
    JointHead { kind, bodies: [place(joint.first), body], points }
}

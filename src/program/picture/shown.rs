//! The frames of a run that are drawn, and the scene around them.

use std::path::Path;

use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;

use crate::program::check::Record;
use crate::program::picture::camera::distance;
use crate::program::picture::joints::MANY;
use crate::program::picture::{
    Axes, Camera, Colouring, Encoding, Ground, Joints, Legend, LegendPicture, Lights, Object,
    Painter, Parts, Picture, PictureArguments, Sequence, Shot,
};
use crate::program::view::content::{open_stage, up};
use crate::program::view::{Bounds, FrameBlock, Role, Stage};

/// What makes the box more than so many times as large as what moves may leave the picture.
const LARGE: f64 = 3.0;

/// A flat obstacle is a floor if it is this much as wide as the scene. One so many times as wide is
/// shown as a grid.
const FLOOR: f64 = 0.8;
const WIDE: f64 = 6.0;

/// A run whose frames can be read.
pub struct OpenRun {
    /// What its folder says of it.
    pub record: Record,
    stage: Box<dyn Stage>,
}

impl OpenRun {
    /// Opens the run in `folder`, whether it is complete or not.
    ///
    /// # Errors
    /// A folder that is no run, or has no frame. A scene, obstacles or frames that cannot be read.
    pub fn open(folder: &Path) -> Result<Self> {
        let record = Record::read(folder)?;
        let stage = open_stage(&record)?;
        Ok(Self { record, stage })
    }

    /// Reads the frames with these numbers, which rise. Also returns what is wrong with frames that
    /// are left out, in words.
    ///
    /// # Errors
    /// No frame that can be read.
    pub fn frames(&mut self, numbers: &[u64]) -> Result<(Vec<FrameBlock>, Vec<String>)> {
        let (mut frames, mut faults) = (Vec::new(), Vec::new());
        // The speed of cloth needs the frame before.
        let before = numbers.first().and_then(|it| it.checked_sub(1));
        if let Some(before) = before.filter(|it| self.record.frames.contains(it)) {
            let _ = self.stage.frame(before);
        }
        for &number in numbers {
            match self.stage.frame(number) {
                Ok(frame) => frames.push(frame),
                Err(fault) => faults.push(format!("frame {number} is left out: {fault}")),
            }
        }
        if frames.is_empty() {
            let cause = faults.pop().unwrap_or_default();
            let remedy = "choose another frame, or run `cloth-sim check` on the folder";
            return Err(Error::file(&self.record.folder, cause, remedy));
        }
        Ok((frames, faults))
    }
}

/// A scene that is ready to be drawn.
pub struct ShownScene {
    frames: Vec<FrameBlock>,
    parts: Parts,
    colouring: Colouring,
    axes: Axes,
    around: Bounds,
    ground: Option<Ground>,
    lights: Lights,
    encoding: Encoding,
    /// The frame whose shadow the lights have.
    lit: Option<u64>,
    /// Whether joints are drawn.
    has_joints: bool,
    /// The scale of the colours, if it is drawn.
    legend: Option<LegendPicture>,
}

impl ShownScene {
    /// The scene of these `frames` of a run. There is at least one.
    ///
    /// # Errors
    /// Colours for which the run has no values.
    pub fn new(
        run: &OpenRun,
        frames: Vec<FrameBlock>,
        arguments: &PictureArguments,
    ) -> Result<Self> {
        let by = arguments.colour;
        let still = run.stage.still();
        let colouring = Colouring::new(by, &still, &frames).map_err(|remedy| {
            let cause = format!("the run has no values for `{}`", by.word());
            Error::input("--colour", cause, remedy)
        })?;
        let mut parts = Parts::new(still);
        let axes = Axes::new(Vec3::from(up(run.record.scene.gravity_m_per_s2)));
        let moving = frames.iter().map(|it| it.bounds).reduce(|all, it| all.with(&it));
        let moving = moving.unwrap_or_default();
        let around = scene_box(&parts, moving);
        parts.is_glass = parts.has_bodies() && is_enclosed(&parts, &moving);
        let ground = place_ground(&mut parts, axes, &around);
        let has_joints = match arguments.joints {
            Some(choice) => choice == Joints::Show,
            None => parts.joint_count() < MANY,
        };
        let encoding = Encoding::new();
        let legend = colouring.legend().filter(|_| !arguments.no_legend).and_then(|legend| {
            LegendPicture::new(&legend, colouring.stops(), &encoding, arguments.pixels())
        });
        Ok(Self {
            frames,
            parts,
            colouring,
            axes,
            around,
            ground,
            lights: Lights::new(&axes, &around),
            encoding,
            lit: None,
            has_joints,
            legend,
        })
    }

    /// What the colours say; none for categories.
    pub fn legend(&self) -> Option<Legend> {
        self.colouring.legend()
    }

    /// The frames that can be drawn.
    pub fn numbers(&self) -> Vec<u64> {
        self.frames.iter().map(|frame| frame.number).collect()
    }

    /// The distance from which all pictures of a sequence show the whole scene, m.
    pub fn distance(&self, sequence: &Sequence, size: [u32; 2]) -> f64 {
        let axes = sequence.shots.iter().map(|shot| self.axes.seen_from(shot.from_deg));
        axes.map(|axes| distance(&self.around, &axes, size)).fold(0.0, f64::max)
    }

    /// Draws a picture of a sequence from a `distance` (m) from the middle of the scene. None if
    /// its frame could not be read.
    pub fn draw(&mut self, shot: &Shot, distance: f64, size: [u32; 2]) -> Option<Picture> {
        let frame = self.frames.iter().find(|frame| frame.number == shot.frame)?;
        let mut model = self.parts.model(frame, &self.colouring);
        if self.lit != Some(shot.frame) {
            self.lights.cast(&model);
            self.lit = Some(shot.frame);
        }
        let axes = self.axes.seen_from(shot.from_deg);
        let camera = Camera::new(self.around.centre(), axes, distance, size);
        if self.has_joints {
            self.parts.add_joints(frame, &camera, &mut model);
        }
        let Self { lights, encoding, ground, .. } = self;
        let painter = Painter { ground: ground.as_ref(), lights, encoding };
        let mut picture = painter.draw(&model, &camera);
        self.legend.iter().for_each(|legend| legend.draw(&mut picture));
        Some(picture)
    }
}

/// The box of what moves, and of obstacles and ends of joints that do not make it much larger.
/// Walls are not in it.
fn scene_box(parts: &Parts, moving: Bounds) -> Bounds {
    let reach = Vec3::repeat(parts.largest_body());
    let all = Bounds { low: moving.low - reach, high: moving.high + reach };
    let fits = parts.standing().filter(|it| it.size() <= LARGE * all.size());
    let anchors = parts.anchors().map(|x| all.with(&Bounds { low: x, high: x }));
    let reached = anchors.filter(|it| it.size() <= LARGE * all.size());
    reached.fold(fits.fold(all, |sum, it| sum.with(it)), |sum, it| sum.with(&it))
}

/// Whether an obstacle surrounds what moves, so that it would hide it.
fn is_enclosed(parts: &Parts, moving: &Bounds) -> bool {
    parts.standing().any(|it| {
        let inside = moving.high.inf(&it.high) - moving.low.sup(&it.low);
        let all = moving.high - moving.low;
        (0..3).all(|axis| inside[axis].max(0.0) > 0.5 * all[axis])
    })
}

/// A grid below the scene, unless it has a floor of its own. In the place of a floor that reaches
/// far beyond the scene there is the grid.
fn place_ground(parts: &mut Parts, axes: Axes, around: &Bounds) -> Option<Ground> {
    let vertical = (0..3).find(|&axis| axes.up[axis] != 0.0)?;
    let sizes = around.high - around.low;
    let width = |it: &Bounds| {
        let ratio = |axis: usize| (it.high[axis] - it.low[axis]) / sizes[axis];
        let widths = (0..3).filter(|&axis| axis != vertical).map(ratio);
        widths.fold(f64::INFINITY, f64::min)
    };
    let is_floor = |object: &Object| {
        let stands = object.around.filter(|_| object.head.role != Role::Cloth);
        stands.is_some_and(|it| {
            it.high[vertical] - it.low[vertical] < 0.05 * sizes.max() && width(&it) >= FLOOR
        })
    };
    let Some(place) = parts.objects.iter().position(is_floor) else {
        return Some(Ground::new(axes, around, None));
    };
    let floor = parts.objects[place].around?;
    if width(&floor) < WIDE {
        return None;
    }
    parts.objects.remove(place);
    let top = if axes.up[vertical] > 0.0 { floor.high } else { floor.low };
    Some(Ground::new(axes, around, Some(top.dot(&axes.up))))
}

//! What colours mean: the choices of the page (`page/colours.js`), and their values in frames.

use std::fmt;

use clap::ValueEnum;
use cloth_core::math::Vec3;
use serde::Serialize;

use crate::program::picture::colours::{self, DIVERGING, NEARNESS, VIRIDIS};
use crate::program::view::{FrameBlock, ObjectHead, Still};
use crate::program::words::significant;

/// Bins of the values of a run.
const BINS: usize = 1024;

/// The largest values, this share of all, have the last colour of a scale.
const BEYOND: f64 = 0.005;

/// What colours show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColourBy {
    /// The fabric of cloth, and the group of a body.
    Fabric,
    /// The rank that computes it.
    Rank,
    /// The worker of a body.
    Worker,
    /// The patch of cloth.
    Patch,
    /// The strain of the edge at a vertex with the largest absolute strain.
    Strain,
    /// The distance of cloth from the nearest other surface.
    Gap,
    /// The sum of the forces of the contacts of a body.
    Force,
    /// The speed of cloth and of bodies.
    Speed,
    /// What maps multiply the mass per area of cloth by.
    Density,
    /// What maps multiply its stiffness by.
    Stiffness,
    /// What maps multiply its rigidity by.
    Bending,
    /// What maps multiply its friction by.
    Friction,
    /// What maps multiply its contact distance by.
    Thickness,
}

/// A scale of values.
struct Scale {
    stops: &'static [&'static str],
    /// A value in this unit is so many times one in the unit of the frame.
    factor: f64,
    unit: &'static str,
    /// Where its ends come from.
    ends: Ends,
}

enum Ends {
    /// From the negative to the positive of the largest absolute value.
    Symmetric,
    /// From 0 to the largest value.
    FromZero,
    /// The ends of the frame's own range, which all frames share.
    OfFrame,
}

impl ColourBy {
    /// The arrays of cloth and of bodies that have the values, and their scale; none of categories.
    fn values(self) -> (Option<&'static str>, Option<&'static str>, Option<Scale>) {
        let scale = |stops, factor, unit, ends| Some(Scale { stops, factor, unit, ends });
        let of_map = |name| (Some(name), None, scale(VIRIDIS, 1.0, "times", Ends::OfFrame));
        let force = scale(VIRIDIS, 1.0, "N", Ends::FromZero);
        let speed = scale(VIRIDIS, 1.0, "m/s", Ends::FromZero);
        match self {
            Self::Fabric => (None, None, None),
            Self::Rank => (Some("rank"), Some("body_rank"), None),
            Self::Worker => (None, Some("worker"), None),
            Self::Patch => (Some("patch"), None, None),
            Self::Strain => (Some("strain"), None, scale(DIVERGING, 100.0, "%", Ends::Symmetric)),
            Self::Gap => (Some("gap"), None, scale(NEARNESS, 1000.0, "mm", Ends::OfFrame)),
            Self::Force => (None, Some("force"), force),
            Self::Speed => (Some("speed"), Some("body_speed"), speed),
            Self::Density => of_map("density"),
            Self::Stiffness => of_map("stiffness"),
            Self::Bending => of_map("bending"),
            Self::Friction => of_map("friction"),
            Self::Thickness => of_map("thickness"),
        }
    }

    fn arrays(self) -> [Option<&'static str>; 2] {
        let (of_cloth, of_bodies, _) = self.values();
        [of_cloth, of_bodies]
    }

    fn scale(self) -> Option<Scale> {
        self.values().2
    }

    /// The word on the command line.
    pub fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |it| it.get_name().to_owned())
    }

    /// Whether a run has its values.
    fn is_in(self, still: &Still, frames: &[FrameBlock]) -> bool {
        let has = |name: &str| {
            let in_frame = |frame: &FrameBlock| {
                !frame.arrays.u8(name).is_empty() || !frame.arrays.u16(name).is_empty()
            };
            let is_still = !still.surfaces.u16(name).is_empty() || still.ranges.contains_key(name);
            is_still || frames.iter().any(in_frame)
        };
        self == Self::Fabric || self.arrays().into_iter().flatten().any(has)
    }
}

/// What the colours of a scale say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Legend {
    of: String,
    /// The values at the ends of the scale.
    from: f64,
    to: f64,
    unit: &'static str,
}

impl Legend {
    /// The values at its ends, and its name with the unit.
    pub fn words(&self) -> [String; 3] {
        let [from, to] = [self.from, self.to].map(significant);
        [from, to, format!("{}, {}", self.of, self.unit)]
    }
}

impl fmt::Display for Legend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, from, to, unit } = self;
        let [from, to] = [*from, *to].map(significant);
        write!(f, "colours: {of} from {from} to {to} {unit}")
    }
}

/// The colours of all frames.
pub struct Colouring {
    by: ColourBy,
    /// The colours of the scale, if there is one.
    stops: Vec<Vec3>,
    /// The values at its ends.
    range: [f64; 2],
    /// The names of all fabrics.
    fabrics: Vec<String>,
    /// The category of each vertex of cloth, if it is the same in all frames.
    of_vertices: Vec<u16>,
    /// The value of each vertex of cloth, if it is the same in all frames: a share of the range.
    shares: Vec<u8>,
    /// The group of each body.
    groups: Vec<u16>,
}

impl Colouring {
    /// The colours of a run, whose scale has the values of these `frames`.
    ///
    /// # Errors
    /// A run without such values. The message has what can be chosen.
    pub fn new(by: ColourBy, still: &Still, frames: &[FrameBlock]) -> Result<Self, String> {
        if !by.is_in(still, frames) {
            let others = ColourBy::value_variants().iter().filter(|it| it.is_in(still, frames));
            let others = Vec::from_iter(others.map(|it| it.word()));
            return Err(format!("choose one of {}", others.join(", ")));
        }
        let scale = by.scale();
        let stops = scale.as_ref().map_or(&[][..], |it| it.stops);
        let [name, _] = by.arrays();
        let own_range = name.and_then(|name| still.ranges.get(name)).copied();
        let of_frames = scale.map(|scale| range(by, &scale, frames));
        Ok(Self {
            by,
            stops: stops.iter().map(|it| colours::hex(it)).collect(),
            range: own_range.or(of_frames).unwrap_or([0.0, 1.0]),
            fabrics: fabrics(still),
            of_vertices: name.map_or(&[][..], |name| still.surfaces.u16(name)).to_vec(),
            shares: name.map_or(&[][..], |name| still.surfaces.u8(name)).to_vec(),
            groups: still.bodies.of_each.u16("group").to_vec(),
        })
    }

    /// What the colours say; none for categories.
    pub fn legend(&self) -> Option<Legend> {
        let Scale { factor, unit, .. } = self.by.scale()?;
        let [from, to] = self.range.map(|it| factor * it);
        Some(Legend { of: self.by.word(), from, to, unit })
    }

    /// The colours of the scale, if there is one.
    pub fn stops(&self) -> &[Vec3] {
        &self.stops
    }

    /// The colour of each vertex of a cloth, whose first one is number `first` of all cloth.
    pub fn of_cloth(&self, frame: &FrameBlock, head: &ObjectHead, first: usize) -> Vec<Vec3> {
        let own = first..first + head.vertices;
        let categories = self.of_vertices.get(own.clone());
        let [name, _] = self.by.arrays();
        let still = self.shares.get(own.clone()).map(|shares| (self.range, shares));
        let of_frame = |name| Some((range_of(frame, name), frame.arrays.u8(name).get(own)?));
        let values = still.or_else(|| of_frame(name?));
        match (categories, values) {
            _ if self.by == ColourBy::Fabric => {
                let is_own = |it: &String| head.fabric.as_ref() == Some(it);
                let number = self.fabrics.iter().position(is_own).unwrap_or_default();
                vec![colours::category(number); head.vertices]
            }
            (Some(numbers), _) => {
                let pick = match self.by {
                    ColourBy::Patch => colours::patch,
                    _ => colours::category,
                };
                numbers.iter().map(|&it| pick(it.into())).collect()
            }
            (None, Some((range, shares))) => self.on_scale(range, shares),
            (None, None) => vec![colours::hex(colours::PLAIN); head.vertices],
        }
    }

    /// The colour of each of the `count` bodies.
    pub fn of_bodies(&self, frame: &FrameBlock, count: usize) -> Vec<Vec3> {
        let numbered = |numbers: &[u16], before: usize| {
            let colour = |&it: &u16| colours::category(usize::from(it) + before);
            numbers.iter().map(colour).collect::<Vec<_>>()
        };
        let [_, name] = self.by.arrays();
        let found = match (self.by, name) {
            (ColourBy::Fabric, _) => numbered(&self.groups, self.fabrics.len()),
            (ColourBy::Rank | ColourBy::Worker, _) => numbered(homes(frame), 0),
            (_, Some(name)) => self.on_scale(range_of(frame, name), frame.arrays.u8(name)),
            (_, None) => Vec::new(),
        };
        let plain = vec![Vec3::repeat(0.6); count];
        if found.len() == count { found } else { plain }
    }

    /// The colours of `shares` of the range `own`.
    fn on_scale(&self, own: [f64; 2], shares: &[u8]) -> Vec<Vec3> {
        let [low, high] = self.range;
        let colour = |share: u8| {
            let value = own[0] + f64::from(share) / 255.0 * (own[1] - own[0]);
            colours::on_scale(&self.stops, (value - low) / (high - low))
        };
        let of_share = Vec::from_iter((0..=255).map(colour));
        shares.iter().map(|&share| of_share[usize::from(share)]).collect()
    }
}

/// The range of the values with this name.
fn range_of(frame: &FrameBlock, name: &str) -> [f64; 2] {
    frame.ranges.get(name).copied().unwrap_or_default()
}

/// The rank or worker of each body in a frame. Runs of cloth have none.
pub fn homes(frame: &FrameBlock) -> &[u16] {
    let workers = frame.arrays.u16("worker");
    if workers.is_empty() { frame.arrays.u16("body_rank") } else { workers }
}

/// The names of all fabrics, in the order of the cloths.
fn fabrics(still: &Still) -> Vec<String> {
    let mut fabrics = Vec::<String>::new();
    for fabric in still.objects.iter().filter_map(|it| it.fabric.as_ref()) {
        if !fabrics.contains(fabric) {
            fabrics.push(fabric.clone());
        }
    }
    fabrics
}

/// The values at the ends of a scale: all values of `frames`, except the largest ones.
fn range(by: ColourBy, scale: &Scale, frames: &[FrameBlock]) -> [f64; 2] {
    let mut blocks = Vec::new();
    for name in by.arrays().into_iter().flatten() {
        let of_frame = |it: &'_ FrameBlock| it.ranges.get(name).copied();
        let own = frames.iter().filter_map(|it| Some((of_frame(it)?, it.arrays.u8(name))));
        blocks.extend(own.filter(|(_, values)| !values.is_empty()));
    }
    let most = blocks.iter().flat_map(|it| it.0).map(f64::abs).fold(0.0, f64::max);
    let end = if most > 0.0 { most * quantile(&blocks, most) } else { 1e-3 };
    match (&scale.ends, blocks.first()) {
        (Ends::OfFrame, Some((range, _))) => *range,
        (Ends::Symmetric, _) => [-end, end],
        _ => [0.0, end],
    }
}

/// The share of `most` that all absolute values of `blocks` have at most, except the largest ones.
/// A block has a range, and shares of it.
fn quantile(blocks: &[([f64; 2], &[u8])], most: f64) -> f64 {
    let mut counts = vec![0_u64; BINS];
    for ([low, high], values) in blocks {
        for &value in *values {
            let value = low + f64::from(value) / 255.0 * (high - low);
            counts[((value.abs() / most * (BINS - 1) as f64) as usize).min(BINS - 1)] += 1;
        }
    }
    let mut rest = BEYOND * counts.iter().sum::<u64>() as f64;
    let mut bin = BINS - 1;
    while bin > 1 {
        rest -= counts[bin] as f64;
        if rest <= 0.0 {
            break;
        }
        bin -= 1;
    }
    (bin + 1) as f64 / BINS as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::picture::legend::has_letters;

    #[test]
    fn the_letters_cover_every_word_of_a_legend() {
        for by in ColourBy::value_variants() {
            let Some(Scale { unit, .. }) = by.scale() else { continue };
            let [from, to] = [-1_234_567_890.5e-12, 9_876_543_210.0];
            for word in (Legend { of: by.word(), from, to, unit }).words() {
                assert!(has_letters(&word), "{word}");
            }
        }
        assert!(has_letters("0123456789-.") && !has_letters("~"));
    }

    #[test]
    fn a_scale_leaves_out_the_largest_values() {
        let mut values = vec![51; 1000];
        values[..3].fill(255);
        let share = quantile(&[([0.0, 10.0], &values)], 10.0);
        assert!((share - 0.2).abs() < 2.0 / BINS as f64, "{share}");
        values[..10].fill(255);
        assert_eq!(quantile(&[([0.0, 10.0], &values)], 10.0), 1.0);
    }
}

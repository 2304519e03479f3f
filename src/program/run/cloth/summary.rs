//! The closing summary of a run of cloth, for the user of the frames.

use std::collections::BTreeMap;
use std::fmt;

use cloth_core::math::Vec3;
use cloth_step::{Model, Unwelded};

use crate::program::output::energy_balance::{EnergyBalance, Window};
use crate::program::run::cloth::peaks::{Peaks, Strain};
use crate::program::run::cloth::sizes::StepSizes;
use crate::program::run::cloth::waits::Waits;
use crate::program::run::cloth::yields::Yields;
use crate::program::run::summary::RunFacts;
use crate::program::words::{grouped, plural, plural_grouped, significant, small_length};

/// The closing summary: the cloth, its extremes, the frames and what to do with them.
pub struct Summary<'a> {
    /// The run.
    pub run: RunFacts<'a>,
    /// Its cloths.
    pub model: &'a Model,
    /// Its extremes.
    pub peaks: &'a Peaks,
    /// Stitches that are still threads although they weld, by cause.
    pub unwelded: &'a BTreeMap<Unwelded, usize>,
    /// The sizes of its steps.
    pub sizes: &'a StepSizes,
    /// Bodies that waited.
    pub waits: &'a Waits,
    /// Obstacles whose skin gave way.
    pub yields: &'a Yields,
    /// The pairs that the scene keeps apart, in words.
    pub apart: Option<String>,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.run.write_times(f)?;
        write!(f, "{}", self.sizes)?;
        write_cloth(f, self.model)?;
        write_bodies(f, self.model)?;
        self.write_joints(f)?;
        self.write_seams(f)?;
        self.write_peaks(f)?;
        if let Some(pairs) = &self.apart {
            writeln!(f, "  apart     {pairs}: they may cross, and `check` leaves them out")?;
        }
        write!(f, "{}{}", self.waits, self.yields)?;
        write_energy(f, &self.run.head.energy)?;
        self.run.write_files(f)
    }
}

impl Summary<'_> {
    fn write_joints(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((gap_m, frame)) = self.peaks.joint_gap_m else { return Ok(()) };
        let (count, gap) = (grouped(self.model.joints.len() as u64), small_length(gap_m));
        writeln!(f, "  joints    {count}, open by at most {gap}, before frame {frame}")
    }

    fn write_seams(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seams = &self.model.seams;
        if seams.is_empty() {
            return Ok(());
        }
        let stitches = seams.iter().map(|seam| seam.stitches.len()).sum::<usize>();
        let (seams, stitches) = (plural(seams.len(), "seam"), plural(stitches, "stitch"));
        write!(f, "  seams     {seams} of {stitches}, {} welded", grouped(self.peaks.welds))?;
        match self.peaks.seam_stretch_m {
            Some(stretch_m) => {
                let least_m = self.model.seams.iter().map(|seam| seam.elastic_m());
                let is_open = stretch_m > least_m.fold(f64::INFINITY, f64::min);
                let state = if is_open { ": it is open" } else { "" };
                let stretch = significant(1e3 * stretch_m);
                writeln!(f, "; at the end the widest thread is {stretch} mm too long{state}")?;
            }
            None => writeln!(f)?,
        }
        self.unwelded.iter().try_for_each(|(&why, &count)| {
            let count = grouped(count as u64);
            writeln!(f, "            {count} not welded: {}", cause(why))
        })
    }

    fn write_peaks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Peaks { contacts, distance_m, stretch, compression, .. } = self.peaks;
        if let (Some(stretch), Some(compression)) = (stretch, compression) {
            write_strain(f, "strain    longest edge", stretch)?;
            write_strain(f, "          shortest edge", compression)?;
        }
        write!(f, "{contacts}")?;
        let Some((distance_m, frame)) = distance_m.filter(|_| !contacts.is_empty()) else {
            return Ok(());
        };
        let distances = &self.model.distances;
        let wanted = [distances.least_m, distances.most_m];
        let [least, most] = wanted.map(|wanted| significant(1e3 * wanted));
        let wanted = match distances.own {
            None => format!("contact.distance_m is {most} mm"),
            Some(_) => format!("contact distances are {least} to {most} mm"),
        };
        let smallest = significant(1e3 * distance_m);
        writeln!(f, "  distance  smallest {smallest} mm, before frame {frame} ({wanted})")
    }
}

/// Why stitches are still threads.
fn cause(why: Unwelded) -> &'static str {
    match why {
        Unwelded::Closing => "the time to close (close_s) is not over",
        Unwelded::Held => "a pin or a body holds a vertex",
        Unwelded::Pulled => {
            "threads pull with their largest force (most_n_per_m): it is too small, or something holds \
             the sides apart"
        }
        Unwelded::Soft => {
            "threads are too soft (stiffness_n_per_m2) to bring the vertices together"
        }
        Unwelded::Near => {
            "surfaces would cross or come too near, or more than two faces meet at an edge"
        }
    }
}

fn write_energy(f: &mut fmt::Formatter<'_>, energy: &EnergyBalance) -> fmt::Result {
    let EnergyBalance { unexplained_j, largest_rise_j, largest_rise_step, faults, .. } = energy;
    if *largest_rise_j == 0.0 {
        return writeln!(f, "  energy    never rises without work");
    }
    let share = significant(1e2 * energy.share());
    writeln!(
        f,
        "  energy    gains {unexplained_j:.1e} J without work, {share} % of all that moved"
    )?;
    write!(f, "            at most {largest_rise_j:.1e} J at once, in step {largest_rise_step}")?;
    match faults {
        0 => writeln!(f)?,
        1 => writeln!(f, ": 1 step is above its limit")?,
        _ => writeln!(f, ": {} steps are above their limits", grouped(*faults))?,
    }
    let Some(Window { end_s, unexplained_j, step, at_m: [x, y, z], .. }) = energy.worst_window
    else {
        return Ok(());
    };
    if energy.is_fault() {
        writeln!(
            f,
            "            a fault: {unexplained_j:.1e} J in the 0.1 s before {end_s:.3} s, most"
        )?;
        writeln!(f, "            in step {step} at ({x:.2}, {y:.2}, {z:.2}) m")?;
    }
    Ok(())
}

fn write_strain(f: &mut fmt::Formatter<'_>, name: &str, peak: &Strain) -> fmt::Result {
    let Strain { strain, frame, at } = peak;
    let percent = 100.0 * strain;
    writeln!(
        f,
        "  {name} {percent:+.1} %: frame {frame}, at ({:.2}, {:.2}, {:.2}) m",
        at.x, at.y, at.z
    )
}

fn write_cloth(f: &mut fmt::Formatter<'_>, model: &Model) -> fmt::Result {
    let sizes = sizes(model);
    let largest = sizes.iter().max_by(|a, b| a[0].total_cmp(&b[0]));
    let Some(largest) = largest else { return Ok(()) };
    let size = largest.iter().map(|&side| significant(side)).collect::<Vec<_>>().join(" x ");
    let name = match sizes.len() {
        1 => format!("cloth     {size} m"),
        count => format!("cloths    {count}, the largest {size} m"),
    };
    writeln!(
        f,
        "  {name}, {}, {}",
        plural_grouped(model.cloth.vertex_count() as u64, "vertex"),
        plural_grouped(model.cloth.faces.len() as u64, "face")
    )?;
    let mut lengths = model.rest_lengths.clone();
    let Some(shortest) = lengths.iter().copied().reduce(f64::min) else { return Ok(()) };
    let middle = lengths.len() / 2;
    let (_, median, _) = lengths.select_nth_unstable_by(middle, f64::total_cmp);
    let [shortest, median] = [shortest, *median].map(|length| significant(1e3 * length));
    writeln!(f, "  edges     shortest {shortest} mm, median {median} mm, at rest")
}

fn write_bodies(f: &mut fmt::Formatter<'_>, model: &Model) -> fmt::Result {
    let faces: usize = model.bodies.iter().map(|body| body.faces().len()).sum();
    match model.bodies.len() {
        0 => Ok(()),
        count => writeln!(f, "  bodies    {count}, {}", plural_grouped(faces as u64, "face")),
    }
}

/// The sides of the box around each cloth at rest, m, longest first. A flat cloth has two.
fn sizes(model: &Model) -> Vec<Vec<f64>> {
    let mut first = 0;
    let boxes = model.cloth_ends.iter().map(|&end| {
        let vertices = &model.rest[first..end as usize];
        first = end as usize;
        let low = vertices.iter().copied().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = vertices.iter().copied().reduce(|a, b| a.sup(&b)).unwrap_or_default();
        let size: Vec3 = high - low;
        let mut sides = vec![size.x, size.y, size.z];
        sides.sort_by(|a, b| b.total_cmp(a));
        sides.retain(|&side| side > 1e-6 * size.max());
        sides
    });
    boxes.filter(|sides| !sides.is_empty()).collect()
}

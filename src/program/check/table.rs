//! The report of a check as text: a table and a list of faults.

use std::fmt;

use cloth_sim::verify::{Intersection, Moves};

use crate::program::check::drawn::Folded;
use crate::program::check::folder::FORMAT;
use crate::program::check::frame::FrameCheck;
use crate::program::check::rises::StepRise;
use crate::program::check::{Report, verdict};
use crate::program::output::names;
use crate::program::words::plural;

/// How many rises of energy are listed.
const RISES: usize = 10;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (run, cloths) =
            (&self.run, self.run.surfaces.list.iter().filter(|s| s.moves == Moves::Deforms));
        let vertices: usize = cloths.map(|cloth| cloth.vertex_count).sum();
        writeln!(
            f,
            "{}: {}, {vertices} cloth vertices, {}; strain against {}",
            run.name,
            plural(self.frames.len(), "frame"),
            plural(run.objects.len(), "object"),
            run.rest
        )?;
        writeln!(f, "  frame  intersections  stretch %  compression %  95th perc. %")?;
        self.frames.iter().try_for_each(|frame| write_row(f, frame))?;
        if let Some(unfinished) = &run.unfinished {
            writeln!(f, "run.json: {unfinished}")?;
        }
        run.meshes.iter().try_for_each(|(file, fault)| writeln!(f, "{file}: {fault}"))?;
        let faulty = self.frames.iter().filter(|frame| self.is_faulty(frame));
        faulty.into_iter().try_for_each(|frame| self.write_faults(f, frame))?;
        self.write_folded(f)?;
        self.write_rises(f)?;
        if let (count @ 1.., frames) = self.dropped() {
            let (count, frames) = (plural(count, "intersection"), plural(frames, "frame"));
            writeln!(
                f,
                "counted apart: {count} of dropped pairs in {frames} (contact.on_pinch: Drop)"
            )?;
        }
        let faulty = self.faulty_frames();
        let in_energy = faulty == 0 && self.rises.fault().is_some();
        let more = if in_energy { ", but in the energy of steps" } else { "" };
        write!(f, "{}{more}", verdict(faulty, self.frames.len()))
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, frame: &FrameCheck) -> fmt::Result {
    let number = frame.frame;
    match &frame.strain {
        Some(strain) => writeln!(
            f,
            "  {number:>5}  {:>13}  {:>9.3}  {:>13.3}  {:>12.3}",
            frame.intersections(),
            strain.stretch * 100.0,
            strain.compression * 100.0,
            strain.percentile_95 * 100.0,
        ),
        None => writeln!(f, "  {number:>5}  {:>13}", "-"),
    }
}

impl Report {
    fn write_faults(&self, f: &mut fmt::Formatter<'_>, frame: &FrameCheck) -> fmt::Result {
        let file = names::frame(frame.frame, FORMAT);
        if let Some(fault) = &frame.fault {
            writeln!(f, "{file}: {fault}")?;
        }
        if let Some(strain) = frame.strain.filter(|strain| strain.largest() > self.max_strain) {
            let (strain, limit) = (strain.largest() * 100.0, self.max_strain * 100.0);
            writeln!(f, "{file}: an edge is strained by {strain:.3} %, more than {limit} %")?;
        }
        let name = |object: u32| &self.run.objects[object as usize].name;
        if let Some((edge, count)) = &frame.absurd {
            let ([a, b], object) = (edge.vertices, name(edge.object as u32));
            let (length, rest) = (edge.length, edge.rest);
            write!(f, "{file}: edge ({a}, {b}) of {object} is {length} m long, at rest {rest} m")?;
            match count - 1 {
                0 => writeln!(f)?,
                more => writeln!(f, ", and {more} more")?,
            }
        }
        for (&[a, b], count) in &frame.counts {
            let count = plural(*count, "intersection");
            if a == b {
                writeln!(f, "{file}: {count} of {} with itself", name(a))?;
            } else {
                writeln!(f, "{file}: {count} between {} and {}", name(a), name(b))?;
            }
        }
        frame.first.iter().try_for_each(|found| self.write_intersection(f, found))?;
        match frame.intersections() - frame.first.len() {
            0 => {}
            more => writeln!(f, "    and {more} more")?,
        }
        if frame.folded.is_some() && frame.intersections() + frame.simulated > 0 {
            let count = plural(frame.simulated, "intersection");
            writeln!(f, "{file}: {count} of the triangles of the simulation")?;
        }
        Ok(())
    }

    fn write_folded(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = Vec::from_iter(self.frames.iter().filter(|it| it.folded.is_some()));
        let folded = frames.iter().filter_map(|it| Some((it.frame, it.folded?)));
        let count = folded.clone().map(|(_, (_, count))| count).max().unwrap_or_default();
        let angle = |(_, (folded, _)): &(u64, (Folded, usize))| folded.angle_deg;
        let most = folded.max_by(|a, b| angle(a).total_cmp(&angle(b)));
        let Some((frame, (folded, _))) = most else { return Ok(()) };
        let [a, b, c, d] = folded.quad.corners;
        writeln!(
            f,
            "warning: quads are folded by more than 90 degrees in {}, up to {count} in one; \
             the most, by {:.0} degrees, is ({a}, {b}, {c}, {d}) of {} in {}\n    \
             a viewer may cut them the other way than the simulation; \
             with --set output.polygons=Triangles frames hold the cut of the simulation",
            plural(frames.len(), "frame"),
            folded.angle_deg,
            self.run.objects[folded.object].name,
            names::frame(frame, FORMAT),
        )
    }

    fn write_rises(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = &self.rises.steps;
        for StepRise { step, frame, rise } in steps.iter().take(RISES) {
            let (vertex, object) = self.run.local(rise.vertex as u32);
            let [x, y, z] = rise.at_m;
            writeln!(
                f,
                "step {step} (frame {frame}): energy rose by {:.3e} J without work, more than {:.3e} J; \
                 vertex {vertex} of {object} at ({x:.6}, {y:.6}, {z:.6}) m got most",
                rise.unexplained_j, rise.limit_j
            )?;
        }
        match steps.len().saturating_sub(RISES) {
            0 => {}
            more => writeln!(f, "    and {more} more steps")?,
        }
        match self.rises.balance.is_fault() {
            true => writeln!(f, "{}", self.rises.balance.gain()),
            false => Ok(()),
        }
    }

    /// Vertices are numbered from 0 in their own objects, like in a scene.
    fn write_intersection(&self, f: &mut fmt::Formatter<'_>, found: &Intersection) -> fmt::Result {
        let name = |object: u32| &self.run.objects[object as usize].name;
        let [p, q] = found.edge.map(|vertex| self.run.local(vertex).0);
        let [a, b, c] = found.face.map(|vertex| self.run.local(vertex).0);
        let [of_edge, of_face] = found.objects.map(name);
        let place = found.place;
        writeln!(
            f,
            "    edge ({p}, {q}) of {of_edge} meets face ({a}, {b}, {c}) of {of_face} at ({:.6}, {:.6}, {:.6}) m",
            place.x, place.y, place.z
        )
    }
}

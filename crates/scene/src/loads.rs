//! Builds the loads of a cloth, and warns of those that pins take up.

use crate::select::Candidates;
use crate::spec::{Cloth, ForceSpec, MassSpec, PressureSpec};
use cloth_bodies::bodies::cloth::loads::{shares, whole_faces};
use cloth_bodies::bodies::cloth::setup::{
    ClothSetup, ExtraMass, Force, LoadSetup, Pressure, StartMotion,
};
use cloth_core::bounds::SPEED;
use cloth_core::error::{Error, Result};
use cloth_core::math::Vec3;

/// The loads of `cloth`, and its motion at the start. `at` is the path of the cloth in the scene.
///
/// # Errors
/// A load without a vertex or a face, a start that is too fast.
pub(super) fn build_loads(cloth: &Cloth, candidates: &Candidates, at: &str) -> Result<LoadSetup> {
    let force = |(i, load): (usize, &ForceSpec)| {
        let vertices = candidates.select(&load.select, &format!("{at}.forces[{i}].select"))?;
        let (force_n, amplitude) = (load.force_n.into(), load.amplitude.clone());
        Ok(Force { vertices, force_n, amplitude })
    };
    let pressure = |(i, load): (usize, &PressureSpec)| {
        let faces = pressed_faces(load, candidates, &format!("{at}.pressures[{i}].select"))?;
        let pressure_pa = load.pressure_pa * load.side.along_front_normal();
        Ok(Pressure { faces, pressure_pa, amplitude: load.amplitude.clone() })
    };
    let mass = |(i, load): (usize, &MassSpec)| {
        let vertices = candidates.select(&load.select, &format!("{at}.masses[{i}].select"))?;
        Ok(ExtraMass { vertices, mass_kg: load.mass_kg })
    };
    let start = StartMotion {
        velocity: cloth.velocity_m_per_s.into(),
        angular_velocity: cloth.angular_velocity_rad_per_s.into(),
    };
    check_start_speed(&start, candidates.positions, at)?;
    Ok(LoadSetup {
        forces: cloth.forces.iter().enumerate().map(force).collect::<Result<_>>()?,
        pressures: cloth.pressures.iter().enumerate().map(pressure).collect::<Result<_>>()?,
        masses: cloth.masses.iter().enumerate().map(mass).collect::<Result<_>>()?,
        start,
    })
}

fn pressed_faces(load: &PressureSpec, candidates: &Candidates, at: &str) -> Result<Vec<u32>> {
    let all = &candidates.surface.faces;
    let Some(select) = &load.select else { return Ok((0..all.len() as u32).collect()) };
    let faces = whole_faces(all, &candidates.select(select, at)?);
    if faces.is_empty() {
        let cause = "no face has all of its corners among the chosen vertices";
        return Err(Error::input(at, cause, "choose the three corners of each pressed face"));
    }
    Ok(faces)
}

/// Fails if a vertex at one of `positions` (m) may start with more than the largest speed.
fn check_start_speed(start: &StartMotion, positions: &[Vec3], at: &str) -> Result<()> {
    let first = positions.first().copied().unwrap_or_default();
    let low = positions.iter().fold(first, |low, p| low.inf(p));
    let high = positions.iter().fold(first, |high, p| high.sup(p));
    let of_turn = start.angular_velocity.norm() * (high - low).norm();
    let m_per_s = of_turn + start.velocity.norm();
    if m_per_s <= SPEED.most {
        return Ok(());
    }
    let field = if of_turn > 0.0 { "angular_velocity_rad_per_s" } else { "velocity_m_per_s" };
    let cause = format!("parts of the cloth start with up to {m_per_s:.3e} m/s");
    let remedy = format!("allowed are {} m/s: choose a smaller velocity", SPEED.most);
    Err(Error::input(format!("{at}.{field}"), cause, remedy))
}

/// Warnings about loads on vertices that pins hold from the start for ever. The pins take up the
/// force there, and carry the mass.
pub(super) fn held_loads(built: &ClothSetup, at: &str) -> Vec<String> {
    let mut held = vec![false; built.rest.len()];
    let always = built.pins.iter().filter(|pin| pin.start_s <= 0.0 && pin.end_s.is_infinite());
    always.flat_map(|pin| &pin.vertices).for_each(|&vertex| held[vertex as usize] = true);
    let warning = |list: &str, number: usize, vertices: &[u32]| {
        let of = shares(built, vertices);
        let count = of.iter().filter(|&&(vertex, _)| held[vertex as usize]).count();
        let what = match count {
            0 => return None,
            _ if count == of.len() => "all of its vertices are pinned, so it moves nothing".into(),
            _ => format!("{count} of its {} vertices are pinned", of.len()),
        };
        Some(format!("{at}.{list}[{number}]: {what}; the pins take up what acts there"))
    };
    let forces = built.loads.forces.iter().enumerate();
    let forces = forces.filter_map(|(i, load)| warning("forces", i, &load.vertices));
    let masses = built.loads.masses.iter().enumerate();
    let masses = masses.filter_map(|(i, load)| warning("masses", i, &load.vertices));
    forces.chain(masses).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::tests::{SQUARES, setup};

    const MESH: &str = "shape: Mesh(\"m.obj\")";

    fn cloth(fields: &str) -> Result<ClothSetup> {
        Ok(setup(&format!("{MESH}, {fields}"), SQUARES, 1)?.cloths.remove(0))
    }

    #[test]
    fn loads_choose_vertices_as_pins_do_and_pressure_whole_faces() {
        let loads = cloth(
            "forces: [(select: Vertices([0, 3]), force_n: (0, 2, 0), amplitude: [(factor: 2)])],
            pressures: [(side: Front, pressure_pa: 5),
                (select: Group(\"right\"), side: Back, pressure_pa: 7)],
            masses: [(select: Nearest((2, 0, 0)), mass_kg: 0.5)],
            velocity_m_per_s: (1, 2, 3), angular_velocity_rad_per_s: (0, 4, 0)",
        )
        .unwrap()
        .loads;
        assert_eq!((&loads.forces[0].vertices[..], loads.forces[0].force_n.y), (&[0, 3][..], 2.0));
        assert_eq!(loads.forces[0].amplitude[0].factor, 2.0);
        let pressures = &loads.pressures;
        assert_eq!((&pressures[0].faces[..], pressures[0].pressure_pa), (&[0, 1, 2, 3][..], -5.0));
        assert_eq!((&pressures[1].faces[..], pressures[1].pressure_pa), (&[2, 3][..], 7.0));
        assert_eq!((&loads.masses[0].vertices[..], loads.masses[0].mass_kg), (&[4][..], 0.5));
        assert_eq!(loads.start.velocity, Vec3::new(1.0, 2.0, 3.0));
        assert_eq!(loads.start.angular_velocity.y, 4.0);
    }

    #[test]
    fn loads_that_name_nothing_and_fast_starts_are_refused() {
        for (fields, place, cause) in [
            (
                "forces: [(select: Group(\"lef\"), force_n: (0, 1, 0))]",
                "cloths[0].forces[0].select",
                "did you mean `left`",
            ),
            (
                "masses: [(select: Vertices([9]), mass_kg: 1)]",
                "cloths[0].masses[0].select",
                "vertex 9, but the cloth has 6",
            ),
            (
                "pressures: [(select: Vertices([0, 1]), side: Back, pressure_pa: 1)]",
                "cloths[0].pressures[0].select",
                "no face has all of its corners",
            ),
            ("velocity_m_per_s: (9e3, 9e3, 0)", "cloths[0].velocity_m_per_s", "1.273e4 m/s"),
            (
                "angular_velocity_rad_per_s: (0, 9e3, 0)",
                "cloths[0].angular_velocity_rad_per_s",
                "2.012e4 m/s",
            ),
        ] {
            let message = cloth(fields).unwrap_err().to_string();
            assert!(message.contains(place) && message.contains(cause), "{fields}: {message}");
        }
    }

    #[test]
    fn loads_on_pinned_vertices_are_warned_of() {
        let loads = "forces: [(select: Vertices([0, 3]), force_n: (0, 2, 0))],
            masses: [(select: Vertices([0]), mass_kg: 0.5)]";
        let warnings = |pin: &str| {
            held_loads(&cloth(&format!("{loads}, pins: [{pin}]")).unwrap(), "cloths[0]")
        };
        assert!(warnings("(select: Vertices([1]))").is_empty());
        assert!(warnings("(select: Vertices([0]), end_s: 1)").is_empty());
        let said = warnings("(select: Vertices([0]))");
        assert_eq!(said.len(), 2);
        assert!(said[0].contains("cloths[0].forces[0]: 1 of its 2 vertices"), "{said:?}");
        assert!(said[1].contains("cloths[0].masses[0]: all of its vertices"), "{said:?}");
    }
}

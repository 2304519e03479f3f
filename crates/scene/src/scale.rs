//! Warns of numbers that no bound forbids but that look like mistakes: wrong units, a contact
//! distance that is large compared with the edges of a cloth, and triangles that bend wrongly.

use crate::bends::bend_warnings;
use crate::bodies::among_cloth::MANY;
use crate::bodies::check_turn;
use crate::fast_pins::fast_pins;
use crate::loads::held_loads;
use crate::samples::sample_warnings;
use crate::seam_order::crossed_threads;
use crate::spec::{Cloth, KeyframeSpec, MotionSpec, Scene, check_speed};
use crate::stray_lines::line_warnings;
use cloth_bodies::bodies::cloth::material::MaterialSpec;
use cloth_bodies::bodies::cloth::setup::ClothSetup;
use cloth_bodies::bodies::prescribed::{Motion, ObstacleSetup};
use cloth_bodies::bodies::{Body as _, Setup};
use cloth_bodies::contact::Distances;
use cloth_collision::collision::Moves;
use cloth_core::bounds::shown;
use cloth_core::error::{Error, Result};
use cloth_core::ids::VertexId;
use cloth_core::math::Vec3;
use cloth_core::mesh::shapes::Shape;

/// The largest contact distance, in short edges of a cloth (see [`Edges::short_m`]). Candidates
/// grow with its square. Two sheets of 10 x 10 cells on a sphere have 80 candidates for each
/// vertex at half an edge, and 800 at 1.5 edges (13 times as slow, and nothing crosses). At 2
/// edges they do not end in a minute.
const MOST_EDGES: f64 = 2.0;

/// The warnings about `scene`, whose bodies are `setup`, a line for each.
///
/// # Errors
/// A contact distance of more than two edges of a cloth, or a motion that turns by more than a
/// quarter in a time step or too fast.
pub fn scale_warnings(scene: &Scene, setup: &Setup) -> Result<Vec<String>> {
    let (mut warnings, step_s) = (Vec::new(), scene.largest_step_s());
    let distances = distances(scene, setup);
    for (i, (cloth, built)) in scene.cloths.iter().zip(&setup.cloths).enumerate() {
        let at = format!("cloths[{i}]");
        let size = size_warning(cloth, built, &at);
        let edges = Edges::new(built);
        warnings.extend(distance_warning(&distances, built, &edges, size.as_deref())?);
        // In another unit neither edges nor thickness are what they seem. One word is enough for
        // cloths that are alike.
        if size.is_none() && !scene.cloths[..i].iter().any(|known| is_alike(known, cloth)) {
            warnings.extend(bend_warnings(cloth, built, edges.median_m, scene.refine, &at));
        }
        warnings.extend(size);
        warnings.extend(material_warnings(&cloth.material, &format!("{at}.material")));
        warnings.extend(held_loads(built, &at));
        let spin = cloth.angular_velocity_rad_per_s.into();
        check_turn(&format!("{at}.angular_velocity_rad_per_s"), &spin, step_s)?;
        for (j, (pin, chosen)) in cloth.pins.iter().zip(&built.pins).enumerate() {
            let places = chosen.vertices.iter().map(|&vertex| built.positions[vertex as usize]);
            check_turns(pin.motion.as_ref(), &format!("{at}.pins[{j}]"), step_s, places)?;
        }
    }
    for (i, (obstacle, built)) in scene.obstacles.iter().zip(&setup.obstacles).enumerate() {
        let at = format!("obstacles[{i}]");
        check_turns(obstacle.motion.as_ref(), &at, step_s, built.placed())?;
    }
    warnings.extend(sample_warnings(scene, setup)?);
    warnings.extend(line_warnings(scene, setup));
    warnings.extend(crossed_threads(setup));
    warnings.extend(fast_pins(scene, setup));
    for (i, bodies) in scene.bodies.iter().enumerate() {
        let spec = bodies.motion_spec();
        let motion = spec.as_ref().map(|spec| Motion::Keyframes(spec.resolve()));
        let moved = setup.obstacles.iter().filter(|it| it.motion == motion);
        let places = moved.flat_map(ObstacleSetup::placed);
        check_turns(spec.as_ref(), &format!("bodies[{i}]"), step_s, places)?;
    }
    if setup.bodies.len() > MANY {
        let count = setup.bodies.len();
        warnings.push(format!(
            "bodies: each rank computes all {count} bodies; with fewer a step is faster"
        ));
    }
    Ok(warnings)
}

/// Whether two cloths have the same rest shape and the same material.
fn is_alike(one: &Cloth, other: &Cloth) -> bool {
    (&one.shape, &one.material, one.transform.scale, &one.rest, one.warp_axis)
        == (&other.shape, &other.material, other.transform.scale, &other.rest, other.warp_axis)
}

fn size_warning(cloth: &Cloth, built: &ClothSetup, at: &str) -> Option<String> {
    let first = *built.rest.first()?;
    let low = built.rest.iter().fold(first, |low, p| low.inf(p));
    let high = built.rest.iter().fold(first, |high, p| high.sup(p));
    let size_m = (high - low).amax();
    let (unit, factor) = match size_m {
        ..0.01 => ("kilometres", 1000.0),
        100.0.. => ("millimetres", 0.001),
        _ => return None,
    };
    let name = &built.name;
    let advice = match cloth.shape {
        Shape::Mesh(_) => format!(
            "are the mesh's units {unit}? Then write `scale: {}` in {at}.transform",
            cloth.transform.scale * factor
        ),
        _ => "lengths are in metres".to_owned(),
    };
    Some(format!("{at}: the largest size of `{name}` is {size_m} m; {advice}"))
}

/// Fields of a material with their values, the range of cloth, and advice.
fn material_warnings(material: &MaterialSpec, at: &str) -> Vec<String> {
    let density = |value: f64| {
        let advice = "is it in g/m^2? Cotton has 0.15 kg/m^2";
        ("density_kg_per_m2", value, 1e-3..20.0, "kg/m^2", advice)
    };
    let stretch = |field, value: f64| {
        let advice = "is it in Pa or MPa? It is Young's modulus (Pa) times thickness (m); \
                      cotton has 261 N/m";
        (field, value, 1.0..1e6, "N/m", advice)
    };
    let rigidity = |field, value: f64| {
        let advice = "is it in uN m? Cotton has 2.34e-6 N m";
        (field, value, 0.0..1.0, "N m", advice)
    };
    let fields = match material {
        MaterialSpec::Fabric(_) => vec![],
        MaterialSpec::Isotropic(it) => vec![
            density(it.density_kg_per_m2),
            stretch("modulus_n_per_m", it.modulus_n_per_m),
            rigidity("rigidity_n_m", it.rigidity_n_m),
        ],
        MaterialSpec::Orthotropic(it) => vec![
            density(it.density_kg_per_m2),
            stretch("warp_n_per_m", it.warp_n_per_m),
            stretch("weft_n_per_m", it.weft_n_per_m),
            rigidity("bending_warp_n_m", it.bending_warp_n_m),
            rigidity("bending_weft_n_m", it.bending_weft_n_m),
            rigidity("bending_twist_n_m", it.bending_twist_n_m),
        ],
    };
    let odd = fields.into_iter().filter(|(_, value, usual, ..)| !usual.contains(value));
    let warning = |(field, value, _, unit, advice)| {
        format!("{at}.{field}: {} {unit} is unusual for cloth; {advice}", shown(value))
    };
    odd.map(warning).collect()
}

/// Lengths of the edges of a cloth at rest, m.
struct Edges {
    shortest_m: f64,
    median_m: f64,
    /// Half of the vertices have an edge that is not longer.
    short_m: f64,
}

impl Edges {
    fn new(cloth: &ClothSetup) -> Self {
        let mut at_vertex = vec![f64::INFINITY; cloth.rest.len()];
        let mut lengths = Vec::with_capacity(cloth.topology.edges.len());
        for &[a, b] in &cloth.topology.edges {
            let edge: Vec3 = cloth.rest[b as usize] - cloth.rest[a as usize];
            lengths.push(edge.norm());
            for end in [a, b] {
                let least = &mut at_vertex[end as usize];
                *least = least.min(edge.norm());
            }
        }
        let shortest_m = lengths.iter().copied().fold(f64::INFINITY, f64::min);
        Self { shortest_m, median_m: median(lengths), short_m: median(at_vertex) }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    match values.is_empty() {
        true => f64::INFINITY,
        false => *values.select_nth_unstable_by(middle, f64::total_cmp).1,
    }
}

/// The contact distances of `scene`, whose bodies are `setup`.
fn distances(scene: &Scene, setup: &Setup) -> Distances {
    let cloths = setup.cloths.iter().map(|it| (Moves::Deforms, it.positions.len()));
    let bodies = setup.bodies.iter().map(|it| (Moves::Rigid, it.vertex_count()));
    let obstacles = setup.obstacles.iter().map(|it| (Moves::Prescribed, it.shape.len()));
    let mut end = 0;
    let surfaces = cloths.chain(bodies).chain(obstacles).map(|(moves, count)| {
        end += count as VertexId;
        (moves, end)
    });
    let factors = setup.vertex_factors(|factors| &factors.distance);
    Distances::new(scene.contact.distance_m, &setup.touch, factors, &Vec::from_iter(surfaces))
}

/// The warning about the largest contact distance, which is that of the search, compared with the
/// edges of `cloth`. `size` is the warning about its size, if there is one; it then is the cause.
///
/// # Errors
/// More than [`MOST_EDGES`] short edges.
fn distance_warning(
    distances: &Distances,
    cloth: &ClothSetup,
    edges: &Edges,
    size: Option<&str>,
) -> Result<Option<String>> {
    let (&Edges { shortest_m, median_m, short_m }, name) = (edges, &cloth.name);
    let (distance_m, at) = match distances.own {
        None => (distances.most_m, "contact.distance_m"),
        Some(_) => (distances.most_m, "the largest contact distance"),
    };
    if distance_m > MOST_EDGES * short_m {
        let cause = format!(
            "{distance_m} m is more than {MOST_EDGES} times {short_m:.3e} m, and half of the vertices of \
             `{name}` have an edge no longer than that (the shortest one has {shortest_m:.3e} m); each \
             vertex would touch too much of its own cloth"
        );
        let choose =
            format!("choose at most half of an edge ({:.1e} m), or a coarser mesh", 0.5 * short_m);
        let remedy = size.map_or(choose, str::to_owned);
        return Err(Error::input(at, cause, remedy));
    }
    Ok((distance_m > 0.5 * median_m).then(|| {
        format!(
            "{at}: {distance_m} m is more than half of the median edge of `{name}`, \
             {median_m:.3e} m (the shortest one has {shortest_m:.3e} m); steps take long, and folds \
             of one cloth come nearer than that; choose a smaller distance or a coarser mesh"
        )
    }))
}

/// Fails if a motion turns too far in a step of `step_s` (s), or if that moves one of `places` (m,
/// before any motion) too fast.
fn check_turns(
    motion: Option<&MotionSpec>,
    at: &str,
    step_s: f64,
    places: impl Iterator<Item = Vec3>,
) -> Result<()> {
    let Some(motion) = motion else { return Ok(()) };
    let turn = |key: &KeyframeSpec| {
        let axis = Vec3::from(key.axis);
        axis.normalize() * key.angle_deg
    };
    let center = Vec3::from(motion.center_m);
    let reach_m = places.map(|place| (place - center).norm()).fold(0.0, f64::max);
    for (i, two) in motion.keyframes.windows(2).enumerate() {
        let (whole, time_s) = (turn(&two[1]) - turn(&two[0]), two[1].time_s - two[0].time_s);
        let of_step = whole.norm() * (step_s / time_s).min(1.0);
        let place = format!("{at}.motion.keyframes[{}].angle_deg", i + 1);
        if of_step > 90.0 || of_step.is_nan() {
            let cause = format!("the motion turns by {of_step:.3e} degrees in a time step");
            let remedy = "choose a smaller angle, a later key, or more steps_per_frame";
            return Err(Error::input(place, cause, remedy));
        }
        check_speed(&place, whole.norm().to_radians() * reach_m / time_s)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{build, parse};
    use std::path::Path;

    fn warnings(fields: &str, contact: &str) -> Result<Vec<String>> {
        let text = format!(
            "(cloths: [(name: \"a\", shape: Sheet(width_m: 1, length_m: 1, columns: 10, rows: 10), {fields})],
              contact: ({contact}))"
        );
        let scene = parse(&text, "s.ron")?;
        scale_warnings(&scene, &build(&scene, Path::new("."))?)
    }

    #[test]
    fn slips_of_units_are_named_with_field_and_value() {
        let cotton = "material: Fabric(\"cotton\")";
        assert_eq!(warnings(cotton, "").unwrap(), [""; 0]);
        let of = |fields: &str| warnings(fields, "").unwrap().join("\n");
        assert!(
            of(&format!("{cotton}, transform: (scale: 200)"))
                .contains("cloths[0]: the largest size of `a` is 200 m")
        );
        let small = warnings(&format!("{cotton}, transform: (scale: 0.002)"), "").unwrap_err();
        assert!(small.to_string().contains("help: cloths[0]: the largest size of `a` is 0.002 m"));
        let slip = "material: Isotropic(density_kg_per_m2: 200, modulus_n_per_m: 8e6, poisson_ratio: 0.3, rigidity_n_m: 2.3)";
        let said = of(slip);
        for part in [
            "density_kg_per_m2: 200 kg/m^2",
            "modulus_n_per_m: 8000000 N/m",
            "rigidity_n_m: 2.3 N m",
        ] {
            assert!(said.contains(&format!("cloths[0].material.{part}")), "{said}");
        }
        let said = of(
            "material: Isotropic(density_kg_per_m2: 0.2, modulus_n_per_m: 0.8, poisson_ratio: 0.3, rigidity_n_m: 0)",
        );
        assert!(said.contains("modulus_n_per_m: 0.8 N/m") && said.lines().count() == 1, "{said}");
    }

    /// Two cloths that are alike, 0.1 m wide, 1 mm thick in effect.
    #[test]
    fn triangles_that_bend_wrongly_are_named_once_with_a_remedy() {
        let said = |cells: u32, diagonal: &str| {
            let cloth = |name: &str| {
                format!(
                    "(name: \"{name}\", shape: Sheet(width_m: 0.1, length_m: 0.1, columns: {cells}, \
                     rows: {cells}, diagonal: {diagonal}), material: Isotropic(density_kg_per_m2: 0.2, \
                     modulus_n_per_m: 500, poisson_ratio: 0.3, rigidity_n_m: 4.2e-5))"
                )
            };
            let text = format!("(cloths: [{}, {}])", cloth("a"), cloth("b"));
            let scene = parse(&text, "s.ron").unwrap();
            scale_warnings(&scene, &build(&scene, Path::new(".")).unwrap()).unwrap().join("\n")
        };
        assert_eq!(said(20, "Same"), "");
        let locked = said(20, "Alternating");
        assert!(
            locked.lines().count() == 1 && locked.contains("cloths[0]: bends of `a`"),
            "{locked}"
        );
        assert!(locked.contains("the worst is face") && locked.contains("`refine: 2`"), "{locked}");
        let few = said(4, "Same");
        assert!(few.lines().count() == 1 && few.contains("4.0 median edges long"), "{few}");
    }

    #[test]
    fn motions_of_rigid_bodies_that_turn_too_fast_are_refused() {
        let text = r#"(
            bodies: [
                (shape: Sphere(radius_m: 0.1), material: "glass"),
                (shape: Sphere(radius_m: 0.1), material: "glass", arrangement: At([(0.5, 0, 0)]),
                 motion: Keyframed(keyframes: [(), (time_s: 1, angle_deg: 1e7)])),
            ],
            materials: [(name: "glass", density_kg_per_m3: 2500)],
        )"#;
        let scene = parse(text, "s.ron").unwrap();
        let setup = build(&scene, Path::new(".")).unwrap();
        let error = scale_warnings(&scene, &setup).unwrap_err().to_string();
        assert!(error.contains("bodies[1].motion.keyframes[1].angle_deg"), "{error}");
    }

    #[test]
    fn a_turn_about_a_far_centre_is_as_fast_as_what_it_moves() {
        let pin = |center_m: &str| {
            let motion =
                format!("(center_m: {center_m}, keyframes: [(), (time_s: 1, angle_deg: 90)])");
            let pins = format!("pins: [(select: Nearest((0, 0, 0)), motion: {motion})]");
            warnings(&format!("material: Fabric(\"cotton\"), {pins}"), "")
        };
        assert_eq!(pin("(1, 0, 0)").unwrap(), [""; 0]);
        assert!(pin("(1000, 0, 0)").is_ok());
        let said = pin("(1e6, 0, 0)").unwrap_err().to_string();
        let expected = "cloths[0].pins[0].motion.keyframes[1].angle_deg: the motion to this key has a \
                        speed of 1.571e6 m/s";
        assert!(said.contains(expected), "{said}");
    }

    #[test]
    fn a_contact_distance_is_compared_with_the_edges() {
        let cotton = "material: Fabric(\"cotton\")";
        assert_eq!(warnings(cotton, "distance_m: 0.049").unwrap(), [""; 0]);
        let said = warnings(cotton, "distance_m: 0.06").unwrap().join("\n");
        assert!(said.contains("0.06 m") && said.contains("1.000e-1 m"), "{said}");
        let said = warnings(cotton, "distance_m: 0.21").unwrap_err().to_string();
        assert!(
            said.contains("contact.distance_m: 0.21 m is more than 2 times 1.000e-1"),
            "{said}"
        );
    }
}

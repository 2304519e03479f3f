//! Room `workers` in the library and in the real program: frames depend on the scene and the number
//! of workers, never on ranks; sets follow the contacts; bad settings give clear errors; workers
//! that agree on impulses have the physics of the domain run; workers with another engine have its own.

mod auto;
mod chain_net;
#[path = "../common/mod.rs"]
mod common;
mod engines;
mod impulses;
mod mechanics;
mod place;
mod properties;
mod published;
#[cfg(feature = "rapier")]
mod rapier;
mod residual;
mod runs;
mod springs;
mod steps;

/// 27 boxes and two balls that fall on a floor and on each other, with more `fields` of the scene.
fn heap(fields: &str) -> String {
    format!(
        r#"Scene(frames: 5, frames_per_second: 25, steps_per_frame: 20, seed: 4, bodies: [
            (name: "boxes", shape: Box(size_m: (0.1, 0.1, 0.1)), material: "oak",
             velocity: Random(max_m_per_s: 1),
             arrangement: Grid(count: (3, 3, 3), origin_m: (-0.13, 0.1, -0.13), spacing_m: 0.13)),
            (name: "balls", shape: Sphere(radius_m: 0.1), material: "oak",
             arrangement: At([(0, 0.53, 0), (0.1, 0.8, 0)])),
        ], materials: [(name: "oak", density_kg_per_m3: 700, friction: 0.4)],
        domain: (min_m: (-0.4, 0, -0.4), max_m: (0.4, 2, 0.4)), {fields})"#
    )
}

/// Two balls that meet in the middle, bounce, and part.
fn two_balls(fields: &str) -> String {
    let ball = |name: &str, x: f64, speed: f64| {
        format!(
            r#"(name: "{name}", shape: Sphere(radius_m: 0.1), material: "glass",
                arrangement: At([({x}, 0.5, 0)]), velocity: Constant(m_per_s: ({speed}, 0, 0)))"#
        )
    };
    let (left, right) = (ball("left", -0.2, 1.0), ball("right", 0.2, -1.0));
    format!(
        r#"Scene(frames: 10, frames_per_second: 25, gravity_m_per_s2: (0, 0, 0),
            bodies: [{left}, {right}],
            materials: [(name: "glass", density_kg_per_m3: 2500, restitution: 1)], {fields})"#
    )
}

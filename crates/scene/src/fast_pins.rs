//! Warns of pins that leap: on the way to a key they are faster than anything that is held.

use crate::spec::Scene;
use cloth_bodies::bodies::Setup;
use cloth_bodies::bodies::cloth::pins::Follow;
use cloth_bodies::bodies::cloth::setup::{ClothSetup, Pin};
use cloth_bodies::bodies::prescribed::{Keyframe, KeyframedMotion, Motion, SampledMotion};
use cloth_core::math::Vec3;

/// Faster pins are warned of, m/s. A hand in a throw has about this speed.
const FAST: f64 = 10.0;

/// The fastest way to a key or a sample.
struct Fastest {
    m_per_s: f64,
    /// The time of the key or sample, s.
    time_s: f64,
}

/// The warnings about pins of `scene`, whose bodies are `setup`: one for each pin.
pub(super) fn fast_pins(scene: &Scene, setup: &Setup) -> Vec<String> {
    let mut warnings = Vec::new();
    for (i, (cloth, built)) in scene.cloths.iter().zip(&setup.cloths).enumerate() {
        for (j, (spec, pin)) in cloth.pins.iter().zip(&built.pins).enumerate() {
            let Some(Fastest { m_per_s, time_s }) = fastest(built, pin, setup) else { continue };
            if m_per_s <= FAST {
                continue;
            }
            let what = match &spec.follow {
                Some(obstacle) => format!("the obstacle `{obstacle}` that it follows"),
                None => "it".to_owned(),
            };
            warnings.push(format!(
                "cloths[{i}].pins[{j}] of `{}`: {what} leaps: {m_per_s:.1} m/s on the way to {time_s:.3} s; \
                 give it more time, or it tears the cloth along",
                built.name
            ));
        }
    }
    warnings
}

/// The fastest way of a `pin` of `cloth` while it holds.
fn fastest(cloth: &ClothSetup, pin: &Pin, setup: &Setup) -> Option<Fastest> {
    let places = || pin.vertices.iter().map(|&vertex| cloth.positions[vertex as usize]);
    if let Some(motion) = &pin.motion {
        return by_keys(motion, pin, pin.start_s, places());
    }
    let follow = pin.follow.as_ref()?;
    let obstacle = setup.obstacles.get(follow.obstacle)?;
    match obstacle.motion.as_ref()? {
        Motion::Keyframes(motion) => by_keys(motion, pin, 0.0, places()),
        Motion::Samples(motion) => by_samples(motion, pin, follow, obstacle.placement.scale),
    }
}

/// The fastest way of the points that `pin` follows from sample to sample of a `motion`. Samples
/// are larger by `scale` in the scene.
fn by_samples(motion: &SampledMotion, pin: &Pin, follow: &Follow, scale: f64) -> Option<Fastest> {
    let feet = |sample: usize| {
        let x = Vec::from_iter(motion.cache.sample(sample));
        Vec::from_iter(follow.points.iter().map(|point| point.foot(&x)))
    };
    let (mut before, mut fastest) = (feet(0), None::<Fastest>);
    for sample in 1..motion.cache.samples() {
        let now = feet(sample);
        let ways_m = before.iter().zip(&now).map(|(from, to)| scale * (to - from).norm());
        let m_per_s = ways_m.fold(0.0, f64::max) / motion.sample_s;
        let time_s = motion.start_s + motion.sample_s * sample as f64;
        let is_held = time_s > pin.start_s && time_s - motion.sample_s < pin.end_s;
        if is_held && fastest.as_ref().is_none_or(|known| m_per_s > known.m_per_s) {
            fastest = Some(Fastest { m_per_s, time_s });
        }
        before = now;
    }
    fastest
}

/// The fastest way of a `motion` from key to key while `pin` holds. It moves vertices that are at
/// `places` (m) at `start_s` (s).
fn by_keys(
    motion: &KeyframedMotion,
    pin: &Pin,
    start_s: f64,
    places: impl Iterator<Item = Vec3>,
) -> Option<Fastest> {
    let before = motion.at(start_s).inverse();
    let reach_m = places.map(|x| (before.apply(x) - motion.center).norm()).fold(0.0, f64::max);
    let turn = |key: &Keyframe| key.axis.try_normalize(0.0).unwrap_or_default() * key.angle_deg;
    let held = motion
        .keyframes
        .windows(2)
        .filter(|two| two[1].time_s > pin.start_s && two[0].time_s < pin.end_s);
    let speeds = held.map(|two| {
        let way_m = (two[1].translation - two[0].translation).norm();
        let turn_m = (turn(&two[1]) - turn(&two[0])).norm().to_radians() * reach_m;
        let time_s = two[1].time_s;
        Fastest { m_per_s: way_m.max(turn_m) / (time_s - two[0].time_s), time_s }
    });
    speeds.max_by(|a, b| a.m_per_s.total_cmp(&b.m_per_s))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{build, parse, scale_warnings};

    #[test]
    fn pins_that_leap_are_named_with_time_and_speed() {
        let said = |pin: &str, ball: &str| {
            let text = format!(
                "(cloths: [(shape: Sheet(width_m: 1, length_m: 1, columns: 9, rows: 9), material: \
                 Fabric(\"cotton\"), pins: [(select: Vertices([0])), (select: Vertices([99]), {pin})])], \
                 obstacles: [(name: \"ball\", shape: Sphere(radius_m: 0.1), {ball})])"
            );
            let scene = parse(&text, "s.ron").unwrap();
            let scene = crate::complete(scene, Path::new("s.ron")).unwrap();
            let setup = build(&scene, Path::new(".")).unwrap();
            scale_warnings(&scene, &setup).unwrap().join("\n")
        };
        let to = |time_s: f64| {
            format!(
                "motion: (keyframes: [(), (time_s: 0.5), (time_s: {time_s}, translation_m: (0, 1, 0))])"
            )
        };
        assert_eq!(said(&to(0.61), ""), "");
        let leap = said(&to(0.52), "");
        let expected = "cloths[0].pins[1] of `sheet`: it leaps: 50.0 m/s on the way to 0.520 s";
        assert!(leap.contains(expected), "{leap}");
        // It holds later.
        assert_eq!(said(&format!("start_s: 0.6, {}", to(0.52)), ""), "");
        let followed = said("follow: \"ball\"", &to(0.52));
        assert!(followed.contains("pins[1] of `sheet`: the obstacle `ball` that it"), "{followed}");
        let whirl = "motion: (keyframes: [(), (time_s: 1, angle_deg: 1440)])";
        assert!(said(whirl, "").contains("leaps: 17.8 m/s"), "{}", said(whirl, ""));
    }
}

//! Springs that are stretched by several times the size of their bodies, on ranks and workers.

use crate::common::run::{Start, assert_says, finish};
use crate::place::{Place, REFERENCE};

/// Three balls on two springs, which fly apart by 0.6 m and swing back, with more `fields`.
pub fn scene(fields: &str) -> String {
    let ball = |name: &str, x: f64, velocity: &str| {
        format!(
            r#"(name: "{name}", shape: Sphere(radius_m: 0.06), material: "oak",
                arrangement: At([({x}, 1, 0)]), velocity: Constant(m_per_s: {velocity}))"#
        )
    };
    let balls =
        [("a", -0.15, "(-5, 1, 0)"), ("b", 0.0, "(0, -1, 0.5)"), ("c", 0.15, "(5, 0, -0.5)")];
    let balls = balls.map(|(name, x, velocity)| ball(name, x, velocity)).join(",");
    format!(
        r#"Scene(frames: 8, frames_per_second: 20, steps_per_frame: 50, bodies: [{balls}],
            gravity_m_per_s2: (0, 0, 0), materials: [(name: "oak", density_kg_per_m3: 1000)],
            joints: [
                (kind: Ball, bodies: Pair("a", "b"), compliance_m_per_n: 0.016),
                (kind: Distance(), bodies: Pair("c", "b"), compliance_m_per_n: 0.016),
            ],
            domain: (min_m: (-2, -1, -2), max_m: (2, 3, 2){fields}))"#
    )
}

#[test]
fn long_springs_have_the_same_bits_on_any_ranks() {
    let shadow = "synchronisation=ShadowOwner";
    let place = Place::new(&scene(""));
    let reference = place.run(REFERENCE, "Domain", &[]);
    let is_gone = |left: &serde_json::Value| left.as_u64() != Some(0);
    assert!(!reference.left.iter().any(is_gone));
    for (ranks, division, method) in [
        (2, "PowerCells", shadow),
        (3, "PowerCells", shadow),
        (3, "Grid(8, 3, 2)", shadow),
        (2, "Grid(2, 1, 1)", "synchronisation=NextNeighbour"),
    ] {
        let division = format!("domain.method={division}");
        let more = ["--set", &division, "--set", method];
        let outcome = place.run(Start::Threads(ranks, 1), "Domain", &more);
        assert_eq!(outcome.hashes, reference.hashes, "{ranks} ranks, {division}");
    }
    // A run goes on from a state in which the springs are long.
    place.run(Start::Threads(2, 1), "Domain", &["--frames", "3", "--set", shadow]);
    let output = place.resume(&["--frames", "8", "--ranks", "3", "--threads", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(place.outcome().hashes, reference.hashes, "after a restart");
    let outcome = place.run(REFERENCE, "Workers(count: 1)", &[]);
    for (name, bytes) in reference.files.iter().filter(|(name, _)| name.starts_with("frame_")) {
        assert!(outcome.files[name] == *bytes, "{name}");
    }
}

#[test]
fn a_spring_that_copies_cannot_follow_is_named() {
    let output = finish(&mut Place::new(&scene(", method: Grid(8, 1, 1)")).command(
        Start::Threads(2, 1),
        "Domain",
        &[],
    ));
    let words = ["joint 0 (body 0 and 1)", "it is stretched by", "0.5 m", "ShadowOwner"];
    assert_says(&output, &words);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("apart"), "{output:?}");
    let periodic = ", borders: (Periodic, Open, Open)";
    let narrow = Place::new(&scene(periodic));
    let text = std::fs::read_to_string(&narrow.scene).expect("the scene");
    let text = text.replace("(-2, -1", "(-0.5, -1").replace("(2, 3", "(0.5, 3");
    std::fs::write(&narrow.scene, text).expect("the scene");
    let output = finish(&mut narrow.command(REFERENCE, "Domain", &[]));
    assert_says(
        &output,
        &["joint 1 (body 2 and 1)", "along a period of 1 m", "smaller compliance"],
    );
}

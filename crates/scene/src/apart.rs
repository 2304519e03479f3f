//! Objects that do not touch each other, although they might.

use crate::spec::Scene;
use cloth_bodies::bodies::{Body as _, Setup};
use cloth_collision::collision::Moves;
use cloth_core::bounds::did_you_mean;
use cloth_core::error::{Error, Result};

/// The largest number of pairs of single objects.
const MOST: usize = 1_000_000;

impl Scene {
    /// The pairs of `apart`, in words. None if there are none.
    pub fn apart_in_words(&self) -> Option<String> {
        let pairs = self.apart.iter().map(|(a, b)| match a == b {
            true => format!("`{a}` and itself"),
            false => format!("`{a}` and `{b}`"),
        });
        let pairs = Vec::from_iter(pairs);
        (!pairs.is_empty()).then(|| pairs.join(", "))
    }

    /// Checks that no pair is listed twice.
    ///
    /// # Errors
    /// The first one that is.
    pub(super) fn validate_apart(&self) -> Result<()> {
        for (i, (a, b)) in self.apart.iter().enumerate() {
            let is_same = |(c, d): &&(String, String)| (c, d) == (a, b) || (c, d) == (b, a);
            if self.apart[..i].iter().any(|other| is_same(&other)) {
                let cause = format!("the pair `{a}`, `{b}` is listed twice");
                return Err(Error::input(format!("apart[{i}]"), cause, "write each pair once"));
            }
        }
        Ok(())
    }
}

/// An object that has a name in the scene.
struct Named<'a> {
    name: &'a str,
    moves: Moves,
}

impl Named<'_> {
    /// Whether `name` is its name, or that of its group: `plate` for `plate[2]`.
    fn is(&self, name: &str) -> bool {
        let rest = self.name.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || self.group() == Some(name))
    }

    fn group(&self) -> Option<&str> {
        let (group, number) = self.name.strip_suffix(']')?.rsplit_once('[')?;
        number.bytes().all(|it| it.is_ascii_digit()).then_some(group)
    }
}

/// The pairs of objects of `setup` that `scene` keeps apart, by their names.
///
/// # Errors
/// A name that no object has, objects that never touch each other, too many pairs.
pub(super) fn kept_apart(scene: &Scene, setup: &Setup) -> Result<Vec<[String; 2]>> {
    let cloths = setup.cloths.iter().map(|it| (it.name.as_str(), Moves::Deforms));
    let bodies = setup.bodies.iter().map(|it| (it.name(), Moves::Rigid));
    let obstacles = setup.obstacles.iter().map(|it| (it.name.as_str(), Moves::Prescribed));
    let all = cloths.chain(bodies).chain(obstacles).map(|(name, moves)| Named { name, moves });
    let all = Vec::from_iter(all);
    let mut pairs = Vec::new();
    for (i, (first, second)) in scene.apart.iter().enumerate() {
        let at = format!("apart[{i}]");
        let [a, b] = [first, second].map(|name| objects(&all, name, &at));
        let (a, b, before) = (a?, b?, pairs.len());
        for &one in &a {
            let is_same = |other: &Named| std::ptr::eq(one, other);
            let meeting = b.iter().filter(|it| one.moves.meets(it.moves, is_same(it)));
            pairs.extend(meeting.map(|other| [one.name.to_owned(), other.name.to_owned()]));
            if pairs.len() > MOST {
                let cause = format!("there are more than {MOST} pairs of single objects");
                return Err(Error::input(at, cause, "choose fewer bodies"));
            }
        }
        if pairs.len() == before {
            let cause = match first == second {
                true => format!("`{first}` never touches itself"),
                false => format!("`{first}` and `{second}` never touch each other"),
            };
            return Err(Error::input(at, cause, "leave the pair out"));
        }
    }
    Ok(pairs)
}

/// The objects that `name` names.
fn objects<'a, 'b>(all: &'b [Named<'a>], name: &str, at: &str) -> Result<Vec<&'b Named<'a>>> {
    let found = Vec::from_iter(all.iter().filter(|it| it.is(name)));
    if !found.is_empty() {
        return Ok(found);
    }
    let mut names = Vec::from_iter(all.iter().map(|it| it.group().unwrap_or(it.name)));
    names.dedup();
    let cause = format!("there is no cloth, body or obstacle `{name}`");
    Err(Error::input(at, cause, did_you_mean(name, &names)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{build, parse};

    /// What is kept apart in a scene with a cloth, three bodies and two obstacles.
    fn pairs(apart: &str) -> Result<Vec<String>, String> {
        let text = format!(
            r#"(cloths: [(name: "skirt", shape: Sheet(width_m: 1, length_m: 1, columns: 2, rows: 2),
                transform: (translation_m: (0, 3, 0)), material: Fabric("cotton"))],
              obstacles: [(name: "floor", shape: Plane(width_m: 4, length_m: 4)),
                (name: "ball", shape: Sphere(radius_m: 0.1, edge_m: 0.1), transform: (translation_m: (0, 9, 0)))],
              bodies: [(name: "egg", shape: Sphere(radius_m: 0.1), material: "stone",
                arrangement: At([(0, 1, 0), (1, 1, 0)])),
                (name: "eggcup", shape: Sphere(radius_m: 0.1), material: "stone",
                arrangement: At([(-1, 1, 0)]))],
              materials: [(name: "stone", density_kg_per_m3: 2000)], apart: {apart})"#
        );
        let built = parse(&text, "s.ron").and_then(|scene| build(&scene, Path::new(".")));
        let setup = built.map_err(|error| error.to_string())?;
        Ok(setup.kept_apart.iter().map(|[a, b]| format!("{a} {b}")).collect())
    }

    #[test]
    fn a_name_stands_for_an_object_or_for_all_bodies_of_a_group() {
        let of = |apart| pairs(apart).unwrap();
        assert_eq!(of(r#"[("skirt", "skirt")]"#), ["skirt skirt"]);
        assert_eq!(of(r#"[("egg", "floor")]"#), ["egg[0] floor", "egg[1] floor"]);
        assert_eq!(
            of(r#"[("egg[1]", "eggcup"), ("skirt", "ball")]"#),
            ["egg[1] eggcup", "skirt ball"]
        );
        assert_eq!(of(r#"[("egg", "egg")]"#), ["egg[0] egg[1]", "egg[1] egg[0]"]);
    }

    #[test]
    fn names_that_are_unknown_and_pairs_that_never_touch_are_refused() {
        for (apart, cause) in [
            (r#"[("skrit", "floor")]"#, "no cloth, body or obstacle `skrit`"),
            (r#"[("skrit", "floor")]"#, "did you mean `skirt`"),
            (r#"[("skirt", "")]"#, "apart[0]"),
            (r#"[("ball", "floor")]"#, "`ball` and `floor` never touch each other"),
            (r#"[("eggcup", "eggcup")]"#, "`eggcup` never touches itself"),
        ] {
            let said = pairs(apart).unwrap_err();
            assert!(said.contains(cause), "{apart}: {said}");
        }
    }
}

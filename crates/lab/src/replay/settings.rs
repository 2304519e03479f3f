//! The settings of a recording with changes: `--set collision.field=value`.

use cloth_core::error::{Error, Result};
use cloth_scene::CollisionSettings;
use cloth_scene::check::Validate;
use serde::{Deserialize, Serialize};

use cloth_sim::program::overrides::set_fields;

/// The part of a scene that a replay can change.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CollisionOnly {
    collision: CollisionSettings,
}

/// The `recorded` settings with `overrides`, which are written like in a scene.
///
/// # Errors
/// A path that names no field of `collision`, a value of a wrong kind, a field out of bounds.
pub fn changed(recorded: CollisionSettings, overrides: &[String]) -> Result<CollisionSettings> {
    if let Some(setting) = overrides.iter().find(|setting| !setting.starts_with("collision.")) {
        return Err(Error::input(
            format!("--set {setting}"),
            "a replay can only change fields of `collision`",
            "write a field of `collision`, such as --set collision.b=4",
        ));
    }
    let validate = |fields: &CollisionOnly| fields.collision.validate();
    let fields = set_fields(CollisionOnly { collision: recorded }, overrides, validate)?;
    validate(&fields)?;
    Ok(fields.collision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_sim::program::overrides;

    const MINIMAL: &str = "Scene(cloths: [(
        shape: Sheet(width_m: 1, length_m: 1, columns: 2, rows: 2),
        material: Fabric(\"cotton\"),
    )])";

    #[test]
    fn collision_alone_has_the_bounds_that_it_has_in_a_scene() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drape.ron");
        std::fs::write(&path, MINIMAL).unwrap();
        for (set, cause) in [
            ("collision.b=0", "collision.b: 0 is not positive"),
            ("collision.polling_interval_us=0", "collision.polling_interval_us: 0 is not positive"),
            ("collision.polling_interval_us=-1", "collision.polling_interval_us: -1 is not posit"),
            ("collision.polling_interval_us=1e26", "are more than a second"),
            (
                "collision.victim_order=Random(-1)",
                "invalid value: integer `-1`, expected a whole number",
            ),
            ("collision.c=1", "unknown field `c`"),
        ] {
            let in_scene = overrides::load(&path, &[set.to_owned()]).unwrap_err().to_string();
            let alone = changed(CollisionSettings::default(), &[set.to_owned()]);
            let alone = alone.unwrap_err().to_string();
            assert!(in_scene.contains(cause) && alone.contains(cause), "{in_scene} {alone}");
        }
        let set = ["collision.a=3", "collision.victim_order=Random(7)"].map(str::to_owned);
        let changed = changed(CollisionSettings::default(), &set).unwrap();
        let victim_order = cloth_scene::VictimOrder::Random(7);
        assert_eq!(
            changed,
            CollisionSettings { a: 3, victim_order, ..CollisionSettings::default() }
        );
    }
}

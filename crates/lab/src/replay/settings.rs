//! The settings of a recording with changes: `--set collision.field=value`.

use cloth_collision::stealing::StealingSettings;
use cloth_core::bounds::{at_least_one, positive};
use cloth_core::error::{Error, Result};
use serde::{Deserialize, Serialize};

use cloth_sim::program::overrides::set_fields;

/// What a replay can change.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CollisionOnly {
    collision: StealingSettings,
}

/// The `recorded` settings with `overrides`, which are written like in a scene.
///
/// # Errors
/// A path that names no field of `collision`, a value of a wrong kind, a field out of bounds.
pub fn changed(recorded: StealingSettings, overrides: &[String]) -> Result<StealingSettings> {
    if let Some(setting) = overrides.iter().find(|setting| !setting.starts_with("collision.")) {
        return Err(Error::input(
            format!("--set {setting}"),
            "a replay can only change fields of `collision`",
            "write a field of `collision`, such as --set collision.b=4",
        ));
    }
    let fields = set_fields(CollisionOnly { collision: recorded }, overrides, check)?;
    check(&fields)?;
    Ok(fields.collision)
}

fn check(CollisionOnly { collision }: &CollisionOnly) -> Result<()> {
    at_least_one("collision.b", collision.b)?;
    positive("collision.polling_interval_us", collision.polling_interval_us)?;
    if collision.polling_interval_us <= 1e6 {
        return Ok(());
    }
    let cause = format!("{:?} us are more than a second", collision.polling_interval_us);
    Err(Error::input("collision.polling_interval_us", cause, "choose about 10"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_collision::stealing::VictimOrder;

    #[test]
    fn a_field_out_of_bounds_is_named() {
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
            let alone = changed(StealingSettings::default(), &[set.to_owned()]);
            let alone = alone.unwrap_err().to_string();
            assert!(alone.contains(cause), "{alone}");
        }
        let set = ["collision.a=3", "collision.victim_order=Random(7)"].map(str::to_owned);
        let changed = changed(StealingSettings::default(), &set).unwrap();
        let victim_order = VictimOrder::Random(7);
        assert_eq!(changed, StealingSettings { a: 3, victim_order, ..StealingSettings::default() });
    }
}

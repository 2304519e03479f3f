//! Checks where numbers come from, and what fields of a pin go together.

use crate::check::loads::not_negative_factors;
use crate::spec::{Numbers, PinSpec};
use cloth_core::error::{Error, Result};
use cloth_core::settings::Check;

impl Check for Numbers {
    fn check(&self, at: &str) -> Result<()> {
        match self {
            Self::Select(select) => select.check(at),
            Self::Csv(_) | Self::Colour(_) => Ok(()),
        }
    }
}

impl PinSpec {
    pub(crate) fn check_use(&self, at: &str) -> Result<()> {
        not_negative_factors(&self.strength, &format!("{at}.strength"))?;
        if let Some(end_s) = self.end_s.filter(|end_s| *end_s <= self.start_s) {
            let cause =
                format!("the pin ends at {end_s} s, before it starts at {} s", self.start_s);
            return Err(Error::input(format!("{at}.end_s"), cause, "choose a later end"));
        }
        let of_springs = "it is for the springs of a pin, and this one holds its vertices exactly";
        let give = "give stiffness_n_per_m too, or leave it out";
        let (is_held, follows) = (self.stiffness_n_per_m.is_none(), self.follow.is_some());
        let (field, cause, remedy) = if is_held && self.weights.is_some() {
            ("weights", of_springs, give)
        } else if is_held && !self.strength.is_empty() {
            ("strength", of_springs, give)
        } else if follows && self.motion.is_some() {
            ("motion", "vertices that follow an obstacle have no other motion", "leave it out")
        } else if follows && self.start_s != 0.0 {
            (
                "start_s",
                "vertices that follow an obstacle are held from the start on",
                "leave it out",
            )
        } else {
            return Ok(());
        };
        Err(Error::input(format!("{at}.{field}"), cause, remedy))
    }
}

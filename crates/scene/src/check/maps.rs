//! Checks the maps and the pins of a cloth.

use crate::check::loads::check_amplitude;
use crate::spec::{MapSpec, Numbers, PinSpec};
use cloth_core::bounds::*;
use cloth_core::error::{Error, Result};

impl MapSpec {
    pub(super) fn validate(&self, at: &str) -> Result<()> {
        within(&format!("{at}.low"), self.low, FACTOR)?;
        within(&format!("{at}.high"), self.high, FACTOR)?;
        self.from.validate(&format!("{at}.from"))
    }
}

impl Numbers {
    fn validate(&self, at: &str) -> Result<()> {
        match self {
            Self::Select(select) => select.validate(at),
            Self::Csv(_) | Self::Colour(_) => Ok(()),
        }
    }
}

impl PinSpec {
    pub(super) fn validate(&self, at: &str) -> Result<()> {
        self.select.validate(&format!("{at}.select"))?;
        within(&format!("{at}.start_s"), self.start_s, TIME)?;
        if let Some(end_s) = self.end_s {
            within(&format!("{at}.end_s"), end_s, TIME)?;
            if end_s <= self.start_s {
                let cause =
                    format!("the pin ends at {end_s} s, before it starts at {} s", self.start_s);
                return Err(Error::input(format!("{at}.end_s"), cause, "choose a later end"));
            }
        }
        self.motion.as_ref().map_or(Ok(()), |motion| motion.validate(&format!("{at}.motion")))?;
        self.validate_springs(at)?;
        self.validate_follow(at)
    }

    fn validate_springs(&self, at: &str) -> Result<()> {
        let Some(stiffness) = self.stiffness_n_per_m else {
            let field = match (&self.weights, self.strength.is_empty()) {
                (Some(_), _) => "weights",
                (None, false) => "strength",
                (None, true) => return Ok(()),
            };
            let cause = "it is for the springs of a pin, and this one holds its vertices exactly";
            let remedy = "give stiffness_n_per_m too, or leave it out";
            return Err(Error::input(format!("{at}.{field}"), cause, remedy));
        };
        positive_within(&format!("{at}.stiffness_n_per_m"), stiffness, STIFFNESS)?;
        self.weights.as_ref().map_or(Ok(()), |from| from.validate(&format!("{at}.weights")))?;
        check_amplitude(&self.strength, &format!("{at}.strength"))?;
        for (i, key) in self.strength.iter().enumerate() {
            not_negative(&format!("{at}.strength[{i}].factor"), key.factor, FACTOR)?;
        }
        Ok(())
    }

    fn validate_follow(&self, at: &str) -> Result<()> {
        let (field, cause) = match (&self.follow, &self.motion) {
            (Some(_), Some(_)) => {
                ("motion", "vertices that follow an obstacle have no other motion")
            }
            (Some(_), None) if self.start_s != 0.0 => {
                ("start_s", "vertices that follow an obstacle are held from the start on")
            }
            _ => return Ok(()),
        };
        Err(Error::input(format!("{at}.{field}"), cause, "leave it out"))
    }
}

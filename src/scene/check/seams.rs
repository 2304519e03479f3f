//! Checks the numbers of seams.

use crate::bounds::*;
use crate::error::{Error, Result};
use crate::scene::spec::{Scene, SeamSpec, Stitches};

impl Scene {
    pub(super) fn validate_seams(&self) -> Result<()> {
        let seams = self.seams.iter().enumerate();
        seams.map(|(i, seam)| (format!("seams[{i}]"), seam)).try_for_each(|(at, seam)| {
            seam.validate(&at)?;
            self.check_gap(seam, &format!("{at}.gap_m"))
        })
    }

    /// Fails if contacts would hold a seam open.
    fn check_gap(&self, seam: &SeamSpec, at: &str) -> Result<()> {
        let Some(gap_m) = seam.gap_m else { return Ok(()) };
        positive_within(at, gap_m, LENGTH)?;
        if gap_m < self.contact.distance_m {
            let most = shown(self.contact.distance_m);
            let cause = format!("{} is less than contact.distance_m, {most}", shown(gap_m));
            let remedy = "contacts would hold the seam open; make it at least that distance";
            return Err(Error::input(at, cause, remedy));
        }
        if seam.weld == Some(true) && gap_m > 2.0 * self.contact.distance_m {
            let cause = format!("vertices {} m apart would become one at once", shown(gap_m));
            let remedy = "leave gap_m out, or choose at most two contact distances";
            return Err(Error::input(at, cause, remedy));
        }
        Ok(())
    }
}

impl SeamSpec {
    fn validate(&self, at: &str) -> Result<()> {
        positive_within(&format!("{at}.close_s"), self.close_s, TIME)?;
        let stiffness = self.stiffness_n_per_m2;
        positive_within(&format!("{at}.stiffness_n_per_m2"), stiffness, SEAM_STIFFNESS)?;
        positive_within(&format!("{at}.most_n_per_m"), self.most_n_per_m, SEAM_FORCE)?;
        if let Stitches::Between { first, second } = &self.stitches {
            first.select.validate(&format!("{at}.stitches.first.select"))?;
            second.select.validate(&format!("{at}.stitches.second.select"))?;
        }
        Ok(())
    }
}

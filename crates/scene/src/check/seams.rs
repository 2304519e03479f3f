//! Checks the numbers of seams.

use crate::distances::DistanceTable;
use crate::spec::{Scene, SeamSpec, Stitches};
use cloth_core::bounds::shown;
use cloth_core::error::{Error, Result};
use cloth_core::settings::Check;

impl Scene {
    pub(super) fn validate_seams(&self) -> Result<()> {
        let distances = DistanceTable::new(self)?;
        let seams = self.seams.iter().enumerate();
        self.seams.check("seams")?;
        seams
            .map(|(i, seam)| (format!("seams[{i}].gap_m"), seam))
            .try_for_each(|(at, seam)| self.check_gap(seam, &distances, &at))
    }

    /// Fails if contacts would hold a seam open.
    fn check_gap(&self, seam: &SeamSpec, distances: &DistanceTable, at: &str) -> Result<()> {
        let Some(gap_m) = seam.gap_m else { return Ok(()) };
        let cloths = match &seam.stitches {
            Stitches::Lines(name) => [name, name],
            Stitches::Between { first, second } => [&first.cloth, &second.cloth],
            Stitches::Pairs { first, second, .. } => [first, second],
        };
        let [a, b] = cloths.map(|name| {
            let cloth = self.cloths.iter().find(|cloth| cloth.name.as_ref() == Some(name));
            self.material(cloth.and_then(|cloth| cloth.touch.as_deref()))
        });
        let distance_m = distances.between_m(a, b);
        if gap_m < distance_m {
            return Err(held_open(at, gap_m, distance_m, distances.has_own));
        }
        if seam.weld == Some(true) && gap_m > 2.0 * distance_m {
            let cause = format!("vertices {} m apart would become one at once", shown(gap_m));
            let remedy = "leave gap_m out, or choose at most two contact distances";
            return Err(Error::input(at, cause, remedy));
        }
        Ok(())
    }
}

/// The error of a gap of a seam (m) that is less than the contact distance of its cloths (m).
pub(crate) fn held_open(at: &str, gap_m: f64, distance_m: f64, has_own: bool) -> Error {
    let of = if has_own { "the contact distance of its cloths" } else { "contact.distance_m" };
    let cause = format!("{} is less than {of}, {}", shown(gap_m), shown(distance_m));
    let remedy = "contacts would hold the seam open; make it at least that distance";
    Error::input(at, cause, remedy)
}

//! Bounds of single settings, each with its message. `at` is the path of the field in the scene.

use crate::{Error, Result, Vec3};

/// A remedy for an unknown word: the known word nearest to `found`, if it is near, and all known
/// words.
pub fn did_you_mean(found: &str, known: &[&str]) -> String {
    // Input can be of any length.
    let found = found.chars().take(100).collect::<String>().to_lowercase();
    let likeness = |word: &str| {
        let word = word.to_lowercase();
        // Units are often left out.
        let begins = !found.is_empty() && word.starts_with(&found);
        let is_meant = |(begin, meant): &(&str, &str)| found.starts_with(begin) && word == *meant;
        f64::from(begins || SYNONYMS.iter().any(is_meant))
            + strsim::normalized_damerau_levenshtein(&found, &word)
    };
    let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest {
        Some(near) if likeness(near) > 0.4 => {
            format!("did you mean `{near}`? Known here: {}", known.join(", "))
        }
        Some(_) => format!("known here: {}", known.join(", ")),
        None => "there is none to choose from".to_owned(),
    }
}

/// Beginnings of what other programs call fields, and the fields.
const SYNONYMS: [(&str, &str); 9] = [
    ("width", "size_m"),
    ("height", "size_m"),
    ("depth", "size_m"),
    ("length", "size_m"),
    ("height", "length_m"),
    ("diameter", "radius_m"),
    ("position", "translation_m"),
    ("location", "translation_m"),
    ("fps", "frames_per_second"),
];

/// Choices that hold a text: their names, and what the text is.
const OF_TEXTS: [(&str, &str); 3] =
    [("Fabric", "a fabric"), ("Mesh", "a mesh file"), ("Group", "a group of the mesh")];

/// Choices that are gone, and what does their work.
const GONE: [(&str, &str); 1] = [(
    "Drop",
    "cloth passes no obstacle; leave faces out by `without` of an obstacle, or pairs of objects by \
     `apart`, or let one wait with `Hold`",
)];

/// The remedy for `found`, which stands where one of the choices `known` is expected.
pub fn choice_meant(found: &str, known: &[&str]) -> String {
    if let Some((_, instead)) = GONE.iter().find(|(name, _)| *name == found) {
        return format!("{instead}; known here: {}", known.join(", "));
    }
    let is_file = found.contains('.');
    let is_name = found.starts_with(char::is_lowercase) && !is_file;
    let fits = |name: &str| known.contains(&name) && if name == "Mesh" { is_file } else { is_name };
    let is_known = known.iter().any(|it| it.eq_ignore_ascii_case(found));
    match OF_TEXTS.iter().find(|(name, _)| fits(name) && !is_known) {
        Some((name, what)) => {
            let found = found.chars().take(100).collect::<String>();
            format!("write {name}({found:?}) for {what}; known here: {}", known.join(", "))
        }
        None => did_you_mean(found, known),
    }
}

/// The largest magnitude of one kind of number. A number beyond it is a mistake, or the arithmetic
/// has too few digits for it, or a step does not end.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// The largest value.
    pub most: f64,
    /// The unit of the numbers.
    pub unit: &'static str,
}

impl Bound {
    /// The same bound of another kind of number.
    pub const fn of(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }
}

const fn bound(most: f64, unit: &'static str) -> Bound {
    Bound { most, unit }
}

/// Bound of positions and sizes. The spacing of doubles there is 1e-10 m, a hundred thousandth of
/// the usual clearance.
pub const LENGTH: Bound = bound(1e6, "m");
/// Bound of the speed of bodies, motions and wind: thirty times the speed of sound. Paths in a
/// step, and so the number of candidates, grow with the speed.
pub const SPEED: Bound = bound(1e4, "m/s");
/// Bound of accelerations. In the longest step it changes a velocity by 5e5 m/s.
pub const ACCELERATION: Bound = bound(1e6, "m/s^2");
/// Bound of times: thirty years. The spacing of doubles there is 1e-7 s.
pub const TIME: Bound = bound(1e9, "s");
/// Bound of frequencies. A spring of more is stiff enough to crush cloth.
pub const FREQUENCY: Bound = bound(1e3, "Hz");
/// Bound of angles. The spacing of doubles there is 1e-7 degrees.
pub const ANGLE: Bound = bound(1e9, "degrees");
/// Bound of rest angles of folds. Near half a turn an angle could be followed to the wrong side.
pub const FOLD: Bound = bound(170.0, "degrees");
/// Bound of scales: from micrometres to metres, and back.
pub const FACTOR: Bound = bound(1e6, "");
/// Bound of coefficients of friction. Far below it nothing slides any more.
pub const FRICTION: Bound = bound(1e6, "");
/// Bound of masses per area: a steel plate 100 m thick.
pub const AREA_DENSITY: Bound = bound(1e6, "kg/m^2");
/// Bound of densities: ten thousand times the density of gold.
pub const DENSITY: Bound = bound(1e9, "kg/m^3");
/// Bound of stiffnesses: a steel plate 5 m thick. Together with the stiffness of cloth, solves
/// lose all digits far below it.
pub const STIFFNESS: Bound = bound(1e12, "N/m");
/// Bound of strain limits. Cloth that may be stretched to more than its double length needs none.
pub const STRAIN_LIMIT: Bound = bound(1.0, "(0.05 is 5 %)");
/// The smallest strain limit. Below it the solver has too few digits for its stiffness.
pub const SMALLEST_STRAIN_LIMIT: f64 = 1e-4;
/// Bound of flexural rigidities: a steel plate 4 m thick.
pub const RIGIDITY: Bound = bound(1e12, "N m");
/// Bound of compliances: a spring that a gram stretches by ten kilometres.
pub const COMPLIANCE: Bound = bound(1e6, "m/N");
/// Bound of damping rates. It stops all motion in a microsecond.
pub const DAMPING_RATE: Bound = bound(1e6, "1/s");
/// Bound of damping times. It stops all stretching of any cloth.
pub const DAMPING_TIME: Bound = bound(1e6, "s");
/// Bound of drags: a million times the drag of air.
pub const DRAG: Bound = bound(1e6, "N s/m^3");
/// Bound of coefficients of quadratic drag. A plate across the flow has about 2.
pub const DRAG_COEFFICIENT: Bound = bound(1e6, "");
/// Bound of forces on cloth: the weight of a hundred tons.
pub const FORCE: Bound = bound(1e6, "N");
/// Bound of forces for each metre of a seam.
pub const SEAM_FORCE: Bound = bound(1e6, "N/m");
/// Bound of stiffnesses of seams. A seam of more is stiffer than any cloth.
pub const SEAM_STIFFNESS: Bound = bound(1e12, "N/m^2");
/// Bound of pressures on cloth: ten times that of the atmosphere.
pub const PRESSURE: Bound = bound(1e6, "Pa");
/// Bound of masses on cloth: a thousand tons.
pub const MASS: Bound = bound(1e6, "kg");
/// Bound of angular velocities. The speed of what they turn has a bound of its own.
pub const ANGULAR_SPEED: Bound = bound(1e6, "rad/s");

/// A time step is at most this long, s. Beyond it, cloth moves so far that a step takes minutes.
pub const LONGEST_STEP_S: f64 = 0.5;
/// A time step is at least this long, s. In it the fastest bodies move by about a clearance.
pub const SHORTEST_STEP_S: f64 = 1e-9;
/// The largest number of steps of a frame. The counters of all these steps are in memory until the
/// frame is written.
pub const MOST_STEPS_PER_FRAME: u32 = 100_000;
/// The largest number of frames. All frames are files in one folder.
pub const MOST_FRAMES: u32 = 1_000_000;
/// The largest refinement. A triangle becomes as many triangles as the square of this number.
pub const MOST_REFINE: u32 = 64;
/// The smallest relative residual. Rounding leaves a larger one.
pub const SMALLEST_RESIDUAL: f64 = 1e-15;
/// The largest number of sweeps. Piles rest with twenty.
pub const MOST_SWEEPS: u32 = 100_000;
/// The largest clearance, as a part of the contact distance.
pub const MOST_CLEARANCE: f64 = 0.1;
/// The smallest clearance, m. It is near the rounding errors of positions.
pub const SMALLEST_CLEARANCE_M: f64 = 1e-10;
/// The largest number of subdomains. Every rank holds the list of all.
pub const MOST_SUBDOMAINS: f64 = 1e6;

/// `value` as a user would write it.
pub fn shown(value: f64) -> String {
    match value.abs() {
        0.0 | 1e-5..1e9 => value.to_string(),
        _ => format!("{value:e}"),
    }
}

/// The numbers of a field: one, those of a vector, or none.
pub trait Numbers: Copy {
    /// Checks each number.
    ///
    /// # Errors
    /// Those of `check`.
    fn each(self, check: impl Fn(f64) -> Result<()> + Copy) -> Result<()>;
}

impl Numbers for f64 {
    fn each(self, check: impl Fn(f64) -> Result<()> + Copy) -> Result<()> {
        check(self)
    }
}

impl Numbers for [f64; 3] {
    fn each(self, check: impl Fn(f64) -> Result<()> + Copy) -> Result<()> {
        self.into_iter().try_for_each(check)
    }
}

impl Numbers for Vec3 {
    fn each(self, check: impl Fn(f64) -> Result<()> + Copy) -> Result<()> {
        self.iter().copied().try_for_each(check)
    }
}

impl<N: Numbers> Numbers for Option<N> {
    fn each(self, check: impl Fn(f64) -> Result<()> + Copy) -> Result<()> {
        self.map_or(Ok(()), |numbers| numbers.each(check))
    }
}

/// Not NaN, not infinite.
pub fn finite(at: &str, numbers: impl Numbers) -> Result<()> {
    numbers.each(|value| {
        if value.is_finite() {
            return Ok(());
        }
        Err(Error::input(at, format!("{value} is not a finite number"), "write a finite number"))
    })
}

/// Finite and not beyond `bound`.
pub fn within(at: &str, numbers: impl Numbers, Bound { most, unit }: Bound) -> Result<()> {
    numbers.each(|value| {
        finite(at, value)?;
        if value.abs() <= most {
            return Ok(());
        }
        // An example in brackets is said once.
        let of_value = if unit.starts_with('(') { "" } else { unit };
        let text = |value: f64, unit| format!("{} {unit}", shown(value)).trim_end().to_owned();
        let (value, most) = (text(value, of_value), text(most, unit));
        let cause = format!("{value} is out of bounds: the largest magnitude is {most}");
        let remedy = "write a smaller number; docs/scene.md names the unit of the field";
        Err(Error::input(at, cause, remedy))
    })
}

/// Above zero.
pub fn positive(at: &str, numbers: impl Numbers) -> Result<()> {
    numbers.each(|value| {
        finite(at, value)?;
        if value > 0.0 {
            return Ok(());
        }
        let cause = format!("{} is not positive", shown(value));
        Err(Error::input(at, cause, "write a number above zero"))
    })
}

/// Above zero and within `bound`.
pub fn positive_within(at: &str, numbers: impl Numbers, bound: Bound) -> Result<()> {
    positive(at, numbers).and_then(|()| within(at, numbers, bound))
}

/// Zero or above, and within `bound`.
pub fn not_negative(at: &str, numbers: impl Numbers, bound: Bound) -> Result<()> {
    numbers.each(|value| {
        finite(at, value)?;
        if value >= 0.0 {
            return within(at, value, bound);
        }
        let cause = format!("{} is negative", shown(value));
        Err(Error::input(at, cause, "write zero or a number above it"))
    })
}

/// A count above zero.
pub fn at_least_one(at: &str, value: impl Into<u64>) -> Result<()> {
    if value.into() > 0 {
        return Ok(());
    }
    Err(Error::input(at, "0 is not positive", "write a whole number above zero"))
}

/// A count up to `most`.
pub fn at_most(at: &str, value: u32, most: u32) -> Result<()> {
    if value <= most {
        return Ok(());
    }
    Err(Error::input(at, format!("{value} are too many"), format!("choose at most {most}")))
}

/// A count from one to `most`. `advice` is added to the remedy for a larger one.
pub fn count(at: &str, value: u32, most: u32, advice: &str) -> Result<()> {
    at_least_one(at, value)?;
    if value <= most {
        return Ok(());
    }
    Err(Error::input(at, format!("{value} are too many"), format!("choose at most {most}{advice}")))
}

/// A number of cells along a side, few enough for 32-bit numbers of vertices, faces and corners.
pub fn cells(at: &str, value: u32) -> Result<()> {
    count(at, value, 10_000, "")
}

/// A vector that can be normalized.
pub fn direction(at: &str, value: [f64; 3]) -> Result<()> {
    finite(at, value)?;
    let length = Vec3::from(value).norm();
    if length.is_normal() {
        return Ok(());
    }
    Err(Error::input(
        at,
        "this vector is zero, or too short or too long to have a direction",
        "write a vector with a length of about 1",
    ))
}

/// Times of keys in ascending order.
pub fn ascending(at: &str, times: impl Iterator<Item = f64>) -> Result<()> {
    let mut last = f64::NEG_INFINITY;
    for (i, time) in times.enumerate() {
        let at = format!("{at}[{i}].time_s");
        within(&at, time, TIME)?;
        if time <= last {
            let (time, last) = (shown(time), shown(last));
            let cause = format!("{time} s is not after the key before it ({last} s)");
            return Err(Error::input(
                at,
                cause,
                "order the keys by rising time, without equal times",
            ));
        }
        last = time;
    }
    Ok(())
}

//! Settings of a scene. [`settings!`](crate::settings!) declares each field once: what it means, its
//! default, its range.
//!
//! ```
//! use cloth_core::bounds::{DENSITY, DRAG, not_negative, positive_within};
//! use cloth_core::settings::Check;
//!
//! cloth_core::settings! {
//!     /// The air of a scene.
//!     pub struct Air {
//!         /// Drag along a face's normal, N s/m^3.
//!         pub drag_n_s_per_m3: f64 = 0.0 => not_negative(DRAG),
//!         /// Density of the air, kg/m^3.
//!         pub density_kg_per_m3: f64 = 1.2 => positive_within(DENSITY),
//!     }
//! }
//! let air = Air { density_kg_per_m3: -1.0, ..Air::default() };
//! assert!(air.check("air").unwrap_err().to_string().contains("air.density_kg_per_m3"));
//! ```
//!
//! A field without `= default` must be in the scene, or has an attribute of serde. What follows `=>`
//! is a function of [`bounds`](crate::bounds) without its first two arguments, `checked` for settings
//! of their own, or `keys` for those with rising times. `struct Pin, also Pin::check_follow` names a method for what concerns
//! several fields.

use crate::bounds::Bound;
use crate::error::Result;

/// Settings that a scene checks before its bodies are built.
pub trait Check {
    /// Checks all numbers. `at` is the path of these settings in the scene; empty for the scene.
    ///
    /// # Errors
    /// The first field that is out of bounds, by its path.
    fn check(&self, at: &str) -> Result<()>;

    /// Checks a list of these settings.
    ///
    /// # Errors
    /// As for [`Self::check`].
    fn check_list(list: &[Self], at: &str) -> Result<()>
    where
        Self: Sized,
    {
        list.iter().enumerate().try_for_each(|(i, it)| it.check(&format!("{at}[{i}]")))
    }

    /// The fields whose ranges have a unit, and the unit.
    fn units() -> Vec<(&'static str, &'static str)>
    where
        Self: Sized,
    {
        Vec::new()
    }
}

impl<T: Check> Check for Vec<T> {
    fn check(&self, at: &str) -> Result<()> {
        T::check_list(self, at)
    }
}

impl<T: Check> Check for Option<T> {
    fn check(&self, at: &str) -> Result<()> {
        self.as_ref().map_or(Ok(()), |it| it.check(at))
    }
}

/// The path of a field of the settings `at` a path.
pub fn path(at: &str, field: &str) -> String {
    if at.is_empty() { field.to_owned() } else { format!("{at}.{field}") }
}

/// An argument of a range, which may have a unit.
pub trait OfRange {
    /// The unit, if it has one.
    fn unit(&self) -> Option<&'static str> {
        None
    }
}

impl OfRange for Bound {
    fn unit(&self) -> Option<&'static str> {
        Some(self.unit)
    }
}

impl OfRange for u32 {}
impl OfRange for &str {}

/// Declares settings; see the [module](mod@crate::settings).
#[macro_export]
macro_rules! settings {
    (@range $of:ident, $at:ident, $field:ident, checked) => {
        $crate::settings::Check::check(&$of.$field, &$crate::settings::path($at, stringify!($field)))?;
    };
    (@range $of:ident, $at:ident, $field:ident, keys) => {
        let path = $crate::settings::path($at, stringify!($field));
        $crate::bounds::ascending(&path, $of.$field.iter().map(|key| key.time_s))?;
        $crate::settings::Check::check(&$of.$field, &path)?;
    };
    (@range $of:ident, $at:ident, $field:ident, $range:ident $(, $bound:expr)*) => {
        $range(&$crate::settings::path($at, stringify!($field)), $of.$field $(, $bound)*)?;
    };
    (
        $(#[$on:meta])*
        pub struct $Name:ident $(, also $also:path)? {
            $(
                $(#[$of:meta])*
                pub $field:ident: $Type:ty = $default:expr $(=> $range:ident $(($($bound:expr),+))?)?,
            )+
        }
    ) => {
        $crate::settings! {
            $(#[$on])*
            #[serde(default)]
            pub struct $Name $(, also $also)? {
                $($(#[$of])* pub $field: $Type $(=> $range $(($($bound),+))?)?,)+
            }
        }

        impl Default for $Name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }
    };
    (
        $(#[$on:meta])*
        pub struct $Name:ident $(, also $also:path)? {
            $(
                $(#[$of:meta])*
                pub $field:ident: $Type:ty $(=> $range:ident $(($($bound:expr),+))?)?,
            )+
        }
    ) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        $(#[$on])*
        #[serde(deny_unknown_fields)]
        pub struct $Name {
            $($(#[$of])* pub $field: $Type,)+
        }

        impl $crate::settings::Check for $Name {
            fn check(&self, at: &str) -> $crate::error::Result<()> {
                $($($crate::settings!(@range self, at, $field, $range $($(, $bound)+)?);)?)+
                $($also(self, at)?;)?
                Ok(())
            }

            fn units() -> Vec<(&'static str, &'static str)> {
                let all: &[(&str, Option<&'static str>)] = &[$($($($((
                    stringify!($field),
                    $crate::settings::OfRange::unit(&$bound),
                ),)+)?)?)+];
                all.iter().filter_map(|(field, unit)| Some((*field, (*unit)?))).collect()
            }
        }
    };
}

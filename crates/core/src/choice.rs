//! Choices of a scene whose settings are structs of their own, such as `Sheet(width_m: 1, ..)`.
//!
//! serde reads such a text only into an enum that declares all fields itself. Its derived code
//! for an enum of structs wants `Sheet((width_m: 1, ..))`. RON's extension
//! `unwrap_variant_newtypes` would drop the inner parentheses, but then RON no longer reads
//! `Some((..))` and `Nearest((x, y, z))`. So these enums read their choices by the code here.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, MapAccess, VariantAccess, Visitor};

/// Reads the fields of a choice into the struct of its settings.
pub fn settings<'de, T: Deserialize<'de>, A: VariantAccess<'de>>(choice: A) -> Result<T, A::Error> {
    choice.struct_variant(&[], Fields(PhantomData))
}

struct Fields<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("fields in parentheses")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields))
    }
}

/// Implements `Deserialize` for an enum of choices with a text, choices with nothing, and choices
/// with settings. `$name` is the enum's name in messages.
#[macro_export]
macro_rules! deserialize_choice {
    (
        $Choice:ident, $name:literal, [$($Text:ident),*], [$($Unit:ident),*], [$($Kind:ident),+]
    ) => {
        impl<'de> serde::Deserialize<'de> for $Choice {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                #[serde(variant_identifier)]
                enum Kind { $($Text,)* $($Unit,)* $($Kind),+ }

                struct Choice;

                impl<'de> serde::de::Visitor<'de> for Choice {
                    type Value = $Choice;

                    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                        f.write_str(concat!("enum ", $name))
                    }

                    fn visit_enum<A: serde::de::EnumAccess<'de>>(
                        self,
                        choice: A,
                    ) -> std::result::Result<$Choice, A::Error> {
                        match choice.variant()? {
                            $((Kind::$Text, text) => {
                                serde::de::VariantAccess::newtype_variant(text).map($Choice::$Text)
                            })*
                            $((Kind::$Unit, nothing) => {
                                serde::de::VariantAccess::unit_variant(nothing)
                                    .map(|()| $Choice::$Unit)
                            })*
                            $((Kind::$Kind, fields) => {
                                $crate::choice::settings(fields).map($Choice::$Kind)
                            })+
                        }
                    }
                }

                from.deserialize_enum($name, $Choice::NAMES, Choice)
            }
        }
    };
}

pub use deserialize_choice;

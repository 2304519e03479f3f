//! What a run writes.

use std::fmt;

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use cloth_core::settings;

/// How positions are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Digits {
    /// Nine significant digits.
    #[default]
    Nine,
    /// As many digits as the same `f64` needs.
    Exact,
}

/// The polygons of the frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Polygons {
    /// The triangles of the simulation. Every viewer draws them as they are.
    #[default]
    Triangles,
    /// Triangles, and quadrilaterals of the input. They are cut from their first to their third
    /// corner.
    Quads,
}

/// A field of the vertices of cloth, besides the velocity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum VertexField {
    /// The strain of an edge at the vertex: the strain with the largest absolute value.
    Strain,
    /// Number of active contacts of the vertex in the last step.
    Contact,
    /// The rank that owns the vertex. A frame with this field depends on the number of ranks.
    Rank,
}

settings! {
    /// What is written.
    #[derive(Eq)]
    pub struct Output {
        /// The formats of frames; the program knows which there are. The default is `obj` for cloth
        /// and `vtp` for rigid bodies.
        #[serde(alias = "format")]
        pub formats: Option<FormatNames> = None,
        /// The fields of cloth, in formats that hold fields.
        pub fields: Vec<VertexField> = vec![VertexField::Strain, VertexField::Contact],
        /// Precision of positions in the frames.
        pub digits: Digits = Digits::default(),
        /// The polygons of the frames of cloth.
        pub polygons: Polygons = Polygons::default(),
        /// Whether energies are measured in every step.
        pub energy: bool = false,
        /// Whether the forces of contacts and joints are written beside frames.
        pub forces: bool = false,
    }
}

impl Output {
    /// The names of the formats. Empty if the scene is not completed.
    pub fn format_names(&self) -> &[String] {
        self.formats.as_ref().map_or(&[], |formats| &formats.0)
    }
}

/// Names of formats, at least one. A scene may write a single name without brackets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct FormatNames(pub Vec<String>);

impl<'de> Deserialize<'de> for FormatNames {
    fn deserialize<D: Deserializer<'de>>(names: D) -> Result<Self, D::Error> {
        names.deserialize_any(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = FormatNames;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of names, such as [\"obj\", \"usd\"]")
    }

    fn visit_str<E>(self, name: &str) -> Result<FormatNames, E> {
        Ok(FormatNames(vec![name.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<FormatNames, A::Error> {
        let mut all = Vec::new();
        while let Some(name) = names.next_element()? {
            all.push(name);
        }
        match all.is_empty() {
            true => Err(A::Error::custom("the list of formats is empty: name at least one")),
            false => Ok(FormatNames(all)),
        }
    }
}

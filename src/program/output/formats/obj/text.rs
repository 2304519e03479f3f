//! The text of an OBJ file: the documents of the input with new positions. Each frame formats only
//! its `v` lines. All other lines are formatted once.

use std::collections::HashSet;
use std::io::{self, Write};

use cloth_core::ids::NONE;
use cloth_core::math::Vec3;
use cloth_core::mesh::ObjDocument;
use cloth_core::mesh::obj::{Corner, Group, NO_MATERIAL};
use cloth_scene::spec::Digits;

use crate::program::output::formats::nine_digits::push_nine;

/// Text is written in pieces of about this many bytes, to limit memory.
const PIECE: usize = 1 << 20;

/// Several objects of one OBJ file, ready to be written with any positions.
#[derive(Debug, Clone)]
pub struct ObjText {
    objects: Vec<ObjectText>,
    digits: Digits,
}

#[derive(Debug, Clone)]
struct ObjectText {
    head: String,
    tail: String,
    vertices: usize,
}

impl ObjText {
    /// Prepares objects with these names. If a document itself names its object, that name is used
    /// instead. If a name is taken already, the given name and a dot are put before it.
    pub fn new(objects: &[(impl AsRef<str>, &ObjDocument)], digits: Digits) -> Self {
        let mut text = Text::default();
        let mut libraries: Vec<_> = objects.iter().flat_map(|(_, it)| &it.libraries).collect();
        libraries.sort();
        libraries.dedup();
        let mut texts: Vec<_> =
            objects.iter().map(|(name, document)| text.object(name.as_ref(), document)).collect();
        if let Some(first) = texts.first_mut() {
            let lines = libraries.iter().map(|library| format!("mtllib {}\n", library.display()));
            first.head.insert_str(0, &lines.collect::<String>());
        }
        Self { objects: texts, digits }
    }

    /// Writes one file. `positions` has the positions of the vertices (m) of each object, in the
    /// order of the objects.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write(&self, positions: &[&[Vec3]], out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let mut text = Vec::new();
        for (object, positions) in self.objects.iter().zip(positions) {
            debug_assert_eq!(object.vertices, positions.len());
            text.clear();
            text.extend_from_slice(object.head.as_bytes());
            for position in *positions {
                text.push(b'v');
                for &coordinate in position {
                    text.push(b' ');
                    push_number(&mut text, coordinate, self.digits)?;
                }
                text.push(b'\n');
                if text.len() > PIECE {
                    out.write_all(&text)?;
                    text.clear();
                }
            }
            out.write_all(&text)?;
            out.write_all(object.tail.as_bytes())?;
        }
        Ok(())
    }
}

/// The counts, names and settings of the file up to the present line.
#[derive(Default)]
struct Text {
    vertices: usize,
    texcoords: usize,
    names: HashSet<String>,
    group: Option<String>,
    material: Option<String>,
    smoothing: u32,
    /// True if an object has begun and has no polygons yet.
    begins: bool,
}

impl Text {
    fn object(&mut self, name: &str, document: &ObjDocument) -> ObjectText {
        let first = document.groups.first().and_then(|group| group.object.as_deref());
        let head = format!("o {}\n", self.unique(first.unwrap_or(name), name));
        let mut tail = String::new();
        for uv in &document.texcoords {
            tail.push_str(&format!("vt {} {}\n", uv.x, uv.y));
        }
        let mut object = first;
        self.begins = true;
        for (group, polygons) in document.group_polygons() {
            if group.object.as_deref() != object {
                object = group.object.as_deref();
                self.begins = true;
                tail.push_str(&format!("o {}\n", self.unique(object.unwrap_or(name), name)));
            }
            self.switch_group(&mut tail, group);
            for polygon in polygons {
                tail.push('f');
                for corner in &document.corners[document.polygon(polygon)] {
                    self.corner(&mut tail, *corner);
                }
                tail.push('\n');
            }
        }
        self.vertices += document.positions.len();
        self.texcoords += document.texcoords.len();
        ObjectText { head, tail, vertices: document.positions.len() }
    }

    /// Writes the lines by which `group` differs from the group before it. In OBJ, a group,
    /// material or smoothing lasts until the next one, even into the next object. In Blender,
    /// smoothing ends with its object.
    fn switch_group(&mut self, tail: &mut String, group: &Group) {
        if self.group != group.name {
            tail.push_str(&format!("g {}\n", group.name.as_deref().unwrap_or("default")));
            self.group.clone_from(&group.name);
        }
        if self.material != group.material {
            let material = group.material.as_deref().unwrap_or(NO_MATERIAL);
            tail.push_str(&format!("usemtl {material}\n"));
            self.material.clone_from(&group.material);
        }
        let smoothing = group.smoothing.unwrap_or(0);
        let begins = std::mem::take(&mut self.begins);
        if self.smoothing != smoothing || (begins && smoothing != 0) {
            tail.push_str(&format!("s {smoothing}\n"));
            self.smoothing = smoothing;
        }
    }

    fn corner(&self, tail: &mut String, corner: Corner) {
        let vertex = self.vertices + corner.vertex as usize + 1;
        if corner.texcoord == NONE {
            tail.push_str(&format!(" {vertex}"));
        } else {
            let texcoord = self.texcoords + corner.texcoord as usize + 1;
            tail.push_str(&format!(" {vertex}/{texcoord}"));
        }
    }

    fn unique(&mut self, wanted: &str, owner: &str) -> String {
        let mut name = wanted.to_owned();
        while self.names.contains(&name) {
            name = format!("{owner}.{name}");
        }
        self.names.insert(name.clone());
        name
    }
}

/// Appends `x` without an exponent.
fn push_number(text: &mut Vec<u8>, x: f64, digits: Digits) -> io::Result<()> {
    match digits {
        Digits::Exact => write!(text, "{x}"),
        Digits::Nine => {
            push_nine(text, x);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use cloth_core::math::Vec2;
    use cloth_core::mesh::obj_read::parse;
    use proptest::prelude::*;

    use super::*;

    /// Documents that a file can hold. Their names are not the defaults, and each group has at
    /// least one polygon.
    fn document() -> impl Strategy<Value = ObjDocument> {
        let coordinate =
            prop_oneof![any::<f64>().prop_filter("finite", |x| x.is_finite()), -2.0..2.0];
        let coordinates = prop::collection::vec(
            [coordinate.clone(), coordinate.clone(), coordinate.clone()],
            3..20,
        );
        let texcoords = prop::collection::vec([coordinate.clone(), coordinate], 1..9);
        let polygon = prop::collection::vec((any::<u32>(), prop::option::of(any::<u32>())), 3..7);
        let name = prop::option::of("[a-cA-Z_.]{4,6}");
        let smoothing = prop::option::of(0..3_u32);
        let run = (name.clone(), name, smoothing, prop::collection::vec(polygon, 1..4));
        (coordinates, texcoords, prop::collection::vec(run, 1..5)).prop_map(|(p, t, runs)| {
            let mut document = ObjDocument {
                positions: p.into_iter().map(Vec3::from).collect(),
                texcoords: t.into_iter().map(Vec2::from).collect(),
                ..ObjDocument::default()
            };
            for (name, material, smoothing, polygons) in runs {
                for polygon in polygons {
                    for (v, t) in polygon {
                        let vertex = v % document.positions.len() as u32;
                        let texcoord = t.map_or(NONE, |t| t % document.texcoords.len() as u32);
                        document.corners.push(Corner { vertex, texcoord });
                    }
                    document.polygon_ends.push(document.corners.len() as u32);
                }
                let end = document.polygon_ends.len() as u32;
                let object = Some("body".into());
                document.groups.push(Group { object, name, material, smoothing, end });
            }
            document
        })
    }

    /// The group of each polygon. Equal neighbouring groups may be one group or two.
    fn groups_by_polygon(document: &ObjDocument) -> Vec<(Option<String>, Option<String>, u32)> {
        document
            .group_polygons()
            .flat_map(|(g, range)| {
                range.map(|_| (g.name.clone(), g.material.clone(), g.smoothing.unwrap_or(0)))
            })
            .collect()
    }

    proptest! {
        #[test]
        fn exact_files_come_back_as_they_were(document in document()) {
            let mut file = Vec::new();
            let text = ObjText::new(&[("body", &document)], Digits::Exact);
            text.write(&[&document.positions], &mut file).unwrap();
            let (back, _) = parse(&file, "file").unwrap();
            prop_assert_eq!(groups_by_polygon(&back), groups_by_polygon(&document));
            prop_assert_eq!(ObjDocument { groups: vec![], ..back }, ObjDocument { groups: vec![], ..document });
        }
    }

    #[test]
    fn several_objects_share_a_file() {
        let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\ng seam\nf 1/1 2 3/1 4\n";
        let (a, _) = parse(square.as_bytes(), "a").unwrap();
        let mut b = ObjDocument::from_triangles(a.positions.clone(), &[[0, 1, 2]]);
        b.smooth_by_default();
        let mut file = Vec::new();
        let text = ObjText::new(&[("a", &a), ("b", &b), ("a", &a)], Digits::Nine);
        let raised: Vec<Vec3> = a.positions.iter().map(|p| p + Vec3::z()).collect();
        text.write(&[&a.positions, &raised, &raised], &mut file).unwrap();
        let expected = "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\ng seam\nf 1/1 2 3/1 4\n\
            o b\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\ng default\ns 1\nf 5 6 7\n\
            o a.a\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nvt 0 0\ng seam\ns 0\nf 9/2 10 11/2 12\n";
        assert_eq!(String::from_utf8(file).unwrap(), expected);
    }
}

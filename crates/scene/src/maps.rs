//! Numbers from vertex to vertex of a cloth, and the factors that its maps make of them.

use std::path::Path;

use crate::bodies::csv_bytes::{self, unreadable};
use crate::select::Candidates;
use crate::spec::{Channel, Cloth, MapSpec, Mapped, Numbers};
use cloth_bodies::bodies::cloth::material::Material;
use cloth_bodies::bodies::cloth::setup::Factors;
use cloth_core::bounds::{FACTOR, shown};
use cloth_core::error::{Error, Place, Result};
use cloth_core::math::Vec3;
use cloth_core::mesh::SurfaceMesh;
use cloth_core::mesh::refine::subdivide;

const CSV: &str = "begin with the line `value` and write a number for each vertex, or begin with \
                   `vertex,value` and name vertices from 0";

/// The mesh of a cloth before it is refined, as far as numbers are about it.
pub(super) struct InFile {
    colours: Vec<Vec3>,
    vertices: usize,
    /// Its faces, if it is cut into `refine` x `refine`.
    faces: Vec<[u32; 3]>,
    refine: u32,
}

impl InFile {
    /// That of `coarse`, whose faces will be cut into `refine` x `refine`. Takes its colours.
    pub(super) fn new(coarse: &mut SurfaceMesh, refine: u32) -> Self {
        Self {
            colours: std::mem::take(&mut coarse.document.colours),
            vertices: coarse.document.positions.len(),
            faces: if refine > 1 { coarse.faces.clone() } else { Vec::new() },
            refine,
        }
    }

    /// The number of each of the `candidates`. `at` is the path of the numbers in the scene.
    ///
    /// # Errors
    /// A file that cannot be read, or a line of it; numbers that are not finite; a mesh without
    /// colours; a selection without a vertex.
    pub(super) fn numbers(
        &self,
        from: &Numbers,
        candidates: &Candidates,
        at: &str,
        scene_dir: &Path,
    ) -> Result<Vec<f64>> {
        let coarse = match from {
            Numbers::Csv(path) => self.in_csv(&scene_dir.join(path), at)?,
            Numbers::Colour(channel) => self.in_channel(*channel, at)?,
            Numbers::Select(select) => {
                let mut numbers = vec![0.0; candidates.positions.len()];
                let chosen = candidates.select(select, at)?;
                chosen.iter().for_each(|&vertex| numbers[vertex as usize] = 1.0);
                return Ok(numbers);
            }
        };
        if self.refine <= 1 {
            return Ok(coarse);
        }
        let points = Vec::from_iter(coarse.iter().map(|&number| [number].into()));
        let fine = subdivide::<1>(&points, &self.faces, self.refine).points;
        Ok(fine.iter().map(|point| point.x).collect())
    }

    /// The numbers as factors of a setting that may be 0.
    ///
    /// # Errors
    /// Those of [`Self::numbers`], and a negative number.
    pub(super) fn factors(
        &self,
        from: &Numbers,
        candidates: &Candidates,
        at: &str,
        scene_dir: &Path,
    ) -> Result<Vec<f64>> {
        let factors = self.numbers(from, candidates, at, scene_dir)?;
        check(&factors, false, at).map(|()| factors)
    }

    fn in_channel(&self, channel: Channel, at: &str) -> Result<Vec<f64>> {
        if self.colours.is_empty() {
            let cause = "the vertices of the mesh have no colours";
            let remedy = "export the mesh as OBJ with colours, which gives lines `v x y z r g b`";
            return Err(Error::input(at, cause, remedy));
        }
        let place = channel as usize;
        Ok(self.colours.iter().map(|colour| colour[place]).collect())
    }

    fn in_csv(&self, path: &Path, scene_at: &str) -> Result<Vec<f64>> {
        let bytes = csv_bytes::read(path).map_err(|error| match error {
            Error::File { path, cause, remedy } => {
                Error::File { path, cause: format!("{cause} ({scene_at})"), remedy }
            }
            other => other,
        })?;
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(&bytes[..]);
        let line = |number: u64| format!("{}:{number} ({scene_at})", path.display());
        let refuse = |number, cause: String| Error::input(Place::line(line(number)), cause, CSV);
        let columns = reader.headers().cloned().unwrap_or_default();
        let is_listed = match Vec::from_iter(&columns)[..] {
            ["value"] => false,
            ["vertex", "value"] => true,
            _ => {
                let found = Vec::from_iter(&columns).join(",");
                return Err(refuse(1, format!("unknown columns `{found}`")));
            }
        };
        let mut numbers = vec![f64::NAN; self.vertices];
        let (mut rows, mut row_number) = (reader.records(), 0);
        while let Some(row) = rows.next() {
            // Empty lines are no rows.
            let at = rows.reader().position().line() - 1;
            let row = row.map_err(|cause| unreadable(&cause, &line(at), CSV))?;
            let words = Vec::from_iter(&row);
            let (vertex, word) = match words[..] {
                [vertex, value] if is_listed => (vertex.parse().ok(), value),
                [value, ..] => (Some(row_number), value),
                [] => continue,
            };
            row_number += 1;
            let Some(place) = vertex.and_then(|vertex: usize| numbers.get_mut(vertex)) else {
                let cause = format!("no such vertex: the mesh has {}", self.vertices);
                return Err(refuse(at, cause));
            };
            let value = word.parse().ok().filter(|value: &f64| value.is_finite());
            let value = value.ok_or_else(|| refuse(at, format!("`{word}` is no finite number")))?;
            if !place.is_nan() {
                return Err(refuse(at, format!("vertex {} has a number already", words[0])));
            }
            *place = value;
        }
        if !is_listed && row_number < self.vertices {
            let counts = format!("{row_number} numbers, but the mesh has {}", self.vertices);
            let place = format!("{} ({scene_at})", path.display());
            return Err(Error::input(Place::line(place), counts, CSV));
        }
        let or_zero = |number: f64| if number.is_nan() { 0.0 } else { number };
        Ok(numbers.into_iter().map(or_zero).collect())
    }
}

/// The factors of `cloth`, whose maps are about the vertices of the `candidates`. A factor that is the
/// same everywhere goes to the `material`. `at` is the path of the cloth in the scene.
///
/// # Errors
/// Those of [`InFile::numbers`], and a factor that the setting cannot have.
pub(super) fn factors(
    cloth: &Cloth,
    in_file: &InFile,
    candidates: &Candidates,
    material: &mut Material,
    at: &str,
    scene_dir: &Path,
) -> Result<Factors> {
    let mut factors = Factors::default();
    for (i, map) in cloth.maps.iter().enumerate() {
        let at = format!("{at}.maps[{i}]");
        let numbers = in_file.numbers(&map.from, candidates, &format!("{at}.from"), scene_dir)?;
        let of_vertices = Vec::from_iter(numbers.iter().map(|number| map.factor(*number)));
        // Without mass, stiffness or distance nothing would hold.
        let positive = matches!(map.of, Mapped::Density | Mapped::Stiffness | Mapped::Thickness);
        check(&of_vertices, positive, &at)?;
        let faces = &candidates.surface.faces;
        let of_faces = || Vec::from_iter(faces.iter().map(|face| mean(face, &of_vertices)));
        match map.of {
            Mapped::Density => multiply(&mut factors.density, of_faces()),
            Mapped::Stiffness => multiply(&mut factors.stiffness, of_faces()),
            Mapped::Bending => multiply(&mut factors.bending, of_faces()),
            Mapped::Friction => multiply(&mut factors.friction, of_vertices),
            Mapped::Thickness => multiply(&mut factors.distance, of_vertices),
        }
    }
    if let Some(factor) = take_uniform(&mut factors.density) {
        material.density_kg_per_m2 *= factor;
    }
    if let Some(factor) = take_uniform(&mut factors.stiffness) {
        material.membrane = material.membrane.times(factor);
    }
    if let Some(factor) = take_uniform(&mut factors.bending) {
        material.bending = material.bending.times(factor);
    }
    Ok(factors)
}

impl MapSpec {
    /// The factor where the number is `number`.
    fn factor(&self, number: f64) -> f64 {
        match (self.low, self.high) {
            (0.0, 1.0) => number,
            (low, high) => low + (high - low) * number,
        }
    }
}

/// Fails at the first of `factors` that is negative, or zero if they must be `positive`. `at` is the
/// path of their numbers.
fn check(factors: &[f64], positive: bool, at: &str) -> Result<()> {
    let fits = |factor: &f64| (0.0..=FACTOR.most).contains(factor) && !(positive && *factor == 0.0);
    let Some(vertex) = factors.iter().position(|factor| !fits(factor)) else { return Ok(()) };
    let factor = shown(factors[vertex]);
    let (what, zero) = match positive {
        true => ("above 0", ", and `low` the factor where a number is 0, such as low: 1"),
        false => ("0 or more", ""),
    };
    let cause = format!("the factor of vertex {vertex} is {factor}, and must be {what}");
    let remedy = format!("factors are `low` + (`high` - `low`) x number{zero}");
    Err(Error::input(at, cause, remedy))
}

/// The mean of the corners of `face`; exactly their number if they are equal.
fn mean(face: &[u32; 3], of_vertices: &[f64]) -> f64 {
    let [a, b, c] = face.map(|vertex| of_vertices[vertex as usize]);
    a + ((b - a) + (c - a)) / 3.0
}

fn multiply(factors: &mut Vec<f64>, others: Vec<f64>) {
    match factors.is_empty() {
        true => *factors = others,
        false => factors.iter_mut().zip(&others).for_each(|(factor, other)| *factor *= other),
    }
}

/// The factor that all have. The list is empty afterwards.
fn take_uniform(factors: &mut Vec<f64>) -> Option<f64> {
    let first = *factors.first()?;
    factors.iter().all(|&factor| factor == first).then(|| {
        factors.clear();
        first
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::build;
    use crate::build::tests::SQUARES;
    use crate::load::parse;
    use cloth_bodies::bodies::cloth::setup::ClothSetup;

    /// The cloth of `text` on six vertices, in a folder with some files of numbers.
    fn built(text: &str, refine: u32) -> Result<ClothSetup> {
        let folder = tempfile::tempdir().unwrap();
        let colours = SQUARES.replacen(" 0\nv", " 0 0.5 0.25 1\nv", 5);
        let colours = colours.replacen("v 2 1 0\n", "v 2 1 0 1 1 0\n", 1);
        for (name, text) in [
            ("plain.obj", SQUARES),
            ("colours.obj", &colours),
            ("all.csv", "value\n1\n2\n3\n4\n5\n6\n"),
            ("some.csv", "vertex, value\n5, 2\n0, 1.5\n"),
            ("same.csv", "value\n2\n2\n2\n2\n2\n2\n"),
            ("short.csv", "value\n1\n2\n"),
            ("long.csv", "value\n1\n2\n3\n4\n5\n6\n7\n"),
            ("nan.csv", "value\n1\nNaN\n3\n4\n5\n6\n"),
            ("twice.csv", "vertex,value\n1,1\n1,2\n"),
            ("far.csv", "vertex,value\n6,1\n"),
            ("other.csv", "weight\n1\n"),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let text = format!("(refine: {refine}, cloths: [(material: Fabric(\"cotton\"), {text})])");
        let scene = parse(&text, "s.ron")?;
        scene.validate()?;
        build(&scene, folder.path()).map(|mut setup| setup.cloths.remove(0))
    }

    const PLAIN: &str = "shape: Mesh(\"plain.obj\")";

    #[test]
    fn numbers_come_from_files_colours_and_selections() {
        let factors = |text: &str| built(text, 1).unwrap().factors;
        let of = |map: &str| factors(&format!("{PLAIN}, maps: [{map}]"));
        assert_eq!(of("(of: Friction, from: Csv(\"all.csv\"))").friction, [1., 2., 3., 4., 5., 6.]);
        let some = of("(of: Thickness, from: Csv(\"some.csv\"), low: 1, high: 3)").distance;
        assert_eq!(some, [4.0, 1.0, 1.0, 1.0, 1.0, 5.0]);
        let group =
            of("(of: Friction, from: Select(Group(\"right\")), low: 1, high: 0.5)").friction;
        assert_eq!(group, [1.0, 0.5, 0.5, 1.0, 0.5, 0.5]);
        let both =
            of("(of: Density, from: Csv(\"all.csv\")), (of: Density, from: Csv(\"same.csv\"))");
        let faces = built(PLAIN, 1).unwrap().faces;
        let mean = |face: &[u32; 3]| face.map(|v| f64::from(v + 1)).iter().sum::<f64>() / 3.0;
        for (found, face) in both.density.iter().zip(&faces) {
            assert!((found - 2.0 * mean(face)).abs() < 1e-14);
        }
        let colour = "shape: Mesh(\"colours.obj\"), maps: [(of: Friction, from: Colour(Green))]";
        assert_eq!(factors(colour).friction, [0.25, 0.25, 0.25, 0.25, 0.25, 1.0]);
    }

    /// Between their neighbours: the mass of each face is that of the face that it is a part of.
    #[test]
    fn numbers_are_refined_with_the_mesh() {
        let text = format!("{PLAIN}, maps: [(of: Density, from: Csv(\"all.csv\"))]");
        let mass = |refine| {
            let cloth = built(&text, refine).unwrap();
            let planes = cloth.rest_planes.iter().zip(&cloth.factors.density);
            planes.map(|(plane, factor)| plane.area() * factor).sum::<f64>()
        };
        assert!((mass(1) - mass(4)).abs() < 1e-12);
    }

    #[test]
    fn a_factor_that_is_the_same_everywhere_is_a_setting() {
        let of = "Orthotropic(density_kg_per_m2: 0.2, warp_n_per_m: 100, weft_n_per_m: 80, \
            poisson_ratio: 0.1, shear_n_per_m: 20, bending_warp_n_m: 1e-5, bending_weft_n_m: 2e-5, \
            bending_twist_n_m: 1e-5)";
        let maps = ["Density", "Stiffness", "Bending"]
            .map(|of| format!("(of: {of}, from: Csv(\"same.csv\"))"));
        let material = |text: String| {
            let text = format!("(cloths: [({PLAIN}, {text})])");
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("plain.obj"), SQUARES).unwrap();
            std::fs::write(folder.path().join("same.csv"), "value\n2\n2\n2\n2\n2\n2\n").unwrap();
            let cloth =
                build(&parse(&text, "s.ron").unwrap(), folder.path()).unwrap().cloths.remove(0);
            assert_eq!(cloth.factors, Factors::default());
            cloth.material
        };
        let doubled = [
            ("0.2", "0.4"),
            ("100", "200"),
            ("80", "160"),
            ("shear_n_per_m: 20", "shear_n_per_m: 40"),
            ("1e-5", "2e-5"),
            ("weft_n_m: 2e-5", "weft_n_m: 4e-5"),
        ];
        let twice = doubled.iter().fold(of.to_owned(), |text, (a, b)| text.replace(a, b));
        let mapped = material(format!("material: {of}, maps: [{}]", maps.join(", ")));
        assert_eq!(mapped, material(format!("material: {twice}")));
    }

    #[test]
    fn bad_numbers_are_refused() {
        for (map, place, cause) in [
            (
                "(of: Density, from: Csv(\"short.csv\"))",
                "short.csv",
                "2 numbers, but the mesh has 6",
            ),
            ("(of: Density, from: Csv(\"long.csv\"))", "long.csv:8", "the mesh has 6"),
            ("(of: Density, from: Csv(\"nan.csv\"))", "nan.csv:3", "`NaN` is no finite number"),
            (
                "(of: Density, from: Csv(\"twice.csv\"))",
                "twice.csv:3",
                "vertex 1 has a number already",
            ),
            ("(of: Density, from: Csv(\"far.csv\"))", "far.csv:2", "no such vertex"),
            ("(of: Density, from: Csv(\"other.csv\"))", "other.csv:1", "unknown columns `weight`"),
            ("(of: Density, from: Csv(\"none.csv\"))", "none.csv", "check the path"),
            (
                "(of: Density, from: Csv(\"some.csv\"))",
                "maps[0]",
                "factor of vertex 1 is 0, and must be above 0",
            ),
            (
                "(of: Bending, from: Csv(\"all.csv\"), low: 2)",
                "maps[0]",
                "is -1, and must be 0 or more",
            ),
            ("(of: Friction, from: Colour(Red))", "maps[0].from", "no colours"),
            (
                "(of: Friction, from: Select(Group(\"lefd\")))",
                "maps[0].from",
                "did you mean `left`",
            ),
            ("(of: Friction, from: Csv(\"all.csv\"), low: NaN)", "maps[0].low", "finite"),
            ("(of: Weight, from: Csv(\"all.csv\"))", "s.ron", "Weight"),
        ] {
            let message = built(&format!("{PLAIN}, maps: [{map}]"), 1).unwrap_err().to_string();
            assert!(message.contains(place) && message.contains(cause), "{map}: {message}");
        }
        for (pin, place, cause) in [
            ("weights: Csv(\"all.csv\")", "pins[0].weights", "holds its vertices exactly"),
            ("strength: [(factor: 1)]", "pins[0].strength", "holds its vertices exactly"),
            ("stiffness_n_per_m: -1", "pins[0].stiffness_n_per_m", "-1"),
            (
                "stiffness_n_per_m: 1, strength: [(factor: -1)]",
                "pins[0].strength[0].factor",
                "negative",
            ),
            ("stiffness_n_per_m: 1, weights: Csv(\"nan.csv\")", "nan.csv:3", "no finite number"),
        ] {
            let text = format!("{PLAIN}, pins: [(select: Vertices([0]), {pin})]");
            let message = built(&text, 1).unwrap_err().to_string();
            assert!(message.contains(place) && message.contains(cause), "{pin}: {message}");
        }
    }
}

//! What the maps of cloth multiply its settings by, from vertex to vertex.

use cloth_bodies::bodies::Setup;
use cloth_bodies::bodies::cloth::setup::{ClothSetup, Factors};

/// The settings, as a page names them.
const SETTINGS: [&str; 5] = ["density", "stiffness", "bending", "friction", "thickness"];

/// The factors of a setting.
#[derive(Debug, Clone, PartialEq)]
pub struct MappedSetting {
    /// Its name.
    pub name: &'static str,
    /// The factor of each vertex of all cloth; 1 where it has no map.
    pub factors: Vec<f64>,
}

/// The settings that differ from place to place.
pub fn mapped_settings(setup: &Setup) -> Vec<MappedSetting> {
    let mut all = SETTINGS.map(|name| MappedSetting { name, factors: Vec::new() });
    for cloth in &setup.cloths {
        all.iter_mut().zip(of_cloth(cloth)).for_each(|(all, own)| all.factors.extend(own));
    }
    let differs = |it: &MappedSetting| it.factors.iter().any(|&factor| factor != 1.0);
    all.into_iter().filter(differs).collect()
}

fn of_cloth(cloth: &ClothSetup) -> [Vec<f64>; 5] {
    let Factors { density, stiffness, bending, friction, distance } = &cloth.factors;
    let [density, stiffness, bending] = [density, stiffness, bending].map(|it| means(cloth, it));
    let [friction, distance] = [friction, distance].map(|it| match it.is_empty() {
        true => vec![1.0; cloth.positions.len()],
        false => it.clone(),
    });
    [density, stiffness, bending, friction, distance]
}

/// Of each vertex the mean of the `factors` of its faces.
fn means(cloth: &ClothSetup, factors: &[f64]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); cloth.positions.len()];
    for (face, factor) in cloth.faces.iter().zip(factors) {
        for &vertex in face {
            let (sum, count) = &mut sums[vertex as usize];
            *sum += factor;
            *count += 1.0;
        }
    }
    sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 1.0 }).collect()
}

//! Pictures of the cells in the colours of the ranks.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use cloth_sim::math::Vec3;

use crate::Plan;
use crate::cases::{Domain, box_spacing};
use crate::shapes::{Still, turned_box};

/// Width and height of one picture, pixels.
const TILE: (usize, usize) = (520, 400);
/// Where the eye is: to the right, in front and above.
const SIDE: [f64; 3] = [0.8, 0.6, 0.0];
const UP: [f64; 3] = [-0.36, 0.48, 0.8];
const NEAR: [f64; 3] = [0.48, -0.64, 0.6];

/// One picture for each shape: the methods side by side, for the first number of ranks.
pub fn pictures(plan: &Plan) {
    let ranks = plan.ranks[0];
    let still = Still::ALL.map(|shape| (shape.name(), shape.buckets(plan.per_rank * ranks)));
    let spacing = box_spacing(plan.per_rank * ranks);
    let shapes = still.into_iter().chain([("Box", turned_box(spacing, 30.0))]);
    let methods = plan.methods().len();
    let (width, height) = (TILE.0 * methods, TILE.1 * 4);
    let mut pixels = vec![255u8; 3 * width * height];
    for (row, (_, buckets)) in shapes.enumerate() {
        let domain = Domain::new(buckets);
        for (column, (_, mut method)) in plan.methods().into_iter().enumerate() {
            let part_of = domain.call(&mut *method, ranks).part_of;
            let tile = draw(&domain, &part_of);
            for (y, line) in tile.chunks_exact(3 * TILE.0).enumerate() {
                let start = 3 * ((row * TILE.1 + y) * width + column * TILE.0);
                pixels[start..start + line.len()].copy_from_slice(line);
            }
        }
    }
    let path = PathBuf::from("out/partition_shapes.png");
    std::fs::create_dir_all("out").expect("a folder");
    let file = BufWriter::new(File::create(&path).expect("a file"));
    let mut encoder = png::Encoder::new(file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().and_then(|mut file| file.write_image_data(&pixels)).expect("a picture");
    println!("{}", path.display());
}

/// The cells as squares with a depth, darker where another part touches.
fn draw(domain: &Domain, part_of: &[u32]) -> Vec<u8> {
    let project = |x: &Vec3| {
        let along = |axis: [f64; 3]| x.dot(&Vec3::from(axis));
        [along(SIDE), along(UP), along(NEAR)]
    };
    let places: Vec<[f64; 3]> = domain.centres.iter().map(project).collect();
    let range = |axis: usize| {
        let values = places.iter().map(|place| place[axis]);
        values.fold([f64::MAX, f64::MIN], |[a, b], value| [a.min(value), b.max(value)])
    };
    let ([left, right], [low, high]) = (range(0), range(1));
    let scale = (0.92 * TILE.0 as f64 / (right - left)).min(0.92 * TILE.1 as f64 / (high - low));
    let half = (0.75 * scale * domain.buckets.spacing_m).max(0.6);
    let mut depths = vec![f64::MIN; TILE.0 * TILE.1];
    let mut pixels = vec![255u8; 3 * TILE.0 * TILE.1];
    for (cell, place) in places.iter().enumerate() {
        let x = 0.5 * TILE.0 as f64 + (place[0] - 0.5 * (left + right)) * scale;
        let y = 0.5 * TILE.1 as f64 - (place[1] - 0.5 * (low + high)) * scale;
        let others = domain.graph.neighbours(cell as u32);
        let border = others.iter().any(|&other| part_of[other as usize] != part_of[cell]);
        let color = color(part_of[cell], if border { 0.55 } else { 1.0 });
        for v in (y - half) as usize..=(y + half) as usize {
            for u in (x - half) as usize..=(x + half) as usize {
                let at = v.min(TILE.1 - 1) * TILE.0 + u.min(TILE.0 - 1);
                if place[2] > depths[at] {
                    depths[at] = place[2];
                    pixels[3 * at..3 * at + 3].copy_from_slice(&color);
                }
            }
        }
    }
    pixels
}

/// Hues of equal distance, two brightnesses.
fn color(rank: u32, shade: f64) -> [u8; 3] {
    let hue = f64::from(rank) * 0.618_034 % 1.0 * 6.0;
    let light = if rank.is_multiple_of(2) { 0.95 } else { 0.78 } * shade;
    [5.0, 3.0, 1.0].map(|turn: f64| {
        let k = (turn + hue) % 6.0;
        let channel = 1.0 - 0.6 * k.min(4.0 - k).clamp(0.0, 1.0);
        (255.0 * light * channel) as u8
    })
}

//! A body of your own: a ball that moves and does not turn.

use std::path::Path;
use std::sync::Arc;

use cloth_sim::bodies::{Body, Jacobian};
use cloth_sim::math::{Mat3, Vec3};
use cloth_sim::mesh::Mesh;
use cloth_sim::mesh::shapes::{ShapeKind, Sphere};
use cloth_sim::{Model, Simulation, ranks::in_process, scene};

/// A ball of 1 kg without spin. Its coordinates are its centre, m.
struct Ball(Mesh);

impl Body for Ball {
    fn name(&self) -> &str {
        "ball"
    }
    fn faces(&self) -> &[[u32; 3]] {
        &self.0.faces
    }
    fn vertex_count(&self) -> usize {
        self.0.positions.len()
    }
    fn node_count(&self) -> usize {
        1
    }
    fn start(&self) -> (Vec<f64>, Vec<Vec3>) {
        (vec![0.0, 1.0, 0.0], vec![Vec3::zeros()])
    }
    fn place(&self, at: &[f64], x: &mut [Vec3]) {
        for (x, local) in x.iter_mut().zip(&self.0.positions) {
            *x = Vec3::from_column_slice(at) + local;
        }
    }
    fn moved(&self, at: &[f64], u: &[Vec3], h: f64) -> Vec<f64> {
        at.iter().zip(u[0].iter()).map(|(x, u)| x + u * h).collect()
    }
    fn jacobian(&self, _: &[f64], _: usize, weight: f64, _: &Vec3) -> Jacobian {
        Jacobian::Weight(weight)
    }
    fn mass(&self, _: &[f64], _: usize) -> Mat3 {
        Mat3::identity()
    }
    fn flown(&self, _: &[f64], u: &[Vec3], gravity: &Vec3, h: f64) -> Vec<Vec3> {
        vec![u[0] + gravity * h]
    }
    fn energy(&self, at: &[f64], u: &[Vec3], gravity: &Vec3) -> f64 {
        0.5 * u[0].norm_squared() - gravity.dot(&Vec3::from_column_slice(at))
    }
}

fn main() -> cloth_sim::Result<()> {
    let text = r#"(cloths: [(
    shape: Sheet(width_m: 0.2, length_m: 0.2, columns: 4, rows: 4),
    material: Fabric("cotton"),
)])"#;
    let scene = scene::complete(scene::parse(text, "ball.ron")?, Path::new("ball.ron"))?;
    let bodies: Vec<Arc<dyn Body>> =
        vec![Arc::new(Ball(Sphere { radius_m: 0.1, edge_m: Some(0.05) }.mesh()))];
    let setup = scene::build(&scene, Path::new("."))?;
    let model =
        Arc::new(Model::with_bodies(scene.settings(), setup, bodies, |partition| partition(1))?);
    in_process::run(1, |world| {
        let mut simulation = Simulation::new(model.clone(), world, 1)?;
        simulation.run(10, |_, _| Ok(()))?;
        assert!(simulation.state().coordinates[0][1] < 1.0); // it falls
        Ok(())
    })?;
    Ok(())
}

//! Builds what holds cloth to bodies.

use crate::spec::Scene;
use cloth_bodies::bodies::body::Attachment;
use cloth_bodies::bodies::cloth::setup::Pin;
use cloth_bodies::bodies::{Body as _, BodyPose, Setup};
use cloth_collision::collision::enclosure::is_inside;
use cloth_core::bounds::did_you_mean;
use cloth_core::error::{Error, Result};
use cloth_core::ids::VertexId;

/// Vertices of one cloth that an entry of `attach` selects.
pub(super) struct Attached {
    /// The place of the cloth in the scene.
    pub cloth: usize,
    /// The place of the entry in its list.
    pub entry: usize,
    /// Vertices of its cloth, rising.
    pub vertices: Vec<u32>,
}

/// The attachments of all cloths of `setup`, whose bodies are built.
///
/// # Errors
/// A name that no body has, a vertex that something else holds, or that is inside its body.
pub(super) fn attachments(
    scene: &Scene,
    setup: &Setup,
    entries: &[Attached],
) -> Result<Vec<Attachment>> {
    let mut all: Vec<Attachment> = Vec::new();
    for Attached { cloth, entry, vertices } in entries {
        let at = format!("cloths[{cloth}].attach[{entry}]");
        let body = body(&scene.cloths[*cloth].attach[*entry].to, setup, &format!("{at}.to"))?;
        let first: usize = setup.cloths[..*cloth].iter().map(|it| it.positions.len()).sum();
        let x = setup.bodies[body].shown(&setup.bodies[body].start().0);
        let pose = pose(setup, body);
        for &vertex in vertices {
            let position = setup.cloths[*cloth].positions[vertex as usize];
            let number = (first + vertex as usize) as VertexId;
            check_free(setup, *cloth, vertex, &all, number, &at)?;
            if is_inside(setup.bodies[body].shown_faces(), &x, &position) {
                let cause = format!("vertex {vertex} is inside the body at the start");
                let remedy = "let cloth lie on the surface, at least `contact.distance_m` outside";
                return Err(Error::input(format!("{at}.select"), cause, remedy));
            }
            let point = pose.rotation.inverse_transform_vector(&(position - pose.centre));
            all.push(Attachment { vertex: number, body, point });
        }
    }
    all.sort_by_key(|attachment| attachment.vertex);
    Ok(all)
}

/// The number of the body `name`.
fn body(name: &str, setup: &Setup, at: &str) -> Result<usize> {
    if let Some(number) = setup.bodies.iter().position(|body| body.name() == name) {
        return Ok(number);
    }
    if setup.obstacles.iter().any(|obstacle| obstacle.name == name) {
        let cause = format!("no force moves `{name}`");
        let remedy = format!("write `pins` with `follow: {name:?}` instead");
        return Err(Error::input(at, cause, remedy));
    }
    let names = Vec::from_iter(setup.bodies.iter().map(|body| body.name()));
    let cause = format!("there is no body `{name}`");
    Err(Error::input(at, cause, did_you_mean(name, &names)))
}

/// Fails if a pin or another attachment holds a vertex.
fn check_free(
    setup: &Setup,
    cloth: usize,
    vertex: u32,
    others: &[Attachment],
    number: VertexId,
    at: &str,
) -> Result<()> {
    let is_pinned = |(_, pin): &(usize, &Pin)| pin.vertices.binary_search(&vertex).is_ok();
    let holder = match setup.cloths[cloth].pins.iter().enumerate().find(is_pinned) {
        Some((pin, _)) => format!("pins[{pin}]"),
        None if others.iter().any(|it| it.vertex == number) => "another attachment".to_owned(),
        None => return Ok(()),
    };
    let cause = format!("{holder} holds vertex {vertex} too");
    Err(Error::input(format!("{at}.select"), cause, "hold each vertex once"))
}

fn pose(setup: &Setup, body: usize) -> BodyPose {
    let (coordinates, u) = setup.bodies[body].start();
    setup.bodies[body].pose(&coordinates, &u).unwrap_or(BodyPose::AT_REST)
}

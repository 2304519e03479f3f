//! The meshes of a scene, and where they are.

use std::borrow::Borrow;
use std::path::Path;

use crate::spec::{KeyframeSpec, MotionSpec, Placement};
use cloth_bodies::bodies::prescribed::{Keyframe, KeyframedMotion, Transform};
use cloth_core::bounds::{LENGTH, within};
use cloth_core::error::{Error, Result};
use cloth_core::math::{Vec3, rotation};
use cloth_core::mesh::shapes::{Shape, ShapeKind};
use cloth_core::mesh::{Faces, SurfaceMesh, obj_read};

/// Fails if a vertex of the object `at` starts at a place (m) that is too far to compute with.
pub(super) fn check_places(
    places: impl Iterator<Item = impl Borrow<Vec3>>,
    at: &str,
) -> Result<()> {
    let farthest = places.map(|place| place.borrow().amax()).fold(0.0, f64::max);
    within(&format!("{at}.transform"), farthest, LENGTH)
}

/// Reads or generates the mesh of `shape`. `faces` tells how the faces of a file may meet.
pub(super) fn surface(
    shape: &Shape,
    faces: Faces,
    at: &str,
    scene_dir: &Path,
) -> Result<SurfaceMesh> {
    if let Shape::Mesh(path) = shape {
        return read_mesh(path, faces, at, scene_dir);
    }
    let mesh = shape.generated().map(ShapeKind::mesh).unwrap_or_default();
    SurfaceMesh::from_mesh(mesh).map_err(|error| match error {
        Error::Input { cause, .. } => Error::input(
            format!("{at}.shape"),
            format!("these sizes give no sound mesh: {cause}"),
            "choose sizes and edges of similar magnitude",
        ),
        other => other,
    })
}

fn read_mesh(path: &str, faces: Faces, at: &str, scene_dir: &Path) -> Result<SurfaceMesh> {
    SurfaceMesh::read(&scene_dir.join(path), faces).map_err(|error| match error {
        Error::File { path, cause, remedy } if remedy == obj_read::PATH => {
            let folder = Path::new(".").join(scene_dir);
            let remedy = format!(
                "check {at}.shape; a mesh's path is relative to the scene file's folder, {}",
                folder.display()
            );
            Error::file(path, cause, remedy)
        }
        other => other,
    })
}

impl Placement {
    pub(super) fn resolve(&self) -> Transform {
        Transform {
            scale: self.scale,
            rotation: rotation(self.axis.into(), self.angle_deg),
            translation: self.translation_m.into(),
        }
    }
}

impl MotionSpec {
    pub(super) fn resolve(&self) -> KeyframedMotion {
        let keyframe = |key: &KeyframeSpec| Keyframe {
            time_s: key.time_s,
            translation: key.translation_m.into(),
            axis: key.axis.into(),
            angle_deg: key.angle_deg,
        };
        KeyframedMotion {
            center: self.center_m.into(),
            keyframes: self.keyframes.iter().map(keyframe).collect(),
        }
    }
}

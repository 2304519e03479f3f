//! The frame of another run with which a new run begins, and what has changed in the scene.

use cloth_core::error::{Error, Result};
use cloth_scene::Scene;
use serde_json::Value;

use crate::program::cli::Origin;
use crate::program::output::{BegunFrom, InputMesh, RunHead, names};

/// The frame of another run with which a run begins, and the differences between its `scene` and
/// `meshes` and those of that run. The scene has the paths of the copies of meshes.
///
/// # Errors
/// A folder that is no run. A scene with another size of time step.
pub fn begun_from(
    origin: Option<&Origin>,
    scene: &Scene,
    meshes: &[InputMesh],
) -> Result<Option<BegunFrom>> {
    let Some(Origin { folder, frame }) = origin else { return Ok(None) };
    let head = RunHead::read(folder)?;
    let before = cloth_scene::load(&folder.join(names::SCENE))?;
    if before.step_s() != scene.step_s() {
        let cause = format!(
            "the run had steps of {} s, and the new scene has steps of {} s",
            before.step_s(),
            scene.step_s()
        );
        let remedy = "keep frames_per_second and steps_per_frame";
        return Err(Error::input("frames_per_second", cause, remedy));
    }
    let mut changed = changes(&before, scene)?;
    let is_known = |mesh: &&InputMesh| head.meshes.iter().any(|it| it.hash == mesh.copy.hash);
    let others = meshes.iter().filter(|mesh| !is_known(mesh));
    changed.extend(others.map(|mesh| mesh.path.display().to_string()));
    Ok(Some(BegunFrom { run: folder.display().to_string(), frame: (*frame).into(), changed }))
}

/// The fields of a scene that differ, except the number of frames and the copies of meshes.
fn changes(before: &Scene, now: &Scene) -> Result<Vec<String>> {
    let value = |scene: &Scene| {
        let mut scene = Scene { frames: 0, ..scene.clone() };
        scene.mesh_paths_mut().for_each(String::clear);
        serde_json::to_value(&scene).map_err(|cause| Error::internal("scene", cause))
    };
    let mut changed = Vec::new();
    compare(&value(before)?, &value(now)?, "", &mut changed);
    Ok(changed)
}

/// Adds the paths below `path` at which two values differ.
fn compare(before: &Value, now: &Value, path: &str, changed: &mut Vec<String>) {
    match (before, now) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            for ((name, a), b) in a.iter().zip(b.values()) {
                let dot = if path.is_empty() { "" } else { "." };
                compare(a, b, &format!("{path}{dot}{name}"), changed);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let items = a.iter().zip(b).enumerate();
            items.for_each(|(i, (a, b))| compare(a, b, &format!("{path}[{i}]"), changed));
        }
        _ if before == now => {}
        _ => changed.push(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changed_fields_are_named_by_their_paths() {
        let before = json!({"gravity": 1, "cloths": [{"pins": [1, 2]}, {"shape": {"Sheet": 1}}]});
        let now = json!({"gravity": 2, "cloths": [{"pins": [1]}, {"shape": {"Disc": 1}}]});
        let mut changed = Vec::new();
        compare(&before, &now, "", &mut changed);
        assert_eq!(changed, ["cloths[0].pins", "cloths[1].shape", "gravity"]);
        changed.clear();
        compare(&now, &now, "", &mut changed);
        assert!(changed.is_empty());
    }
}

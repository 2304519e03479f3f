#!/usr/bin/env python3
"""Tests the add-on `cloth_sim.py`: models in Blender, exports, simulates, imports, compares, and draws.

    pip install bpy==5.0.1
    cargo build --release
    tools/blender/round_trip.py --picture round_trip.png     # the whole way
    tools/blender/round_trip.py --run out/tablecloth --picture tablecloth.png --frame 25

With `--run` it only imports that run, and draws a frame of it. Prints a line for each object. The exit code is 1 if
something is not as expected.
"""

import argparse
import math
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import bpy
import mathutils

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cloth_sim  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent


def model():
    """A towel that hangs from two pinned corners, with texture and a red material, and a ball that pushes it."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=20, size=1, location=(0, 0, 1), rotation=(math.pi / 2, 0, 0))
    towel = bpy.context.object
    towel.name = "towel"
    corners = [it.index for it in towel.data.vertices if abs(it.co.x) > 0.49 and it.co.y > 0.49]
    towel.vertex_groups.new(name="pins").add(corners, 1.0, "REPLACE")
    towel.modifiers.new("cloth", "CLOTH").settings.vertex_group_mass = "pins"
    towel.cloth_sim_fabric = "denim"
    red = bpy.data.materials.new("dark red")
    red.diffuse_color = (0.6, 0.05, 0.05, 1)
    if red.node_tree:
        red.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = red.diffuse_color
    towel.data.materials.append(red)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, radius=0.15, location=(0, -0.3, 1))
    ball = bpy.context.object
    ball.name = "ball"
    ball.modifiers.new("collision", "COLLISION")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 0, 10, 25
    ball.keyframe_insert("location", frame=0)
    ball.location.y = 0.1
    ball.keyframe_insert("location", frame=10)
    bpy.ops.mesh.primitive_plane_add(size=4)
    bpy.context.object.name = "floor"
    bpy.context.object.modifiers.new("collision", "COLLISION")
    return corners


def shown(thing):
    """The vertices of an object in the world."""
    it = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [it.matrix_world @ vertex.co for vertex in it.data.vertices]


def describe(thing):
    mesh = thing.data
    corners = len(mesh.uv_layers.active.data) if mesh.uv_layers else 0
    materials = ", ".join(it.name for it in mesh.materials if it) or "none"
    cache = "animated" if any(it.type == "MESH_CACHE" for it in thing.modifiers) else "still"
    return f"{thing.name}: {cache}, {len(mesh.vertices)} vertices, {corners} corners with texture, materials: {materials}"


def draw(things, picture):
    """Draws `things` from the front and above, with the animated ones in the middle."""
    animated = [it for it in things if any(modifier.type == "MESH_CACHE" for modifier in it.modifiers)]
    points = [point for thing in animated or things for point in shown(thing)]
    low, high = (mathutils.Vector(pick(axis) for axis in zip(*points)) for pick in (min, max))
    middle, size = (low + high) / 2, (high - low).length
    scene = bpy.context.scene
    towards = mathutils.Vector((0.35, -1.0, 0.65)).normalized()
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location, camera.rotation_euler = middle + towards * size * 1.4, towards.to_track_quat("Z", "Y").to_euler()
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 3, (math.radians(35), math.radians(20), 0)
    for it in (camera, sun):
        scene.collection.objects.link(it)
    scene.world = bpy.data.worlds.new("world")
    scene.camera, scene.render.engine, scene.cycles.samples = camera, "CYCLES", 32
    scene.render.resolution_x, scene.render.resolution_y = 900, 600
    scene.render.filepath = str(picture.resolve())
    bpy.ops.render.render(write_still=True)


def simulate(binary, folder):
    """Exports the model, simulates it, and imports the run. Returns what is wrong."""
    corners = model()
    before = {it.name: shown(it) for it in bpy.data.objects if it.type == "MESH"}
    if bpy.ops.export_scene.cloth_sim(filepath=str(folder / "towel.ron")) != {"FINISHED"}:
        return ["the export fails"]
    command = [str(binary), str(folder / "towel.ron"), "--out", str(folder / "run"), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return [f"the run fails: {done.stderr.strip()}"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if bpy.ops.import_scene.cloth_sim(filepath=str(folder / "run" / "run.json")) != {"FINISHED"}:
        return ["the import fails"]
    scene, faults = bpy.context.scene, []
    if (scene.frame_start, scene.frame_end, scene.render.fps) != (0, 10, 25):
        faults.append("the range of frames")
    for frame in (0, 10):
        scene.frame_set(frame)
        towel, ball = shown(bpy.data.objects["towel"]), shown(bpy.data.objects["ball"])
        checked = range(len(towel)) if frame == 0 else corners
        if max((towel[it] - before["towel"][it]).length for it in checked) > 1e-5:
            faults.append(f"the towel in frame {frame}")
        if abs(sum(it.y for it in ball) / len(ball) - (-0.3, 0.1)[frame // 10]) > 1e-5:
            faults.append(f"the ball in frame {frame}")
    if max((a - b).length for a, b in zip(towel, before["towel"])) < 0.1:
        faults.append("the towel does not move")
    if "floor" not in bpy.data.objects or len(bpy.data.objects["towel"].data.uv_layers) != 1:
        faults.append("floor or texture coordinates")
    text = (folder / "towel.ron").read_text()
    colour = bpy.data.materials["dark_red"].node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value
    faults += [] if abs(colour[0] - 0.6) < 1e-5 else ["the colour of the towel"]
    faults += [word for word in ("Fabric(\"denim\")", f"Vertices({corners})") if word not in text]
    points = (folder / "run" / "frames_towel.pc2").read_bytes()
    faults += ["the number of samples"] if struct.unpack("<I", points[28:32])[0] != 11 else []
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=ROOT / "target/release/cloth-sim")
    parser.add_argument("--run", type=Path, help="import this run and do nothing else")
    parser.add_argument("--frame", type=int, default=10, help="the frame that is drawn [10]")
    parser.add_argument("--picture", type=Path, help="draw into this PNG file")
    options = parser.parse_args()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    cloth_sim.register()
    faults = []
    if options.run:
        cloth_sim.import_run(options.run)
    else:
        with tempfile.TemporaryDirectory() as folder:
            faults = simulate(options.binary.resolve(), Path(folder))
            finish(options)
    if options.run:
        finish(options)
    print("\n".join(f"fault: {it}" for it in faults) or "no fault")
    sys.exit(1 if faults else 0)


def finish(options):
    """Prints and draws what was imported."""
    bpy.context.scene.frame_set(options.frame)
    things = [it for it in bpy.data.objects if it.type == "MESH"]
    print("\n".join(map(describe, things)))
    if options.picture:
        draw(things, options.picture)


if __name__ == "__main__":
    main()

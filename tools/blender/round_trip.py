#!/usr/bin/env python3
"""Tests the add-on `cloth_sim.py`: models in Blender, exports, simulates, imports, compares, and draws.

It also exports a flag with painted weights, and compares its maps and pins with them.

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
    """Draws `things` from the front and above. All of the animated ones are in view."""
    animated = [it for it in things if any(modifier.type == "MESH_CACHE" for modifier in it.modifiers)]
    points = [point for thing in animated or things for point in shown(thing)]
    low, high = (mathutils.Vector(pick(axis) for axis in zip(*points)) for pick in (min, max))
    size = (high - low).length
    scene = bpy.context.scene
    towards = mathutils.Vector((0.35, -1.0, 0.65)).normalized()
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.rotation_euler = towards.to_track_quat("Z", "Y").to_euler()
    camera.data.clip_start, camera.data.clip_end = 0.01 * size, 100 * size
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 3, (math.radians(35), math.radians(20), 0)
    for it in (camera, sun):
        scene.collection.objects.link(it)
    scene.world = bpy.data.worlds.new("world")
    scene.camera, scene.render.engine, scene.cycles.samples = camera, "CYCLES", 32
    scene.render.resolution_x, scene.render.resolution_y = 900, 600
    coordinates = [coordinate for point in points for coordinate in point]
    nearest, _ = camera.camera_fit_coords(bpy.context.evaluated_depsgraph_get(), coordinates)
    camera.location = nearest + towards * size * 0.1
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


# The maps of the flag: what each multiplies, its file, its factor at the weight 1, and its weights.
FLAG_MAPS = (
    ("Stiffness", "flag_flag_stiffness.csv", 4, lambda x, _y: x),
    ("Bending", "flag_flag_bending.csv", 20, lambda _x, y: y),
    ("Density", "flag_flag_density.csv", 3, lambda x, y: x * y),
    ("Bending", "flag_flag_bending_2.csv", 0, lambda x, _y: float(x > 0.5)),
)
FLAG_PIN = ("flag_flag_pins.csv", lambda x, _y: max(0.0, 1 - 2 * x))
FLAG_SIDE = 10


def paint(thing, name, weight):
    """A vertex group with `weight` of the place in the unit square."""
    group = thing.vertex_groups.new(name=name)
    for vertex, (x, y) in enumerate(places(thing)):
        if weight(x, y) > 0:
            group.add([vertex], weight(x, y), "REPLACE")


def places(thing):
    return [(it.co.x + 0.5, it.co.y + 0.5) for it in thing.data.vertices]


def model_flag():
    """A flag with painted weights: those of Blender's cloth physics, and those with names."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=FLAG_SIDE, y_subdivisions=FLAG_SIDE, size=1)
    flag = bpy.context.object
    flag.name = "flag"
    names = ("stretch", "bend", "cloth_sim Density 3", "cloth_sim bending 0")
    for name, (_, _, _, weight) in zip(names, FLAG_MAPS):
        paint(flag, name, weight)
    paint(flag, "pin", FLAG_PIN[1])
    settings = flag.modifiers.new("cloth", "CLOTH").settings
    settings.tension_stiffness, settings.tension_stiffness_max = 15, 60
    settings.bending_stiffness, settings.bending_stiffness_max = 0.5, 10
    settings.vertex_group_structural_stiffness, settings.vertex_group_bending = "stretch", "bend"
    settings.vertex_group_mass, settings.pin_stiffness = "pin", 2
    settings.vertex_group_shear_stiffness = "bend"
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 0, 2
    return flag


def differ(path, expected):
    """Whether a CSV file has other vertices or numbers than `expected` has beside 0."""
    head, *rows = path.read_text().splitlines()
    found = [(int(vertex), float(number)) for vertex, number in (it.split(",") for it in rows)]
    expected = [(vertex, number) for vertex, number in enumerate(expected) if number > 0]
    if head != "vertex,value" or [it[0] for it in found] != [it[0] for it in expected]:
        return True
    return any(abs(a[1] - b[1]) > 1e-6 for a, b in zip(found, expected))


def test_maps(binary, folder):
    """Exports the flag, compares its maps and pins, and simulates it. Returns what is wrong."""
    flag = model_flag()
    at, (pins, pin) = places(flag), FLAG_PIN
    told = cloth_sim.export_scene(folder / "flag.ron")[2]
    text = (folder / "flag.ron").read_text()
    maps = [
        f'(of: {of}, from: Csv("{file}"), low: 1, high: {high})' for of, file, high, _ in FLAG_MAPS
    ]
    held = [str(vertex) for vertex, place in enumerate(at) if pin(*place) == 1]
    stiffness = 2 * FLAG_SIDE
    parts = [
        *maps, f"(select: Vertices([{', '.join(held)}]))",
        f'stiffness_n_per_m: {stiffness}, weights: Csv("{pins}")',
    ]
    faults = [it for it in parts if it not in text]
    faults += [] if told == ["flag: the vertex group of shear is left out"] else [f"notes: {told}"]
    files = [(file, [weight(*it) for it in at]) for _, file, _, weight in FLAG_MAPS]
    files.append((pins, [pin(*it) ** 4 for it in at]))
    faults += [file for file, expected in files if differ(folder / file, expected)]
    faults += [] if len(at) == (FLAG_SIDE + 1) ** 2 else [f"{len(at)} vertices"]
    return faults + run_flag(binary, folder, at)


def run_flag(binary, folder, at):
    """Simulates the flag, whose vertices start at the places `at`. Returns what is wrong."""
    run = folder / "flag_run"
    command = [str(binary), str(folder / "flag.ron"), "--out", str(run), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return [f"the run of the flag fails: {done.stderr.strip()}"]
    start, end = (points(run / f"frame_{frame:04}.obj") for frame in (0, 2))
    model = [(x - 0.5, 0, 0.5 - y) for x, y in at]
    if len(end) != len(at) or max(map(math.dist, start, model)) > 1e-6:
        return ["the vertices of the flag or their order"]
    sinks = [a[1] - b[1] for a, b in zip(start, end)]
    held, soft, free = (
        [sink for sink, (x, _) in zip(sinks, at) if abs(x - place) < 0.01] for place in (0, 0.2, 1)
    )
    faults = [] if max(map(abs, held)) < 1e-6 else ["the held edge of the flag moves"]
    sinks_less = 1e-5 < min(soft) and max(soft) < 0.5 * min(free)
    return faults if sinks_less else [*faults, f"the flag sinks by {soft} and {free}"]


def points(path):
    """The vertices of an OBJ file."""
    lines = path.read_text().splitlines()
    return [tuple(map(float, it.split()[1:4])) for it in lines if it.startswith("v ")]


def refused():
    """Vertex groups that are no maps. Returns those that are exported nevertheless."""
    faults = []
    for name in ("Weight 3", "Density", "Density 0", "Density x"):
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=2, y_subdivisions=2, size=1)
        thing = bpy.context.object
        thing.vertex_groups.new(name=f"cloth_sim {name}")
        try:
            list(cloth_sim.named_maps(thing))
            faults.append(f"the group `cloth_sim {name}` is exported")
        except cloth_sim.RunError:
            pass
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
            faults = [*test_maps(options.binary.resolve(), Path(folder)), *refused()]
            bpy.ops.wm.read_factory_settings(use_empty=True)
            faults += simulate(options.binary.resolve(), Path(folder))
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

#!/usr/bin/env python3
"""Runs the scene of scenes/tablecloth.ron in Blender, and writes its frames.

    pip install bpy
    benches/peers/blender.py --steps 40 --out out/blender      # 40 steps a frame, of 1 ms

Prints the wall time of one simulated second, and how far a free fall is off. The cloth has Blender's default
stiffness, self-collision, and distances of 1 mm. A frame of Blender's cloth lasts 1/25 s at a time scale of 1.2346,
and a force acts on a mass of 0.3 a vertex. `tools/check_frames.py` finds intersections in the frames; it needs the
`partition.csv` of a run of the scene beside them.
"""
import argparse
import pathlib
import time

import bpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRAMES = 25
HEIGHT_M = 1 / 3 + 0.01


def add_cloth(steps):
    """The tablecloth, z up, 1 cm above the sphere."""
    lines = (ROOT / "meshes/tablecloth.obj").read_text().splitlines()
    numbers = [line.split()[1:] for line in lines if line.startswith("v ")]
    vertices = [(float(x), -float(z), float(y) + HEIGHT_M) for x, y, z in (n[:3] for n in numbers)]
    faces = [[int(corner.split("/")[0]) - 1 for corner in line.split()[1:]] for line in lines if line.startswith("f ")]
    mesh = bpy.data.meshes.new("cloth")
    mesh.from_pydata(vertices, [], faces)
    cloth = bpy.data.objects.new("cloth", mesh)
    bpy.context.collection.objects.link(cloth)
    modifier = cloth.modifiers.new("cloth", "CLOTH")
    settings, collisions = modifier.settings, modifier.collision_settings
    settings.quality, settings.time_scale, settings.mass, settings.air_damping = steps, 1.2346, 0.3, 0
    collisions.use_self_collision = True
    collisions.distance_min = collisions.self_distance_min = 0.001
    modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, FRAMES + 1
    return cloth


def add_sphere():
    """A sphere of triangles of the size of the scene's."""
    bpy.ops.mesh.primitive_ico_sphere_add(radius=1 / 3, subdivisions=5)
    sphere = bpy.context.object
    sphere.modifiers.new("collision", "COLLISION")
    sphere.collision.thickness_outer = 0.001
    sphere.collision.cloth_friction = 5


def positions(cloth):
    """Where the vertices are in the present frame."""
    evaluated = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [tuple(vertex.co) for vertex in evaluated.data.vertices]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=40, help="steps a frame [40]")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/blender"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 25
    cloth = add_cloth(arguments.steps)
    add_sphere()
    faces = [polygon.vertices[:] for polygon in cloth.data.polygons]
    wall_s = 0.0
    for frame in range(FRAMES + 1):
        start = time.perf_counter()
        scene.frame_set(frame + 1)
        found = positions(cloth)
        wall_s += time.perf_counter() - start
        if frame == 3:
            fallen = HEIGHT_M - min(z for *_, z in found)
            print(f"after 3 frames the rim has fallen {fallen:.4f} m; a free fall: {0.5 * 9.81 * 0.12 ** 2:.4f} m")
        with open(arguments.out / f"frame_{frame:04}.obj", "w") as file:
            file.writelines(f"v {x} {z} {-y}\n" for x, y, z in found)
            file.writelines("f " + " ".join(str(v + 1) for v in face) + "\n" for face in faces)
    print(f"{arguments.steps} steps a frame: {wall_s:.1f} s")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Opens a frame and the fixed obstacles of a run in Blender, and says and draws what Blender sees.

    pip install bpy
    tools/open_in_blender.py out/tablecloth --frame 25 --picture tablecloth.png

Prints a line for each object: polygons by number of corners, smooth faces, corners with texture coordinates, and
materials with their colours. The picture is drawn by Cycles.
"""
import argparse
import collections
import math
import pathlib

import bpy
import mathutils


def describe(thing):
    """One line about an object."""
    mesh = thing.data
    corners = collections.Counter(len(polygon.vertices) for polygon in mesh.polygons)
    smooth = sum(polygon.use_smooth for polygon in mesh.polygons)
    textured = len(mesh.uv_layers.active.data) if mesh.uv_layers else 0
    used = collections.Counter(polygon.material_index for polygon in mesh.polygons)
    materials = [
        f"{material.name} {tuple(round(part, 3) for part in material.diffuse_color[:3])} on {used[i]} faces"
        for i, material in enumerate(mesh.materials) if material
    ]
    shapes = ", ".join(f"{count} of {number} corners" for number, count in sorted(corners.items()))
    return (f"{thing.name}: {len(mesh.vertices)} vertices; faces: {shapes}; {smooth} smooth; "
            f"{textured} corners with texture; materials: {', '.join(materials) or 'none'}")


def draw(things, picture):
    """Draws `things` from the front and above."""
    points = [thing.matrix_world @ mathutils.Vector(corner) for thing in things for corner in thing.bound_box]
    low = mathutils.Vector(map(min, zip(*points)))
    high = mathutils.Vector(map(max, zip(*points)))
    middle, size = (low + high) / 2, (high - low).length
    scene = bpy.context.scene
    towards = mathutils.Vector((0.35, -1.0, 0.65)).normalized()
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location = middle + towards * size * 1.6
    camera.rotation_euler = towards.to_track_quat("Z", "Y").to_euler()
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 3, (math.radians(35), math.radians(20), 0)
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    scene.world = bpy.data.worlds.new("world")
    scene.camera, scene.render.engine, scene.cycles.samples = camera, "CYCLES", 32
    scene.render.resolution_x, scene.render.resolution_y = 900, 600
    scene.render.filepath = str(picture.resolve())
    bpy.ops.render.render(write_still=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="the run folder")
    parser.add_argument("--frame", type=int, default=0)
    parser.add_argument("--picture", type=pathlib.Path, help="draw into this PNG file")
    parser.add_argument("--hide", nargs="*", default=[], metavar="OBJECT", help="objects that are not drawn")
    options = parser.parse_args()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for path in (options.run / f"frame_{options.frame:04}.obj", options.run / "obstacles.obj"):
        if path.exists():
            bpy.ops.wm.obj_import(filepath=str(path.resolve()))
    things = [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]
    for thing in things:
        print(describe(thing))
        thing.hide_render = thing.name in options.hide
    if options.picture:
        draw([thing for thing in things if not thing.hide_render], options.picture)


if __name__ == "__main__":
    main()

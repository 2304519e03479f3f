#!/usr/bin/env python3
"""Writes an animated mesh of a USD, Alembic, glTF, FBX or Blender file as an obstacle that deforms: NAME.obj and NAME.pc2.

    python3 tools/to_pc2.py walk.usdc --object Body --out meshes/walk

Needs Blender as a Python module (`pip install bpy`). Both files are in metres, y up, with modifiers applied. The scene then
has `shape: Mesh("walk.obj"), samples: (file: "walk.pc2", frames_per_second: N)`; the program prints N.
"""

import argparse
import struct
import sys
from pathlib import Path

import bpy

IMPORTERS = {
    ".usd": lambda path: bpy.ops.wm.usd_import(filepath=path),
    ".usda": lambda path: bpy.ops.wm.usd_import(filepath=path),
    ".usdc": lambda path: bpy.ops.wm.usd_import(filepath=path),
    ".abc": lambda path: bpy.ops.wm.alembic_import(filepath=path, as_background_job=False),
    ".glb": lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ".gltf": lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ".fbx": lambda path: bpy.ops.import_scene.fbx(filepath=path),
    ".blend": lambda path: bpy.ops.wm.open_mainfile(filepath=path),
}


def open_file(path: Path) -> None:
    importer = IMPORTERS.get(path.suffix.lower())
    if importer is None:
        sys.exit(f"{path}: no file of a known kind\n  help: give one of {', '.join(IMPORTERS)}")
    if not path.is_file():
        sys.exit(f"{path}: there is no such file")
    if path.suffix.lower() != ".blend":
        bpy.ops.wm.read_factory_settings(use_empty=True)
    importer(str(path))


def mesh_object(name):
    meshes = [it for it in bpy.context.scene.objects if it.type == "MESH" and name in (None, it.name)]
    if len(meshes) == 1:
        return meshes[0]
    known = ", ".join(it.name for it in bpy.context.scene.objects if it.type == "MESH")
    sys.exit(f"{name or 'the file'}: {len(meshes)} meshes\n  help: name one with --object: {known}")


def evaluated(source):
    """Returns points (y up) and polygons of the mesh in the present frame."""
    graph = bpy.context.evaluated_depsgraph_get()
    it = source.evaluated_get(graph)
    mesh = it.to_mesh()
    points = [it.matrix_world @ vertex.co for vertex in mesh.vertices]
    polygons = [tuple(polygon.vertices) for polygon in mesh.polygons]
    it.to_mesh_clear()
    return [(p.x, p.z, -p.y) for p in points], polygons


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--object", help="the name of the mesh [the only one]")
    parser.add_argument("--frames", type=int, nargs=2, metavar=("FIRST", "LAST"), help="[those of the file]")
    parser.add_argument("--out", type=Path, required=True, help="NAME of NAME.obj and NAME.pc2")
    arguments = parser.parse_args()
    open_file(arguments.file)
    scene, source = bpy.context.scene, mesh_object(arguments.object)
    first, last = arguments.frames or (scene.frame_start, scene.frame_end)
    samples, faces = [], None
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        points, polygons = evaluated(source)
        if faces not in (None, polygons):
            sys.exit(f"frame {frame}: its polygons are others than before\n  help: switch off what changes the mesh")
        faces = polygons
        samples.append(points)
    if not faces:
        sys.exit(f"{arguments.file}: there is no frame from {first} to {last}, or the mesh has no polygon")
    lines = [f"# {source.name} of {arguments.file.name}, frame {first}"]
    lines += ["v {:.9g} {:.9g} {:.9g}".format(*point) for point in samples[0]]
    lines += ["f " + " ".join(str(vertex + 1) for vertex in polygon) for polygon in faces]
    arguments.out.with_suffix(".obj").write_text("\n".join(lines) + "\n")
    head = b"POINTCACHE2\0" + struct.pack("<IIffI", 1, len(samples[0]), first, 1.0, len(samples))
    numbers = [x for sample in samples for point in sample for x in point]
    arguments.out.with_suffix(".pc2").write_bytes(head + struct.pack(f"<{len(numbers)}f", *numbers))
    fps = scene.render.fps / scene.render.fps_base
    print(f"{source.name}: {len(samples[0])} vertices, {len(samples)} samples, frames_per_second: {fps:g}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Renders frames of a run folder side by side into one picture.

    pip install numpy pyvista
    tools/render_frames.py out/tablecloth 5 12 25 --output docs/images/tablecloth.png

Cloth is coloured by the rank that owns each vertex (`partition.csv` of the run
folder), obstacles are grey. `--zoom`, `--azimuth` and `--elevation` move the camera.
"""
import argparse
import csv
import pathlib

import numpy as np
import pyvista

PALETTE = ["#c2544d", "#e3b23c", "#4f7cac", "#6a994e", "#8a5a83", "#d98c5f", "#3d8f8a",
           "#b0a990", "#7d6b91", "#a44a3f", "#5b8e7d", "#c9ada7"]


def read_objects(path):
    """(name, positions, triangles, first vertex) of each object of an OBJ file."""
    positions, objects = [], []
    for line in path.read_text().splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "v":
            positions.append([float(word) for word in rest.split()[:3]])
        elif kind == "o":
            objects.append((rest, []))
        elif kind == "f":
            corners = [int(word.split("/")[0]) - 1 for word in rest.split()]
            if not objects:
                objects.append(("", []))
            objects[-1][1].extend([corners[0], b, c] for b, c in zip(corners[1:], corners[2:]))
    positions = np.array(positions)
    for name, triangles in objects:
        triangles = np.array(triangles)
        first, last = triangles.min(), triangles.max()
        yield name, positions[first:last + 1], triangles - first


def surface(positions, triangles):
    faces = np.hstack([np.full((len(triangles), 1), 3), triangles]).ravel()
    return pyvista.PolyData(positions, faces)


def owners(folder):
    path = folder / "partition.csv"
    if not path.exists():
        return None
    with path.open() as file:
        return np.array([int(row["rank"]) for row in csv.DictReader(file)])


def draw(plotter, folder, frame, ranks):
    first = 0
    for name, positions, triangles in read_objects(folder / f"frame_{frame:04}.obj"):
        mesh = surface(positions, triangles)
        is_cloth = ranks is not None and first + len(positions) <= len(ranks)
        if not is_cloth:
            plotter.add_mesh(mesh, color="#bbbbbb", smooth_shading=True)
            continue
        of_face = ranks[first:first + len(positions)][triangles].min(axis=1)
        first += len(positions)
        normals = mesh.compute_normals(cell_normals=False, split_vertices=False)
        for rank in np.unique(of_face):
            part = normals.extract_cells(np.flatnonzero(of_face == rank)).extract_surface(
                algorithm="dataset_surface")
            plotter.add_mesh(part, color=PALETTE[rank % len(PALETTE)], smooth_shading=True,
                             specular=0.15, ambient=0.15)
    obstacles = folder / "obstacles.obj"
    if obstacles.exists():
        for _, positions, triangles in read_objects(obstacles):
            plotter.add_mesh(surface(positions, triangles), color="#bbbbbb", smooth_shading=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("frames", type=int, nargs="+")
    arguments.add_argument("--output", default="frames.png")
    arguments.add_argument("--size", type=int, default=520, help="pixels of one frame's side")
    arguments.add_argument("--azimuth", type=float, default=35)
    arguments.add_argument("--elevation", type=float, default=18)
    arguments.add_argument("--zoom", type=float, default=1.35)
    chosen = arguments.parse_args()

    ranks = owners(chosen.folder)
    plotter = pyvista.Plotter(off_screen=True, shape=(1, len(chosen.frames)), border=False,
                              window_size=(chosen.size * len(chosen.frames), chosen.size))
    plotter.set_background("white")
    for column, frame in enumerate(chosen.frames):
        plotter.subplot(0, column)
        draw(plotter, chosen.folder, frame, ranks)
        plotter.camera_position = [(0, 0, 1), (0, 0, 0), (0, 1, 0)]
        plotter.reset_camera()
        plotter.camera.azimuth = chosen.azimuth
        plotter.camera.elevation = chosen.elevation
        plotter.camera.zoom(chosen.zoom)
    plotter.enable_anti_aliasing("ssaa")
    plotter.screenshot(chosen.output)
    print(chosen.output)


if __name__ == "__main__":
    main()

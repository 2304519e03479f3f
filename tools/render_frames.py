#!/usr/bin/env python3
"""Renders frames of a run folder side by side into one picture.

    pip install numpy pillow pyvista
    tools/render_frames.py out/tablecloth 5 12 25 --output docs/images/tablecloth.png

The colour of cloth is the rank that owns each vertex (`partition.csv` of the run
folder). Obstacles are grey. One camera sees all frames. It contains everything
except floors; `--azimuth` and `--elevation` turn it. Empty space above and below is
cut off.
"""
import argparse
import csv
import pathlib

import numpy as np
import pyvista
from PIL import Image

PALETTE = ["#c2544d", "#e3b23c", "#4f7cac", "#6a994e", "#8a5a83", "#d98c5f", "#3d8f8a",
           "#b0a990", "#7d6b91", "#a44a3f", "#5b8e7d", "#c9ada7"]


def read_objects(path):
    """Yields (name, positions, triangles) of each object of an OBJ file."""
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


def shown(folder, frame, ranks):
    """Yields (positions, triangles, rank of each vertex) of each object of a frame.

    The ranks of an obstacle are None.
    """
    first = 0
    for _, positions, triangles in read_objects(folder / f"frame_{frame:04}.obj"):
        is_cloth = ranks is not None and first + len(positions) <= len(ranks)
        yield positions, triangles, ranks[first:first + len(positions)] if is_cloth else None
        first += len(positions)
    obstacles = folder / "obstacles.obj"
    if obstacles.exists():
        for _, positions, triangles in read_objects(obstacles):
            yield positions, triangles, None


def draw(plotter, objects):
    for positions, triangles, ranks in objects:
        mesh = surface(positions, triangles)
        if ranks is None:
            plotter.add_mesh(mesh, color="#bbbbbb", smooth_shading=True)
            continue
        of_face = ranks[triangles].min(axis=1)
        normals = mesh.compute_normals(cell_normals=False, split_vertices=False)
        for rank in np.unique(of_face):
            part = normals.extract_cells(np.flatnonzero(of_face == rank)).extract_surface(
                algorithm="dataset_surface")
            plotter.add_mesh(part, color=PALETTE[rank % len(PALETTE)], smooth_shading=True,
                             specular=0.15, ambient=0.15)


def is_floor(positions, ranks):
    """True for an obstacle without height: it may run out of the picture."""
    return ranks is None and np.ptp(positions[:, 1]) == 0


def camera(points, azimuth, elevation, angle, margin):
    """Returns (position, focal point, up) of the nearest camera that sees all `points`.

    Its picture is square and `angle` wide. It looks from `azimuth` and `elevation` (all
    in degrees). A `margin` of the picture's side stays free.
    """
    turn, rise = np.radians([azimuth, elevation])
    back = np.array([np.sin(turn) * np.cos(rise), np.sin(rise), np.cos(turn) * np.cos(rise)])
    right = np.array([np.cos(turn), 0, -np.sin(turn)])
    up = np.cross(back, right)
    slope = np.tan(np.radians(angle) / 2) * (1 - 2 * margin)
    depth = points @ back
    # A point is inside where |along - centre| <= slope * (distance - depth).
    centre, distances = [], []
    for axis in (right, up):
        along = points @ axis
        high, low = (along + slope * depth).max(), (along - slope * depth).min()
        centre.append((high + low) / 2)
        distances.append((high - low) / (2 * slope))
    target = centre[0] * right + centre[1] * up
    distance = max(distances)
    return target + distance * back, target + depth.mean() * back, up


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("frames", type=int, nargs="+", help="numbers of the frames to show")
    arguments.add_argument("--output", default="frames.png", help="the picture to write [frames.png]")
    arguments.add_argument("--size", type=int, default=520, help="side of one frame in pixels [520]")
    arguments.add_argument("--azimuth", type=float, default=35, help="of the camera, degrees [35]")
    arguments.add_argument("--elevation", type=float, default=18, help="of the camera, degrees [18]")
    arguments.add_argument("--margin", type=float, default=0.04,
                           help="free border, as a share of a frame's side [0.04]")
    chosen = arguments.parse_args()

    ranks = owners(chosen.folder)
    frames = [list(shown(chosen.folder, frame, ranks)) for frame in chosen.frames]
    points = np.vstack([positions for objects in frames for positions, _, owner in objects
                        if not is_floor(positions, owner)])
    plotter = pyvista.Plotter(off_screen=True, shape=(1, len(frames)), border=False,
                              window_size=(chosen.size * len(frames), chosen.size))
    plotter.set_background("white")
    for column, objects in enumerate(frames):
        plotter.subplot(0, column)
        draw(plotter, objects)
        plotter.camera_position = camera(points, chosen.azimuth, chosen.elevation,
                                         plotter.camera.view_angle, chosen.margin)
        plotter.reset_camera_clipping_range()
    plotter.enable_anti_aliasing("ssaa")
    picture = plotter.screenshot(return_img=True)
    border = round(chosen.margin * chosen.size)
    rows = np.flatnonzero((picture != 255).any(axis=(1, 2)))
    picture = picture[max(rows[0] - border, 0):rows[-1] + border + 1]
    Image.fromarray(picture).quantize().save(chosen.output, optimize=True)
    print(chosen.output)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Renders frames of a run folder side by side into one picture.

    pip install matplotlib numpy pillow pyvista
    tools/render_frames.py out/tablecloth 5 12 25 --output docs/images/tablecloth.png
    tools/render_frames.py out/well 0 50 100 --colour speed

Cloth: the colour is the rank that owns each vertex (`partition.csv` of the run folder).
Rigid bodies: the colour is the rank that owns the body (`owners_<frame>.csv`), its
workers (`workers_<frame>.csv`: their colours are mixed by their weights), its speed,
its group, or its size. Obstacles are grey. A wall is not drawn where it hides
what is inside; `--no-walls` leaves out all of them. One camera sees all frames. It
contains everything except floors and walls, or the ball of `--focus`; `--azimuth` and
`--elevation` turn it. Empty space above and below is cut off.
"""
import argparse
import csv
import json
import pathlib

import matplotlib
import numpy as np
import pyvista
import vtk
from PIL import Image
from vtk.util.numpy_support import numpy_to_vtk

PALETTE = ["#c2544d", "#e3b23c", "#4f7cac", "#6a994e", "#8a5a83", "#d98c5f", "#3d8f8a",
           "#b0a990", "#7d6b91", "#a44a3f", "#5b8e7d", "#c9ada7"]
COLOURS = ["owner", "worker", "speed", "group", "size"]
SHAPES = ["sphere", "box", "capsule", "solid", "half-space", "cylinder"]
GREY = "#bbbbbb"
# With more bodies than this a ball has fewer facets.
MANY = 20_000


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


def read_points(path, number, surfaces):
    """Yields what `read_objects` does: the `surfaces`, where frame `number` of a PC2 file puts them."""
    head = np.fromfile(path, "<i4", 8)
    count, first = head[4], int(head[5:6].view("<f4")[0])
    at = 32 + 12 * int(count) * (number - first)
    positions = np.fromfile(path, "<f4", 3 * count, offset=at).reshape(-1, 3).astype(float)
    begin = 0
    for name, known, triangles in surfaces:
        yield name, positions[begin:begin + len(known)], triangles
        begin += len(known)


def split_polygons(frame):
    """Yields what `read_objects` does, of a VTK frame of surfaces."""
    points, objects = np.array(frame.points), np.array(frame["object"])
    triangles = frame.triangulate().faces.reshape(-1, 4)[:, 1:]
    for number in np.unique(objects):
        own = np.flatnonzero(objects == number)
        yield str(number), points[own], triangles[objects[triangles[:, 0]] == number] - own[0]


def surface(positions, triangles):
    faces = np.hstack([np.full((len(triangles), 1), 3), triangles]).ravel()
    return pyvista.PolyData(positions, faces)


def is_flat(positions):
    """True for a floor or a wall: it may run out of the picture."""
    spread = np.linalg.svd(positions - positions.mean(axis=0), compute_uv=False)
    return len(spread) < 3 or spread[2] <= 1e-6 * spread[0]


class Obstacle:
    """A surface without an owner."""

    def __init__(self, positions, triangles):
        self.mesh = surface(positions, triangles)
        self.points = positions[:0] if is_flat(positions) else positions

    def draw(self, plotter, opacity):
        # A wall is seen from its front only, a closed surface from outside anyway.
        is_wall = len(self.points) == 0
        plotter.add_mesh(self.mesh, color=GREY, smooth_shading=True, split_sharp_edges=True,
                         ambient=0.4 if is_wall else 0.0, culling="back" if is_wall else None,
                         opacity=1.0 if is_wall else opacity)


class Cloth:
    """A cloth and the rank of each of its vertices."""

    def __init__(self, positions, triangles, ranks):
        self.points, self.triangles, self.ranks = positions, triangles, ranks

    def draw(self, plotter, _):
        mesh = surface(self.points, self.triangles)
        of_face = self.ranks[self.triangles].min(axis=1)
        normals = mesh.compute_normals(cell_normals=False, split_vertices=False)
        for rank in np.unique(of_face):
            part = normals.extract_cells(np.flatnonzero(of_face == rank)).extract_surface(
                algorithm="dataset_surface")
            plotter.add_mesh(part, color=PALETTE[rank % len(PALETTE)], smooth_shading=True,
                             specular=0.15, ambient=0.15)


class Bodies:
    """The rigid bodies of a frame, and what gives each its colour."""

    def __init__(self, frame, solids, values):
        self.frame, self.solids, self.values = frame, solids, values
        centres, radii = np.array(frame.points), frame["radius"][:, None]
        steps = np.vstack([np.eye(3), -np.eye(3)])
        self.points = np.vstack([centres + radii * step for step in steps])
        self.colours = None

    def draw(self, plotter, _):
        frame, shapes = self.frame, self.frame["shape"]
        fine = 16 if frame.n_points > MANY else 32
        ball = pyvista.Sphere(radius=1, theta_resolution=fine, phi_resolution=fine // 2 + 1)
        cube = pyvista.Cube(x_length=2, y_length=2, z_length=2)
        tube = pyvista.Cylinder(direction=(0, 1, 0), radius=1, height=2, resolution=fine,
                                capping=False)
        centres, sizes = np.array(frame.points), np.array(frame["size"])
        turns, colours = np.array(frame["orientation"]), self.colours

        def add(which, glyph, centres=centres, sizes=sizes):
            if which.any():
                add_glyphs(plotter, glyph, centres[which], sizes[which], turns[which],
                           colours[which])

        add(shapes == SHAPES.index("sphere"), ball)
        add(shapes == SHAPES.index("box"), cube)
        add(shapes == SHAPES.index("cylinder"), tube.triangulate().fill_holes(3))
        capsules = shapes == SHAPES.index("capsule")
        add(capsules, tube)
        w, x, y, z = turns.T
        axes = np.column_stack([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])
        for side in (-1, 1):
            ends = centres + side * sizes[:, 1:2] * axes
            add(capsules, ball, ends, np.repeat(sizes[:, :1], 3, axis=1))
        for number, solid in enumerate(self.solids):
            which = (shapes == SHAPES.index("solid")) & (frame["solid"] == number)
            add(which, solid, sizes=np.ones_like(sizes))


def add_glyphs(plotter, glyph, centres, sizes, turns, colours):
    """Draws `glyph` at each centre, scaled along its own axes and turned."""
    points = pyvista.PolyData(centres)
    for name, values in (("size", sizes), ("turn", turns), ("colour", colours)):
        array = numpy_to_vtk(np.ascontiguousarray(values), deep=True)
        array.SetName(name)
        points.GetPointData().AddArray(array)
    mapper = vtk.vtkGlyph3DMapper()
    mapper.SetInputData(points)
    mapper.SetSourceData(glyph.compute_normals(cell_normals=False, split_vertices=True,
                                               feature_angle=40))
    mapper.SetScaleArray("size")
    mapper.SetScaleModeToScaleByVectorComponents()
    mapper.SetOrientationArray("turn")
    mapper.SetOrientationModeToQuaternion()
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray("colour")
    mapper.SetColorModeToDirectScalars()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetAmbient(0.15)
    actor.GetProperty().SetSpecular(0.15)
    plotter.add_actor(actor, reset_camera=False)


def cloth_ranks(folder):
    path = folder / "partition.csv"
    if not path.exists():
        return None
    with path.open() as file:
        return np.array([int(row["rank"]) for row in csv.DictReader(file)])


def body_owners(folder, frame, ids):
    """The rank of each body; 0 for those without one."""
    path = folder / f"owners_{frame:04}.csv"
    owners = np.zeros(len(ids), dtype=int)
    if path.exists():
        rows = np.loadtxt(path, delimiter=",", skiprows=1, dtype=int, ndmin=2).reshape(-1, 3)
        if len(rows) == 0:
            return owners
        first, last, rank = rows.T
        run = np.searchsorted(first, ids, side="right") - 1
        known = (run >= 0) & (ids <= last[run])
        owners[known] = rank[run[known]]
    return owners


def body_workers(folder, frame, ids):
    """The weight of each worker for each body: a row a body, a column a worker."""
    path = folder / f"workers_{frame:04}.csv"
    if not path.exists():
        raise SystemExit(f"{path}: missing; only runs with `parallel: Workers(..)` have workers: "
                         "choose another --colour")
    with path.open() as file:
        rows = {int(row["id"]): row for row in csv.DictReader(file)}
    weights = np.zeros((len(ids), 64))
    for place, body in enumerate(ids):
        # Bodies that keyframes move have no worker.
        if body in rows:
            workers, shares = (rows[body][name].split(";") for name in ("workers", "weights"))
            weights[place, [int(worker) for worker in workers]] = [float(it) for it in shares]
    return weights


def bodies_of(folder, number, frame, colour):
    if colour == "worker":
        values = body_workers(folder, number, np.array(frame["id"], dtype=int))
    elif colour == "owner":
        values = body_owners(folder, number, np.array(frame["id"], dtype=int))
    elif colour == "group":
        values = np.array(frame["group"])
    elif colour == "speed":
        values = np.linalg.norm(frame["velocity"], axis=1)
    else:
        values = np.array(frame["radius"])
    path = folder / "solids.obj"
    solids = [surface(x, faces) for _, x, faces in read_objects(path)] if path.exists() else []
    return Bodies(frame, solids, values)


def shown(folder, frame, ranks, colour):
    """The objects of a frame."""
    objects, first, surfaces = [], 0, []
    if (path := folder / f"frame_{frame:04}.vtp").exists():
        content = pyvista.read(path)
        if "shape" in content.point_data:
            objects.append(bodies_of(folder, frame, content, colour))
        else:
            surfaces = split_polygons(content)
    elif (path := folder / f"frame_{frame:04}.obj").exists():
        surfaces = read_objects(path)
    else:
        for name in json.loads((folder / "run.json").read_text())["files"]["once"]:
            if name.startswith("frames_") and name.endswith(".pc2"):
                objects_of_file = read_objects(folder / f"{name[:-4]}.obj")
                surfaces += read_points(folder / name, frame, objects_of_file)
    for _, positions, triangles in surfaces:
        last = first + len(positions)
        is_cloth = ranks is not None and last <= len(ranks)
        objects.append(Cloth(positions, triangles, ranks[first:last]) if is_cloth
                       else Obstacle(positions, triangles))
        first = last
    path = folder / "obstacles.obj"
    if path.exists():
        objects.extend(Obstacle(x, faces) for _, x, faces in read_objects(path))
    return objects


def set_colours(bodies, colour):
    """Gives all bodies of all frames their colours, on one scale.

    Those that keyframes move are grey.
    """
    palette = np.array([pyvista.Color(it).int_rgb for it in PALETTE], dtype=np.uint8)
    if colour in ("owner", "group"):
        for one in bodies:
            one.colours = palette[one.values % len(palette)]
    elif colour == "worker":
        for one in bodies:
            of_workers = palette[np.arange(one.values.shape[1]) % len(palette)]
            one.colours = np.rint(one.values @ of_workers).astype(np.uint8)
    elif bodies:
        values = np.concatenate([one.values for one in bodies])
        low, high = values.min(), max(np.quantile(values, 0.99), values.min() + 1e-12)
        for one in bodies:
            share = np.clip((one.values - low) / (high - low), 0, 1)
            one.colours = matplotlib.colormaps["viridis"](share, bytes=True)[:, :3]
        print(f"{colour}: {low:.3g} (dark) to {high:.3g} (bright)")
    for one in bodies:
        one.colours[np.array(one.frame["fixed"]) == 1] = pyvista.Color(GREY).int_rgb


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
    arguments.add_argument("--colour", choices=COLOURS, default="owner",
                           help="what gives rigid bodies their colours [owner]")
    arguments.add_argument("--opacity", type=float, default=1,
                           help="of obstacles, to show what is behind them, 0 to 1 [1]")
    arguments.add_argument("--no-walls", action="store_true", help="draw no flat obstacles")
    arguments.add_argument("--focus", type=float, nargs=4, metavar=("X", "Y", "Z", "RADIUS"),
                           help="show this ball only, m")
    chosen = arguments.parse_args()

    ranks = cloth_ranks(chosen.folder)
    frames = [shown(chosen.folder, frame, ranks, chosen.colour) for frame in chosen.frames]
    bodies = [it for objects in frames for it in objects if isinstance(it, Bodies)]
    set_colours(bodies, chosen.colour)
    points = np.vstack([it.points for objects in frames for it in objects])
    if chosen.focus:
        *centre, radius = chosen.focus
        points = np.array(centre) + radius * np.vstack([np.eye(3), -np.eye(3)])
    plotter = pyvista.Plotter(off_screen=True, shape=(1, len(frames)), border=False,
                              window_size=(chosen.size * len(frames), chosen.size))
    plotter.set_background("white")
    for column, objects in enumerate(frames):
        plotter.subplot(0, column)
        for it in objects:
            if not (chosen.no_walls and len(it.points) == 0):
                it.draw(plotter, chosen.opacity)
        plotter.camera_position = camera(points, chosen.azimuth, chosen.elevation,
                                         plotter.camera.view_angle, chosen.margin)
        plotter.reset_camera_clipping_range()
        if bodies:
            # Shade between bodies shows which one is in front.
            plotter.enable_ssao(radius=0.04 * np.ptp(points, axis=0).max(), kernel_size=64)
    plotter.enable_anti_aliasing("ssaa")
    picture = plotter.screenshot(return_img=True)
    border = round(chosen.margin * chosen.size)
    rows = np.flatnonzero((picture != 255).any(axis=(1, 2)))
    picture = picture[max(rows[0] - border, 0):rows[-1] + border + 1]
    Image.fromarray(picture).quantize().save(chosen.output, optimize=True)
    print(chosen.output)


if __name__ == "__main__":
    main()

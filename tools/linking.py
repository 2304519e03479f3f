#!/usr/bin/env python3
"""Tells whether rings of a run folder stay linked.

    pip install matplotlib numpy pillow pyvista
    tools/linking.py out/net

A ring is a compound of capsules in a closed row, also one that does not move. For each pair of rings whose centres
are nearer than two radii the Gauss linking number is computed from the closed polygons of their axes, by the exact
formula for two straight edges (Klenin & Langowski 2000, method 1a). A row of the table is a frame: its linked pairs,
and how many pairs have another number than in frame 0. The exit code is 1 if there is such a pair.
"""
import argparse
import pathlib
import sys

import numpy as np
import pyvista

from render_frames import SHAPES, read_objects

# Pairs at once: memory.
CHUNK = 20_000


def corners(points, triangles):
    """The corners of a ring: where the axes of its capsules meet. None if the surface is no ring."""
    part, before = np.arange(len(points)), None
    while not np.array_equal(part, before):
        before = part.copy()
        np.minimum.at(part, triangles, before[triangles].min(axis=1)[:, None])
    ends = []
    for name in np.unique(part):
        own = points[part == name]
        centre = own.mean(axis=0)
        axis = np.linalg.svd(own - centre, full_matrices=False)[2][0]
        along = (own - centre) @ axis
        radius = np.linalg.norm(own - centre - along[:, None] * axis, axis=1).max()
        ends.append(centre + np.array([[-1], [1]]) * (along.max() - radius) * axis)
    ring = []
    for one, other in zip(ends, ends[1:] + ends[:1]):
        gaps = np.linalg.norm(one[:, None] - other, axis=2)
        if len(ends) < 3 or gaps.min() > 1e-3 * gaps.max():
            return None
        ring.append(one[gaps.min(axis=1).argmin()])
    return np.array(ring)


def turned(points, turns):
    """`points` of each body, turned by the quaternions `turns` (w, x, y, z)."""
    w, v = turns[:, None, :1], turns[:, None, 1:]
    twice = 2 * np.cross(v, points)
    return points + w * twice + np.cross(v, twice)


def dot(p, q):
    return (p * q).sum(axis=-1)


def linking(first, second):
    """The Gauss linking numbers of pairs of closed polygons."""
    a, c = first[:, :, None], second[:, None]
    b, d = np.roll(first, -1, axis=1)[:, :, None], np.roll(second, -1, axis=1)[:, None]
    normals = [np.cross(p, q) for p, q in ((c - a, d - a), (d - a, d - b), (d - b, c - b), (c - b, c - a))]
    normals = [it / np.maximum(np.linalg.norm(it, axis=-1, keepdims=True), 1e-300) for it in normals]
    angles = [np.arcsin(np.clip(dot(p, q), -1, 1)) for p, q in zip(normals, normals[1:] + normals[:1])]
    side = np.sign(dot(np.cross(d - c, b - a), c - a))
    return (sum(angles) * side).sum(axis=(1, 2)) / (4 * np.pi)


def links(names, rings, radius):
    """The pairs with another linking number than 0, by names, and their numbers."""
    centres, found = rings.mean(axis=1), {}
    order = np.argsort(centres[:, 0])
    last = np.searchsorted(centres[order, 0], centres[order, 0] + 2 * radius)
    pairs = np.concatenate([np.column_stack([np.full(end - i - 1, i), np.arange(i + 1, end)])
                            for i, end in enumerate(last)])
    pairs = np.sort(order[pairs], axis=1)
    pairs = pairs[np.linalg.norm(centres[pairs[:, 0]] - centres[pairs[:, 1]], axis=1) < 2 * radius]
    for some in np.array_split(pairs, len(pairs) // CHUNK + 1):
        numbers = linking(rings[some[:, 0]], rings[some[:, 1]])
        found |= {tuple(names[one] for one in pair): round(it) for pair, it in zip(some, numbers) if round(it)}
    return found


class Run:
    """The rings of a run folder."""

    def __init__(self, folder):
        self.folder = folder
        self.solids = self.read("solids.obj")
        if all(solid is None for solid in self.solids):
            raise SystemExit(f"{folder}: no rings of capsules")
        self.still = [ring for ring in self.read("obstacles.obj") if ring is not None]

    def read(self, name):
        path = self.folder / name
        return [corners(x, faces) for _, x, faces in read_objects(path)] if path.exists() else []

    def rings(self, path):
        """Names and corners of all rings in the frame at `path`."""
        frame = pyvista.read(path)
        names, all_corners = [], []
        for number, solid in enumerate(self.solids):
            which = (frame["shape"] == SHAPES.index("solid")) & (frame["solid"] == number)
            if solid is not None and which.any():
                names.extend(f"body {it}" for it in np.array(frame["id"])[which])
                places, turns = np.array(frame.points)[which], np.array(frame["orientation"])[which]
                all_corners.append(places[:, None] + turned(solid, turns))
        names.extend(f"still ring {it}" for it in range(len(self.still)))
        return names, np.concatenate(all_corners + [np.array(self.still)] * bool(self.still))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    folder = arguments.parse_args().folder
    run, start, faults = Run(folder), None, 0
    print("frame  linked  lost   new")
    for path in sorted(folder.glob("frame_*.vtp")):
        names, rings = run.rings(path)
        now = links(names, rings, np.linalg.norm(rings - rings.mean(axis=1, keepdims=True), axis=2).max())
        if start is None:
            start = now
        changed = sorted(pair for pair in start.keys() | now.keys() if start.get(pair) != now.get(pair))
        lost = sum(pair in start for pair in changed)
        print(f"{path.stem[6:]:>5} {len(now):>7} {lost:>5} {len(changed) - lost:>5}", end="")
        if changed:
            print("   " + " and ".join(changed[0]), end="")
        print(flush=True)
        faults += bool(changed)
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()

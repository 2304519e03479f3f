#!/usr/bin/env python3
"""Makes meshes/tablecloth.obj: a disc of radius 1 m with exactly 14,033 vertices.

Needs numpy and scipy. Makes the same file on every run with the same versions.

The start is a sunflower pattern, which favours no direction. Each round triangulates the points (Delaunay).
Then it moves every inner vertex to the area-weighted mean of the circumcentres around it (optimal Delaunay
triangulation: Chen, Xu 2004; Alliez et al. 2005). The boundary is a regular polygon on the circle; its edges
are as long as those inside. Vertices are numbered along a Hilbert curve, so that neighbours in the mesh are
near in memory.
"""

import argparse

import numpy as np
from scipy.spatial import Delaunay

VERTICES = 14_033
ROUNDS = 940


def boundary_count(vertices: int) -> int:
    """Returns the number b of boundary vertices for which all edges have length 2 pi / b.

    By Euler there are 2 n - b - 2 triangles.
    """
    c = np.sqrt(3) * np.pi
    return round(0.5 * c * (-1 + np.sqrt(1 + 4 * (2 * vertices - 2) / c)))


def start(vertices: int) -> np.ndarray:
    """Returns the boundary polygon, then a sunflower pattern inside (m)."""
    rim = boundary_count(vertices)
    inner = vertices - rim
    angle = 2 * np.pi * np.arange(rim) / rim
    edge = 2 * np.pi / rim
    k = np.arange(inner)
    radius = (1 - 0.5 * edge) * np.sqrt((k + 0.5) / inner)
    turn = k * np.pi * (3 - np.sqrt(5))
    return np.concatenate(
        [np.c_[np.cos(angle), np.sin(angle)], np.c_[radius * np.cos(turn), radius * np.sin(turn)]]
    )


def circumcentres(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns circumcentre and area of each triangle of p (n x 3 x 2)."""
    b, c = p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]
    cross = b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0]
    bb, cc = (b * b).sum(1), (c * c).sum(1)
    x = (c[:, 1] * bb - b[:, 1] * cc) / (2 * cross)
    y = (b[:, 0] * cc - c[:, 0] * bb) / (2 * cross)
    return p[:, 0] + np.c_[x, y], 0.5 * np.abs(cross)


def relax(points: np.ndarray, rim: int, step: float) -> np.ndarray:
    """Moves the points by one round. The first `rim` points stay."""
    t = Delaunay(points).simplices
    centre, area = circumcentres(points[t])
    centre = np.where((centre**2).sum(1, keepdims=True) < 1, centre, points[t].mean(1))
    weight = np.zeros(len(points))
    moment = np.zeros_like(points)
    for corner in range(3):
        np.add.at(weight, t[:, corner], area)
        np.add.at(moment, t[:, corner], area[:, None] * centre)
    moved = points + step * (moment / weight[:, None] - points)
    moved[:rim] = points[:rim]
    return moved


def smallest_angles(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Returns the smallest angle of each triangle in degrees."""
    p = points[triangles]
    cosines = []
    for i in range(3):
        a, b = p[:, (i + 1) % 3] - p[:, i], p[:, (i + 2) % 3] - p[:, i]
        cosines.append((a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1)))
    return np.degrees(np.arccos(np.max(cosines, axis=0)))


def hilbert(points: np.ndarray, order: int = 16) -> np.ndarray:
    """Returns the index of each point of [-1, 1]^2 along a Hilbert curve."""
    x, y = ((points + 1) / 2 * (2**order - 1)).astype(np.int64).T
    index = np.zeros(len(points), dtype=np.int64)
    for level in reversed(range(order)):
        s = 1 << level
        rx, ry = ((x & s) > 0).astype(np.int64), ((y & s) > 0).astype(np.int64)
        index += s * s * ((3 * rx) ^ ry)
        flip = (ry == 0) & (rx == 1)
        x, y = np.where(flip, s - 1 - (x & (s - 1)), x & (s - 1)), np.where(flip, s - 1 - (y & (s - 1)), y & (s - 1))
        x, y = np.where(ry == 0, y, x), np.where(ry == 0, x, y)
    return index


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="meshes/tablecloth.obj", help="the file to write [meshes/tablecloth.obj]")
    arguments = parser.parse_args()

    rim = boundary_count(VERTICES)
    points = start(VERTICES)
    best, best_angle = points, 0.0
    for done in range(ROUNDS):
        points = relax(points, rim, 1.0)
        if done % 20 == 19:
            angle = smallest_angles(points, Delaunay(points).simplices).min()
            if angle > best_angle:
                best, best_angle = points, angle
            print(f"round {done + 1}: smallest angle {angle:.2f} degrees", flush=True)
    points = best

    points = points[np.argsort(hilbert(points), kind="stable")]
    triangles = Delaunay(points).simplices
    p = points[triangles]
    b, c = p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]
    up = b[:, 1] * c[:, 0] - b[:, 0] * c[:, 1] > 0
    triangles[~up] = triangles[~up][:, ::-1]
    # Each triangle begins at its lowest vertex; triangles are sorted by these vertices.
    lowest = triangles.argmin(1)
    triangles = np.take_along_axis(triangles, (lowest[:, None] + np.arange(3)) % 3, axis=1)
    triangles = triangles[np.lexsort(triangles.T[::-1])]

    assert len(points) == VERTICES and len(np.unique(triangles)) == VERTICES
    assert len(triangles) == 2 * VERTICES - rim - 2
    with open(arguments.out, "w", encoding="ascii") as file:
        file.write("o tablecloth\n")
        for x, z in points:
            file.write(f"v {x:.9g} 0 {z:.9g}\n")
        for face in triangles + 1:
            file.write("f {} {} {}\n".format(*face))
    angles = smallest_angles(points, triangles)
    print(f"{len(points)} vertices, {len(triangles)} triangles, {rim} on the boundary")
    print(f"smallest angle {angles.min():.2f} degrees, 1st percentile {np.percentile(angles, 1):.2f}")


if __name__ == "__main__":
    main()

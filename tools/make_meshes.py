#!/usr/bin/env python3
"""Makes the meshes of all scenes except the tablecloth. Needs numpy; makes the same files on every run.

    python3 tools/make_meshes.py [NAME]...

All are triangle meshes in metres, y up, normals outwards. Those that deform have a PC2 file too.
"""

import argparse
from pathlib import Path

import numpy as np

MESHES = Path(__file__).parent.parent / "meshes"


def write(name: str, about: str, points, faces, groups=None) -> None:
    """Writes an OBJ file. `groups` maps the name of a group to its rows of `faces`."""
    lines = [f"# {about}", "# Made by tools/make_meshes.py."]
    lines += ["v {:.9g} {:.9g} {:.9g}".format(*point) for point in np.asarray(points) + 0.0]
    for group, rows in (groups or {"all": range(len(faces))}).items():
        if groups:
            lines.append(f"g {group}")
        lines += ["f {} {} {}".format(*(np.asarray(faces[row]) + 1)) for row in rows]
    (MESHES / f"{name}.obj").write_text("\n".join(lines) + "\n")
    print(f"{name}: {len(points)} vertices, {len(faces)} faces")


def tube(rings, closed_ends=True):
    """Returns points and faces of a surface around consecutive rings of equally many points.

    The points of a ring run counter-clockwise, seen against the direction in which the rings follow. A fan about
    its centre closes each end.
    """
    rings = np.asarray(rings)
    count, around = rings.shape[:2]
    points = [point for ring in rings for point in ring]
    faces = []
    for i in range(count - 1):
        for j in range(around):
            a, b = i * around + j, i * around + (j + 1) % around
            c, d = a + around, b + around
            faces += [[a, b, c], [b, d, c]] if (i + j) % 2 else [[a, b, d], [a, d, c]]
    if closed_ends:
        first, last = len(points), len(points) + 1
        points += [rings[0].mean(axis=0), rings[-1].mean(axis=0)]
        base = (count - 1) * around
        for j in range(around):
            k = (j + 1) % around
            faces += [[first, k, j], [last, base + j, base + k]]
    return np.asarray(points), np.asarray(faces)


def circles(centres, radii, u, v, around):
    """Returns rings of `around` points about `centres`, in the planes of the unit vectors `u` and `v`."""
    angle = 2 * np.pi * np.arange(around) / around
    circle = np.cos(angle)[:, None, None] * u + np.sin(angle)[:, None, None] * v
    return np.moveaxis(centres + circle * np.asarray(radii)[:, None], 0, 1)


def frames(curve, closed):
    """Returns the tangents of a curve, and two unit vectors across it that turn as little as possible.

    Method of double reflection.
    """
    after = np.roll(curve, -1, axis=0) - np.roll(curve, 1, axis=0)
    if not closed:
        after[0], after[-1] = curve[1] - curve[0], curve[-1] - curve[-2]
    t = after / np.linalg.norm(after, axis=1)[:, None]
    u = np.zeros_like(t)
    start = np.cross(t[0], np.eye(3)[np.argmin(abs(t[0]))])
    u[0] = start / np.linalg.norm(start)
    for i in range(len(curve) - 1):
        w = curve[i + 1] - curve[i]
        r, s = u[i] - 2 * w * (w @ u[i]) / (w @ w), t[i] - 2 * w * (w @ t[i]) / (w @ w)
        w = t[i + 1] - s
        u[i + 1] = r - 2 * w * (w @ r) / max(w @ w, 1e-300)
    return t, u, np.cross(t, u)


def undulated_bar():
    """A round bar of radius 2 cm along x, 1.4 m long, that goes up and down by 6 cm every 40 cm."""
    x = np.linspace(-0.7, 0.7, 141)
    curve = np.stack([x, 0.06 * np.sin(2 * np.pi * x / 0.4), 0 * x], axis=1)
    _, u, v = frames(curve, closed=False)
    points, faces = tube(circles(curve, np.full(len(x), 0.02), u, v, 16))
    write("undulated_bar", undulated_bar.__doc__, points, faces)


def twist_cylinder():
    """An open cylinder of cloth about the x axis: radius 0.25 m, length 1 m, 40 x 64 cells; groups of the faces at its ends."""
    along, around = 40, 64
    x = np.linspace(-0.5, 0.5, along + 1)
    centres = np.stack([x, 0 * x, 0 * x], axis=1)
    u, v = np.tile([0.0, 1, 0], (along + 1, 1)), np.tile([0.0, 0, 1], (along + 1, 1))
    points, faces = tube(circles(centres, np.full(along + 1, 0.25), u, v, around), closed_ends=False)
    ring = 2 * around
    rows = range(len(faces))
    groups = {"left": rows[:ring], "middle": rows[ring:-ring], "right": rows[-ring:]}
    write("twist_cylinder", twist_cylinder.__doc__, points, faces, groups)


def funnel():
    """A fixed funnel, an open surface: a cone from radius 0.7 m at y = 0.15 m down to a neck of radius 0.12 m, 0.5 m long."""
    profile = [(0.7, 0.15), (0.56, 0.08), (0.42, 0.01), (0.3, -0.06), (0.21, -0.13), (0.15, -0.21), (0.125, -0.3)]
    profile += [(0.12, -0.3 - 0.04 * i) for i in range(1, 13)]
    radii, heights = np.array(profile).T
    centres = np.stack([0 * heights, heights, 0 * heights], axis=1)
    u, v = np.tile([1.0, 0, 0], (len(radii), 1)), np.tile([0.0, 0, 1], (len(radii), 1))
    points, faces = tube(circles(centres, radii, u, v, 64), closed_ends=False)
    write("funnel", funnel.__doc__, points, faces)


def bowl():
    """A fixed bowl, an open surface: the lower half of a sphere of radius 0.3 m, its rim at y = 0."""
    angle = np.linspace(90, 4, 31) * np.pi / 180
    radii, heights = 0.3 * np.sin(angle), -0.3 * np.cos(angle)
    centres = np.stack([0 * heights, heights, 0 * heights], axis=1)
    u, v = np.tile([1.0, 0, 0], (len(radii), 1)), np.tile([0.0, 0, 1], (len(radii), 1))
    points, faces = tube(circles(centres, radii, u, v, 72), closed_ends=False)
    # A fan closes the bottom.
    last, bottom = np.arange(len(points) - 72, len(points)), len(points)
    fan = np.stack([np.full(72, bottom), last, np.roll(last, -1)], axis=1)
    write("bowl", bowl.__doc__, np.vstack([points, [0, -0.3, 0]]), np.vstack([faces, fan]))


def tetrahedron():
    """A regular tetrahedron of edge 0.1 m about the origin, one tip down."""
    edge, height = 0.1, 0.1 * np.sqrt(2 / 3)
    angle = np.array([0, 2, 4]) * np.pi / 3
    rim = np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=1) * edge / np.sqrt(3)
    points = np.vstack([rim + [0, height / 4, 0], [[0, -3 * height / 4, 0]]])
    write("tetrahedron", tetrahedron.__doc__, points, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])


def needles():
    """A bed of 10 x 10 needles, 0.1 m apart: cones of radius 2 mm and height 0.1 m with six sides, tips at y = 0."""
    points, faces = [], []
    angle = np.pi * np.arange(6) / 3
    base = np.stack([0.002 * np.cos(angle), np.full(6, -0.1), -0.002 * np.sin(angle)], axis=1)
    for i in range(10):
        for j in range(10):
            first, at = len(points), np.array([0.1 * i - 0.45, 0, 0.1 * j - 0.45])
            points += [*(base + at), at, at + [0, -0.1, 0]]
            for k in range(6):
                a, b = first + k, first + (k + 1) % 6
                faces += [[a, b, first + 6], [b, a, first + 7]]
    write("needles", needles.__doc__, points, faces)


def sphere_points(levels):
    """Returns an icosphere: unit vectors and faces."""
    phi = (1 + 5**0.5) / 2
    points = [(s * a, t * b, 0) for a, b in [(1, phi)] for s in (-1, 1) for t in (-1, 1)]
    points = np.array([np.roll(p, r) for r in range(3) for p in points], float)
    points /= np.linalg.norm(points[0])
    near = np.linalg.norm(points[:, None] - points[None], axis=2) < 1.1
    faces = [[i, j, k] for i in range(12) for j in range(12) for k in range(12)
             if i < j and i < k and j != k and near[i, j] and near[j, k] and near[i, k]
             and np.linalg.det(points[[i, j, k]]) > 0]
    faces = np.array(faces)
    for _ in range(levels):
        edges = np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        unique, where = np.unique(edges, axis=0, return_inverse=True)
        middle = points[unique].sum(axis=1)
        middle /= np.linalg.norm(middle, axis=1)[:, None]
        ab, bc, ca = np.split(len(points) + where.reshape(-1), 3)
        a, b, c = faces.T
        faces = np.vstack([np.stack(f, axis=1) for f in [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]])
        points = np.vstack([points, middle])
    return points, faces


def urchin():
    """An obstacle nobody tuned for: a ball of radius 0.15 m with 42 thin spikes of 0.1 m, 20,480 faces."""
    points, faces = sphere_points(5)
    spikes, _ = sphere_points(1)
    angle = np.arccos(np.clip((points @ spikes.T).max(axis=1), -1, 1))
    radius = 0.15 + 0.1 * np.exp(-angle / 0.035)
    write("urchin", urchin.__doc__, points * radius[:, None], faces)


def knot():
    """An obstacle nobody tuned for: a trefoil knot of a tube of radius 1.2 cm, about 0.5 m wide, 19,200 faces."""
    t = np.linspace(0, 2 * np.pi, 600, endpoint=False)
    curve = 0.085 * np.stack([np.sin(t) + 2 * np.sin(2 * t), -np.sin(3 * t), np.cos(t) - 2 * np.cos(2 * t)], axis=1)
    _, u, v = frames(curve, closed=True)
    # After one round the frame is turned by some angle: spread the angle over the curve.
    end = np.arctan2(u[0] @ v[-1], u[0] @ u[-1])
    spread = (t / (2 * np.pi) * end)[:, None]
    u, v = np.cos(spread) * u + np.sin(spread) * v, np.cos(spread) * v - np.sin(spread) * u
    around = 16
    rings = circles(curve, np.full(len(t), 0.012), u, v, around)
    points, faces = tube(rings, closed_ends=False)
    last = (len(t) - 1) * around
    turn = int(np.argmin(np.linalg.norm(rings[0] - rings[-1][0], axis=1)))
    for j in range(around):
        a, b = last + j, last + (j + 1) % around
        c, d = (j + turn) % around, (j + 1 + turn) % around
        faces = np.vstack([faces, [[a, b, d], [a, d, c]]])
    write("knot", knot.__doc__, points, faces)


def gear():
    """An obstacle nobody tuned for: a crown gear lying flat, 36 sharp teeth like blades, radius 0.25 m, 10,080 faces."""
    around, layers = 720, 8
    angle = 2 * np.pi * np.arange(around) / around
    tooth = np.abs((angle * 36 / (2 * np.pi)) % 1 - 0.5) * 2
    radius = 0.17 + 0.08 * (1 - tooth) ** 3
    rings = []
    for y, part in [(-0.006, 0.2), (-0.006, 0.6), (-0.006, 0.9), (0.0, 1.0), (0.006, 0.9), (0.006, 0.6), (0.006, 0.2)]:
        r = np.where(part < 1, part * np.minimum(radius, 0.17 + part * (radius - 0.17)), radius)
        rings.append(np.stack([r * np.cos(angle), np.full(around, y), -r * np.sin(angle)], axis=1))
    points, faces = tube(rings)
    write("gear", gear.__doc__, points, faces)


def sleeve():
    """A tube of cloth about the y axis, radius 5.8 cm, length 36 cm, 1,050 vertices; its upper two rings are a group."""
    around, y = 35, np.linspace(0.2, -0.16, 30)
    centres = np.stack([0 * y, y, 0 * y], axis=1)
    rings = circles(centres, np.full(len(y), 0.058), np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), around)
    points, faces = tube(rings, closed_ends=False)
    write("sleeve", sleeve.__doc__, points, faces,
          {"shoulder": range(2 * around), "arm": range(2 * around, len(faces))})


def write_samples(name: str, samples) -> None:
    """Writes a PC2 file of `samples` x points x 3 positions, one a frame."""
    samples = np.asarray(samples, dtype="<f4")
    head = b"POINTCACHE2\0" + np.array([1, samples.shape[1]], "<u4").tobytes()
    head += np.array([0, 1], "<f4").tobytes() + np.array([len(samples)], "<u4").tobytes()
    (MESHES / f"{name}.pc2").write_bytes(head + samples.tobytes())
    print(f"{name}: {len(samples)} samples, {samples.nbytes} bytes")


# Of the dancer: height (m) of a ring, half of its width, half of its depth, share of the turn of the hips.
DANCER = [
    (0.50, 0.090, 0.090, 1.0), (0.60, 0.110, 0.105, 1.0), (0.70, 0.140, 0.125, 1.0), (0.80, 0.165, 0.140, 1.0),
    (0.88, 0.175, 0.145, 1.0), (0.95, 0.160, 0.135, 0.95), (1.01, 0.135, 0.125, 0.9), (1.06, 0.125, 0.120, 0.85),
    (1.12, 0.130, 0.110, 0.75), (1.20, 0.150, 0.110, 0.6), (1.28, 0.165, 0.110, 0.5), (1.36, 0.170, 0.095, 0.4),
    (1.42, 0.130, 0.080, 0.35), (1.46, 0.060, 0.060, 0.3), (1.52, 0.050, 0.050, 0.3),
]


def dancer_at(turn, sway, bend):
    """Returns the rings of the dancer. Hips turn by `turn` and sway aside by `sway`; the chest bends by `bend`."""
    angle, rings = 2 * np.pi * np.arange(32) / 32, []
    for y, width, depth, share in DANCER:
        ring = np.stack([width * np.cos(angle), 0 * angle, -depth * np.sin(angle)], axis=1)
        sin, cos = np.sin(turn * share), np.cos(turn * share)
        ring = ring @ np.array([[cos, 0, -sin], [0, 1, 0], [sin, 0, cos]])
        above = max(y - 1.0, 0.0)
        sin, cos = np.sin(bend * above), np.cos(bend * above)
        ring = ring @ np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]])
        aside = sway * np.exp(-(((y - 0.9) / 0.25) ** 2)) - bend * above**2 / 2
        rings.append(ring + [aside, y, 0])
    return rings


def dancer():
    """A body without limbs that turns its hips by 140 degrees and back, twice; 482 vertices, 73 samples."""
    points, faces = tube(dancer_at(0.0, 0.0, 0.0))
    write("dancer", dancer.__doc__, points, faces)

    def swing(time_s):  # 0 until 0.25 s, 1 at 0.75 s and at 1.75 s, 0 from 2.25 s on
        part = np.clip(time_s - 0.25, 0.0, 2.0)
        return (1 - np.cos(2 * np.pi * part)) / 2

    times = np.arange(73) / 24
    samples = [tube(dancer_at(np.radians(140) * swing(t), 0.05 * np.sin(2 * np.pi * t) * swing(t), 0.4 * swing(t)))[0]
               for t in times]
    write_samples("dancer", samples)


def skirt():
    """A flat ring of cloth at the waist of the dancer, edges about 15 mm long; its inner vertices are a group."""
    edge, first, last = 0.015, 9, 36
    points, faces, groups = [], [], {"waist": [], "skirt": []}
    for ring in range(first, last + 1):
        angle = 2 * np.pi * np.arange(6 * ring) / (6 * ring)
        radius = ring * edge
        points += list(np.stack([radius * np.cos(angle), 0 * angle + 1.06, -radius * np.sin(angle)], axis=1))
    start = 0
    for ring in range(first, last):
        inner, outer = 6 * ring, 6 * (ring + 1)
        group = groups["waist" if ring == first else "skirt"]
        for side in range(6):
            for j in range(ring + 1):
                a = start + (side * ring + j) % inner
                b = start + inner + side * (ring + 1) + j
                c = start + inner + (side * (ring + 1) + j + 1) % outer
                group.append(len(faces))
                faces.append([a, b, c])
                if j < ring:
                    group.append(len(faces))
                    faces.append([a, c, start + (side * ring + j + 1) % inner])
        start += inner
    write("skirt", skirt.__doc__, points, faces, groups)


ALL = [undulated_bar, twist_cylinder, funnel, bowl, tetrahedron, needles, urchin, knot, gear, sleeve, dancer, skirt]

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", choices=[[], *[mesh.__name__ for mesh in ALL]], metavar="NAME",
                        help="the meshes to make [all]")
    names = parser.parse_args().names
    for mesh in ALL:
        if not names or mesh.__name__ in names:
            mesh()

#!/usr/bin/env python3
"""Makes the meshes of tests/scenes/rough. Needs no package; makes the same files on every run.

    python3 tools/make_rough_meshes.py
"""

import math
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "tests/scenes/rough"


def write(name, about, points, groups):
    """Writes an OBJ file of triangles or quads. `groups` maps names to faces."""
    lines = [f"# {about}", "# Made by tools/make_rough_meshes.py."]
    lines += ["v {:.6g} {:.6g} {:.6g}".format(*point) for point in points]
    for group, faces in groups.items():
        lines.append(f"g {group}")
        lines += ["f " + " ".join(str(vertex + 1) for vertex in face) for face in faces]
    (FOLDER / f"{name}.obj").write_text("\n".join(lines) + "\n")
    print(f"{name}: {len(points)} vertices, {sum(map(len, groups.values()))} faces")


def tube(length_m=0.6, radius_m=0.08, columns=40, around=32):
    """A cylinder about x. The groups `left` and `right` are the faces at its ends."""
    points, groups = [], {"left": [], "middle": [], "right": []}
    for i in range(columns + 1):
        for j in range(around):
            angle = 2 * math.pi * (j + i % 2 / 2) / around
            x = (i / columns - 0.5) * length_m
            points.append((x, radius_m * math.cos(angle), radius_m * math.sin(angle)))
    for i in range(columns):
        group = groups["left" if i == 0 else "right" if i == columns - 1 else "middle"]
        for j in range(around):
            k = (j + 1) % around
            a, b, c, d = i * around + j, i * around + k, (i + 1) * around + j, (i + 1) * around + k
            group.extend([(a, b, c), (b, d, c)] if i % 2 == 0 else [(a, b, d), (a, d, c)])
    write("tube", "A tube.", points, groups)


def shirt(cell_m=0.022):
    """A front and a back of square cells in the shape of a T. They share the seams.

    Seams are at the sides, below and above the sleeves, and at the shoulders. Neck, cuffs and hem are open.
    """
    body, sleeve, height, deep, neck = 10, 22, 27, 8, 4

    def inside(i, j):
        return 0 <= j < height and (abs(i + 0.5) < body or abs(i + 0.5) < sleeve and j >= height - deep)

    def at_seam(i, j):
        cells = [inside(i - a, j - b) for a in (0, 1) for b in (0, 1)]
        opens = j == 0 or abs(i) == sleeve or j == height and abs(i) < neck
        ends = {(body, 0), (-body, 0), (sleeve, height), (-sleeve, height), (sleeve, height - deep),
                (-sleeve, height - deep)}
        return not all(cells) and (not opens or (i, j) in ends)

    points, numbers, faces = [], {}, []
    for side in (1, -1):
        for j in range(height + 1):
            for i in range(-sleeve, sleeve + 1):
                if not any(inside(i - a, j - b) for a in (0, 1) for b in (0, 1)):
                    continue
                if side == -1 and at_seam(i, j):
                    numbers[i, j, -1] = numbers[i, j, 1]
                    continue
                numbers[i, j, side] = len(points)
                z = 0 if at_seam(i, j) else 0.02 * side
                points.append((i * cell_m, (j - height / 2) * cell_m, z))
        for j in range(height):
            for i in (i for i in range(-sleeve, sleeve) if inside(i, j)):
                corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)][::side]
                faces.append([numbers[a, b, side] for a, b in corners])
    write("shirt", "A shirt of quads.", points, {"shirt": faces})


if __name__ == "__main__":
    tube()
    shirt()

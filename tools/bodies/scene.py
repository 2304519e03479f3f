"""What the scenes of tools/make_bodies.py are written with."""

import math
from collections import defaultdict

DENSITY = {"wood": 700, "stone": 2400, "steel": 7800}


def times(p, q):
    """The product of two quaternions."""
    a, b, c, d = p
    e, f, g, h = q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def turn(axis, angle):
    """The quaternion of a turn about x, y or z."""
    q = [math.cos(angle / 2), 0.0, 0.0, 0.0]
    q[1 + "xyz".index(axis)] = math.sin(angle / 2)
    return tuple(q)


def numbers(values):
    """Numbers as text: 9 digits, no -0."""
    return [f"{value + 0.0:.9g}" if abs(value) > 5e-13 else "0" for value in values]


def ron(values):
    return "(" + ", ".join(numbers(values)) + ")"


class Scene:
    """Groups of bodies and of joints. `frame` turns what is added about y, by quarters."""

    def __init__(self, about):
        self.about = about
        self.groups = {}
        self.rows = defaultdict(list)
        self.joints = defaultdict(list)
        self.quarter = 0

    def group(self, name, shape, material="wood", more=""):
        self.groups[name] = (shape, material, more)

    def space(self, place):
        x, y, z = place
        for _ in range(self.quarter):
            x, z = z, -x
        return x, y, z

    def body(self, group, place, orientation=(1.0, 0.0, 0.0, 0.0), velocity=None):
        """Adds a body and returns what joints call it."""
        orientation = times(turn("y", self.quarter * math.pi / 2), orientation)
        row = [*self.space(place), *orientation]
        self.rows[group].append(row + list(velocity or ()))
        return f"{group}[{len(self.rows[group]) - 1}]"

    def link(self, group, p, q):
        """Adds a body in the middle of p and q, which have the same z, whose x axis leads from p to q."""
        middle = [(a + b) / 2 for a, b in zip(p, q)]
        return self.body(group, middle, turn("z", math.atan2(q[1] - p[1], q[0] - p[0])))

    def joint(self, name, settings, first, second, place):
        row = [first, second, *numbers(self.space(place))]
        if "Hinge" in settings:
            row += numbers(self.space((0.0, 0.0, 1.0)))
        self.joints[name, settings].append(row)

    def write(self, folder, name, frames, domain):
        folder.mkdir(parents=True, exist_ok=True)
        lines = [f"// {self.about}", "// Made by tools/make_bodies.py.", "Scene("]
        lines += [f"    frames: {frames},", "    frames_per_second: 25,", "    steps_per_frame: 20,", "    bodies: ["]
        for group, (shape, material, more) in self.groups.items():
            rows = self.rows[group]
            columns = ["x", "y", "z"]
            if any(row[3:7] != [1.0, 0.0, 0.0, 0.0] for row in rows):
                columns += ["qw", "qx", "qy", "qz"]
            else:
                rows = [row[:3] + row[7:] for row in rows]
            if len(rows[0]) > len(columns):
                columns += ["vx", "vy", "vz"]
            write_csv(folder / f"{group}.csv", columns, map(numbers, rows))
            arrangement = f'arrangement: File("{group}.csv"){more}'
            lines.append(f'        (name: "{group}", shape: {shape}, material: "{material}", {arrangement}),')
        lines.append("    ],")
        if self.joints:
            lines.append("    joints: [")
            for (joint, settings), rows in self.joints.items():
                columns = ["first", "second", "x", "y", "z"] + ["ax", "ay", "az"] * ("Hinge" in settings)
                write_csv(folder / f"{joint}.csv", columns, rows)
                lines.append(f'        ({settings}, bodies: File("{joint}.csv")),')
            lines.append("    ],")
        lines.append("    materials: [")
        for material in sorted({material for _, material, _ in self.groups.values()}):
            density = f"density_kg_per_m3: {DENSITY[material]}"
            lines.append(f'        (name: "{material}", {density}, friction: 0.5),')
        lines += ["    ],", f"    domain: ({domain}),", "    synchronisation: ShadowOwner,", ")"]
        (folder / f"{name}.ron").write_text("\n".join(lines) + "\n")
        bodies, joints = sum(map(len, self.rows.values())), sum(map(len, self.joints.values()))
        print(f"{folder / name}.ron: {bodies} bodies, {joints} joints")
        return bodies, joints


def write_csv(path, columns, rows):
    path.write_text("\n".join(",".join(row) for row in [columns, *rows]) + "\n")


def box(x, y, z):
    return f"Box(size_m: {ron((x, y, z))})"

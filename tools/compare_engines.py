#!/usr/bin/env python3
"""Runs scenes of `make_bodies.py` by one engine at a time; prints a Markdown table.

    cargo build --release --features rapier
    pip install numpy pybullet pyvista
    tools/make_bodies.py heap --out out/heap
    tools/compare_engines.py out/heap/heap.ron

The engines are `Domain` on one thread, one worker with `Impulses`, one worker with
`Rapier`, and PyBullet. All have the same bodies, step and number of sweeps. Time is
processor time, because it depends less on what else runs: that of all frames without
that of the first one. The gap is that of the widest rigid joint, the overlap that of any
two bodies, both in frames.

PyBullet cannot express everything: its joints do not give way, springs and ropes are left
out, a hinge is two balls on its axis, and the friction of two materials is the product of
numbers of each (here the root of its own). It has 32-bit positions.
"""

import argparse
import csv
import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pybullet
import pyvista

ROOT = Path(__file__).resolve().parent.parent
WAYS = {
    "Domain": "Domain",
    "Impulses": "Workers(count: 1, coupling: Impulses)",
    "Rapier": "Workers(count: 1, engines: [Rapier])",
}
# Half the distance of the two balls that are a hinge in PyBullet, m.
HALF_HINGE = 0.1


def numbers(text):
    return [float(word) for word in text.split(",")]


def field(text, name, default=None):
    """The number or the bracketed numbers of a field."""
    found = re.search(name + r": (?:\(([^)]*)\)|([-\d.e]+))", text)
    return default if found is None else numbers(found[1] or found[2])


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def rotation(q):
    """The matrix of a quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


class Scene:
    """The bodies and joints of a scene that `make_bodies.py` wrote."""

    def __init__(self, path):
        self.path, text = path, path.read_text()
        self.step_s = 1 / (field(text, "frames_per_second")[0] * field(text, "steps_per_frame")[0])
        self.steps_per_frame = int(field(text, "steps_per_frame")[0])
        self.floor_m = field(text, "min_m")[1]
        materials = re.findall(r'\(name: "(\w+)", (density.*)\),', text)
        self.materials = {name: (field(it, "density_kg_per_m3")[0], field(it, "friction", [0])[0])
                          for name, it in materials}
        self.bodies, self.ids, self.joints = [], {}, []
        for name, rest in re.findall(r'\(name: "(\w+)", (shape.*)\),', text):
            self.add_bodies(name, rest)
        for line in re.findall(r"\(kind: (.*File.*)\),", text):
            self.add_joints(line)

    def add_bodies(self, name, text):
        listed = rows(self.path.parent / re.search(r'File\("(.*?)"\)', text)[1])
        density, friction = self.materials[re.search(r'material: "(\w+)"', text)[1]]
        size, radius = field(text, "size_m"), field(text, "radius_m")
        volume = 4 / 3 * np.pi * radius[0] ** 3 if radius else np.prod(size)
        for place, row in enumerate(listed):
            def vector(columns, default):
                return np.array([float(row.get(it, value)) for it, value in zip(columns, default)])
            self.ids[f"{name}[{place}]"] = self.ids[name] = len(self.bodies)
            self.bodies.append({
                "size": size, "radius": radius and radius[0], "friction": friction,
                "mass": 0 if "Immovable" in text else density * volume,
                "at": vector("xyz", [0, 0, 0]), "turn": vector(["qw", "qx", "qy", "qz"], [1, 0, 0, 0]),
                "velocity": vector(["vx", "vy", "vz"], [0, 0, 0]),
            })

    def add_joints(self, text):
        kind = re.match(r"\w+", text)[0]
        axis = np.array(field(text, "axis", [1, 0, 0]))
        for row in rows(self.path.parent / re.search(r'File\("(.*?)"\)', text)[1]):
            at = np.array([float(row[it]) for it in "xyz"])
            own = [float(row[it]) for it in ("ax", "ay", "az")] if row.get("ax") else axis
            pair = [self.ids[row[it]] for it in ("first", "second")]
            is_rigid = kind != "Distance" and "compliance_m_per_n" not in text
            self.joints.append({"kind": kind, "pair": pair, "at": at, "axis": np.array(own),
                                "rigid": is_rigid, "own": [self.to_own(it, at) for it in pair]})

    def to_own(self, number, point):
        body = self.bodies[number]
        return rotation(body["turn"]).T @ (point - body["at"])

    def gap(self, states):
        """The widest rigid joint, m, of bodies in `states` (place and quaternion by number)."""
        def point(number, own):
            body = self.bodies[number]
            at, turn = states.get(number, (body["at"], body["turn"]))
            return at + rotation(turn) @ own
        ends = ([point(*end) for end in zip(it["pair"], it["own"])] for it in self.joints if it["rigid"])
        return max((float(np.linalg.norm(a - b)) for a, b in ends), default=0.0)


def processor_s():
    """Processor time of all programs that have ended, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_ours(scene, parallel, frames, program):
    """Seconds a step, widest gap and deepest overlap of a run of this program."""
    with tempfile.TemporaryDirectory() as out:
        spent, gap = [], 0.0
        for last in (1, frames):
            start = processor_s()
            subprocess.run([program, scene.path, "--out", out, "--overwrite", "--quiet", "--ranks", "1",
                            "--threads", "1", "--frames", str(last), "--set", f"parallel={parallel}",
                            "--checkpoint-every", "0"], check=True)
            spent.append(processor_s() - start)
        for number in range(1, frames + 1):
            frame = pyvista.read(Path(out) / f"frame_{number:04}.vtp")
            # VTK has the scalar part of a quaternion first, as this program.
            places, turns = np.array(frame.points), np.array(frame["orientation"])
            gap = max(gap, scene.gap({id: it for id, *it in zip(frame["id"], places, turns)}))
        said = subprocess.run([program, "check", out], capture_output=True, text=True).stdout
        overlap = re.search(r"deepest overlap:.*overlap by (\S+) m", said)
        step_s = (spent[1] - spent[0]) / ((frames - 1) * scene.steps_per_frame)
        return step_s, gap, float(overlap[1]) if overlap else 0.0


def bullet(scene, sweeps):
    """Makes the scene in PyBullet. Returns its bodies."""
    pybullet.resetSimulation()
    pybullet.setGravity(0, -9.81, 0)
    pybullet.setPhysicsEngineParameter(fixedTimeStep=scene.step_s, numSolverIterations=sweeps, numSubSteps=1)
    made, shapes = [], {}

    def add(shape, mass, friction, at, turn, velocity):
        w, *xyz = turn
        body = pybullet.createMultiBody(mass, shape, -1, list(at), [*xyz, w], useMaximalCoordinates=True)
        pybullet.changeDynamics(body, -1, lateralFriction=np.sqrt(friction), linearDamping=0, angularDamping=0)
        pybullet.resetBaseVelocity(body, list(velocity), [0, 0, 0])
        return body

    for it in scene.bodies:
        key = it["radius"] or tuple(it["size"])
        if key not in shapes:
            half = {"halfExtents": [0.5 * size for size in it["size"]]} if it["size"] else {"radius": key}
            kind = pybullet.GEOM_BOX if it["size"] else pybullet.GEOM_SPHERE
            shapes[key] = pybullet.createCollisionShape(kind, **half)
        made.append(add(shapes[key], it["mass"], it["friction"], it["at"], it["turn"], it["velocity"]))
    plane = pybullet.createCollisionShape(pybullet.GEOM_PLANE, planeNormal=[0, 1, 0])
    friction = max(friction for _, friction in scene.materials.values())
    add(plane, 0, friction, [0, scene.floor_m, 0], [1, 0, 0, 0], [0, 0, 0])
    for joint in scene.joints:
        join(scene, made, joint)
    return made


def join(scene, made, joint):
    first, second = joint["pair"]
    pybullet.setCollisionFilterPair(made[first], made[second], -1, -1, 0)
    if joint["kind"] == "Distance":
        return
    if joint["kind"] == "Fixed":
        # The first body's own axes, seen from both.
        own = rotation(scene.bodies[second]["turn"]).T @ rotation(scene.bodies[first]["turn"])
        turn = quaternion(own)
        pybullet.createConstraint(made[first], -1, made[second], -1, pybullet.JOINT_FIXED, [0, 0, 0],
                                  list(joint["own"][0]), list(joint["own"][1]), [0, 0, 0, 1], turn)
        return
    sides = [-HALF_HINGE, HALF_HINGE] if joint["kind"] == "Hinge" else [0]
    for side in sides:
        at = joint["at"] + side * joint["axis"] / np.linalg.norm(joint["axis"])
        ends = [list(scene.to_own(number, at)) for number in joint["pair"]]
        pybullet.createConstraint(made[first], -1, made[second], -1, pybullet.JOINT_POINT2POINT,
                                  [0, 0, 0], *ends)


def quaternion(m):
    """The quaternion (x, y, z, w) of a rotation matrix."""
    w = 0.5 * np.sqrt(max(0.0, 1 + np.trace(m)))
    if w < 1e-6:
        raise SystemExit("a joint turns by half a turn at the start: its bodies need other axes")
    return [(m[2, 1] - m[1, 2]) / (4 * w), (m[0, 2] - m[2, 0]) / (4 * w), (m[1, 0] - m[0, 1]) / (4 * w), w]


def run_bullet(scene, frames, sweeps):
    made, spent, gap, overlap = bullet(scene, sweeps), 0.0, 0.0, 0.0
    for frame in range(frames):
        start = time.process_time()
        for _ in range(scene.steps_per_frame):
            pybullet.stepSimulation()
        spent += time.process_time() - start if frame > 0 else 0
        states = {}
        for number, body in enumerate(made):
            at, (x, y, z, w) = pybullet.getBasePositionAndOrientation(body)
            states[number] = np.array(at), np.array([w, x, y, z])
        gap = max(gap, scene.gap(states))
        overlap = max([overlap] + [-it[8] for it in pybullet.getContactPoints()])
    return spent / ((frames - 1) * scene.steps_per_frame), gap, overlap


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="+", type=Path)
    parser.add_argument("--frames", type=int, default=25, help="2 or more")
    parser.add_argument("--sweeps", type=int, default=30, help="of PyBullet; 30 is the default of the others")
    parser.add_argument("--program", default=ROOT / "target/release/cloth-sim", type=Path)
    arguments = parser.parse_args()
    pybullet.connect(pybullet.DIRECT)
    print("| scene | engine | time of a step | widest rigid joint | deepest overlap |\n|---|---|---|---|---|")
    for path in arguments.scenes:
        scene = Scene(path)
        for name in [*WAYS, "PyBullet"]:
            measured = (run_bullet(scene, arguments.frames, arguments.sweeps) if name == "PyBullet" else
                        run_ours(scene, WAYS[name], arguments.frames, arguments.program))
            step_s, gap, overlap = measured
            gap = f"{1e3 * gap:.3g} mm" if scene.joints else ""
            print(f"| `{path.stem}` | {name} | {1e3 * step_s:.1f} ms | {gap} | {1e3 * overlap:.3g} mm |", flush=True)


if __name__ == "__main__":
    main()

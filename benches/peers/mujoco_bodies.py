#!/usr/bin/env python3
"""Rigid bodies on cloth, here and in MuJoCo 4: a ball on a trampoline, and boxes in a hammock.

    pip install mujoco numpy
    cargo build --release
    benches/peers/mujoco_bodies.py                     # one simulated second of each, three times in turn
    benches/peers/mujoco_bodies.py --boxes 3 --repeat 1

In MuJoCo cloth is a flex with passive contacts and without self-collision, of the scene's mass and stiffness in its
plane, 1 mm thick. Prints the median processor time of a second, and how near bodies come to cloth: the least gap that
the run reports here, and the deepest vertex or corner in MuJoCo, at the ends of frames of 20 ms.
"""
import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRAMES = 50
FLEX = """
<mujoco>
  <option timestep="{step_s}" integrator="discrete" solver="CG" tolerance="1e-6"/>
  <size memory="4G"/>
  <worldbody>
    <flexcomp name="cloth" type="grid" dim="2" count="{nx} {nz} 1" spacing="{dx} {dz} 1" mass="{mass}" radius="0.0005">
      <pin id="{pins}"/>
      <contact passive="true" selfcollide="none" friction="0.3"/>
      <elasticity young="{young}" poisson="{poisson}" thickness="1e-3" elastic2d="both"/>
    </flexcomp>
    {bodies}
  </worldbody>
</mujoco>
"""
CLOTH = """(frames: {frames}, frames_per_second: 50, steps_per_frame: {steps},
    cloths: [(shape: Sheet(width_m: {width}, length_m: {length}, columns: {columns}, rows: {rows}),
        material: Isotropic(density_kg_per_m2: {density}, modulus_n_per_m: {modulus}, poisson_ratio: {poisson},
            rigidity_n_m: 1e-5), pins: [(select: Vertices({pins}))])],
    bodies: [{bodies}], materials: [(name: "wood", density_kg_per_m3: {body_density}, friction: 0.3)])"""


def trampoline():
    """A sheet of 0.6 m that is held around its rim, and a ball of 1 kg and 5 cm."""
    held = [48 * edge + 49 * row if across else row + 49 * 48 * edge
            for edge in (0, 1) for row in range(49) for across in (0, 1)]  # fmt: skip
    return {
        "name": "trampoline", "width": 0.6, "length": 0.6, "columns": 48, "rows": 48, "density": 0.2, "modulus": 500,
        "poisson": 0.3, "pins": sorted(set(held)), "body_density": 1 / (4 / 3 * np.pi * 0.05**3), "edge": None,
        "places": [(0.02, 0.06, -0.01)],
    }  # fmt: skip


def hammock(count):
    """A sheet of 2 x 1 m that is held at both ends, and count^3 boxes with 13.5 litres in all."""
    edge, spacing = 0.24 / count, 0.3 / count
    steps = (np.arange(count) - (count - 1) / 2) * spacing
    lift = 0.004 + edge / 2 - steps[0]
    return {
        "name": f"hammock, {count**3} boxes", "width": 2.0, "length": 1.0, "columns": 64, "rows": 32, "density": 0.3,
        "modulus": 15000, "poisson": 0.2, "pins": sorted([65 * row + end for row in range(33) for end in (0, 64)]),
        "body_density": 500, "edge": edge, "places": [(x, y + lift, z) for y in steps for x in steps for z in steps],
    }  # fmt: skip


def ours(case, step_s, binary):
    """Returns processor time (s) and the least gap (mm)."""
    edge = case["edge"]
    shape = f"Box(size_m: ({edge}, {edge}, {edge}))" if edge else "Sphere(radius_m: 0.05)"
    places = ", ".join(str(tuple(map(float, place))) for place in case["places"])
    bodies = f'(name: "body", shape: {shape}, material: "wood", arrangement: At([{places}]))'
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        text = CLOTH.format(**{**case, "bodies": bodies, "frames": FRAMES, "steps": round(0.02 / step_s)})
        (folder / "scene.ron").write_text(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [binary, folder / "scene.ron", "--out", folder / "run", "--quiet", "--ranks", "1", "--threads", "1"]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        frames = [json.loads(line) for line in (folder / "run/steps.jsonl").open()]
    gaps = [step["smallest_gap_m"] for frame in frames for step in frame["steps"] if step.get("smallest_gap_m")]
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, f"gap {1e3 * min(gaps):.2f}"


def peer(case, step_s):
    """Returns processor time (s) and the deepest point of a body in cloth (mm)."""
    nx, nz = case["columns"] + 1, case["rows"] + 1
    # A grid counts along x first in the scene and along z last in a flex; z is up there.
    held = sorted(vertex % nx * nz + vertex // nx for vertex in case["pins"])
    form = (f'type="box" size="{case["edge"] / 2} {case["edge"] / 2} {case["edge"] / 2}"' if case["edge"]
            else 'type="sphere" size="0.05"')  # fmt: skip
    body = '<body pos="{} {} {}"><freejoint/><geom {} density="{}" friction="0.3"/></body>'
    bodies = "".join(body.format(x, -z, y, form, case["body_density"]) for x, y, z in case["places"])
    model = mujoco.MjModel.from_xml_string(FLEX.format(
        step_s=step_s, nx=nx, nz=nz, dx=case["width"] / case["columns"], dz=case["length"] / case["rows"],
        mass=case["density"] * case["width"] * case["length"], pins=" ".join(map(str, held)), bodies=bodies,
        young=1e3 * case["modulus"], poisson=case["poisson"]))  # fmt: skip
    data = mujoco.MjData(model)
    spent, deepest = 0.0, 0.0
    for _ in range(FRAMES):
        start = time.process_time()
        for _ in range(round(0.02 / step_s)):
            mujoco.mj_step(model, data)
        spent += time.process_time() - start
        deepest = max(deepest, depth(case, model, data))
    return spent, f"{1e3 * deepest:.2f} deep"


def depth(case, model, data):
    """How deep a vertex of cloth is in a body, m."""
    x, deepest = data.flexvert_xpos, 0.0
    for geom in range(model.ngeom):
        away = (x - data.geom_xpos[geom]) @ data.geom_xmat[geom].reshape(3, 3)
        if case["edge"]:
            inside = case["edge"] / 2 - np.abs(away).max(axis=1)
        else:
            inside = 0.05 - np.linalg.norm(away, axis=1)
        deepest = max(deepest, inside.max())
    return deepest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "target/release/cloth-sim", help="[target/release/cloth-sim]")
    parser.add_argument("--boxes", type=int, nargs="*", default=[3, 5, 7], help="boxes along an edge [3 5 7]")
    parser.add_argument("--steps-ms", type=int, nargs="*", default=[2, 4], help="[2 4]")
    parser.add_argument("--repeat", type=int, default=3, help="[3]")
    parser.add_argument("--alone", action="store_true", help="without MuJoCo")
    chosen = parser.parse_args()
    print("| scene | step, ms | ours: processor time of 1 s, s | ms a step | mm | MuJoCo: s | ms a step | mm |")
    print("|---|---|---|---|---|---|---|---|")
    for case in [trampoline(), *map(hammock, chosen.boxes)]:
        for step_ms in chosen.steps_ms:
            step_s, rows = step_ms / 1000, {"ours": [], "peer": []}
            for _ in range(chosen.repeat):
                rows["ours"].append(ours(case, step_s, chosen.binary))
                if not chosen.alone:
                    rows["peer"].append(peer(case, step_s))
            cells = [f"{statistics.median(s for s, _ in of):.2f} | {statistics.median(s for s, _ in of) * step_ms:.1f}"
                     f" | {of[0][1]}" for of in rows.values() if of]  # fmt: skip
            print(f"| {case['name']} | {step_ms} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs the scene of scenes/tablecloth.ron in MuJoCo 4, as a flex with passive contacts, and writes its frames.

    pip install mujoco
    benches/peers/mujoco_cloth.py --steps 40 --out out/mujoco      # 40 steps a frame, of 1 ms

Prints the wall time of one simulated second, and how far a free fall is off. The cloth has the scene's mass and
stiffness in its plane (`E t` = 500 N/m), a thickness of 1 mm and self-collision. `tools/check_frames.py` finds
intersections in the frames; it needs the `partition.csv` of a run of the scene beside them.
"""
import argparse
import math
import pathlib
import tempfile
import time

import mujoco

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRAMES = 25
RADIUS_M = 1 / 3
HEIGHT_M = RADIUS_M + 0.01
MODEL = """
<mujoco>
  <compiler meshdir="{folder}"/>
  <option timestep="{step_s}" integrator="discrete" solver="CG" tolerance="1e-6"/>
  <size memory="8G"/>
  <worldbody>
    <geom type="sphere" size="{radius}" friction="0.3"/>
    <flexcomp name="cloth" type="mesh" file="cloth.obj" dim="2" mass="{mass}" radius="0.0005" pos="0 0 {height}">
      <contact passive="true" selfcollide="auto" friction="0.3"/>
      <elasticity young="5e5" poisson="0.3" thickness="1e-3" elastic2d="both"/>
    </flexcomp>
  </worldbody>
</mujoco>
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=40, help="steps a frame [40]")
    parser.add_argument("--frames", type=int, default=FRAMES, help="frames of 1/25 s [25]")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/mujoco"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)

    lines = (ROOT / "meshes/tablecloth.obj").read_text().splitlines()
    vertices = [[float(x) for x in line.split()[1:4]] for line in lines if line.startswith("v ")]
    faces = [[int(corner.split("/")[0]) for corner in line.split()[1:]] for line in lines if line.startswith("f ")]
    edge = max(math.hypot(x, z) for x, _, z in vertices)
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/cloth.obj", "w") as file:  # z up
            file.writelines(f"v {x} {-z} {y}\n" for x, y, z in vertices)
            file.writelines("f " + " ".join(map(str, face)) + "\n" for face in faces)
        mass = 0.2 * math.pi * edge**2
        step_s = 1 / (25 * arguments.steps)
        model = mujoco.MjModel.from_xml_string(
            MODEL.format(folder=folder, step_s=step_s, radius=RADIUS_M, mass=mass, height=HEIGHT_M)
        )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    wall_s = 0.0
    for frame in range(arguments.frames + 1):
        if frame > 0:
            start = time.perf_counter()
            for _ in range(arguments.steps):
                mujoco.mj_step(model, data)
            wall_s += time.perf_counter() - start
        places = data.flexvert_xpos
        if frame == 3:
            fallen = HEIGHT_M - places[:, 2].min()
            print(f"after 3 frames the rim has fallen {fallen:.4f} m; a free fall: {0.5 * 9.81 * 0.12 ** 2:.4f} m")
        with open(arguments.out / f"frame_{frame:04}.obj", "w") as file:
            file.writelines(f"v {x} {z} {-y}\n" for x, y, z in places)
            file.writelines("f " + " ".join(map(str, face)) + "\n" for face in faces)
        print(f"frame {frame}: {wall_s:.1f} s", flush=True)
    print(f"{arguments.steps} steps a frame: {wall_s:.1f} s")


if __name__ == "__main__":
    main()

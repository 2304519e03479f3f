#!/usr/bin/env python3
"""Runs the scene of scenes/tablecloth.ron in Newton 1.8 on the processor, and writes its frames.

    pip install newton==1.8.0
    benches/peers/newton_cloth.py --steps 40 --out out/newton            # 40 steps a frame, of 1 ms
    benches/peers/newton_cloth.py --solver vbd --steps 40 --out out/vbd

Prints the wall time and the processor time of one simulated second, and how far a free fall is off.
Newton uses one thread. Its kernels are compiled before the clock starts. `tools/check_frames.py`
finds intersections in the frames. `obstacles.obj` of a run of the scene must be beside them if it
is to see the sphere too.

Newton has two solvers that see a cloth touch itself. Style3D is the default: projective dynamics,
with repulsion of near vertices, faces and edges, and with forces that pull intersections apart. VBD
is vertex block descent, which keeps vertices from moving through planes between near elements.

These are the scene's: mass, gravity, sphere, distance of 1 mm, friction of 0.3 with the sphere, and
no damping of the material. Membrane of VBD: Lame's constants of E t = 500 N/m and nu = 0.3; it is
neo-Hookean, which is the same for small strains. Bending of both: so stiff that a cylinder of this
mesh has the plate's energy.

These are not:

- Style3D has no Poisson's ratio. It has E t along x and z and the scene's shear modulus.
- In bending, Poisson's ratio is that of a sum over hinges, -1/3 on a regular mesh.
- Contacts are springs of 1000 N/m with damping of 0.1 N s/m, as in Newton's example cloth_twist.
  Style3D has its own for the cloth with itself, and no friction there. VBD has 0.3, as the scene.
- The sphere is exact, and only vertices touch it.
- Style3D multiplies all velocities by 0.998 in each step.
- No solver iterates until it has converged. `--iterations` is 4, as in Newton's examples
  cloth_twist and cloth_style3d. Too few make the cloth fall late, most of all with long steps.
- VBD predicts no move of a vertex by more than 0.425 times the reach of its search, and its
  iterations do not make up for the rest. So the reach grows with the step: by default it allows
  6.2 m/s, our fastest. That is 15 mm at 1 ms, and 58 mm at 4 ms, almost four edges of the mesh.
  That is too slow to run. With `--reach` it runs, but the cloth falls late.
- VBD does not see contacts of elements that up to two edges of the mesh connect; see `--rings`.
"""
import argparse
import pathlib
import time

import newton
import numpy as np
import warp as wp
from newton.solvers import SolverStyle3D, SolverVBD, style3d

ROOT = pathlib.Path(__file__).resolve().parents[2]
FRAMES = 25
RADIUS_M = 1 / 3
HEIGHT_M = RADIUS_M + 0.01
DENSITY_KG_PER_M2 = 0.2
MODULUS_N_PER_M = 500
POISSON_RATIO = 0.3
SHEAR_N_PER_M = MODULUS_N_PER_M / (2 * (1 + POISSON_RATIO))
LAME_N_PER_M = MODULUS_N_PER_M * POISSON_RATIO / (1 - POISSON_RATIO**2)
DISTANCE_M = 0.001
FRICTION = 0.3
CONTACT_N_PER_M = 1e3
CONTACT_N_S_PER_M = 0.1
# A hinge has the energy 3 / 2 HINGE_N_M (length * angle)^2 / (area of both faces). With 1 N m, a
# cylinder has 3.09 times the energy of a plate of 1 N m (mean of 12 directions, 3.090 to 3.093).
HINGE_N_M = 1e-5 / 3.09
FASTEST_M_PER_S = 6.2


def read_mesh():
    lines = (ROOT / "meshes/tablecloth.obj").read_text().splitlines()
    vertices = [[float(x) for x in line.split()[1:4]] for line in lines if line.startswith("v ")]
    corners = [line.split()[1:] for line in lines if line.startswith("f ")]
    faces = [[int(corner.split("/")[0]) - 1 for corner in face] for face in corners]
    return np.array(vertices), np.array(faces)


def hinge_stiffness(vertices, edge):
    """What VBD multiplies by half of length * angle^2; 0 at the rim."""
    left, right, start, end = edge
    if min(left, right) < 0:
        return 0.0
    side = vertices[end] - vertices[start]
    doubled = [np.linalg.norm(np.cross(side, vertices[v] - vertices[start])) for v in (left, right)]
    return 3 * HINGE_N_M * np.linalg.norm(side) / (sum(doubled) / 2)


def build(solver, vertices, faces):
    """The tablecloth, y up, 1 cm above the sphere."""
    builder = newton.ModelBuilder(up_axis=newton.Axis.Y, gravity=(0.0, -9.81, 0.0))
    cloth = {
        "pos": wp.vec3(0.0, HEIGHT_M, 0.0),
        "rot": wp.quat_identity(),
        "scale": 1.0,
        "vel": wp.vec3(0.0, 0.0, 0.0),
        "vertices": vertices.tolist(),
        "indices": faces.ravel().tolist(),
        "density": DENSITY_KG_PER_M2,
        "particle_radius": DISTANCE_M,
        "tri_kd": 0.0,
        "edge_kd": 0.0,
    }
    if solver == "style3d":
        SolverStyle3D.register_custom_attributes(builder)
        flat = vertices[:, [0, 2]].copy()
        a, b, c = flat[faces[0]]
        if np.linalg.det([b - a, c - a]) < 0:  # the panel's faces must be counter-clockwise
            flat[:, 1] *= -1
        stretch = wp.vec3(MODULUS_N_PER_M, MODULUS_N_PER_M, SHEAR_N_PER_M)
        style3d.add_cloth_mesh(
            builder, panel_verts=flat.tolist(), tri_aniso_ke=stretch, edge_aniso_ke=None, **cloth
        )
        stiffness = [HINGE_N_M] * len(builder.edge_indices)
    else:
        builder.add_cloth_mesh(tri_ke=SHEAR_N_PER_M, tri_ka=LAME_N_PER_M, **cloth)
        stiffness = [hinge_stiffness(vertices, edge) for edge in builder.edge_indices]
        builder.color()
    builder.edge_bending_properties[:] = [(each, 0.0) for each in stiffness]
    material = newton.ModelBuilder.ShapeConfig(
        ke=CONTACT_N_PER_M, kd=CONTACT_N_S_PER_M, mu=FRICTION
    )
    builder.add_shape_sphere(body=-1, radius=RADIUS_M, cfg=material)
    model = builder.finalize()
    model.soft_contact_ke, model.soft_contact_kd = CONTACT_N_PER_M, CONTACT_N_S_PER_M
    model.soft_contact_mu = FRICTION
    return model


def make_solver(model, arguments, step_s):
    if arguments.solver == "style3d":
        config = SolverStyle3D.Config(iterations=arguments.iterations)
        solver = SolverStyle3D(model, config=config)
        solver.collision.radius = DISTANCE_M / 2
        return solver
    reach_m = arguments.reach or FASTEST_M_PER_S * step_s / 0.425
    return SolverVBD(
        model,
        iterations=arguments.iterations,
        particle_enable_self_contact=True,
        particle_self_contact_margin=DISTANCE_M,
        particle_self_contact_gap=max(reach_m - DISTANCE_M, 0.0),
        particle_vertex_contact_buffer_size=64,
        particle_edge_contact_buffer_size=128,
        particle_topological_contact_filter_threshold=arguments.rings,
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--solver", choices=["style3d", "vbd"], default="style3d", help="[style3d]")
    parser.add_argument("--steps", type=int, default=40, help="steps a frame [40]")
    parser.add_argument("--iterations", type=int, default=4, help="iterations a step [4]")
    parser.add_argument("--frames", type=int, default=FRAMES, help="frames of 1/25 s [25]")
    parser.add_argument("--reach", type=float, help="VBD: how far it searches, m [6.2 m/s]")
    parser.add_argument("--rings", type=int, default=2, help="VBD: edges that hide a contact [2]")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/newton"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    wp.config.quiet = True
    wp.set_device("cpu")

    vertices, faces = read_mesh()
    model = build(arguments.solver, vertices, faces)
    print(f"{model.particle_count} vertices, {model.particle_mass.numpy().sum():.4f} kg")
    step_s = 1 / (25 * arguments.steps)
    solver = make_solver(model, arguments, step_s)
    pipeline = newton.CollisionPipeline(model, soft_contact_gap=2 * FASTEST_M_PER_S * step_s)
    contacts, control = pipeline.contacts(), model.control()

    def step(now, then):
        """Returns the state after a step from `now`, and one to write the next into."""
        now.clear_forces()
        pipeline.collide(now, contacts)
        solver.step(now, then, control, contacts, step_s)
        return then, now

    step(model.state(), model.state())  # compiles the kernels
    now, then = model.state(), model.state()
    wall_s = processor_s = 0.0
    for frame in range(arguments.frames + 1):
        if frame > 0:
            start, start_processor = time.perf_counter(), time.process_time()
            solver.rebuild_bvh(now)
            for _ in range(arguments.steps):
                now, then = step(now, then)
            wall_s += time.perf_counter() - start
            processor_s += time.process_time() - start_processor
        places = now.particle_q.numpy()
        if frame == 3:
            fallen, free = HEIGHT_M - places[:, 1].min(), 0.5 * 9.81 * 0.12**2
            print(f"after 3 frames the rim has fallen {fallen:.4f} m; a free fall: {free:.4f} m")
        with open(arguments.out / f"frame_{frame:04}.obj", "w") as file:
            file.writelines(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in places)
            file.writelines("f " + " ".join(str(v + 1) for v in face) + "\n" for face in faces)
        print(f"frame {frame}: {wall_s:.1f} s, processor {processor_s:.1f} s", flush=True)
    print(f"{arguments.steps} steps a frame: {wall_s:.1f} s, processor {processor_s:.1f} s")


if __name__ == "__main__":
    main()

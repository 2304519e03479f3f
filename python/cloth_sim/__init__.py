"""Parallel cloth simulation with bit-identical frames on any number of ranks and threads.

A `Scene` is read from RON or built from its fields, a `Simulation` computes it step by step, and `run`
writes a run folder with the program `cloth-sim`, which a `RunFolder` reads. Lengths are in m, times in s,
masses in kg, forces in N, angles in degrees in scenes; vectors are rows x, y, z. What is wrong is raised
as `Error` with the text of the program.

    import cloth_sim

    scene = cloth_sim.Scene.load("scenes/sheet.ron", set={"steps_per_frame": 10})
    simulation = cloth_sim.Simulation(scene)
    simulation.run(50)
    print(simulation.time_s, simulation.positions[:, 1].min())
"""

from cloth_sim._core import VERSION as __version__
from cloth_sim._core import Error, Scene, Simulation
from cloth_sim._run import RunFolder, run

__all__ = ["Error", "RunFolder", "Scene", "Simulation", "__version__", "run"]

"""Drives a handle from measured data: a hand shakes a towel that it holds at one corner.

`hand.csv` has the form in which motion trackers write: the position of a marker 50 times a second. The loop
takes the place of the hand at each step by linear interpolation, and measures how fast the far corner is.

    python examples/python/measured.py [hand.csv]
"""

import sys
from pathlib import Path

import cloth_sim
import numpy as np


def towel() -> cloth_sim.Scene:
    """A towel in the plane x, y that is held at its upper left corner."""
    return cloth_sim.Scene.build(
        name="towel",
        steps_per_frame=10,  # steps of 4 ms
        cloths=[
            {
                "shape": {
                    "Sheet": {"width_m": 0.4, "length_m": 0.4, "columns": 16, "rows": 16}
                },
                "transform": {"axis": [1, 0, 0], "angle_deg": 90},
                "material": {"Fabric": "cotton"},
                "pins": [{"select": {"Nearest": [-0.2, 0.2, 0]}}],
            }
        ],
    )


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("hand.csv")
    times, *hand = np.loadtxt(path, delimiter=",", skiprows=1, unpack=True)

    simulation = cloth_sim.Simulation(towel(), threads=1)
    simulation.run(250)  # it comes to rest below the corner that is held
    begin_s, held = simulation.time_s, simulation.handle(0)
    far = np.linalg.norm(simulation.positions - held, axis=1).argmax()
    fastest = 0.0
    print("time, s   hand, m                   far corner, m             its speed, m/s")
    while (time_s := simulation.time_s - begin_s) < times[-1]:
        at_end_s = time_s + simulation.scene.step_s
        moved = [np.interp(at_end_s, times, x) - x[0] for x in hand]
        simulation.set_handle(0, held + moved)
        simulation.step()
        speed = float(np.linalg.norm(simulation.velocities[far]))
        fastest = max(fastest, speed)
        if simulation.steps % 25 == 0:
            places = [simulation.handle(0)[0], simulation.positions[far]]
            shown = ["{:7.3f} {:7.3f} {:7.3f}".format(*place) for place in places]
            print(f"{at_end_s:6.2f}    {shown[0]}   {shown[1]}   {speed:6.2f}")
    print(f"the far corner is at most {fastest:.2f} m/s fast, in {simulation.steps} steps")


if __name__ == "__main__":
    main()

"""A parameter study: how far a strip of cloth that is clamped at one end hangs down, for several rigidities.

A strip of length L sags by H. Where it bends little, a beam gives H/L = G/8 with G = weight L^3 / rigidity, both
per width. A limp strip hangs straight down. The plot shows both limits.

    pip install ".[examples]"
    python examples/python/study.py study.png
"""

import sys

import cloth_sim
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

LENGTH_M = 0.2
COLUMNS = 20
# An edge bends over half of each cell beside it, so the clamp is in the middle of the cell that is held.
CELL_M = LENGTH_M / (COLUMNS - 0.5)
DENSITY = 0.15  # kg/m^2
GRAVITY = 9.81  # m/s^2


def strip(rigidity: float) -> cloth_sim.Scene:
    """A strip along x, whose first two rows of vertices are held. `rigidity` in N m."""
    held_m = (1.5 - 0.5 * COLUMNS) * CELL_M
    return cloth_sim.Scene.build(
        name="strip",
        steps_per_frame=4,
        cloths=[
            {
                "shape": {
                    "Sheet": {
                        "width_m": COLUMNS * CELL_M,
                        "length_m": 0.03,
                        "columns": COLUMNS,
                        "rows": 3,
                        "diagonal": "Alternating",
                    }
                },
                "material": {
                    "Isotropic": {
                        "density_kg_per_m2": DENSITY,
                        "modulus_n_per_m": 2000,
                        "poisson_ratio": 0,
                        "rigidity_n_m": rigidity,
                    }
                },
                "damping": {"mass_per_s": 4},
                "pins": [{"select": {"Box": {"min_m": [-1, -1, -1], "max_m": [held_m, 1, 1]}}}],
            }
        ],
    )


def sag(rigidity: float) -> float:
    """How far the end of the strip hangs below its clamp at rest, as a share of its length."""
    simulation = cloth_sim.Simulation(strip(rigidity), threads=1)
    end = simulation.positions[:, 0].argmax()

    def observe(simulation: cloth_sim.Simulation, _: dict) -> bool:
        return simulation.steps < 50 or abs(simulation.velocities).max() > 1e-4

    simulation.run(1000, observe)
    return -simulation.positions[end, 1] / LENGTH_M


def main() -> None:
    ratios = np.geomspace(0.2, 200, 13)
    sags = []
    for ratio in ratios:
        rigidity = DENSITY * GRAVITY * LENGTH_M**3 / ratio
        sags.append(sag(rigidity))
        print(f"G = {ratio:6.1f}  rigidity {rigidity:.1e} N m  H/L = {sags[-1]:.3f}", flush=True)
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.semilogx(ratios, sags, "o-", label="simulated")
    small = ratios[ratios < 8]
    axes.semilogx(small, small / 8, "--", color="gray", label="beam that bends little, G/8")
    axes.axhline(1, color="gray", linestyle=":", label="straight down")
    axes.set(xlabel="G = weight L³ / rigidity", ylabel="H / L", ylim=(0, 1.1))
    axes.set_title("Strip of cloth, clamped at one end")
    axes.legend()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "study.png", dpi=120)


if __name__ == "__main__":
    main()

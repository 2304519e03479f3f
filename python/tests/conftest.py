"""What several tests use."""

from pathlib import Path

import cloth_sim
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def scenes() -> Path:
    return ROOT / "scenes"


@pytest.fixture
def towel() -> cloth_sim.Scene:
    """A towel that is held at one edge above a ball."""
    return cloth_sim.Scene.build(
        name="towel",
        frames=4,
        steps_per_frame=10,
        cloths=[
            {
                "shape": {"Sheet": {"width_m": 0.3, "length_m": 0.3, "columns": 8, "rows": 8}},
                "material": {"Fabric": "cotton"},
                "pins": [{"select": {"Vertices": list(range(9))}}],
            }
        ],
        obstacles=[
            {
                "shape": {"Sphere": {"radius_m": 0.05}},
                "transform": {"translation_m": [0, -0.06, 0.05]},
            }
        ],
    )

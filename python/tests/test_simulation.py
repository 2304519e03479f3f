"""Simulations: steps, arrays, handles, forces, observers, states."""

import gc
import os
import threading
from pathlib import Path

import cloth_sim
import numpy as np
import pytest
from cloth_sim import Scene, Simulation


def test_any_ranks_and_threads_have_the_same_bits(towel):
    alone, shared = Simulation(towel, threads=1), Simulation(towel, ranks=2, threads=2)
    for simulation in (alone, shared):
        simulation.run(20)
    assert alone.hash() == shared.hash()
    assert np.array_equal(alone.positions, shared.positions)
    assert np.array_equal(alone.velocities, shared.velocities)


def test_arrays_have_a_row_for_each_vertex(towel):
    simulation = Simulation(towel)
    assert simulation.kind == "cloth" and simulation.warnings == []
    assert simulation.positions.shape == simulation.velocities.shape == (81, 3)
    assert simulation.faces.shape == (128, 3) and simulation.faces.max() == 80
    assert simulation.cloths == {"sheet": slice(0, 81, 1)}
    assert np.array_equal(simulation.pins[0], np.arange(9))
    assert simulation.masses.sum() == pytest.approx(0.3 * 0.3 * 0.12, rel=0.5)
    report = simulation.step()
    assert report["step"] == 1 and report["solves"] >= 1 and report["solve_s"] > 0
    assert report["processors"][0]["tests"] >= 0
    assert (simulation.steps, simulation.time_s) == (1, towel.step_s)
    assert np.array_equal(simulation.surfaces()["sheet"], simulation.positions)
    assert simulation.bodies()["position"].shape == (0, 3)
    assert simulation.contact_counts().shape == (81,) and simulation.waiting() == []
    assert np.isfinite(simulation.total_energy())


def test_a_handle_leads_its_vertices(towel):
    simulation = Simulation(towel)
    simulation.step()
    places = simulation.handle(0)
    for _ in range(10):
        places = places + [0, 1e-3, 0]
        simulation.set_handle(0, places)
        simulation.step()
    assert np.allclose(simulation.positions[simulation.pins[0]], places, atol=1e-12)
    with pytest.raises(cloth_sim.Error, match="it does not hold 2 vertices now"):
        simulation.set_handle(0, places[:2])


def test_a_handle_leads_from_the_first_step_on(towel):
    free, held, led = Simulation(towel), Simulation(towel), Simulation(towel)
    rows = free.pins[0]
    assert np.array_equal(free.handle(0), free.positions[rows])
    held.set_handle(0, held.handle(0))
    led.set_handle(0, led.handle(0) + [0, 1e-3, 0])
    for simulation in (free, held, led):
        simulation.step()
    assert free.hash() == held.hash() != led.hash()
    rise = led.positions[rows] - free.positions[rows]
    assert np.allclose(rise, [0, 1e-3, 0], rtol=0, atol=1e-12)


def test_a_pin_of_one_vertex_is_led_by_one_place(towel):
    corner = [{"select": {"Vertices": [0]}}, {"select": {"Vertices": [8]}, "start_s": 1}]
    simulation = Simulation(towel.changed({"cloths[0].pins": corner}))
    simulation.set_handle(0, simulation.positions[0] + [0, 1e-3, 0])
    assert simulation.handle(0).shape == (1, 3) and simulation.handle(1).shape == (0, 3)
    with pytest.raises(cloth_sim.Error, match="it does not hold 1 vertices now"):
        simulation.set_handle(1, simulation.positions[8])


def test_forces_accelerate_free_cloth():
    """Closed form: forces of 2 m/s^2 times mass for ten steps, without gravity."""
    sheet = {"Sheet": {"width_m": 0.2, "length_m": 0.2, "columns": 4, "rows": 4}}
    simulation = Simulation(
        Scene.build(
            gravity_m_per_s2=[0, 0, 0],
            air={"density_kg_per_m3": 1e-30},
            solver={"relative_residual": 1e-12},
            cloths=[{"shape": sheet, "material": {"Fabric": "cotton"}, "imperfection_m": 0}],
        )
    )
    for _ in range(10):
        simulation.step(forces=np.outer(2 * simulation.masses, [1, 0, 0]))
    simulation.step()
    speed = 2 * 10 * simulation.scene.step_s
    assert np.allclose(simulation.velocities, [speed, 0, 0], rtol=0, atol=1e-8 * speed)
    with pytest.raises(cloth_sim.Error, match="2 vectors for 25 cloth vertices"):
        simulation.step(forces=np.zeros((2, 3)))
    still = np.zeros((25, 3))
    simulation.set_motion(still + simulation.positions, still)
    assert not simulation.velocities.any()


def test_an_observer_sees_each_step_and_may_end_the_run(towel):
    seen = []

    def observe(simulation, report):
        seen.append((report["step"], simulation.steps))
        return len(seen) < 5

    simulation = Simulation(towel)
    simulation.run(40, observe)
    assert seen == [(step, step) for step in range(1, 6)]
    with pytest.raises(ZeroDivisionError):
        simulation.run(1, lambda *_: 1 / 0)
    assert simulation.steps == 6


def test_a_restored_simulation_goes_on_to_the_same_bits(towel):
    first, other = Simulation(towel), Simulation(towel, ranks=2, threads=1)
    first.run(15)
    saved = first.save()
    first.run(15)
    for simulation in (first, other):
        simulation.restore(saved)
        assert simulation.steps == 15
        simulation.run(15)
    assert first.hash() == other.hash()
    flipped = bytearray(saved)
    flipped[len(saved) // 2] ^= 4
    for damaged in (saved[:-1], b"", b"no state", flipped):
        with pytest.raises(cloth_sim.Error, match="the saved state"):
            first.restore(damaged)
    assert first.hash() == other.hash()


def test_bodies_alone_are_arrays_too():
    balls = {"name": "balls", "shape": {"Sphere": {"radius_m": 0.1}}, "material": "rubber"}
    scene = Scene.build(
        bodies=[{**balls, "arrangement": {"At": [[0, 0.1, 0], [0.5, 0.1, 0]]}}],
        materials=[{"name": "rubber", "density_kg_per_m3": 1000, "friction": 0.5}],
        domain={
            "min_m": [-1, 0, -1],
            "max_m": [1, 2, 1],
            "borders": ["Open", "Floor", "Open"],
            "wall_material": "rubber",
        },
        response={"Nonsmooth": {"sweeps": 30}},
        output={"forces": True},
    )
    simulation = Simulation(scene, threads=1)
    simulation.run(20)
    bodies, forces = simulation.bodies(), simulation.forces()
    assert simulation.kind == "bodies" and simulation.body_names() == ["balls[0]", "balls[1]"]
    assert np.allclose(bodies["position"], [[0, 0.1, 0], [0.5, 0.1, 0]], atol=1e-4)
    assert bodies["rotation"].shape == (2, 4) and list(bodies["id"]) == [0, 1]
    weight = 1000 * 4 / 3 * np.pi * 0.1**3 * 9.81
    assert np.allclose(forces["contact_force"], [0, weight, 0], atol=1e-3 * weight)
    saved, before = simulation.save(), simulation.hash()
    simulation.push(1, force=[0, 3 * weight, 0])
    simulation.step()
    rise = 2 * 9.81 * scene.step_s
    assert simulation.bodies()["velocity"][:, 1] == pytest.approx([0, rise], abs=1e-2 * rise)
    simulation.restore(saved)
    assert simulation.hash() == before
    for body, words in ((7, "there is no free body"), (0, "is not finite")):
        with pytest.raises(cloth_sim.Error, match=words):
            simulation.push(body, force=[np.nan, 0, 0])
    with pytest.raises(cloth_sim.Error, match="has rigid bodies and no cloth"):
        simulation.positions


def test_a_step_that_fails_raises_and_leaves_the_simulation(towel):
    simulation = Simulation(towel)
    x = simulation.positions
    simulation.set_motion(x, np.full_like(x, 1e30))
    with pytest.raises(cloth_sim.Error, match="frame 1, step 1: "):
        simulation.step()
    assert np.array_equal(simulation.positions, x) and simulation.steps == 0


def test_places_where_cloth_lies_in_itself_are_refused(towel):
    simulation = Simulation(towel)
    x = simulation.positions
    simulation.run(5)
    end = simulation.hash()
    with pytest.raises(cloth_sim.Error, match="nearer than contact.clearance_m"):
        simulation.set_motion(x * [0, 1, 1], 0 * x)
    assert simulation.hash() == end
    simulation.set_motion(x, 0 * x)
    simulation.step()


def test_wrong_arguments_are_refused(towel):
    for wrong in ({"threads": 0}, {"threads": 4096}, {"threads": -1}):
        with pytest.raises(cloth_sim.Error, match="threads"):
            Simulation(towel, **wrong)
    with pytest.raises(cloth_sim.Error, match="ranks: -1 is out of range\n.*from 1 up"):
        Simulation(towel, ranks=-1)
    with pytest.raises(TypeError):
        Simulation("towel.ron")
    simulation = Simulation(towel)
    x, wrong = simulation.positions, simulation.positions
    wrong[40, 1] = np.nan
    for call, words in (
        (lambda: simulation.set_motion(wrong, x), "positions: NaN in row 40 is not finite"),
        (lambda: simulation.set_motion(x, wrong), "velocities: NaN in row 40 is not finite"),
        (lambda: simulation.set_motion(x[1:], x), "positions: 80 vectors for 81 cloth vertices"),
        (lambda: simulation.step(wrong), "forces: NaN in row 40"),
        (lambda: simulation.step(np.zeros(81)), r"forces: its shape is \(81,\)\n.*shape \(n, 3\)"),
        (lambda: simulation.step(3), r"forces: its shape is \(\)"),
        (lambda: simulation.step([]), r"forces: its shape is \(0,\)"),
        (lambda: simulation.step("x"), "forces: could not convert string"),
        (lambda: simulation.set_handle(0, wrong[36:45]), "places: NaN in row 4"),
        (lambda: simulation.set_handle(0, x[:9, :2]), r"places: its shape is \(9, 2\)"),
        (lambda: simulation.set_handle(7, x[:9]), "there is no pin 7\n.*the scene has 1;"),
        (lambda: simulation.handle(-1), "there is no pin -1"),
        (lambda: simulation.run(-1), "steps: -1 is out of range"),
    ):
        with pytest.raises(cloth_sim.Error, match=words):
            call()
    assert simulation.steps == 0 and np.array_equal(simulation.positions, x)


def test_python_runs_while_a_step_is_computed(scenes):
    simulation = Simulation(Scene.load(scenes / "sheet.ron"), threads=1)
    ticks, ended = [], threading.Event()

    def tick():
        while not ended.wait(1e-3):
            ticks.append(simulation.time_s)

    beside = threading.Thread(target=tick)
    beside.start()
    simulation.run(40)
    ended.set()
    beside.join()
    assert len(ticks) > 5


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_dropped_simulations_leave_no_memory(towel):
    def cycles(count):
        for _ in range(count):
            Simulation(towel, threads=2).step()

    cycles(20)
    gc.collect()
    before = resident_bytes()
    cycles(100)
    assert resident_bytes() - before < 4e6

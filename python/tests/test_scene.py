"""Scenes: from files, texts and fields, and what is wrong with them."""

import json
import pickle

import cloth_sim
import numpy as np
import pytest
from cloth_sim import Scene

SHEET = """(cloths: [(
    shape: Sheet(width_m: 0.2, length_m: 0.1, columns: 4, rows: 2),
    material: Fabric("cotton"),
)])"""


def test_text_fields_and_changed_fields_make_the_same_scene():
    shape = {"Sheet": {"width_m": 0.2, "length_m": np.float64(0.1), "columns": 4, "rows": 2}}
    built = Scene.build(cloths=[{"shape": shape, "material": {"Fabric": "cotton"}}], seed=2**63)
    text = Scene.parse(SHEET, set={"seed": 2**63})
    again = Scene.parse(built.to_ron())
    assert built.to_ron() == text.to_ron() == again.to_ron()
    assert json.loads(built.to_json())["seed"] == 2**63


def test_a_changed_field_is_a_number_a_list_or_text_in_ron():
    scene = Scene.parse(SHEET, set={"steps_per_frame": 5, "cloths[0].material": 'Fabric("denim")'})
    changed = scene.changed({"gravity_m_per_s2": np.array([1.0, 0.0, 0.1]), "output.energy": True})
    fields = json.loads(changed.to_json())
    assert fields["cloths"][0]["material"] == {"Fabric": "denim"}
    assert fields["gravity_m_per_s2"] == [1.0, 0.0, 0.1] and fields["output"]["energy"]
    assert (changed.steps_per_frame, changed.step_s) == (5, 1 / 125)


def test_defaults_that_follow_from_a_changed_field_follow_it():
    scene = Scene.parse(SHEET, set={"obstacles": [{"shape": {"Sphere": {"radius_m": 0.3}}}]})
    scene = scene.changed({"obstacles[0].shape.radius_m": 0.6})
    sphere = json.loads(scene.to_json())["obstacles"][0]["shape"]["Sphere"]
    assert sphere["edge_m"] == pytest.approx(0.6 / 12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Scene.load("missing.ron"), ["missing.ron", "check the path of the scene"]),
        (lambda: Scene.parse("(cloth: [])", file="a.ron"), ["a.ron:1:2", "did you mean `cloths`?"]),
        (lambda: Scene.parse(SHEET, set={"framse": 3}), ["set framse=3: ", "did you mean `frames`?"]),
        (lambda: Scene.parse(SHEET, set={"frames": -3}), ["set frames=-3: ", "whole number"]),
        (lambda: Scene.build(frames=-3), ["scene.ron: frames: ", "a whole number from 0 up"]),
        (lambda: Scene.build(frame=3), ["scene.ron: frame: ", "did you mean `frames`?"]),
        (lambda: Scene.build(cloths={"shape": 1}), ["cloths: invalid type: dictionary, expected a list"]),
        (lambda: Scene.build(cloths=[{"shpe": 1}]), ["cloths[0].shpe", "unknown field `shpe`"]),
        (
            lambda: Scene.build(cloths=[{"material": {"Fabric": "denim", "Isotropic": {}}}]),
            ["cloths[0].material: ", "a dictionary with one entry"],
        ),
        (lambda: Scene.build(frames_per_second=float("nan")), ["frames_per_second: nan is not finite"]),
        (lambda: Scene.build(cloths=[object()]), ["cloths[0]: object is no value of a scene"]),
        (
            lambda: Scene.parse(SHEET, set={"gravity_m_per_s2": np.array([0, np.inf, 0])}),
            ["gravity_m_per_s2[1]: inf is not finite"],
        ),
        (lambda: Scene.parse(SHEET, set={"contact.distance_m": 0}), ["contact.distance_m: 0 is not positive"]),
    ],
)
def test_wrong_scenes_raise_the_text_of_the_program(make, words):
    with pytest.raises(cloth_sim.Error) as raised:
        make()
    for word in words:
        assert word in str(raised.value)


def test_equal_scenes_are_equal_and_can_be_pickled():
    scene = Scene.parse(SHEET, file="folder/sheet.ron")
    again = pickle.loads(pickle.dumps(scene))
    assert again == scene and hash(again) == hash(scene) and again.home == scene.home
    assert scene != scene.changed({"frames": 3}) and scene != Scene.parse(SHEET) and scene != SHEET


def test_a_missing_mesh_is_refused():
    with pytest.raises(cloth_sim.Error, match="mesh"):
        cloth_sim.Simulation(Scene.parse(SHEET, set={"cloths[0].shape": 'Mesh("missing.obj")'}))

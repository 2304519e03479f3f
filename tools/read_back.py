#!/usr/bin/env python3
"""Reads the frames of a run with programs that we did not write, and compares them.

    pip install bpy==5.0.1 usd-core vtk pyvista
    tools/read_back.py out/tablecloth

Each format of the run is read by one or two readers: OBJ and PC2 by Blender, VTP by VTK and its list by PyVista, USD by
usd-core and Blender. Positions are compared with those of the VTP files (64-bit), or of the OBJ files without. Prints a
table in Markdown. The exit code is 1 if something differs, or a position by more than single precision allows.
"""

import argparse
import csv
import json
import os
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np
import pyvista
import vtk
from pxr import Usd, UsdGeom, UsdShade
from vtk.util.numpy_support import vtk_to_numpy

# Half a unit in the last place of single precision, relative to the largest coordinate.
SINGLE = 2.0**-24


class Run:
    def __init__(self, folder):
        self.folder = folder
        self.head = json.loads((folder / "run.json").read_text())
        lines = (folder / "steps.jsonl").read_text().splitlines()
        self.frames = [json.loads(line)["frame"] for line in lines]
        self.files = self.head["files"]["once"]
        self.objects = [name[7:-4] for name in self.files if name.startswith("frames_") and name.endswith(".pc2")]

    def rate(self):
        for line in (self.folder / "scene.ron").read_text().splitlines():
            if line.strip().startswith("frames_per_second:"):
                return float(line.split(":")[1].strip(" ,"))
        sys.exit("scene.ron has no frames_per_second")

    def seconds(self):
        """The time of all steps on rank 0, s."""
        path = self.folder / "phases.csv"
        if not path.exists():
            return None
        with open(path) as table:
            return sum(float(value) for row in csv.DictReader(table) for key, value in row.items() if key != "frame")

    def size(self, pattern):
        return sum(path.stat().st_size for path in self.folder.glob(pattern)) / len(self.frames)


def obj_file(path):
    """Objects of an OBJ file as positions, texture coordinates of corners, and materials of faces."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.obj_import(filepath=str(path), use_split_objects=False)
    return [it for it in bpy.context.scene.objects if it.type == "MESH"]


def positions_of(thing):
    """The vertices of a Blender object with its modifiers, y up."""
    mesh = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(float)


def uv_and_materials(things):
    corners = sum(len(it.data.uv_layers.active.data) for it in things if it.data.uv_layers)
    materials = sorted({slot.name for it in things for slot in it.data.materials if slot})
    return corners, materials


class Reference:
    """The positions of all surfaces in each frame, and the same of each object."""

    def __init__(self, run):
        self.run = run
        self.is_exact = (run.folder / "frame_0000.vtp").exists()
        self.known = {}

    def __call__(self, frame):
        if frame not in self.known:
            self.known[frame] = vtp(self.run, frame)[0] if self.is_exact else obj_text(self.run, frame)
        return self.known[frame]


def obj_text(run, frame):
    lines = (run.folder / f"frame_{frame:04}.obj").read_text().splitlines()
    return np.array([line.split()[1:4] for line in lines if line.startswith("v ")], dtype=float)


def vtp(run, frame):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(run.folder / f"frame_{frame:04}.vtp"))
    reader.Update()
    data = reader.GetOutput()
    points = vtk_to_numpy(data.GetPoints().GetData()).astype(float)
    arrays = {data.GetPointData().GetArrayName(i): vtk_to_numpy(data.GetPointData().GetArray(i))
              for i in range(data.GetPointData().GetNumberOfArrays())}
    time = data.GetFieldData().GetArray("TimeValue").GetValue(0)
    return points, arrays, time


def read_obj(run, reference):
    worst = 0.0
    for frame in run.frames:
        things = obj_file(run.folder / f"frame_{frame:04}.obj")
        found = np.concatenate([positions_of(it) for it in things])
        worst = max(worst, np.abs(found - reference(frame)).max())
    corners, materials = uv_and_materials(things)
    return "Blender", worst, f"{corners} corners with UVs, materials {materials}"


def read_pc2(run, reference):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    things = []
    for name in run.objects:
        bpy.ops.wm.obj_import(filepath=str(run.folder / f"frames_{name}.obj"), use_split_objects=False)
        thing = bpy.context.selected_objects[0]
        cache = thing.modifiers.new("cache", "MESH_CACHE")
        cache.cache_format, cache.filepath = "PC2", str(run.folder / f"frames_{name}.pc2")
        cache.frame_start, cache.interpolation = run.frames[0], "NONE"
        things.append(thing)
    worst = 0.0
    for frame in run.frames:
        bpy.context.scene.frame_set(frame)
        found = np.concatenate([positions_of(it) for it in things])
        worst = max(worst, np.abs(found - reference(frame)).max())
    corners, materials = uv_and_materials(things)
    return "Blender (Mesh Cache)", worst, f"{len(things)} objects, {corners} corners with UVs, materials {materials}"


def moving_meshes(stage):
    prims = [UsdGeom.Mesh(it) for it in stage.Traverse() if it.IsA(UsdGeom.Mesh)]
    return [it for it in prims if it.GetPointsAttr().ValueMightBeTimeVarying()]


def read_usd(run, reference):
    stage = Usd.Stage.Open(str(run.folder / "frames.usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert stage.GetTimeCodesPerSecond() == run.rate()
    assert [stage.GetStartTimeCode(), stage.GetEndTimeCode()] == [run.frames[0], run.frames[-1]]
    meshes = moving_meshes(stage)
    worst = 0.0
    for mesh in meshes:
        assert mesh.GetPointsAttr().GetTimeSamples() == [float(it) for it in run.frames]
    for frame in run.frames:
        found = np.concatenate([np.array(it.GetPointsAttr().Get(frame), dtype=float) for it in meshes])
        worst = max(worst, np.abs(found - reference(frame)).max())
    corners = 0
    for mesh in meshes:
        st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
        corners += len(st.ComputeFlattened()) if st.HasValue() else 0
    bound = {}
    for prim in stage.Traverse():
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        if material:
            shader, _, _ = material.ComputeSurfaceSource()
            bound[material.GetPrim().GetName()] = tuple(round(it, 3) for it in shader.GetInput("diffuseColor").GetAttr().Get() or ())
    return "usd-core", worst, f"times, units, {len(meshes)} meshes, {corners} corners with UVs, materials {bound}"


def read_usd_in_blender(run, reference):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = round(run.rate())
    bpy.ops.wm.usd_import(filepath=str(run.folder / "frames.usda"))
    stage = Usd.Stage.Open(str(run.folder / "frames.usda"))
    things = [bpy.data.objects[it.GetPrim().GetName()] for it in moving_meshes(stage)]
    worst = 0.0
    for frame in run.frames:
        bpy.context.scene.frame_set(frame)
        found = np.concatenate([positions_of(it) for it in things])
        worst = max(worst, np.abs(found - reference(frame)).max())
    corners, materials = uv_and_materials(things)
    return "Blender", worst, f"{len(things)} objects, {corners} corners with UVs, materials {materials}"


def read_vtp(run, reference):
    series = pyvista.PVDReader(str(run.folder / "frames.pvd"))
    assert np.allclose(series.time_values, [frame / run.rate() for frame in run.frames], rtol=1e-14)
    worst, names = 0.0, {}
    for frame in run.frames:
        points, arrays, time = vtp(run, frame)
        assert abs(time - frame / run.rate()) < 1e-12
        for it in arrays.values():
            known = np.isfinite(it.reshape(len(it), -1)).all(axis=1)
            assert known.any() and known[: known.sum()].all(), "only bodies and obstacles have no values"
        names = {name: it.shape[1] if it.ndim > 1 else 1 for name, it in arrays.items()}
        if not reference.is_exact:
            worst = max(worst, np.abs(points - reference(frame)).max())
    return "VTK, PyVista", worst, f"times, fields {', '.join(names)}"


def read_bodies_in_usd(run):
    """Rigid bodies alone: the instances of each frame against the VTP files."""
    stage = Usd.Stage.Open(str(run.folder / "frames.usda"))
    bodies = UsdGeom.PointInstancer(stage.GetPrimAtPath("/World/bodies"))
    worst = 0.0
    for frame in run.frames:
        points, arrays, _ = vtp(run, frame)
        ids = np.array(bodies.GetIdsAttr().Get(frame))
        places = np.array(bodies.GetPositionsAttr().Get(frame), dtype=float)[ids < 2**40]
        assert np.array_equal(ids[ids < 2**40], arrays["id"])
        worst = max(worst, np.abs(places - points).max())
        turned = bodies.ComputeInstanceTransformsAtTime(frame, frame)
        found = [it.RemoveScaleShear().ExtractRotationQuat() for it in turned]
        found = np.array([[it.GetReal(), *it.GetImaginary()] for it in found])[ids < 2**40]
        # A quaternion and its negative are the same rotation.
        assert (np.abs((found * arrays["orientation"]).sum(axis=1)) > 1 - 1e-6).all()
    return "usd-core", worst, f"{len(ids)} instances, {len(bodies.GetPrototypesRel().GetTargets())} prototypes"


READERS = {
    "obj": ([read_obj], "frame_*.obj"),
    "vtp": ([read_vtp], "frame_*.vtp"),
    "pc2": ([read_pc2], "frames_*.pc2"),
    "usd": ([read_usd, read_usd_in_blender], "frame.*.usda"),
}


def quietly(read, *inputs):
    """Calls `read` without what Blender prints."""
    with tempfile.TemporaryFile() as nowhere:
        sys.stdout.flush()
        before = os.dup(1)
        os.dup2(nowhere.fileno(), 1)
        try:
            return read(*inputs)
        finally:
            os.dup2(before, 1)
            os.close(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the run folder")
    run = Run(parser.parse_args().run.resolve())
    reference, seconds, is_good = Reference(run), run.seconds(), True
    spent = {it["format"]: it["seconds"] for it in run.head.get("formats", [])}
    print("| format | reader | frames | largest difference, m | confirmed | bytes a frame | share of the run |")
    print("|---|---|---|---|---|---|---|")
    for name, (readers, pattern) in READERS.items():
        size = run.size(pattern)
        if size == 0:
            continue
        share = f"{100 * spent[name] / seconds:.2f} %" if seconds and name in spent else ""
        if run.head.get("bodies"):
            readers = [lambda run, _: read_bodies_in_usd(run)] if name == "usd" else []
        for read in readers:
            reader, worst, confirmed = quietly(read, run, reference)
            allowed = SINGLE * 2 * max(1.0, np.abs(vtp(run, run.frames[-1])[0] if reference.is_exact else reference(run.frames[-1])).max())
            is_good &= bool(worst <= allowed)
            print(f"| {name} | {reader} | {len(run.frames)} | {worst:.1e} | {confirmed} | {size:,.0f} | {share} |", flush=True)
    total = sum(spent.values())
    if seconds:
        print(f"\nall formats: {total:.2f} s of {seconds:.1f} s, {100 * total / seconds:.2f} %")
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()

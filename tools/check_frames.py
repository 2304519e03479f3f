#!/usr/bin/env python3
"""Counts intersections in the frames of a run folder, with ipctk.

    pip install numpy ipctk
    tools/check_frames.py out/tablecloth

This script checks the same as `cloth-sim check`, independently: it reads the OBJ
files by itself and shares no code with the simulation. For each frame it counts the
pairs of an edge and a face that share no vertex and meet. ipctk's broad phase finds
the candidates, and its `is_edge_intersecting_triangle` decides each of them. Pairs
are cloth with itself, with other cloth, with rigid bodies and with obstacles, and
bodies with each other and with obstacles; pairs of two obstacles, of a body with
itself, of two bodies that a joint of scene.ron connects by `Pair` or `Chain`
without `collide`, and of what its field `apart` keeps apart, do not count. The exit code is 1 if there is such a pair, or if a frame is missing, torn
or not finite.

`partition.csv` lists the vertices of a frame that are cloth. Objects that
`poses_*.csv` lists are rigid bodies, and the others are moving obstacles.
`obstacles.obj` holds the fixed obstacles. Vertices of one cloth
that are at exactly the same place are one: a seam that is welded. Quadrilaterals are cut in each frame as Blender cuts them, by its rule written here a second time. With
`--distance` the script also prints the smallest distance of a vertex from a face, or
of two edges, if it is below the given one (m).
"""
import argparse
import pathlib
import re
import sys

import ipctk
import numpy as np


def body_names(folder):
    """Returns the names of the objects of a frame that are rigid bodies."""
    poses = sorted(folder.glob("poses_*.csv"))
    rows = poses[0].read_text().splitlines()[1:] if poses else []
    return {"body_" + row.split(",")[0] for row in rows}


def jointed(folder, objects):
    """Returns the pairs of numbers of the `objects` that joints connect, with both orders."""
    scene = folder / "scene.ron"
    text = re.sub("//[^\n]*", "", scene.read_text()) if scene.exists() else ""
    found = re.search(r"\bjoints:\s*\[", text)
    joints = re.split(r"\(\s*kind:", text[found.end():])[1:] if found else []
    joints = "".join(joint for joint in joints if not re.search(r"\bcollide:\s*true", joint))
    pairs = re.findall(r'Pair\(\s*"([^"]+)",\s*"([^"]+)"', joints)
    numbers = {name.removeprefix("body_"): number for number, name in enumerate(objects)}
    for group in re.findall(r'Chain\(\s*"([^"]+)"', joints):
        links = [name for name in numbers if name.startswith(group + "[")]
        pairs += zip(links, links[1:])
    known = [(numbers[a], numbers[b]) for a, b in pairs if a in numbers and b in numbers]
    return set(known) | {(b, a) for a, b in known}


def kept_apart(folder, objects):
    """Returns the pairs of numbers of the `objects` that the field `apart` of the scene names, with both
    orders, and these names."""
    scene = folder / "scene.ron"
    text = re.sub("//[^\n]*", "", scene.read_text()) if scene.exists() else ""
    found = re.search(r"\bapart:\s*\[([^]]*(?:\[\d+\][^]]*)*)\]", text)
    names = re.findall(r'\(\s*"([^"]+)",\s*"([^"]+)"', found.group(1)) if found else []
    plain = [name.removeprefix("body_") for name in objects]

    def numbers(name):
        return [n for n, it in enumerate(plain) if it == name or re.sub(r"\[\d+\]$", "", it) == name]

    pairs = {(a, b) for first, second in names for a in numbers(first) for b in numbers(second)}
    return pairs | {(b, a) for a, b in pairs}, names


def read_obj(path):
    """Returns positions (n x 3, m), the polygons as lists of vertices from 0, the names of the objects,
    and the object of each vertex."""
    positions, polygons, objects, owners = [], [], [], []
    for line in path.read_text().splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "o":
            objects.append(rest)
        elif kind == "v":
            positions.append([float(word) for word in rest.split()[:3]])
            owners.append(len(objects) - 1)
        elif kind == "f":
            polygons.append([int(word.split("/")[0]) - 1 for word in rest.split()])
    return np.array(positions).reshape(-1, 3), polygons, objects, owners


def triangulate(positions, polygons):
    """Returns the triangles that Blender draws, and how many quadrilaterals it cuts the other way.

    It cuts from the first to the third corner. If the normals of the two triangles then point
    away from each other, it cuts from the second to the fourth.
    """
    triangles = [polygon for polygon in polygons if len(polygon) == 3]
    quads = np.array([polygon for polygon in polygons if len(polygon) == 4], dtype=int)
    if len(triangles) + len(quads) < len(polygons):
        sys.exit("a face has more than four corners; frames have triangles and quadrilaterals")
    a, b, c, d = quads.reshape(-1, 4).T
    to = [positions[corner] - positions[a] for corner in (b, c, d)]
    folded = (np.cross(to[0], to[1]) * np.cross(to[1], to[2])).sum(axis=1) < 0
    first = np.where(folded, [a, b, d], [a, b, c]).T
    second = np.where(folded, [b, c, d], [a, c, d]).T
    triangles = np.concatenate([np.reshape(triangles, (-1, 3)), first, second])
    return triangles.astype(np.int32), int(folded.sum())


def welded(positions, triangles, owner, is_cloth):
    """Returns the triangles, in which vertices of a cloth that are at the same place are one."""
    vertices = np.flatnonzero(is_cloth)
    places = np.column_stack([owner[vertices], positions[vertices]])
    _, first, of = np.unique(places, axis=0, return_index=True, return_inverse=True)
    becomes = np.arange(len(positions), dtype=triangles.dtype)
    becomes[vertices] = vertices[first[of.ravel()]]
    return becomes[triangles]


def edges_of(triangles):
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(sides, axis=1), axis=0)


def count_intersections(positions, edges, triangles, is_cloth, body, owner, apart):
    broad_phase = ipctk.LBVH()
    broad_phase.build(positions, edges, triangles)
    candidates = broad_phase.detect_edge_face_candidates()
    pairs = np.array([(pair.edge_id, pair.face_id) for pair in candidates], dtype=int).reshape(-1, 2)
    of_edge, of_face = edges[pairs[:, 0]], triangles[pairs[:, 1]]
    share = (of_edge[:, :, None] == of_face[:, None, :]).any(axis=(1, 2))
    edge, face = of_edge[:, 0], of_face[:, 0]
    counts = ~share & (is_cloth[edge] | is_cloth[face] | (body[edge] != body[face]))
    counts &= np.array([pair not in apart for pair in zip(owner[edge], owner[face])], dtype=bool)
    return sum(ipctk.is_edge_intersecting_triangle(*positions[edge], *positions[face])
               for edge, face in zip(of_edge[counts], of_face[counts]))


def smallest_distance(positions, edges, triangles, is_cloth, owner, apart, below):
    mesh = ipctk.CollisionMesh(positions, edges, triangles)
    mesh.can_collide = ipctk.make_static_obstacle_filter(int(is_cloth.sum()))
    pairs = ipctk.NormalCollisions()
    pairs.build(mesh, positions, below)
    if not apart:
        return pairs.compute_minimum_distance(mesh, positions) ** 0.5 if len(pairs) else None

    def squared(pair):
        vertices = [it for it in pair.vertex_ids(edges, triangles) if it >= 0]
        if (owner[vertices[0]], owner[vertices[-1]]) in apart:
            return np.inf
        return pair.compute_distance(pair.dof(positions, edges, triangles))

    least = min((squared(pairs[number]) for number in range(len(pairs))), default=np.inf)
    return least ** 0.5 if least < np.inf else None


def frames_of(folder):
    """Returns number and path of each frame that exists or that steps.jsonl lists."""
    numbers = [int(path.stem.split("_")[1]) for path in folder.glob("frame_*.obj")]
    steps = folder / "steps.jsonl"
    listed = steps.read_text().count("\n") if steps.exists() else 0
    return [(n, folder / f"frame_{n:04}.obj") for n in range(max(numbers + [listed - 1]) + 1)]


def read_frame(path, first):
    """Returns the fault of a frame or None, its positions, its polygons, objects, and those of vertices.

    `first` has the number of vertices and the polygons of an earlier frame.
    """
    if not path.exists():
        return "missing", None, None, None, None
    try:
        positions, polygons, objects, owners = read_obj(path)
    except ValueError:
        return "torn", None, None, None, None
    if first is not None and (len(positions), polygons) != first:
        return "torn", None, None, None, None
    fault = None if np.isfinite(positions).all() else "not finite"
    return fault, positions, polygons, objects, owners


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--distance", type=float, metavar="M",
                           help="print the smallest distance too, if it is below M (m)")
    chosen = arguments.parse_args()
    folder = chosen.folder
    if not any(folder.glob("frame_*.obj")):
        sys.exit(f"{folder}: no frame_*.obj here; give the folder of a run")

    fixed, fixed_polygons, fixed_objects, fixed_owners = np.zeros((0, 3)), [], [], []
    if (folder / "obstacles.obj").exists():
        fixed, fixed_polygons, fixed_objects, fixed_owners = read_obj(folder / "obstacles.obj")
    fixed_triangles, _ = triangulate(fixed, fixed_polygons)
    partition = folder / "partition.csv"
    cloth = len(partition.read_text().splitlines()) - 1 if partition.exists() else None

    print(f"ipctk {ipctk.__version__}, numpy {np.__version__}")
    print("frame  intersections" + ("  distance below m" if chosen.distance else ""))
    first, bad, most_folded, named = None, 0, 0, []
    names = body_names(folder)
    for number, path in frames_of(folder):
        fault, positions, polygons, objects, owners = read_frame(path, first)
        if fault:
            bad += 1
            print(f"{number:5}  {fault:>13}")
            continue
        if first is None:
            first = (len(positions), polygons)
            cloth = len(positions) if cloth is None else cloth
            is_cloth = np.arange(len(positions) + len(fixed)) < cloth
            owner = np.array(owners + [len(objects) + number for number in fixed_owners], dtype=int)
            objects = objects + fixed_objects
            body = np.array([number if objects[number] in names else -1 for number in owner])
            left_out, named = kept_apart(folder, objects)
            apart = left_out | jointed(folder, objects)
        triangles, folded = triangulate(positions, polygons)
        most_folded = max(most_folded, folded)
        triangles = np.concatenate([triangles, fixed_triangles + len(positions)])
        triangles = np.asfortranarray(welded(np.concatenate([positions, fixed]), triangles, owner, is_cloth))
        edges = np.asfortranarray(edges_of(triangles))
        positions = np.asfortranarray(np.concatenate([positions, fixed]))
        count = count_intersections(positions, edges, triangles, is_cloth, body, owner, apart)
        line = f"{number:5}  {count:13}"
        if chosen.distance:
            distance = smallest_distance(
                positions, edges, triangles, is_cloth, owner, left_out, chosen.distance)
            line += "  -" if distance is None else f"  {distance:.3e}"
        bad += count > 0
        print(line, flush=True)
    if most_folded:
        print(f"up to {most_folded} quads in a frame are folded by more than 90 degrees")
    pairs = ", ".join(f"`{a}` and " + ("itself" if a == b else f"`{b}`") for a, b in named)
    verdict = f"faults in {bad} frames" if bad else "no fault"
    print(verdict + (f"; not checked, because the scene keeps them apart: {pairs}" if pairs else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

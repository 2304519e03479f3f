#!/usr/bin/env python3
"""Makes a figure that dances, and its dress: the meshes, and PC2 files of all vertices of the figure.

    python3 tools/make_figure.py --out meshes
    python3 tools/make_figure.py 05_20-daz.bvh --out out/figure

Needs numpy. Writes, in metres and with y up,

- figure.obj, figure.pc2: the skin as one closed surface,
- torso, arm_l, arm_r, leg_l, leg_r (.obj, .pc2): the same as five closed surfaces that overlap (`--limbs`),
- dress.obj: a dress on the figure at rest. Its group `neckline` is at the middle of the chest and of the back.

The figure begins at rest, its arms out to the sides (a T), and ends with its arms clear of its body. Without a file it
does a pirouette of our own. Its arms pass into its body by 5 cm on the way; `--inward` turns them further in.

With a BVH file of a motion capture it goes from the T to the first pose of the clip in `--pose-in` seconds, and plays
the clip from `--start` to `--end`. The file is in centimetres and has the bones of Daz: the "daz-friendly" conversion
of the CMU database (mocap.cs.cmu.edu), whose skeletons rest in a T. Either way the last pose is held for `--hold` s.
"""

import argparse
from pathlib import Path

import numpy as np

SIDES = ("l", "r")


# Motion.

def read_bvh(path):
    """Returns names, parents, offsets (m), channels, seconds a frame, and the numbers of all frames."""
    words = Path(path).read_text().split()
    names, parents, offsets, channels, open_joints = [], [], [], [], []
    i = 0
    while words[i] != "MOTION":
        word = words[i]
        if word in ("ROOT", "JOINT", "End"):
            parents.append(open_joints[-1] if open_joints else -1)
            names.append(words[i + 1] if word != "End" else names[parents[-1]] + "End")
            offsets.append(None)
            channels.append([])
            i += 2
        elif word == "{":
            open_joints.append(len(names) - 1)
            i += 1
        elif word == "}":
            open_joints.pop()
            i += 1
        elif word == "OFFSET":
            offsets[open_joints[-1]] = [0.01 * float(x) for x in words[i + 1:i + 4]]
            i += 4
        elif word == "CHANNELS":
            count = int(words[i + 1])
            channels[open_joints[-1]] = words[i + 2:i + 2 + count]
            i += 2 + count
        else:
            i += 1
    frames, seconds = int(words[i + 2]), float(words[i + 5])
    numbers = np.array(words[i + 6:], float).reshape(frames, -1)
    return names, parents, np.array(offsets), channels, seconds, numbers


def turn(axis, angle):
    """Returns the rotations about a coordinate axis (0, 1, 2) by angles in radians."""
    angle = np.asarray(angle)
    matrix = np.zeros(angle.shape + (3, 3))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix[..., axis, axis] = 1
    matrix[..., j, j] = matrix[..., k, k] = np.cos(angle)
    matrix[..., k, j] = np.sin(angle)
    matrix[..., j, k] = -matrix[..., k, j]
    return matrix


def part_of(rotation, share):
    """Returns the rotation about the same axis by a share of the angle (below 180 degrees)."""
    skew = rotation - rotation.T
    sine = np.array([skew[2, 1], skew[0, 2], skew[1, 0]]) / 2
    length = np.linalg.norm(sine)
    angle = share * np.arctan2(length, (np.trace(rotation) - 1) / 2)
    x, y, z = sine / max(length, 1e-12)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


# A skeleton and poses of our own: places of the joints at rest (m; those of the right side are mirrored), and for
# each time (s) the turn of the root about y, and the turns of the joints about x, y, z (degrees; right: y, z mirrored).
SKELETON = {
    "hip": (None, (0, 0.86, 0)), "abdomen": ("hip", (0, 1.06, 0)), "chest": ("abdomen", (0, 1.18, -0.01)),
    "neck": ("chest", (0, 1.4, -0.03)), "head": ("neck", (0, 1.47, -0.02)),
    "lCollar": ("chest", (0.03, 1.37, -0.05)), "lShldr": ("lCollar", (0.12, 1.35, -0.045)),
    "lForeArm": ("lShldr", (0.4, 1.34, -0.04)), "lHand": ("lForeArm", (0.63, 1.34, 0.02)),
    "lThigh": ("hip", (0.09, 0.88, -0.01)), "lShin": ("lThigh", (0.09, 0.5, 0)),
    "lFoot": ("lShin", (0.085, 0.06, -0.05)),
    "lToe": ("lFoot", (0.09, 0.02, 0.07)),
}
STAND = {"lThigh": (-8, 0, 4), "rThigh": (-8, 0, 4), "lShin": (14, 0, 0), "rShin": (14, 0, 0)}
BEND = {"lThigh": (-48, 0, 6), "rThigh": (-20, 0, 6), "lShin": (72, 0, 0), "rShin": (60, 0, 0), "abdomen": (10, 0, 0)}
TURN = {"lThigh": (0, 0, 2), "rThigh": (-70, 25, 35), "lShin": (2, 0, 0), "rShin": (115, 0, 0)}


def arms(left, right, left_elbow, right_elbow):
    """Returns the turns of the shoulders, and of the elbows about y."""
    return {"lShldr": left, "rShldr": right, "lForeArm": (0, left_elbow, 0), "rForeArm": (0, right_elbow, 0)}


POSES = [
    (0.0, 0, {}),
    (0.9, 0, BEND | arms((0, -15, -78), (0, -15, -78), -65, -65)),
    (1.4, -35, BEND | arms((0, 12, -88), (0, 20, -88), -75, -50)),
    (1.95, 150, TURN | arms((0, -25, 45), (0, -25, 45), -50, -50)),
    (2.4, 330, STAND | arms((0, 8, -86), (0, 8, -86), -20, -20)),
    (2.85, 360, STAND | arms((0, -10, -22), (0, -10, -22), -12, -12)),
]


def turned_by(vector):
    """Returns the rotation by a vector along the axis, as long as the angle (degrees)."""
    x, y, z = np.radians(vector)
    angle = max(np.sqrt(x * x + y * y + z * z), 1e-12)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) / angle
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def own_motion(options):
    """Returns a skeleton of our own as `read_bvh` does, and its root's places and rotations for each sample."""
    both = dict(SKELETON)
    for name, (parent, place) in SKELETON.items():
        if name[0] == "l":
            parent = "r" + parent[1:] if parent[0] == "l" else parent
            both["r" + name[1:]] = (parent, (-place[0], *place[1:]))
    names = list(both)
    parents = [names.index(both[name][0]) if both[name][0] else -1 for name in names]
    places = np.array([both[name][1] for name in names], float)
    offsets = places - places[parents]
    offsets[0] = 0
    skeleton = (names, parents, offsets, None, None, None)
    rotations = []
    for sample in range(round((POSES[-1][0] + options.hold) * options.fps) + 1):
        time = sample / options.fps
        after = next((i for i, pose in enumerate(POSES) if pose[0] > time), len(POSES) - 1)
        (begin, yaw, first), (end, later, last) = POSES[max(after - 1, 0)], POSES[after]
        x = np.clip((time - begin) / (end - begin), 0, 1)
        share = x * x * x * (10 - 15 * x + 6 * x * x)
        joints = []
        for name in names:
            # A turn about x is the same on both sides, and those about y and z are mirrored.
            mirror = [1, -1, -1] if name[0] == "r" else [1, 1, 1]
            a, b = (np.array(pose.get(name, (0, 0, 0)), float) * mirror for pose in (first, last))
            joints.append(turned_by(a + share * (b - a)))
        joints[0] = turn(1, np.radians(yaw + share * (later - yaw)))
        rotations.append(joints)
    rotations = np.array(rotations)
    root = np.zeros((len(rotations), 3))
    # The lowest joint stays on the floor.
    places, _ = globals_of(skeleton, root, rotations)
    root[:, 1] = 0.02 - places[:, :, 1].min(axis=1)
    return skeleton, root, rotations


def local_motion(bvh):
    """Returns the root's places and the rotation of each joint against its parent, for all frames."""
    names, _, _, channels, _, numbers = bvh
    rotations = np.tile(np.eye(3), (len(numbers), len(names), 1, 1))
    root, column = np.zeros((len(numbers), 3)), 0
    for joint, own in enumerate(channels):
        for channel in own:
            axis = "XYZ".index(channel[0])
            if channel.endswith("rotation"):
                rotations[:, joint] = rotations[:, joint] @ turn(axis, np.radians(numbers[:, column]))
            elif joint == 0:
                root[:, axis] = 0.01 * numbers[:, column]
            column += 1
    return root, rotations


def globals_of(bvh, root, rotations):
    """Returns places and rotations of all joints in space."""
    _, parents, offsets, _, _, _ = bvh
    places, turned = np.zeros(rotations.shape[:3]), np.zeros(rotations.shape)
    for joint, parent in enumerate(parents):
        if parent < 0:
            places[:, joint], turned[:, joint] = root, rotations[:, joint]
        else:
            places[:, joint] = places[:, parent] + turned[:, parent] @ offsets[joint]
            turned[:, joint] = turned[:, parent] @ rotations[:, joint]
    return places, turned


def motion(bvh, options):
    """Returns the root's places and the rotations of all joints for each sample; the first sample is at rest."""
    names, _, _, _, seconds, _ = bvh
    root, rotations = local_motion(bvh)
    stride = 1 / (seconds * options.fps)
    if abs(stride - round(stride)) > 1e-3:
        raise SystemExit(f"--fps {options.fps:g}: the file has {1 / seconds:g} frames a second\n  help: give a divisor")
    chosen = np.arange(round(options.start / seconds), round(options.end / seconds) + 1, round(stride))
    root, rotations = root[chosen], rotations[chosen]
    # The first pose faces +z.
    facing = rotations[0, 0] @ [0, 0, 1]
    back = turn(1, -np.arctan2(facing[0], facing[2]))
    rotations[:, 0] = back @ rotations[:, 0]
    root = (root - root[0] * [1, 0, 1]) @ back.T
    rest = np.array([0, root_height(bvh), 0])
    count = round(options.pose_in * options.fps)
    begin_root, begin_rotations = [], []
    for sample in range(count):
        x = sample / count
        share = x * x * x * (10 - 15 * x + 6 * x * x)
        begin_root.append(rest + share * (root[0] - rest))
        begin_rotations.append([part_of(joint, share) for joint in rotations[0]])
    held = round(options.hold * options.fps)
    root = np.vstack([begin_root, root, np.tile(root[-1], (held, 1))])
    rotations = np.concatenate([begin_rotations, rotations, np.tile(rotations[-1], (held, 1, 1, 1))])
    return root, rotations


def root_height(bvh):
    """Returns the height of the root at rest, on feet that touch y = 0."""
    places, _ = globals_of(bvh, np.zeros((1, 3)), np.tile(np.eye(3), (1, len(bvh[0]), 1, 1)))
    return -places[0, :, 1].min() + 0.02


# Skin.

def flesh(joints):
    """Returns the parts of the body: bone, limb, two ends (m) and a radius at each (m)."""
    place = joints.__getitem__
    parts = [
        ("hip", "torso", place("hip") + [-0.065, 0.04, 0], place("hip") + [0.065, 0.04, 0], 0.09, 0.09),
        ("hip", "torso", place("abdomen") + [-0.04, -0.07, 0], place("abdomen") + [0.04, -0.07, 0], 0.082, 0.082),
        ("abdomen", "torso", place("abdomen") + [-0.035, 0, 0], place("abdomen") + [0.035, 0, 0], 0.077, 0.077),
        ("abdomen", "torso", place("abdomen") + [-0.04, 0.07, 0], place("abdomen") + [0.04, 0.07, 0], 0.077, 0.077),
        ("chest", "torso", place("chest") + [-0.05, 0.03, 0], place("chest") + [0.05, 0.03, 0], 0.082, 0.082),
        ("chest", "torso", place("chest") + [-0.06, 0.11, 0], place("chest") + [0.06, 0.11, 0], 0.075, 0.075),
        ("neck", "torso", place("neck") + [0, -0.04, 0], place("head"), 0.05, 0.045),
        ("head", "torso", place("head") + [0, 0.06, 0.015], place("head") + [0, 0.12, 0.015], 0.08, 0.085),
    ]
    for side, sign in zip(SIDES, (1, -1)):
        arm, leg = "arm_" + side, "leg_" + side
        shoulder, elbow, hand = (place(side + name) for name in ("Shldr", "ForeArm", "Hand"))
        thigh, knee, foot = (place(side + name) for name in ("Thigh", "Shin", "Foot"))
        parts += [
            (side + "Collar", "torso", place(side + "Collar") + [0, -0.02, 0.02], shoulder, 0.055, 0.05),
            (side + "Shldr", arm, shoulder, elbow, 0.05, 0.04),
            (side + "ForeArm", arm, elbow, hand, 0.04, 0.03),
            (side + "Hand", arm, hand, hand + [sign * 0.09, 0, 0.01], 0.035, 0.025),
            (side + "Thigh", leg, thigh, knee, 0.09, 0.055),
            (side + "Shin", leg, knee, foot, 0.055, 0.04),
            (side + "Foot", leg, foot, foot + [0, -0.03, 0.13], 0.04, 0.03),
        ]
    return parts


def distances(points, parts):
    """Returns the distance of each point from each part: a ball that goes from one end to the other."""
    found = []
    for _, _, a, b, first, last in parts:
        along = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        found.append(np.linalg.norm(points - a - along[:, None] * (b - a), axis=1) - first - along * (last - first))
    return np.array(found)


def depth_field(points, parts, blend=0.02):
    """Returns about the distance from the surface, below zero inside. Parts run into each other smoothly."""
    each = distances(points, parts)
    least = each.min(axis=0)
    return least - blend * np.log(np.exp((least - each) / blend).sum(axis=0))


def gradient(points, parts, step=1e-4):
    shifts = step * np.eye(3)
    change = [depth_field(points + it, parts) - depth_field(points - it, parts) for it in shifts]
    return np.stack(change, axis=1) / (2 * step)


def project(points, parts, level=0.0):
    """Moves points to where the depth is `level`."""
    for _ in range(4):
        slope = gradient(points, parts)
        points = points - (depth_field(points, parts) - level)[:, None] * slope / (slope**2).sum(axis=1)[:, None]
    return points


def edges_of(faces):
    pairs = np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    return np.unique(pairs, axis=0)


def mean_of_neighbours(values, edges):
    total, count = np.zeros_like(values), np.zeros(len(values))
    for a, b in ((0, 1), (1, 0)):
        np.add.at(total, edges[:, a], values[edges[:, b]])
        np.add.at(count, edges[:, a], 1)
    return total / count[:, None]


def surface(parts, cell):
    """Returns points and triangles of the surface of `parts`: one point in each cell of a grid that it cuts."""
    ends = np.array([[a, b] for _, _, a, b, _, _ in parts]).reshape(-1, 3)
    low = ends.min(axis=0) - 0.15
    # Symmetric about x = 0.
    low[0] = -np.ceil(max(-low[0], ends[:, 0].max() + 0.15) / cell) * cell if len(parts) > 6 else low[0]
    counts = np.ceil((ends.max(axis=0) + 0.15 - low) / cell).astype(int) + 1
    grid = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1)
    value = depth_field(low + cell * grid.reshape(-1, 3), parts).reshape(counts)
    corner_sum, corner_count = np.zeros((*(counts - 1), 3)), np.zeros(counts - 1)
    crossings = []
    for axis in range(3):
        j, k = (axis + 1) % 3, (axis + 2) % 3
        a, b = (np.moveaxis(value, axis, 0)[part] for part in (slice(None, -1), slice(1, None)))
        cut = np.argwhere(np.moveaxis((a < 0) != (b < 0), 0, axis))
        after = cut + np.eye(3, dtype=int)[axis]
        here, there = value[tuple(cut.T)], value[tuple(after.T)]
        at = cut.astype(float)
        at[:, axis] += here / (here - there)
        around = []
        for dj, dk in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
            cells = cut.copy()
            cells[:, j] += dj
            cells[:, k] += dk
            np.add.at(corner_sum, tuple(cells.T), at)
            np.add.at(corner_count, tuple(cells.T), 1)
            around.append(cells)
        quads = np.stack(around, axis=1)
        quads[here > 0] = quads[here > 0][:, ::-1]
        crossings.append(quads)
    numbers = np.full(corner_count.shape, -1)
    used = corner_count > 0
    numbers[used] = np.arange(used.sum())
    points = low + cell * corner_sum[used] / corner_count[used][:, None]
    quads = numbers[tuple(np.moveaxis(np.vstack(crossings), -1, 0))]
    points = project(points, parts)
    for _ in range(12):
        edges = edges_of(triangles_of(points, quads))
        normal = gradient(points, parts)
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        step = 0.5 * (mean_of_neighbours(points, edges) - points)
        points = project(points + step - (step * normal).sum(axis=1)[:, None] * normal, parts)
    return points, triangles_of(points, quads)


def triangles_of(points, quads):
    """Cuts quads along their shorter diagonal."""
    a, b, c, d = (points[quads[:, corner]] for corner in range(4))
    short = np.linalg.norm(a - c, axis=1) <= np.linalg.norm(b - d, axis=1)
    one, other = quads[short], quads[~short]
    return np.vstack([one[:, [0, 1, 2]], one[:, [0, 2, 3]], other[:, [0, 1, 3]], other[:, [1, 2, 3]]])


def weights_of(points, faces, parts, bones, rounds):
    """Returns how far each bone (column) carries each point: the nearest part's bone, smoothed over the surface."""
    nearest = distances(points, parts).argmin(axis=0)
    weights = np.zeros((len(points), len(bones)))
    weights[np.arange(len(points)), [bones.index(parts[it][0]) for it in nearest]] = 1
    edges = edges_of(faces)
    for _ in range(rounds):
        weights = 0.5 * (weights + mean_of_neighbours(weights, edges))
    return weights


def skinned(points, weights, rest, places, rotations):
    """Returns the points for each sample: the mean of where the bones carry them."""
    moved = np.einsum("sbij,pbj->spbi", rotations, points[:, None] - rest[None]) + places[:, None]
    return np.einsum("spbi,pb->spi", moved, weights)


# Dress.

def outwards(origin, direction, parts, gap):
    """Returns how far it is from `origin` along the unit vector `direction` out of the parts to `gap` above them."""
    far = np.linspace(0.45, 0, 901)
    depth = depth_field(origin + far[:, None] * direction, parts)
    inside = np.flatnonzero(depth < gap)
    return far[inside[0]] if len(inside) else 0.0


def dress(parts, joints, around, row, gap):
    """Returns points, triangles and groups of a dress without straps, around the parts at rest."""
    body = [part for part in parts if part[1] == "torso"]
    top, waist, hem = joints["lShldr"][1] - 0.105, joints["abdomen"][1] - 0.01, 0.47
    angle = 2 * np.pi * (np.arange(around) + 0.5) / around
    heights, y = [], top
    while y > hem:
        heights.append(y)
        y -= row
    rings = []
    for y in heights:
        centre = np.array([0, y, -0.012])
        out = np.stack([np.sin(angle), 0 * angle, np.cos(angle)], axis=1)
        radius = np.array([outwards(centre, it, body, gap) for it in out])
        if y < waist:
            # The skirt: a cone from the waist down, or the hips where they are wider.
            radius = np.maximum(radius, last + 0.42 * (waist - y))
        else:
            last = radius
        rings.append(centre + radius[:, None] * out)
    points = np.vstack(rings)
    faces = []
    for i in range(len(heights) - 1):
        for j in range(around):
            a, b = i * around + j, i * around + (j + 1) % around
            c, d = a + around, b + around
            faces += [[a, c, b], [b, c, d]] if (i + j) % 2 else [[a, c, d], [a, d, b]]
    middle = [row for row in range(2 * around) if max(abs(points[corner, 0]) for corner in faces[row]) < 0.068]
    groups = {"neckline": middle, "dress": [row for row in range(len(faces)) if row not in middle]}
    return points, np.array(faces), groups


# Files.

def write_obj(path, about, points, faces, groups=None):
    lines = [f"# {about}", "# Made by tools/make_figure.py."]
    lines += ["v {:.6g} {:.6g} {:.6g}".format(*point) for point in points + 0.0]
    for group, rows in (groups or {"": range(len(faces))}).items():
        lines += [f"g {group}"] if group else []
        lines += ["f {} {} {}".format(*(faces[row] + 1)) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def write_pc2(path, samples):
    head = b"POINTCACHE2\0" + np.array([1, samples.shape[1]], "<u4").tobytes()
    head += np.array([0, 1], "<f4").tobytes() + np.array([len(samples)], "<u4").tobytes()
    path.write_bytes(head + samples.astype("<f4").tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bvh", type=Path, nargs="?", help="[a motion of our own]")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the files")
    parser.add_argument("--start", type=float, default=4.2, help="begin of the clip, s")
    parser.add_argument("--end", type=float, default=6.0, help="end of the clip, s")
    parser.add_argument("--pose-in", type=float, default=1.0, help="time from the T to the clip, s")
    parser.add_argument("--hold", type=float, default=0.5, help="time that the last pose is held, s")
    parser.add_argument("--fps", type=float, default=24, help="samples per second")
    parser.add_argument("--inward", type=float, default=0, help="turns the arms towards the body, degrees")
    parser.add_argument("--limbs", action="store_true", help="writes the limbs as surfaces of their own too")
    parser.add_argument("--cell", type=float, default=0.03, help="size of the triangles of the skin, m")
    parser.add_argument("--around", type=int, default=84, help="vertices around the dress")
    parser.add_argument("--row", type=float, default=0.015, help="height of a row of the dress, m")
    parser.add_argument("--gap", type=float, default=0.006, help="room between skin and dress at the start, m")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.bvh:
        skeleton = read_bvh(options.bvh)
        root, rotations = motion(skeleton, options)
    else:
        skeleton, root, rotations = own_motion(options)
    names = skeleton[0]
    for side, sign in zip(SIDES, (-1, 1)):
        # From the second sample on, by and by: the figure begins at rest.
        share = np.clip(np.arange(len(root)) / options.fps, 0, 1) * np.radians(sign * options.inward)
        joint = names.index(side + "Shldr")
        rotations[:, joint] = turn(2, share) @ rotations[:, joint]
    places, rotations = globals_of(skeleton, root, rotations)
    joints = {name: places[0, joint] for joint, name in enumerate(names)}
    parts = flesh(joints)
    bones = sorted({part[0] for part in parts})
    columns = [names.index(bone) for bone in bones]
    rest, places, rotations = places[0, columns], places[:, columns], rotations[:, columns]
    limbs = {"figure": parts}
    if options.limbs:
        limbs |= {limb: [it for it in parts if it[1] == limb] for limb in dict.fromkeys(it[1] for it in parts)}
    for limb, own in limbs.items():
        points, faces = surface(own, options.cell)
        # Smoothed over the same length for any size of triangles.
        rounds = round(6 * (0.025 / options.cell) ** 2)
        samples = skinned(points, weights_of(points, faces, own, bones, rounds), rest, places, rotations)
        write_obj(options.out / f"{limb}.obj", f"a figure at rest: {limb}", samples[0], faces)
        write_pc2(options.out / f"{limb}.pc2", samples)
        print(f"{limb}: {len(points)} vertices, {len(faces)} faces, {len(samples)} samples")
    points, faces, groups = dress(parts, joints, options.around, options.row, options.gap)
    write_obj(options.out / "dress.obj", "a dress on a figure at rest", points, faces, groups)
    print(f"dress: {len(points)} vertices, {len(faces)} faces, {len(groups['neckline'])} at the neckline")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes large scenes of rigid bodies: a RON scene and CSV files of bodies and joints in one folder.

    python3 tools/make_bodies.py two_way_bridge --out out/bridge
    cloth-sim out/bridge/two_way_bridge.ron

Needs no package; makes the same files on every run. The scenes are those of Kale & Kry (Distributed simulation
of large multi-body systems) with the same numbers of bodies and joints. The paper does not say how its bodies are
built and joined, so that is ours. Steps take 2 ms. Bodies of one shape are one entry of `bodies` with a CSV file.

heap            5,040 balls fall into a bowl of four tilted boxes.
building        8 storeys of 121 columns, 100 tiles and 80 wall blocks, 2,408 bodies, and two cannon balls at 40 m/s.
                Nothing is joined: weight and friction hold it. With --no-balls it must stand still.
chain_net       76 x 49 = 3,724 rings, each linked through its 4 neighbours. The rings of two edges are immovable. The
                net falls into its slack, then a heavy ball falls into it.
two_way_bridge  Of n segments: 9 n - 2 bodies, 16 n - 20 joints (n = 200: 1,798 and 3,180). A segment is a frame (a
                beam across, two posts on it, two braces) and two planks and two rails to the next frame. The frames
                at both ends are immovable, as are the two banks under them.
four_way_bridge Four arms of n segments meet at a slab: 4 (10 n + 2) + 1 bodies and two heavy balls that fall on the
                slab, 4 (22 n + 4) joints (n = 42: 1,691 and 3,712). A segment has a third plank, and each arm ends
                at two immovable towers.

Both bridges hang between their ends like chains: planks and rails are links of one length, and at the start they lie
on the curve on which links of equal weight are at rest. Planks and rails turn about the cross axis (a hinge that gives
a little about the other axes) at one end and freely (a ball) at the other. This ball gives as a rope does: 0.1 mm for
10 kN at a plank, 10 mm at a rail. So the bridge falls a little at first, and sways. Rigid links (--rigid) need far
more sweeps than 30, because then each segment acts on all others at once. Posts are fixed to their beams. Braces turn
on a hinge and a ball; they stiffen the frames and not the bridge: the frames stay upright, and move up, down and
sideways like the links of a parallelogram. From each brace a stay, a spring with a damper, leads to the middle of a
rail, and with four arms to a plank. It lets a short bridge sway and come to rest; a long one sways on.
"""

import argparse
import math
import random
from pathlib import Path

from bodies.chain_net import chain_net
from bodies.scene import DENSITY, Scene, box, ron, turn

# The bridge, m: length of planks and rails, from their ends to their joints (in the middle of a beam or post), height
# of the posts, and the places of posts and of the feet of braces to both sides of the middle.
LINK, GAP, POST, SIDE, FOOT = 0.84, 0.08, 1.0, 0.9, 1.35
BEAM = 0.12
BRACE_FOOT, BRACE_HEAD = (BEAM / 2, FOOT), (0.75, SIDE + 0.05)
BRACE = math.dist(BRACE_FOOT, BRACE_HEAD)
STEP = LINK + 2 * GAP
SLAB = (2.4, 0.3, 2.4)

HINGE = "kind: Hinge(axis: (0, 0, 1))"
SOFT_HINGE = HINGE + ", compliance_rad_per_n_m: 1e-4, damping_n_m_s_per_rad: 10"
FIXED = "kind: Fixed"
BALL = "kind: Ball"
# The far ends of planks and of rails.
FAR = {
    "planks": "kind: Ball, compliance_m_per_n: 1e-8, damping_n_s_per_m: 1e5",
    "rails": "kind: Ball, compliance_m_per_n: 1e-6, damping_n_s_per_m: 1e3",
}
STAY = "kind: Distance(), compliance_m_per_n: 1e-5, damping_n_s_per_m: 1000"
SPRING = "kind: Ball, compliance_m_per_n: 1e-5, damping_n_s_per_m: 1000"


def heap(arguments):
    """Returns the scene, its number of frames, its domain, and how many bodies and joints it must have."""
    layers = arguments.layers or 24
    scene = Scene("Balls fall into a bowl of four tilted boxes.")
    radius, spacing, half, angle, thick = 0.05, 0.112, 2.4, math.radians(35), 0.3
    scene.group("balls", f"Sphere(radius_m: {radius})", "stone")
    length = half / math.cos(angle)
    scene.group("bowl", box(length, thick, 2 * half), "stone", ", motion: Immovable")
    dice = random.Random(1)
    for j in range(layers):
        for i in range(14):
            for k in range(15):
                shift = [dice.uniform(-0.005, 0.005) for _ in range(3)]
                place = ((i - 6.5) * spacing, 1.3 + j * spacing, (k - 7) * spacing)
                scene.body("balls", [a + b for a, b in zip(place, shift)])
    depth = 0.4
    for scene.quarter in range(4):
        middle = (half / 2, depth + half / 2 * math.tan(angle))
        normal = (-math.sin(angle), math.cos(angle))
        x, y = (m - thick / 2 * n for m, n in zip(middle, normal))
        scene.body("bowl", (x, y, 0.0), turn("z", angle))
    top = 1.5 + layers * spacing
    domain = f"min_m: {ron((-3, 0, -3))}, max_m: {ron((3, top + 0.5, 3))}"
    return scene, 100, domain, (210 * layers + 4, 0)


def building(arguments):
    storeys = arguments.storeys or 8
    scene = Scene("Two cannon balls hit a building that only weight and friction hold.")
    bays, width, height, thick = 10, 0.24, 1.0, 0.1
    # What rests keeps a small gap. Without one at the start all rises by some micrometres.
    gap = 4e-5
    storey_height = height + thick + 2 * gap
    scene.group("columns", box(width, height, width), "stone")
    scene.group("tiles", box(0.98, thick, 0.98), "stone")
    scene.group("walls", box(0.6, 0.45, 0.2), "stone")
    # The outer columns stand with their whole faces on the tiles.
    lines = [i - bays / 2 for i in range(bays + 1)]
    lines[0], lines[-1] = lines[0] + 0.14, lines[-1] - 0.14
    for storey in range(storeys):
        floor = storey * storey_height
        for x in lines:
            for z in lines:
                scene.body("columns", (x, floor + gap + height / 2, z))
        for i in range(bays):
            for k in range(bays):
                scene.body("tiles", (i - bays / 2 + 0.5, floor + 2 * gap + height + thick / 2, k - bays / 2 + 0.5))
        for scene.quarter in range(4):
            for i in range(bays):
                along = (lines[i] + lines[i + 1]) / 2
                for course in range(2):
                    scene.body("walls", (along, floor + gap + course * (0.45 + gap) + 0.225, lines[-1]))
        scene.quarter = 0
    balls = 0 if arguments.no_balls else 2
    if balls:
        scene.group("balls", "Sphere(radius_m: 0.5)", "steel")
        middle = storeys * storey_height / 2
        scene.body("balls", (-13.0, 0.8 * middle, -2.3), velocity=(40.0, 1.0, 0.0))
        scene.body("balls", (-17.0, 1.3 * middle, 2.2), velocity=(40.0, 1.0, 0.0))
    top = max(storeys * storey_height + 8, 16)
    domain = f"min_m: {ron((-30, 0, -30))}, max_m: {ron((60, top, 30))}, borders: (Open, Floor, Open)"
    return scene, 100, domain, (301 * storeys + balls, 0)


def bridge_groups(scene, planks, width):
    scene.group("beams", box(BEAM, BEAM, 2 * FOOT + 0.1))
    scene.group("planks", box(LINK, 0.06, width))
    scene.group("posts", box(0.1, POST, 0.1))
    scene.group("rails", box(LINK, 0.06, 0.06))
    scene.group("braces", box(0.05, BRACE, 0.05))
    return [(i - (planks - 1) / 2) * (width + 0.06) for i in range(planks)]


class Frame:
    """A beam with two posts and two braces. The end frames of a bridge do not move, so nothing joins their parts."""

    def __init__(self, scene, place, end=""):
        x, y = self.place = place
        self.beam = scene.body(end + "beams", (x, y, 0.0))
        self.posts, self.braces, self.middles = [], [], []
        for side in (-1, 1):
            self.posts.append(scene.body(end + "posts", (x, y + BEAM / 2 + POST / 2, side * SIDE)))
            (low, foot), (high, head) = BRACE_FOOT, BRACE_HEAD
            middle = (x, y + (low + high) / 2, side * (foot + head) / 2)
            leaning = turn("x", side * math.atan2(head - foot, high - low))
            self.braces.append(scene.body(end + "braces", middle, leaning))
            self.middles.append(middle)
            if not end:
                scene.joint("post_feet", FIXED, self.posts[-1], self.beam, (x, y + BEAM / 2, side * SIDE))
                scene.joint("brace_feet", HINGE, self.braces[-1], self.beam, (x, y + low, side * foot))
                scene.joint("brace_heads", BALL, self.braces[-1], self.posts[-1], (x, y + high, side * head))

    def top(self):
        """Where rails meet the posts. Planks meet the beam at `place`."""
        return self.place[0], self.place[1] + POST

    def stay(self, scene, rails):
        for brace, middle, rail in zip(self.braces, self.middles, rails):
            scene.joint("stays", STAY, brace, rail, middle)


def links(scene, group, near, far, holders, places):
    """Adds links from `near` to `far`, (x, y) both, at each z of `places`. `holders` are the bodies at both ends."""
    added = []
    for z, first, second in zip(places, *holders):
        added.append(scene.link(group, (*near, z), (*far, z)))
        scene.joint(f"{group}_near", SOFT_HINGE, added[-1], first, (*near, z))
        scene.joint(f"{group}_far", FAR[group.removeprefix("first_")], added[-1], second, (*far, z))
    return added


def two_way_bridge(arguments):
    n = arguments.segments or 200
    scene = Scene("A bridge of planks and rails hangs between two banks.")
    places = bridge_groups(scene, 2, 0.8)
    for group in ("beams", "posts", "braces"):
        scene.group(f"end_{group}", scene.groups[group][0], more=", motion: Immovable")
    scene.group("banks", box(4, 1, 4), "stone", ", motion: Immovable")
    slopes = [math.atan(8 * arguments.sag / n * (i - (n - 2) / 2)) for i in range(n - 1)]
    path = [(0.0, 0.0)]
    for slope in slopes:
        x, y = path[-1]
        path.append((x + STEP * math.cos(slope), y + STEP * math.sin(slope)))
    width, low = path[-1][0], min(y for _, y in path)
    frames = []
    for i, (x, y) in enumerate(path):
        frames.append(Frame(scene, (x - width / 2, y - low + 2 + width / 100), "end_" * (i in (0, n - 1))))
    for way, (x, y) in ((-1, frames[0].place), (1, frames[-1].place)):
        scene.body("banks", (x + way * (2 - BEAM / 2), y - BEAM / 2 - 0.5, 0.0))
    rails = []
    for a, b in zip(frames, frames[1:]):
        links(scene, "planks", a.place, b.place, ([a.beam] * 2, [b.beam] * 2), places)
        rails.append(links(scene, "rails", a.top(), b.top(), (a.posts, b.posts), (-SIDE, SIDE)))
    # Towards the middle of the bridge.
    for i, frame in enumerate(frames):
        frame.stay(scene, rails[i if 2 * i < n else i - 1])
    domain = f"min_m: {ron((-width / 2 - 5, 0, -5))}, max_m: {ron((width / 2 + 5, frames[0].place[1] + 4, 5))}"
    return scene, 100, domain, (9 * n - 2, 16 * n - 20)


def four_way_bridge(arguments):
    n = arguments.segments or 42
    scene = Scene("Two heavy balls fall on the slab in the middle of a bridge of four arms.")
    places = bridge_groups(scene, 3, 0.5)
    # From the post of the first frame down to the edge of the slab.
    first = math.hypot(STEP, POST - SLAB[1] / 2)
    scene.group("first_rails", box(first - 2 * GAP, 0.06, 0.06))
    scene.group("slab", box(*SLAB))
    scene.group("towers", box(0.6, 3, 0.5), "stone", ", motion: Immovable")
    scene.group("balls", "Sphere(radius_m: 0.5)", "stone")
    # The slab weighs as much as this many segments of each arm.
    parts = 28.2 + 3 * 17.6 + 2 * 7 + 2 * 2.1 + 2 * 1.4
    share = math.prod(SLAB) * DENSITY["wood"] / (4 * parts)
    slopes = [math.atan(2 * arguments.sag / n * (k + share)) for k in range(n)]
    low = 3.0
    slab = scene.body("slab", (0.0, low, 0.0))
    end = 0.0
    for scene.quarter in range(4):
        inner, (x, y) = None, (SLAB[0] / 2, low)
        for slope in slopes:
            deck = (x, y)
            x, y = x + STEP * math.cos(slope), y + STEP * math.sin(slope)
            frame = Frame(scene, (x, y))
            holders = [inner.beam if inner else slab] * 3, [frame.beam] * 3
            planks = links(scene, "planks", deck, frame.place, holders, places)
            if inner:
                rails = links(scene, "rails", inner.top(), frame.top(), (inner.posts, frame.posts), (-SIDE, SIDE))
            else:
                far, edge = frame.top(), low + SLAB[1] / 2
                near = (far[0] - math.sqrt(first**2 - (far[1] - edge) ** 2), edge)
                rails = links(scene, "first_rails", near, far, ([slab] * 2, frame.posts), (-SIDE, SIDE))
            frame.stay(scene, rails)
            for side, z in ((0, places[0]), (2, places[2])):
                middle = ((deck[0] + x) / 2, (deck[1] + y) / 2, z / 2)
                scene.joint("plank_sides", SPRING, planks[1], planks[side], middle)
                scene.joint("deck_stays", STAY, frame.braces[side // 2], planks[side], frame.middles[side // 2])
            inner = frame
        for side, post in zip((-1, 1), inner.posts):
            tower = scene.body("towers", (x + 0.5, y, side * 1.2))
            scene.joint("ends", BALL, inner.beam, tower, (*inner.place, side * 1.2))
            scene.joint("ends", BALL, post, tower, (*inner.top(), side * SIDE))
        end = x
    scene.quarter = 0
    scene.body("balls", (0.3, low + 3.0, 0.2))
    scene.body("balls", (-0.3, low + 6.0, -0.1))
    domain = f"min_m: {ron((-end - 2, -6, -end - 2))}, max_m: {ron((end + 2, max(y + 4, low + 8), end + 2))}"
    return scene, 100, domain, (4 * (10 * n + 2) + 3, 4 * (22 * n + 4))


SCENES = {scene.__name__: scene for scene in (heap, building, chain_net, two_way_bridge, four_way_bridge)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", choices=SCENES)
    parser.add_argument("--out", type=Path, help="the folder to write [out/scenes/<scene>]")
    parser.add_argument("--segments", type=int, help="of a bridge, of each arm with four [200; 42]")
    parser.add_argument("--sag", type=float, default=0.1, help="of a bridge, as a share of its length [0.1]")
    parser.add_argument("--rigid", action="store_true", help="a bridge whose planks and rails do not give")
    parser.add_argument("--storeys", type=int, help="of the building [8]")
    parser.add_argument("--layers", type=int, help="of 210 balls of the heap [24]")
    parser.add_argument("--columns", type=int, help="of the net [76]")
    parser.add_argument("--rows", type=int, help="of the net, from one held edge to the other [49]")
    parser.add_argument("--no-balls", action="store_true", help="a building that nothing hits")
    arguments = parser.parse_args()
    for name, least in (("segments", 3), ("storeys", 1), ("layers", 1), ("columns", 1), ("rows", 3)):
        value = getattr(arguments, name)
        if value is not None and value < least:
            parser.error(f"--{name} must be at least {least}")
    if arguments.rigid:
        FAR.update(planks=BALL, rails=BALL)
    scene, frames, domain, counts = SCENES[arguments.scene](arguments)
    folder = arguments.out or Path("out/scenes") / arguments.scene
    written = scene.write(folder, arguments.scene, frames, domain)
    assert written == counts, f"not {counts}"


if __name__ == "__main__":
    main()

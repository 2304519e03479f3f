"""A net of rings that are linked through their neighbours."""

import math

from bodies.scene import Scene, ron, times, turn

# m: from the centre of a ring to its corners, the radius of its wire, and the ways to the next column and row.
# Rings of the two colours of a chessboard lean to opposite sides. The lean and the ways were searched for: long ways,
# and wires at least 9 mm apart.
RING, WIRE, ACROSS, ALONG = 0.4, 0.046, 0.582, 0.6312
LEAN = (-0.374, -0.269)
# From row to row the net bends like a hammock. A flat one would fall further before it is taut, and snap: wires would
# overlap by more than half.
BEND = math.radians(1.3)
PARTS = 10


def ring():
    """A compound of capsules about the y axis."""
    edge, inner = 2 * RING * math.sin(math.pi / PARTS), RING * math.cos(math.pi / PARTS)
    parts = []
    for part in range(PARTS):
        angle = 2 * math.pi * (part + 0.5) / PARTS
        x, z = math.cos(angle), math.sin(angle)
        capsule = f"Capsule(radius_m: {WIRE}, length_m: {edge:.9g}), at_m: {ron((inner * x, 0, inner * z))}"
        # Its y axis turns to the edge about the line from the centre.
        parts.append(f"(shape: {capsule}, axis: {ron((x, 0, z))}, angle_deg: 90)")
    return f"Compound([{', '.join(parts)}])"


def leaning(side):
    """The quaternion that turns y to the axis of a ring of one colour."""
    x, z = (side * lean for lean in LEAN)
    length = math.sqrt(x * x + 1 + z * z)
    q = (1 + 1 / length, z / length, 0.0, -x / length)
    size = math.hypot(*q)
    return tuple(value / size for value in q)


def chain_net(arguments):
    columns, rows = arguments.columns or 76, arguments.rows or 49
    scene = Scene("A heavy ball falls into a net of rings that are linked through their neighbours.")
    scene.group("rings", ring(), "steel")
    scene.group("edges", ring(), "steel", ", motion: Immovable")
    bow, end = ALONG / BEND, BEND * (rows - 1) / 2
    for i in range(columns):
        for j in range(rows):
            angle = BEND * j - end
            place = (ACROSS * (i - (columns - 1) / 2), bow * (math.cos(end) - math.cos(angle)), bow * math.sin(angle))
            orientation = times(turn("x", -angle), leaning(1 if (i + j) % 2 else -1))
            scene.body("edges" if j in (0, rows - 1) else "rings", place, orientation)
    width, length = ACROSS * columns, 2 * bow * math.sin(end)
    # No ring lets the ball through.
    radius = max(1.5 * RING, 0.08 * min(width, length))
    scene.group("balls", f"Sphere(radius_m: {radius:.4g})", "wood")
    scene.body("balls", (0.0, 1.5 * radius - bow * (1 - math.cos(end)), 0.0))
    reach = (width / 2 + 2, length, length / 2 + 2)
    domain = f"min_m: {ron(-it for it in reach)}, max_m: {ron(reach)}, borders: (Open, Open, Open)"
    return scene, 60, domain, (columns * rows + 1, 0)

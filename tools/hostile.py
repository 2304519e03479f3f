#!/usr/bin/env python3
"""Gives cloth-sim broken input, and looks whether it refuses it well.

    cargo build --release
    tools/hostile.py                   # 2,000 inputs, some minutes on 2 cores
    tools/hostile.py --runs 5000       # more of them
    tools/hostile.py --runs 60         # the short version, which the tests run

Valid inputs of this repository are changed at random: bytes flip, lines go, come twice or change places, numbers
become nan or huge, texts end early, become UTF-16, nest deeply, or hold bytes that are no text or that a terminal
obeys. A file may also become a FIFO, a socket, a folder or a device. Each run must end within 10 s and 1 GiB of address
space, without a panic or a signal, must change nothing outside its run folder, and must print short messages without
control characters. A run that still prints finished steps after 10 s is stopped, and counts as long: the input asked
for it.

The same --seed gives the same inputs. What was faulty is kept in a folder of its own, with the command. The exit code
is 1 if there was a fault. Needs Linux and nothing but Python's standard library.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT_S, ADDRESS_SPACE, LINE, MESSAGE = 10, 1 << 30, 2_000, 10_000

# A cloth of quads with a seam, groups, smoothing, materials and colours.
GRID = "mtllib grid.mtl\no cloth\n" + "".join(
    f"v {0.05 * x} 0.2 {0.05 * z} {x / 4} 0 1\nvt {x / 4} {z / 4}\n" for z in range(5) for x in range(5)
) + "".join(
    (f"g part{z}\nusemtl {'red' if z < 2 else 'blue'}\ns {z % 2}\n" if x == 0 else "")
    + "f " + " ".join(f"{i}/{i}" for i in (a, a + 5, a + 6, a + 1)) + "\n"
    for z in range(4) for x in range(4) for a in [5 * z + x + 1]
)
# Rigid bodies of every shape, arrangement and motion.
BODIES = """(frames: 1, steps_per_frame: 100, materials: [(name: "a", density_kg_per_m3: 1000, restitution: 0.5,
    friction: 0.3), (name: "b", density_kg_per_m3: 500)],
    material_pairs: [(materials: ("a", "b"), restitution: 0.1, friction: 0.2)], bodies: [
    (shape: Sphere(radius_m: 0.02), material: "a", velocity: Constant(m_per_s: (1, 0, 0)),
     arrangement: Grid(count: (2, 2, 2), origin_m: (0, 0, 0), spacing_m: 0.1), angular_velocity_rad_per_s: (1, 0, 0)),
    (shape: Box(size_m: (0.02, 0.02, 0.02)), material: "b", velocity: Random(max_m_per_s: 1),
     arrangement: Random(count: 3, min_m: (-0.9, -0.9, -0.9), max_m: (-0.5, -0.5, -0.5)),
     sizes: Uniform(min: 0.5, max: 1)),
    (shape: Capsule(radius_m: 0.02, length_m: 0.02), material: "b",
     sizes: Uniform(min: 0.5, max: 1.5), arrangement: Hexagonal(count: (2, 1, 1), origin_m: (0.5, 0.5, 0.5), spacing_m: 0.1)),
    (shape: Hull("tetrahedron.obj"), material: "a", arrangement: At([(0.5, -0.5, 0)]), motion: Immovable),
    (shape: Sphere(radius_m: 0.05), material: "a", arrangement: File("places.csv")),
    (shape: Sphere(radius_m: 0.1), material: "a", arrangement: At([(0, -0.8, 0)]), motion: Keyframed(keyframes: [(),
     (time_s: 1, translation_m: (0.1, 0, 0), angle_deg: 10)]), orientation: Turned(axis: (0, 1, 0), angle_deg: 10))])"""
PLACES = "x,y,z,size,vx,vy,vz\n0.5,0.5,0,1,0,0,0\n-0.5,0.5,0,1,0.5,0,0\n"
LIBRARY = "newmtl red\nKd 0.8 0.1 0.1\nmap_Kd -s 1 1 1 red.png\nnewmtl blue\nKd 0.1 0.1 0.8\nNs 10\n"
MAP, WEIGHTS = "value\n" + "1\n0.5\n" * 12 + "2\n", "vertex,value\n0,1\n3,0.5\n"
MESH_SCENE = """(frames: 1, steps_per_frame: 2, cloths: [(shape: Mesh("grid.obj"), material: Fabric("cotton"),
    maps: [(of: Density, from: Csv("map.csv")), (of: Bending, from: Colour(Red), low: 1, high: 3)], strain_limit: 0.1,
    pins: [(select: Group("part0"), stiffness_n_per_m: 10, weights: Csv("weights.csv"), strength: [(factor: 1)])])],
    obstacles: [(shape: Mesh("tetrahedron.obj"))])"""
SETTINGS = [
    "frames=1", "steps_per_frame=2", "frames_per_second=25.5", "gravity_m_per_s2=(0, -9.81, 0)", "name=a", "seed=7",
    "patch_vertices=16", "contact.distance_m=0.002", "contact.clearance_m=0.00001", "contact.friction_cloth=0.3",
    "contact.response=Impulses", "contact.on_pinch=Hold", "solver.relative_residual=1e-6",
    "solver.preconditioner=Multilevel", "output.digits=Exact", "output.formats=[\"obj\", \"usd\"]",
    "output.polygons=Triangles",
    "cloths[0].shape=Sheet(width_m: 0.4, length_m: 0.4, columns: 6, rows: 6)", "cloths[1].shape.columns=5",
    "cloths[0].material=Isotropic(density_kg_per_m2: 0.2, modulus_n_per_m: 500, poisson_ratio: 0.3, rigidity_n_m: 1e-5)",
    "cloths[0].transform=(scale: 1, axis: (0, 1, 0), angle_deg: 30, translation_m: (0, 0.3, 0))",
    "cloths[0].strain_limit=0.05", "friction_keyframes=[(time_s: 0, factor: 1), (time_s: 1, factor: 0.5)]",
    "cloths[0].maps=[(of: Thickness, from: Select(Box(min_m: (-1, -1, -1), max_m: (1, 1, 1))), low: 1, high: 2)]",
    "cloths[0].pins=[(select: {\"Nearest\": (0, 1, 0)}, end_s: 0.5)]", "cloths[0].damping.mass_per_s=1",
    "obstacles[0].shape=Capsule(radius_m: 0.1, length_m: 0.2, edge_m: 0.05)", "obstacles[0].name=ball",
    "obstacles[0].motion=(keyframes: [(time_s: 0), (time_s: 1, angle_deg: 90)])", "air.normal_drag_n_s_per_m3=0.6",
    "cloths[0].pins=[(select: Nearest((0, 0, 0))), (select: Group(\"collar\")), (select: Vertices([0, 1]))]",
    "cloths[0].pins=[(select: Vertices([0]), motion: (center_m: (1, 0, 0), keyframes: [(), (time_s: 1, angle_deg: 9)]))]",
    "obstacles[0].motion=(center_m: (1, 0, 0), keyframes: [(), (time_s: 1, translation_m: (1, 0, 0)), (time_s: 2)])",
    "air=(normal_drag_n_s_per_m3: 1, wind: [(time_s: 0, velocity_m_per_s: (1, 0, 0))])", "refine=2", "frames=1.5",
]
FLAGS = ["--frames=1", "--refine=2", "--ranks=1", "--threads=1", "--record-every=1"]
NUMBERS = ["1e30", "-1e30", "1e300", "nan", "inf", "-inf", "1e308", "-1e308", "1e-308", "-1", "0", "-0", "4294967296",
           "18446744073709551615", "99999999999999999999999", "1000000", "1e9", "0.5", "1e400"]
NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
BYTES = [b"\x1b[31m\x1b]0;owned\x07", b"\xff\xfe\x80", b"\0", b"\r", "\u202e".encode(), b"\x9b2J", b"\\\n", b"# ", b" ",
         b"a\\nb"]


def change(data, rng):
    """Changes `data` in one way."""
    lines, at = data.splitlines(keepends=True) or [b""], rng.randrange(len(data) + 1)
    line = rng.randrange(len(lines))
    way = rng.choice(["flip", "flip", "delete", "twice", "swap", "number", "number", "scale", "scale",
                      "scale", "cut", "nest",
                      "bytes", "bytes", "long", "corners", "utf16"])
    if way == "flip" and data:
        flipped = bytearray(data)
        for _ in range(rng.choice([1, 3, 30])):
            flipped[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        return bytes(flipped)
    if way == "delete":
        del lines[line:line + rng.choice([1, 1, 5])]
    elif way == "twice":
        lines[line:line] = [lines[line]] * rng.choice([1, 1, 50])
    elif way == "swap":
        other = rng.randrange(len(lines))
        lines[line], lines[other] = lines[other], lines[line]
    elif way == "number" and (found := list(NUMBER.finditer(data))):
        place = rng.choice(found)
        return data[:place.start()] + rng.choice(NUMBERS).encode() + data[place.end():]
    elif way == "scale" and (found := list(NUMBER.finditer(data))):
        place, by = rng.choice(found), 10.0 ** rng.choice([-4, -2, -1, 1, 2, 4])  # counts grow less
        whole = place.group().isdigit()
        number = max(round(int(place.group()[:9]) * min(by, 4)), 0) if whole else float(place.group()) * by
        return data[:place.start()] + str(number).encode() + data[place.end():]
    elif way == "utf16":
        return data.decode(errors="replace").encode(rng.choice(["utf-16", "utf-16-be", "utf-8-sig"]))
    elif way == "cut":
        return data[:at]
    elif way == "nest":
        return data[:at] + rng.choice([b"(", b"[", b"{", b"A(", b"Some(", b'{"a":']) * rng.choice([50, 5_000]) + data[at:]
    elif way == "bytes":
        return data[:at] + rng.choice(BYTES) + data[at:]
    elif way == "long":
        return data[:at] + rng.choice([b"x", b"9", b" ", b"\x1b", "é".encode()]) * rng.choice([1_000, 40_000]) + data[at:]
    elif way == "corners":
        corners = b" ".join(b"%d" % number for number in range(1, rng.choice([26, 5_000, 20_000])))
        lines.insert(line, b"f " + corners + b"\n")
    return b"".join(lines)


def changed(data, rng):
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        data = change(data, rng)
    return data


def replace(path, rng):
    """Puts something that is no file in the place of the file `path`."""
    path.unlink()
    kind = rng.choice(["fifo", "socket", "folder", "zero", "null", "nowhere", "itself", "large"])
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        here = os.open(path.parent, os.O_RDONLY)  # the path of a socket is short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(f"/proc/self/fd/{here}/{path.name}")
        os.close(here)
    elif kind == "folder":
        path.mkdir()
    elif kind == "large":
        with open(path, "wb") as file:
            file.truncate(1 << 40)  # a hole, which takes no room
    else:
        path.symlink_to({"zero": "/dev/zero", "null": "/dev/null", "nowhere": "none", "itself": path.name}[kind])


def spoil(path, rng):
    if rng.random() < 0.06:
        replace(path, rng)
    else:
        path.write_bytes(changed(path.read_bytes(), rng))


class Kinds:
    """Makes inputs of each kind from the valid ones in `base`."""

    def __init__(self, binary, base):
        self.base, self.scenes = base, []
        for scene in [*sorted((ROOT / "tests/scenes").glob("*.ron")), ROOT / "scenes/sheet.ron", ROOT / "scenes/wind.ron"]:
            shutil.copy(scene, base)
            self.scenes.append(scene.name)
        shutil.copy(ROOT / "meshes/tetrahedron.obj", base)
        for name, text in [("grid.obj", GRID), ("grid.mtl", LIBRARY), ("red.png", "no picture"),
                           ("map.csv", MAP), ("weights.csv", WEIGHTS), ("mesh.ron", MESH_SCENE), ("rigid.ron", BODIES), ("places.csv", PLACES)]:
            (base / name).write_text(text)
        for query in sorted((ROOT / "tests/data").glob("ccd_*.csv")):
            (base / query.name).write_text("".join(query.read_text().splitlines(keepends=True)[:64]))
        for name in ["pc2", "vtp"]:
            command = [binary, "mesh.ron", "--out", f"out/{name}", "--set", f"output.formats={name}", "--threads", "1"]
            subprocess.run(command, cwd=base, check=True, capture_output=True)
        for scene, more in [("layers.ron", ["--record-tasks", "recording"]), ("mesh.ron", [])]:
            command = [binary, scene, "--frames", "2", "--set", "steps_per_frame=2", "--ranks", "1", "--threads", "1"]
            subprocess.run([*command, *more], cwd=base, check=True, capture_output=True)
            resolved = f"resolved_{scene}"  # every field is in it
            shutil.copy(base / "out" / scene[:-4] / "scene.ron", base / resolved)
            self.scenes += [resolved, resolved]

    def scene(self, rng, put):
        return ["./" + put(rng.choice(self.scenes), True), "--frames", "1"]

    def mesh(self, rng, put):
        spoiled = rng.choice(["grid.obj"] * 3 + ["map.csv", "weights.csv", "tetrahedron.obj", "grid.mtl"])
        for name in ["grid.obj", "map.csv", "weights.csv", "tetrahedron.obj", "grid.mtl", "red.png"]:
            put(name, name == spoiled)
        return [put("mesh.ron", False)]

    def bodies(self, rng, put):
        spoiled = rng.choice(["rigid.ron", "rigid.ron", "rigid.ron", "places.csv", "tetrahedron.obj"])
        for name in ["tetrahedron.obj", "places.csv"]:
            put(name, name == spoiled)
        return [put("rigid.ron", "rigid.ron" == spoiled)]

    def flag(self, rng, put):
        flag, value = rng.choice(FLAGS).split("=")
        text = rng.choice([*NUMBERS, "64", "1.5", "", "x"]) if rng.random() < 0.8 else value
        more = ["--record-tasks", "out/recording"] if flag == "--record-every" else []
        short = ["--set", "frames=1", "--set", "steps_per_frame=2"]
        return [put("layers.ron", False), f"{flag}={text}", *short, *more]

    def setting(self, rng, put):
        def one():
            text = changed(rng.choice(SETTINGS).encode(), rng).replace(b"\0", b"")
            return os.fsdecode(text[:100_000])
        return [put("layers.ron", False), "--frames", "1", "--set", "steps_per_frame=2",
                *(word for _ in range(rng.choice([1, 2])) for word in ["--set", one()])]

    def _folder(self, rng, put):
        name = rng.choice(["layers", "mesh", "pc2", "vtp"])
        files = sorted(path.relative_to(self.base / "out" / name) for path in (self.base / "out" / name).rglob("*.*"))
        spoiled = rng.choice(files)
        for file in files:
            put(f"out/{name}/{file}", file == spoiled)
        return f"out/{name}"

    def check(self, rng, put):
        return ["check", self._folder(rng, put), "--threads", "1"]

    def convert(self, rng, put):
        return ["convert", self._folder(rng, put), "--to", "usd"]

    def profile(self, rng, put):
        return ["profile", self._folder(rng, put)]

    def view(self, rng, put):
        return ["view", self._folder(rng, put), "--no-open"]

    def picture(self, rng, put):
        return ["picture", self._folder(rng, put), "--size", "64x64", *rng.choice([[], ["--animation"]])]

    def replay(self, rng, put):
        return ["replay", put("recording", True), "--processors", "1,4", "--plot", "out/plot"]

    def queries(self, rng, put):
        kind = rng.choice(["edge-edge", "vertex-face"])
        return ["ccd-queries", "--kind", kind, put(f"ccd_{kind}.csv", True)]

    # Shares of all runs: what reads the most has the most.
    ALL = {"scene": 5, "mesh": 5, "bodies": 3, "setting": 3, "flag": 1, "check": 3, "convert": 2, "profile": 1, "replay": 2,
           "queries": 1, "view": 2, "picture": 1}


def listing(folder):
    """All that lies below `folder`, except its run folders."""
    found = {}
    for place, folders, files in os.walk(folder):
        if pathlib.Path(place) == folder and "out" in folders:
            folders.remove("out")
        for path in (os.path.join(place, name) for name in [*folders, *files]):
            stat = os.lstat(path)
            regular = os.path.isfile(path) and not os.path.islink(path) and stat.st_size < 1 << 30
            content = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest() if regular else None
            found[path] = (stat.st_mode, stat.st_size, None if os.path.isdir(path) else stat.st_mtime_ns, content)
    return found


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, folder, printed):
    """The exit code of `command`, "long" if it still prints steps, or "hang"."""
    with open(printed, "wb") as out:
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                 preexec_fn=limits, start_new_session=True)
        for wait_s in [LIMIT_S, 5]:
            size = printed.stat().st_size
            try:
                return child.wait(wait_s)
            except subprocess.TimeoutExpired:
                pass
        grown = printed.stat().st_size > size
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return "long" if grown else "hang"


def judge(code, text, before, after):
    """The outcome in one word, or what is wrong with it."""
    if code == "hang":
        return f"no end within {LIMIT_S} s"
    if code not in (0, 1, 2, "long"):
        return f"exit code {code}"
    if b"panicked" in text or b"defect of cloth-sim" in text:
        return "a panic or an internal error"
    if before != after:
        return f"changed outside the run folder: {sorted(set(before.items()) ^ set(after.items()))[:3]}"
    shown = text.decode(errors="replace")
    if bad := re.search(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ufffd]", shown.replace("\ufffd", "?")):
        return f"the control character {bad.group()!r} in a message"
    lines = [line for line in shown.splitlines() if not re.match(r"(step|frame) \d", line)]
    if max(map(len, lines), default=0) > LINE or (code in (1, 2) and sum(map(len, lines)) > MESSAGE):
        return "a message that is too long"
    if code in (1, 2) and "error:" not in shown:
        return "no error message"
    return {0: "ok", "long": "long"}.get(code, "refused")


def attempt(binary, kinds, work, keep, seed, number):
    """One input: its kind and the outcome."""
    rng = random.Random(f"{seed}:{number}")
    kind = rng.choices(list(Kinds.ALL), Kinds.ALL.values())[0]
    folder = work / str(number)
    folder.mkdir()
    (folder / "bystander.txt").write_text("must stay\n")

    def put(name, spoiled):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(kinds.base / name, path)
        if spoiled:
            spoil(path, rng)
        return name

    arguments = getattr(kinds, kind)(rng, put)
    if kind in ("scene", "mesh", "bodies", "setting"):
        arguments += ["--ranks", "1", "--threads", "1", "--verbose"]
    printed, before = work / f"{number}.txt", listing(folder)
    code = run([binary, *arguments], folder, printed)
    outcome = judge(code, printed.read_bytes(), before, listing(folder))
    if outcome not in ("ok", "refused", "long"):
        kept = keep / f"{kind}-{seed}-{number}"
        shutil.rmtree(kept, ignore_errors=True)
        subprocess.run(["cp", "-a", folder, kept], check=True)
        shutil.copy(printed, kept / "printed.txt")
        command = " ".join(shlex.quote(word)[:2_000] for word in map(str, [binary, *arguments]))
        (kept / "fault.txt").write_text(f"{outcome}\n{command}\n", errors="backslashreplace")
    shutil.rmtree(folder)
    printed.unlink()
    return kind, number, outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/cloth-sim")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("hostile_faults"))
    options = parser.parse_args()
    binary, counts = str(options.binary.resolve()), collections.defaultdict(collections.Counter)
    options.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        base, work = pathlib.Path(folder) / "base", pathlib.Path(folder) / "work"
        base.mkdir(), work.mkdir()
        kinds = Kinds(binary, base)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            numbers = range(options.first, options.first + options.runs)
            jobs = [pool.submit(attempt, binary, kinds, work, options.keep, options.seed, number) for number in numbers]
            for job in concurrent.futures.as_completed(jobs):
                kind, number, outcome = job.result()
                if outcome not in ("ok", "refused", "long"):
                    print(f"fault: {kind} {number}: {outcome}", flush=True)
                    outcome = "faults"
                counts[kind][outcome] += 1
    columns = ["ok", "refused", "long", "faults"]
    print(f"{'kind':<8} {'runs':>6}" + "".join(f"{column:>9}" for column in columns))
    for kind, of_kind in [*counts.items(), ("all", sum(counts.values(), collections.Counter()))]:
        print(f"{kind:<8} {of_kind.total():>6}" + "".join(f"{of_kind[column]:>9}" for column in columns))
    faults = sum(of_kind["faults"] for of_kind in counts.values())
    if faults:
        print(f"the faulty inputs are in {options.keep}")
    elif not any(options.keep.iterdir()):
        options.keep.rmdir()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

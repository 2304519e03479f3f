"""Blender add-on: imports runs of cloth-sim, and exports scenes for it.

Install this file (Edit > Preferences > Add-ons > Install from Disk). Blender 4.2 or newer.

Import (File > Import > cloth-sim run): choose the `run.json` of a run whose formats have `pc2`, or that
`cloth-sim convert DIR --to pc2` has converted. Each cloth and each moving obstacle is one animated object, all rigid
bodies are one together, with materials and texture coordinates. The frame rate and range of the scene are set.

Export (File > Export > cloth-sim scene): meshes with cloth physics become cloths, and the pin group of the physics pins
their vertices. The structural and the bending group of the physics, and vertex groups with names such as
`cloth_sim Density 3`, become maps. Meshes with collision physics become obstacles; if they move or
deform, their motion is sampled in each frame. The fabric of a cloth is in its object properties.
"""

import json
import re
import struct
from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

bl_info = {
    "name": "cloth-sim",
    "description": "Imports runs of cloth-sim and exports scenes for it",
    "blender": (4, 2, 0),
    "version": (1, 0, 0),
    "category": "Import-Export",
    "location": "File > Import, File > Export",
}

# Blender holds vertices exactly if the fourth power of their weight in the pin group is as high.
PINNED = 0.999

# Vertex groups of the cloth physics that are maps: the group, what it multiplies, and the stiffness
# at the weight 0. That at the weight 1 has the same name and `_max`.
PHYSICS_MAPS = (
    ("vertex_group_structural_stiffness", "Stiffness", "tension_stiffness"),
    ("vertex_group_bending", "Bending", "bending_stiffness"),
)

# Vertex groups of the cloth physics that have no map, and what switches them on.
LEFT_OUT = (
    ("vertex_group_shear_stiffness", "shear", None),
    ("vertex_group_shrink", "shrinking", None),
    ("vertex_group_intern", "internal springs", "use_internal_springs"),
    ("vertex_group_pressure", "pressure", "use_pressure"),
)

# What a vertex group with the name `cloth_sim SETTING FACTOR` multiplies, and whether by 0 too.
SETTINGS = {
    "Density": False, "Stiffness": False, "Bending": True, "Friction": True, "Thickness": False
}


class RunError(Exception):
    """What the user reads, with what to do."""


# Import


def import_run(folder):
    """Imports the run in `folder` into the present scene. Returns the animated objects."""
    folder = Path(folder).resolve()
    try:
        head = json.loads((folder / "run.json").read_text())
        name, files = head["scene"], head["files"]["once"]
    except (OSError, ValueError, KeyError, TypeError) as cause:
        raise RunError(f"{folder} is no run of cloth-sim: {cause}. Choose the run.json of a run") from None
    points = [it for it in files if it.startswith("frames_") and it.endswith(".pc2") and Path(it).name == it]
    if not points:
        raise RunError(f"The run has no PC2 files. Make them: cloth-sim convert {folder} --to pc2")
    group = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(group)
    moving = [animated(folder, name, group) for name in points]
    if (folder / "obstacles.obj").exists():
        import_obj(folder / "obstacles.obj", group, split=True)
    first, samples = head_of(folder / points[0])
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = first, first + samples - 1
    set_rate(scene, frame_rate(folder))
    return moving


def animated(folder, points, group):
    """The object of a PC2 file."""
    mesh = folder / f"{points[:-4]}.obj"
    things = import_obj(mesh, group, split=False)
    if len(things) != 1:
        raise RunError(f"{mesh} has {len(things)} objects instead of one. Convert the run again")
    thing = things[0]
    thing.name = thing.data.name = points[len("frames_"):-len(".pc2")]
    cache = thing.modifiers.new("cloth-sim", "MESH_CACHE")
    cache.cache_format, cache.filepath = "PC2", str(folder / points)
    cache.frame_start = head_of(folder / points)[0]
    return thing


def import_obj(path, group, split):
    """Imports an OBJ file into the collection `group`."""
    before = set(bpy.data.objects)
    bpy.ops.wm.obj_import(filepath=str(path), use_split_objects=split)
    new = [it for it in bpy.data.objects if it not in before]
    for thing in new:
        for other in list(thing.users_collection):
            other.objects.unlink(thing)
        group.objects.link(thing)
    return new


def head_of(path):
    """The first frame and the number of frames of a PC2 file."""
    with open(path, "rb") as file:
        magic, _, _, first, _, samples = struct.unpack("<12sIIffI", file.read(32))
    if magic != b"POINTCACHE2\0":
        raise RunError(f"{path} is no PC2 file. Convert the run again")
    return int(first), samples


def frame_rate(folder):
    """Frames per second of a run."""
    found = re.search(r"\bframes_per_second: *([0-9.e+-]+)", (folder / "scene.ron").read_text())
    return float(found[1]) if found else 25.0


def set_rate(scene, rate):
    scene.render.fps = max(1, round(rate))
    scene.render.fps_base = scene.render.fps / rate


# Export


def export_scene(path):
    """Writes the present scene as the RON file `path`, with its meshes and maps beside it.

    Returns its cloths and obstacles, and what the user should know."""
    path = Path(path)
    scene = bpy.context.scene
    meshes = [it for it in scene.objects if it.type == "MESH" and not it.hide_render]
    cloths = [it for it in meshes if physics(it, "CLOTH")]
    obstacles = [it for it in meshes if physics(it, "COLLISION") and it not in cloths]
    if not cloths:
        raise RunError("No mesh has cloth physics. Add it in the physics properties of a mesh")
    names = file_names(path.stem, [*cloths, *obstacles])
    shown = scene.frame_current
    scene.frame_set(scene.frame_start)
    entries = [cloth_entry(it, path.parent, names[it]) for it in cloths]
    solid = [obstacle_entry(it, path.parent, names[it]) for it in obstacles]
    scene.frame_set(shown)
    gravity = y_up(scene.gravity) if scene.use_gravity else (0.0, 0.0, 0.0)
    lines = [
        "(",
        f"    frames: {max(1, scene.frame_end - scene.frame_start)}, frames_per_second: {rate_of(scene)!r},",
        gravity_entry(gravity, any(map(is_sewn, cloths))),
        "    cloths: [", *entries, "    ],",
        "    seams: [", *[seam_entry(it) for it in cloths if is_sewn(it)], "    ],",
        "    obstacles: [", *solid, "    ],",
        '    output: (formats: ["obj", "pc2"]),',
        ")",
    ]
    path.write_text("\n".join(lines) + "\n")
    return cloths, obstacles, [note for it in cloths for note in notes(it)]


def rate_of(scene):
    return scene.render.fps / scene.render.fps_base


def physics(thing, kind):
    return next((it for it in thing.modifiers if it.type == kind), None)


def file_names(stem, things):
    """A name for the files of each object."""
    names = {}
    for thing in things:
        base = f"{stem}_{re.sub(r'[^A-Za-z0-9_-]', '_', thing.name)}"
        name, number = base, 2
        while name.lower() in (it.lower() for it in names.values()):
            name, number = f"{base}_{number}", number + 1
        names[thing] = name
    return names


def cloth_entry(thing, folder, name):
    """The cloth of an object, with the shape that it has without modifiers."""
    mesh = thing.data
    write_obj(folder / f"{name}.obj", mesh, [thing.matrix_world @ it.co for it in mesh.vertices])
    fields = [
        f"name: {quoted(thing.name)}",
        f"shape: Mesh({quoted(name + '.obj')})",
        f"material: Fabric({quoted(thing.cloth_sim_fabric)})",
        *listed("maps", map_entries(thing, folder, name)),
        *listed("pins", pin_entries(thing, folder, name)),
    ]
    return f"        ({', '.join(fields)}),"


def listed(field, entries):
    """A field of a cloth, with a line for each entry, unless there is none."""
    lines = "".join(f"\n            {it}," for it in entries)
    return [f"{field}: [{lines}\n        ]"] if entries else []


def is_sewn(thing):
    """Whether the cloth physics sew along the loose edges of a mesh, and it has some."""
    sews = physics(thing, "CLOTH").settings.use_sewing_springs
    return sews and any(edge.is_loose for edge in thing.data.edges)


def gravity_entry(gravity, is_sewn):
    """Pieces that are sewn together would fall while their seams close, which takes a second."""
    if not is_sewn:
        return f"    gravity_m_per_s2: {vector(gravity)},"
    keys = [(0.0, (0.0, 0.0, 0.0)), (1.1, (0.0, 0.0, 0.0)), (1.5, gravity)]
    keys = (f"(time_s: {time}, gravity_m_per_s2: {vector(it)})" for time, it in keys)
    return f"    gravity_keyframes: [{', '.join(keys)}],"


def seam_entry(thing):
    return f"        (stitches: Lines({quoted(thing.name)})),"


def weights(thing, group):
    """The vertices of a vertex group, in the order of the mesh, with weights that are not 0."""
    group = thing.vertex_groups.get(group) if group else None
    if group is None:
        return {}
    found = ((it.index, entry) for it in thing.data.vertices for entry in it.groups)
    return {at: it.weight for at, it in found if it.group == group.index and it.weight > 0}


def write_numbers(path, numbers):
    """Writes numbers of vertices, and returns how the scene names them."""
    lines = [f"{vertex},{number:.9g}" for vertex, number in numbers.items()]
    path.write_text("\n".join(["vertex,value", *lines]) + "\n")
    return f"Csv({quoted(path.name)})"


def map_entries(thing, folder, name):
    """The maps of a cloth. They begin with the factor 1, where the weight is 0."""
    entries, files = [], set()
    for setting, factor, group in [*physics_maps(thing), *named_maps(thing)]:
        numbers = weights(thing, group)
        if factor == 1 or not numbers:
            continue  # nothing changes
        file, number = setting.lower(), 2
        while file in files:
            file, number = f"{setting.lower()}_{number}", number + 1
        files.add(file)
        numbers = write_numbers(folder / f"{name}_{file}.csv", numbers)
        entries.append(f"(of: {setting}, from: {numbers}, low: 1, high: {factor:.9g})")
    return entries


def physics_maps(thing):
    """The maps that the cloth physics have: what they multiply, the factor at the weight 1, and
    the vertex group."""
    for group, setting, word, low, high in physics_groups(thing):
        if low == 0:
            raise RunError(f"{thing.name}: `{group}` multiplies the {word} 0. Set it above 0")
        yield setting, high / low, group


def physics_groups(thing):
    """The groups of `PHYSICS_MAPS` that are used, with what they multiply, the name of the
    stiffness, and the stiffness at the weights 0 and 1."""
    settings = physics(thing, "CLOTH").settings
    for group, setting, stiffness in PHYSICS_MAPS:
        low, high = getattr(settings, stiffness), getattr(settings, f"{stiffness}_max")
        if getattr(settings, group):
            yield getattr(settings, group), setting, stiffness.replace("_", " "), low, high


def named_maps(thing):
    """The maps of vertex groups with names such as `cloth_sim Density 3`, as `physics_maps`."""
    names = [it for it in thing.vertex_groups.keys() if it.lower().startswith("cloth_sim ")]
    for name in names:
        words = name.split()
        setting = words[1].capitalize() if len(words) == 3 else None
        if setting not in SETTINGS or not words[2].replace(".", "", 1).isdecimal():
            remedy = f"`cloth_sim SETTING FACTOR`; the settings are {', '.join(SETTINGS)}"
            raise RunError(f"{thing.name}: `{name}` is no map. Name the vertex group {remedy}")
        factor = float(words[2])
        if factor == 0 and not SETTINGS[setting]:
            raise RunError(f"{thing.name}: the factor of `{name}` must be above 0")
        yield setting, factor, name


def notes(thing):
    """What the user should know of the vertex groups of the cloth physics."""
    settings = physics(thing, "CLOTH").settings
    for group, word, switch in LEFT_OUT:
        if getattr(settings, group) and (switch is None or getattr(settings, switch)):
            yield f"{thing.name}: the vertex group of {word} is left out"
    for group, _, word, low, high in physics_groups(thing):
        if low == high:
            yield f"{thing.name}: `{group}` changes nothing. Set the maximum of the {word}"


def pin_entries(thing, folder, name):
    """The pins of the pin group of the cloth physics: exact ones, and springs for the rest."""
    settings = physics(thing, "CLOTH").settings
    goals = {at: it**4 for at, it in weights(thing, settings.vertex_group_mass).items()}
    held = [at for at, goal in goals.items() if goal >= PINNED]
    entries = [f"(select: {vertices(held)})"] if held else []
    if len(held) < len(goals) and settings.pin_stiffness > 0:
        springs = f"stiffness_n_per_m: {settings.pin_stiffness / mean_edge(thing):.9g}"
        numbers = write_numbers(folder / f"{name}_pins.csv", goals)
        entries.append(f"(select: {vertices(goals)}, {springs}, weights: {numbers})")
    return entries


def vertices(numbers):
    return f"Vertices([{', '.join(map(str, numbers))}])"


def mean_edge(thing):
    """The mean length of the edges of faces, in m. Blender divides the pin stiffness by it."""
    points = [thing.matrix_world @ it.co for it in thing.data.vertices]
    edges = [it.vertices for it in thing.data.edges if not it.is_loose]
    if not edges:
        raise RunError(f"{thing.name} has no faces")
    return sum((points[a] - points[b]).length for a, b in edges) / len(edges)


def obstacle_entry(thing, folder, name):
    """The obstacle of an object, with samples of its motion if it moves or deforms."""
    scene, samples = bpy.context.scene, []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        samples.append(world_points(thing))
    scene.frame_set(scene.frame_start)
    if any(len(it) != len(samples[0]) for it in samples):
        raise RunError(f"{thing.name}: its number of vertices changes. Switch off the modifier that does it")
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    write_obj(folder / f"{name}.obj", shown.data, samples[0])
    moves = any(it != samples[0] for it in samples)
    motion = ""
    if moves:
        write_points(folder / f"{name}.pc2", samples)
        motion = f", samples: (file: {quoted(name + '.pc2')}, frames_per_second: {rate_of(scene)!r})"
    return f"        (name: {quoted(thing.name)}, shape: Mesh({quoted(name + '.obj')}){motion}),"


def world_points(thing):
    """The vertices of an object with its modifiers, in the world."""
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [(shown.matrix_world @ it.co).freeze() for it in shown.data.vertices]


def write_obj(path, mesh, points):
    """Writes a mesh with its texture coordinates and materials. `points` are in the world."""
    materials = [it for it in mesh.materials if it]
    if materials:
        path.with_suffix(".mtl").write_text("".join(map(material_text, materials)))
    lines = [f"mtllib {path.stem}.mtl"] if materials else []
    lines += ["v {:.9g} {:.9g} {:.9g}".format(*y_up(it)) for it in points]
    uv = mesh.uv_layers.active
    if uv:
        lines += ["vt {:.9g} {:.9g}".format(*it.uv) for it in uv.data]
    material = None
    for polygon in mesh.polygons:
        slots = mesh.materials
        slot = slots[polygon.material_index] if polygon.material_index < len(slots) else None
        if slot != material:
            lines.append(f"usemtl {material_name(slot) if slot else 'none'}")
            material = slot
        corners = [f"{mesh.loops[it].vertex_index + 1}" + (f"/{it + 1}" if uv else "") for it in polygon.loop_indices]
        lines.append("f " + " ".join(corners))
    for edge in mesh.edges:
        if edge.is_loose:
            lines.append("l {} {}".format(*[it + 1 for it in edge.vertices]))
    path.write_text("\n".join(lines) + "\n")


def material_name(material):
    return material.name.replace(" ", "_")


def material_text(material):
    """The colour of a material as MTL."""
    nodes = material.node_tree.nodes if material.node_tree else []
    shader = next((it for it in nodes if it.type == "BSDF_PRINCIPLED"), None)
    colour = shader.inputs["Base Color"].default_value if shader else material.diffuse_color
    return "newmtl {}\nKd {:.6g} {:.6g} {:.6g}\n".format(material_name(material), *colour[:3])


def write_points(path, samples):
    """Writes samples of points in the world as a PC2 file."""
    head = struct.pack("<12sIIffI", b"POINTCACHE2\0", 1, len(samples[0]), 0.0, 1.0, len(samples))
    numbers = [x for sample in samples for point in sample for x in y_up(point)]
    path.write_bytes(head + struct.pack(f"<{len(numbers)}f", *numbers))


def y_up(point):
    """A vector of Blender, whose z is up, as one whose y is up."""
    x, y, z = point
    return x, z, -y


def vector(numbers):
    return "(" + ", ".join(repr(round(it, 9) + 0.0) for it in numbers) + ")"


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


# Blender's face of it


class ImportRun(bpy.types.Operator, ImportHelper):
    """Import a run of cloth-sim as animated objects"""

    bl_idname = "import_scene.cloth_sim"
    bl_label = "Import cloth-sim run"
    bl_options = {"UNDO"}
    filename_ext = ".json"
    filter_glob: StringProperty(default="run.json", options={"HIDDEN"})

    def execute(self, _context):
        try:
            moving = import_run(Path(self.filepath).parent)
        except (RunError, RuntimeError, OSError, struct.error) as cause:
            self.report({"ERROR"}, str(cause))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{len(moving)} animated objects")
        return {"FINISHED"}


class ExportScene(bpy.types.Operator, ExportHelper):
    """Export cloths, pins, maps and obstacles as a scene for cloth-sim"""

    bl_idname = "export_scene.cloth_sim"
    bl_label = "Export cloth-sim scene"
    filename_ext = ".ron"
    filter_glob: StringProperty(default="*.ron", options={"HIDDEN"})

    def execute(self, _context):
        try:
            cloths, obstacles, told = export_scene(self.filepath)
        except (RunError, RuntimeError, OSError) as cause:
            self.report({"ERROR"}, str(cause))
            return {"CANCELLED"}
        for note in told:
            self.report({"WARNING"}, note)
        self.report({"INFO"}, f"{len(cloths)} cloths, {len(obstacles)} obstacles")
        return {"FINISHED"}


class FabricPanel(bpy.types.Panel):
    """The fabric of a cloth"""

    bl_label = "cloth-sim"
    bl_idname = "OBJECT_PT_cloth_sim"
    bl_space_type, bl_region_type, bl_context = "PROPERTIES", "WINDOW", "object"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context):
        self.layout.prop(context.object, "cloth_sim_fabric")


CLASSES = (ImportRun, ExportScene, FabricPanel)


def import_entry(menu, _context):
    menu.layout.operator(ImportRun.bl_idname, text="cloth-sim run (run.json)")


def export_entry(menu, _context):
    menu.layout.operator(ExportScene.bl_idname, text="cloth-sim scene (.ron)")


def register():
    for it in CLASSES:
        bpy.utils.register_class(it)
    bpy.types.Object.cloth_sim_fabric = StringProperty(
        name="Fabric", default="cotton", description="The fabric of the cloth, as docs/scene.md names it"
    )
    bpy.types.TOPBAR_MT_file_import.append(import_entry)
    bpy.types.TOPBAR_MT_file_export.append(export_entry)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(import_entry)
    bpy.types.TOPBAR_MT_file_export.remove(export_entry)
    del bpy.types.Object.cloth_sim_fabric
    for it in reversed(CLASSES):
        bpy.utils.unregister_class(it)


if __name__ == "__main__":
    register()

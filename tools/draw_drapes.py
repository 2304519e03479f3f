#!/usr/bin/env python3
"""Draws the drapes that `examples/cusick.rs` wrote side by side, each with its drape coefficient.

    pip install matplotlib numpy pillow pyvista
    cargo run --release --example cusick -- --drapes out/drapes
    tools/draw_drapes.py out/drapes --output docs/images/drapes.png
"""
import argparse
import pathlib

import numpy as np
import pyvista
from PIL import Image, ImageDraw, ImageFont
from matplotlib import font_manager

from render_frames import PALETTE, camera, read_objects, surface

DISC_M = 0.09


def picture(path, colour, size, elevation):
    _, positions, triangles = next(read_objects(path))
    plotter = pyvista.Plotter(off_screen=True, window_size=(size, size))
    plotter.set_background("white")
    normals = surface(positions, triangles).compute_normals(cell_normals=False, split_vertices=False)
    plotter.add_mesh(normals, color=colour, smooth_shading=True, specular=0.15, ambient=0.15)
    plotter.add_mesh(pyvista.Disc(center=(0, 0.002, 0), inner=0, outer=DISC_M, normal=(0, 1, 0),
                                  c_res=60), color="#bbbbbb", lighting=False)
    turns = np.radians(np.arange(0, 360, 10))
    rim = 0.15 * np.column_stack([np.cos(turns), 0 * turns, np.sin(turns)])
    plotter.camera_position = camera(rim, 35, elevation, 30, 0.02)
    plotter.camera.view_angle = 30
    image = Image.fromarray(plotter.screenshot(return_img=True))
    plotter.close()
    return image


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--output", default="drapes.png", help="the picture to write [drapes.png]")
    arguments.add_argument("--size", type=int, default=220, help="side of one drape in pixels [220]")
    options = arguments.parse_args()
    paths, size = sorted(options.folder.glob("*.obj")), options.size
    side = size * 5 // 8
    whole = Image.new("RGB", (size * len(paths), 30 + size + side), "white")
    font = ImageFont.truetype(font_manager.findfont("DejaVu Sans"), 13)
    for place, path in enumerate(paths):
        colour = PALETTE[place % len(PALETTE)]
        whole.paste(picture(path, colour, size, 89.9), (place * size, 30))
        seen = picture(path, colour, size, 22).crop((0, size // 4, size, size // 4 + side))
        whole.paste(seen, (place * size, 30 + size))
        percent = path.read_text().splitlines()[0].lstrip("# ")
        label = f"{path.stem}, {percent} %"
        ImageDraw.Draw(whole).text(((place + 0.5) * size, 16), label, "black", font, anchor="mm")
    whole.quantize(128).save(options.output, optimize=True)


if __name__ == "__main__":
    main()

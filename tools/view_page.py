"""Opens a page of `cloth-sim view` in headless Chromium without a network, and checks it.

    pip install playwright        # drives the Chromium of the system
    cloth-sim view out/tablecloth --no-open
    python3 tools/view_page.py out/tablecloth --screenshots out/pictures

It fails if the page reports an error or asks for a file, if a colour or a frame cannot be shown, if a
chart differs from steps.jsonl, or if fewer than --fps frames a second are drawn.
"""

import argparse
import json
import math
import pathlib
import sys
import time

from playwright.sync_api import sync_playwright

# WebGL in software, as on a machine without a graphics card.
FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]

# Shows all frames, each as soon as the one before is drawn: once until pictures are as coarse as the
# machine is slow, then again and timed.
MEASURE = """async () => {
  const { playback, stage } = page;
  const gl = stage.renderer.getContext();
  const showAll = async () => {
    const begin = performance.now();
    for (let at = 0; at <= playback.last; at++) {
      await playback.show(at);
      stage.draw();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
    return (1000 * (playback.last + 1)) / (performance.now() - begin);
  };
  await showAll();
  return [await showAll(), stage.quality.level];
}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=pathlib.Path, help="run folder with view.html")
    parser.add_argument("--page", type=pathlib.Path, help="the page, if it is elsewhere")
    parser.add_argument("--screenshots", type=pathlib.Path, help="folder for pictures")
    parser.add_argument("--fps", type=float, default=10, help="fewest frames a second [default: 10]")
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="the browser")
    arguments = parser.parse_args()
    file = (arguments.page or arguments.run / "view.html").resolve()
    faults = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.chromium, args=FLAGS)
        page = opened(browser, file, faults)
        check_playback(page, faults)
        check_colours(page, faults, arguments.screenshots)
        check_charts(page, arguments.run, faults)
        rate, level = page.evaluate(MEASURE)
        print(f"{rate:.1f} frames a second at 1280 x 720 in software, at level {level} of quality")
        if rate < arguments.fps:
            faults.append(f"{rate:.1f} frames a second")
        if arguments.screenshots:
            take_screenshots(browser, file, arguments.screenshots)
    print("\n".join(faults) or "no fault")
    sys.exit(bool(faults))


def opened(browser, file, faults, width=1280, height=720, dark=False):
    """The page, when all its frames are unpacked."""
    scheme = "dark" if dark else "light"
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, offline=True
    )
    page = context.new_page()
    page.on("console", lambda it: it.type == "error" and faults.append(f"console: {it.text}"))
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    local = ("file:", "data:", "blob:")
    page.on("request", lambda it: it.url.startswith(local) or faults.append(f"asks for {it.url}"))
    begin = time.time()
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready=true]", state="attached", timeout=120_000)
    print(f"{width} x {height} {scheme}: ready after {time.time() - begin:.1f} s")
    return page


def check_playback(page, faults):
    """Plays from the first frame, steps, and goes to a frame by a chart and by keys."""
    page.keyboard.press("Home")
    page.wait_for_timeout(300)
    page.keyboard.press("Space")
    end = time.time() + 20
    while page.evaluate("page.frame.number === page.data.frames[0].number") and time.time() < end:
        page.wait_for_timeout(50)
    if time.time() > end:
        faults.append("playing shows no further frame")
    page.keyboard.press("Space")
    if page.evaluate("page.playback.isPlaying"):
        faults.append("the space bar does not stop")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(300)
    if page.evaluate("page.frame.number !== page.data.frames.at(-2).number"):
        faults.append("End and the left arrow do not show the frame before the last one")
    box = page.locator("#charts .u-over").first.bounding_box()
    page.mouse.click(box["x"] + 1, box["y"] + box["height"] / 2)
    page.wait_for_timeout(300)
    first = page.evaluate("page.data.run.charts.frames[0]")
    if page.evaluate("page.frame.number") != first:
        faults.append(f"a click at the begin of a chart does not show frame {first}")


def check_colours(page, faults, folder):
    """Shows every colour. Each must give a picture of its own, with a legend."""
    page.keyboard.press("End")
    seen = {}
    for key in page.evaluate("page.modes.map(({ key }) => key)"):
        page.select_option("#colour", key)
        page.wait_for_timeout(500)
        if not page.inner_text("#legend").strip() and key != "patch":
            faults.append(f"colour {key} has no legend")
        seen[key] = page.locator("#canvas").screenshot()
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=folder / f"{key}.png")
    print("colours:", ", ".join(seen))
    page.select_option("#colour", "fabric")


def check_charts(page, run, faults):
    """Compares what the charts draw with steps.jsonl."""
    lines = [json.loads(line) for line in (run / "steps.jsonl").open()]
    lines = [line for line in lines if line["steps"]]
    drawn = page.evaluate(
        """page.charts.drawn.filter(({ plot }) => plot).map(({ plot, curves, box }) => ({
          title: box.querySelector("h2").firstChild.textContent.trim(),
          frames: Array.from(plot.data[0]),
          curves: curves.map(({ label, values }) => ({ label, values })),
        }))"""
    )
    compared = 0
    for chart in drawn:
        if chart["frames"] != [line["frame"] for line in lines]:
            faults.append(f"{chart['title']}: other frames than steps.jsonl")
        for curve in chart["curves"]:
            expected = [value(line, chart["title"], curve["label"]) for line in lines]
            if None in expected:
                continue
            compared += 1
            pairs = zip(curve["values"], expected)
            if not all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-15) for a, b in pairs):
                faults.append(f"{chart['title']}, {curve['label']}: differs from steps.jsonl")
    print(f"{len(drawn)} charts; {compared} curves equal steps.jsonl")


SUMS = {"near pairs": "proximity_pairs", "predicted impacts": "predicted_impacts", "contacts": "contacts",
        "collisions": "collisions", "tests": "tests", "messages": "messages", "migrations": "migrated"}
SAME = {"repairs": "repairs", "redone: solve failed": "halvings", "redone: edge turned": "turned_steps",
        "redone: fail-safe or energy": "redone_steps"}
OF_LINE = {"translation": "translation_j", "rotation": "rotation_j", "potential": "potential_j", "bodies": "bodies"}


def value(line, title, label):
    """The value of a curve at a frame, from its line of steps.jsonl. None if it is not known here."""
    steps = line["steps"]
    first = [step for step in steps if step["rank"] == 0]
    if title == "Time of the phases":
        return sum(step[f"{label}_s"] for step in steps) / (len(steps) / len(first))
    if label in ("iterations", "sweeps"):
        field = {"iterations": "cg_iterations", "sweeps": "sweeps"}[label]
        return sum(step[field] for step in first) / len(first)
    if label in SUMS and SUMS[label] in steps[0]:
        return sum(step[SUMS[label]] for step in steps) / len(first)
    if label in SAME:
        return sum(step[SAME[label]] for step in first)
    if label in OF_LINE and OF_LINE[label] in line:
        return line[OF_LINE[label]]
    if label == "kinetic and elastic":
        return [step["internal_j"] for step in first if "internal_j" in step][-1]
    if label in ("largest", "smallest"):
        return 100 * line["strain"][label == "smallest"]["strain"]
    return None


def take_screenshots(browser, file, folder):
    """The first view in both schemes, and on a narrow window."""
    for name, width, height, dark in (("first", 1280, 720, False), ("dark", 1280, 720, True), ("narrow", 390, 844, False)):
        page = opened(browser, file, [], width, height, dark)
        page.wait_for_timeout(800)
        page.screenshot(path=folder / f"{name}.png")


if __name__ == "__main__":
    main()

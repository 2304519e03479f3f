"""Runs in a folder: `run` writes one, `RunFolder` reads one."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cloth_sim import _core


def run(
    scene: _core.Scene | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    frames: int | None = None,
    ranks: int | None = None,
    threads: int | None = None,
    overwrite: bool = False,
    options: str | Sequence[str] = (),
) -> "RunFolder":
    """Runs a scene with the program in a process of its own, and returns the run folder `out`.

    `scene` is a `Scene` or the path of a file. `options` are further ones of the command line, such as
    ("--stop-after", "1h"). Ctrl-C ends the run after its step, with a folder that `cloth-sim resume` goes on
    with.

    Raises `Error` with the text of the program if the run fails.
    """
    words = [f"--{name}={value}" for name, value in _numbers(frames, ranks, threads)]
    options = (options,) if isinstance(options, str) else options
    words += ["--overwrite"] * overwrite + ["--quiet", f"--out={os.fspath(out)}", *options]
    if not isinstance(scene, _core.Scene):
        _call([os.fspath(scene), *words])
        return RunFolder(out)
    # The file is beside that of the scene, because meshes are sought there.
    with tempfile.NamedTemporaryFile("w", dir=scene.home, suffix=".ron", encoding="utf-8") as file:
        file.write(scene.to_ron())
        file.flush()
        _call([file.name, *words])
    return RunFolder(out)


def _numbers(
    frames: int | None, ranks: int | None, threads: int | None
) -> Iterator[tuple[str, int]]:
    for name, value in (("frames", frames), ("ranks", ranks), ("threads", threads)):
        if value is not None:
            yield name, value


def _call(words: list[str]) -> None:
    """Runs the program. It has a session of its own, so that a Ctrl-C comes only from here."""
    command = [sys.executable, "-m", "cloth_sim", *words]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            _, message = process.communicate()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            process.communicate()
            raise
    if process.returncode != 0:
        message = _core.in_python(message.strip().removeprefix("error: "))
        raise _core.Error(message or f"the program ended with the code {process.returncode}")


class RunFolder:
    """A run folder of the program, whether the run is complete or not.

    Raises `Error` if the folder is no run, or has no frame.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._frames = _core.Frames(self.path)

    @property
    def frames(self) -> range:
        """The numbers of its frames."""
        return range(*self._frames.range)

    @property
    def scene(self) -> _core.Scene:
        """The scene as it ran."""
        return _core.Scene.load(self.path / "scene.ron")

    @property
    def record(self) -> dict[str, Any]:
        """What `run.json` holds: what the run was, and how it ended."""
        record: dict[str, Any] = json.loads((self.path / "run.json").read_text(encoding="utf-8"))
        return record

    def steps(self) -> Iterator[dict[str, Any]]:
        """The lines of `steps.jsonl`: for each frame a hash of its state, and times (s) and counts of steps."""
        with (self.path / "steps.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):
                    yield json.loads(line)

    def time_s(self, frame: int) -> float:
        """The time of a frame since the start, s."""
        return frame * self._frames.frame_s

    def surfaces(self, frame: int) -> dict[str, Any]:
        """As `Simulation.surfaces`, of a frame; with the digits of its file."""
        return self._frames.frame(frame)[0]

    def bodies(self, frame: int) -> dict[str, Any]:
        """As `Simulation.bodies`, of a frame of bodies alone."""
        return self._frames.frame(frame)[1]

    @property
    def checkpoints(self) -> list[int]:
        """The steps after which the state was saved."""
        names = (path.stem for path in self.path.glob("checkpoint_*.bin"))
        return sorted(int(name.removeprefix("checkpoint_")) for name in names)

    def state(self, step: int | None = None) -> bytes:
        """The state after `step` steps (None: of the last checkpoint), for `Simulation.restore`."""
        if step is None:
            step = max(self.checkpoints, default=0)
        if step not in self.checkpoints:
            there = ", ".join(map(str, self.checkpoints)) or "none"
            raise _core.Error(
                f"{self.path}: there is no checkpoint after step {step}\n"
                f"  help: choose a step with one: {there}"
            )
        return self._frames.state(step)

    def __repr__(self) -> str:
        return f"<RunFolder {str(self.path)!r} of {len(self.frames)} frames>"

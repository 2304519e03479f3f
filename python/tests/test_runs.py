"""Run folders and the command: the same bits as in memory, signals, errors."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import cloth_sim
import numpy as np
import pytest
from cloth_sim import RunFolder, Simulation


def command(*words, **options):
    line = [sys.executable, "-m", "cloth_sim", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, **options)


def test_a_run_has_the_bits_of_the_simulation(towel, tmp_path):
    run = cloth_sim.run(towel, tmp_path / "towel", threads=1)
    assert run.frames == range(5) and run.record["status"] == "complete"
    assert list(tmp_path.iterdir()) == [tmp_path / "towel"]
    simulation = Simulation(run.scene)
    for frame, line in zip(run.frames, run.steps()):
        simulation.run(frame * towel.steps_per_frame - simulation.steps)
        assert line["state_hash"] == simulation.hash()
        shown = run.surfaces(frame)["sheet"]
        assert np.allclose(shown, simulation.positions, rtol=0, atol=1e-8)
        assert run.time_s(frame) == pytest.approx(simulation.time_s)
    again = Simulation(towel)
    again.restore(run.state())
    assert again.hash() == simulation.hash() and run.checkpoints[-1] == again.steps
    with pytest.raises(cloth_sim.Error, match="frame_0009"):
        run.surfaces(9)
    with pytest.raises(cloth_sim.Error, match=r"no checkpoint after step 3\n.*with one: .*40"):
        run.state(3)


def test_the_binary_writes_the_same_files(towel, tmp_path):
    binary = os.environ.get("CLOTH_SIM_BINARY")
    if binary is None:
        pytest.skip("CLOTH_SIM_BINARY names no program to compare with")
    ours = cloth_sim.run(towel, tmp_path / "ours")
    (tmp_path / "towel.ron").write_text(towel.to_ron())
    line = [binary, "towel.ron", "--out", "theirs", "--quiet"]
    subprocess.run(line, cwd=tmp_path, check=True)
    for frame in ours.frames:
        name = f"frame_{frame:04}.obj"
        assert (ours.path / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()
    for words in (["--help"], ["check", "--help"], ["--version"], ["chekc"], ["missing.ron"]):
        theirs = subprocess.run(["cloth-sim", *words], executable=binary, capture_output=True, text=True)
        own = command(*words)
        assert (own.returncode, own.stdout, own.stderr) == (
            theirs.returncode,
            theirs.stdout,
            theirs.stderr,
        )


def test_what_is_wrong_with_a_run_is_raised(towel, tmp_path):
    cloth_sim.run(towel, tmp_path / "a", frames=1)
    with pytest.raises(cloth_sim.Error, match="pass overwrite=True"):
        cloth_sim.run(towel, tmp_path / "a", frames=1)
    assert cloth_sim.run(towel, tmp_path / "a", frames=2, overwrite=True).frames == range(3)
    with pytest.raises(cloth_sim.Error, match="missing.ron"):
        cloth_sim.run("missing.ron", tmp_path / "b")
    with pytest.raises(cloth_sim.Error, match="the folder is no run"):
        RunFolder(tmp_path)


def test_the_command_has_the_exit_codes_of_the_program(tmp_path):
    shown = command("--version")
    assert (shown.returncode, shown.stdout) == (0, f"cloth-sim {cloth_sim.__version__}\n")
    assert command().returncode == 2
    wrong = command(tmp_path / "missing.ron")
    assert wrong.returncode == 1 and wrong.stderr.startswith("error: ")


def interrupted(process):
    """What the process prints after Ctrl-C. It is killed if it does not end."""
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=20)[0]
    finally:
        process.kill()


LONG = """
    import signal
    import sys
    import cloth_sim
    # A shell starts what runs in the background without it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    scene = cloth_sim.Scene.load(sys.argv[1])
    simulation = cloth_sim.Simulation(scene, threads=1)
    print("begun", flush=True)
    try:
        simulation.run(10**9)
    except KeyboardInterrupt:
        print("ended", simulation.steps > 0, flush=True)
"""


def test_ctrl_c_ends_a_long_run_after_its_step(scenes):
    line = [sys.executable, "-c", textwrap.dedent(LONG), str(scenes / "sheet.ron")]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.3)
        assert interrupted(process) == "ended True\n"


def test_a_signal_ends_the_command_in_order(scenes, tmp_path):
    words = [scenes / "sheet.ron", "--set", "frames=100000", "--threads", "1", "--quiet"]
    line = [sys.executable, "-m", "cloth_sim", *map(str, words), "--out", str(tmp_path / "a")]
    with subprocess.Popen(line, stderr=subprocess.PIPE) as process:
        while not (tmp_path / "a" / "frame_0002.obj").exists():
            assert process.poll() is None
            time.sleep(0.02)
        interrupted(process)
    assert process.returncode == 130
    assert RunFolder(tmp_path / "a").record["status"] == "interrupted"

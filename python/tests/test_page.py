"""The pieces of code of docs/python.md run, one after the other."""

import re

from conftest import ROOT


def test_the_page_runs(tmp_path, monkeypatch):
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    pieces = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    names: dict = {}
    for piece in pieces:
        exec(piece, names)
    assert len(pieces) == 3 and names["simulation"].steps == names["run"].checkpoints[-1]

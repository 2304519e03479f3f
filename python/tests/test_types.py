"""The stubs of the compiled part name what is there, and all of it is described."""

import ast
from pathlib import Path

import pytest
from cloth_sim import _core

STUBS = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text())


def names(body):
    return {it.name for it in body if isinstance(it, ast.FunctionDef)} - {"__new__"}


CLASSES = [it for it in STUBS.body if isinstance(it, ast.ClassDef)]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda it: it.name)
def test_stubs_and_descriptions_are_complete(kind):
    there = vars(getattr(_core, kind.name))
    public = {name for name in there if not name.startswith("_")}
    assert names(kind.body) == public
    assert [name for name in public if not there[name].__doc__] == []

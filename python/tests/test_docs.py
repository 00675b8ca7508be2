"""The examples of the guides, one after another."""

import doctest
import os
import re
import shutil
from pathlib import Path

import pytest

import truename as tn
from conftest import CONCEPTS
from test_models import RECIPE

DOCS = Path(__file__).parents[2] / "docs"
OPTIONAL = ("pandas", "polars", "pyarrow", "datasets", "spacy", "numpy", "pyspark", "daft", "ray", "dask")


@pytest.mark.parametrize("guide", ["python.md", "scale.md"])
def test_the_examples_of_a_guide_are_true(guide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUENAME_CACHE", str(tmp_path / "cache"))
    Path("concepts.csv").write_text(CONCEPTS, encoding="utf-8")
    Path("recipe.toml").write_text(RECIPE)
    names, runner, left_out = {}, doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE), []
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / guide).read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) > 4
    for number, block in enumerate(blocks):
        missing = [
            name for name in OPTIONAL if re.search(rf"\b(import|from) {name}\b", block) and not is_installed(name)
        ]
        if missing:
            left_out.append(number)
            continue
        test = doctest.DocTestParser().get_doctest(block, names, f"block {number}", guide, 0)
        runner.run(test, clear_globs=False)
        names = test.globs
    assert runner.summarize().failed == 0
    assert len(left_out) < len(blocks)


def is_installed(name):
    # Spark is a program of Java.
    if name == "pyspark" and not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        return False
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def test_the_example_of_the_package_is_true():
    assert doctest.testmod(tn).failed == 0


@pytest.mark.parametrize("name", [name for name in tn.__all__ if name != "__version__"])
def test_everything_public_is_described(name):
    thing = getattr(tn, name)
    assert thing.__doc__
    if isinstance(thing, type) and thing.__module__ == "truename":
        for method, value in vars(thing).items():
            assert method.startswith("_") or value.__doc__, f"{name}.{method}"

"""A small knowledge base, and the command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import truename as tn

# Spark would start another Python.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

CONCEPTS = """id,name,synonyms,type
D:1,Fever,pyrexia|fevers|febrile,sign
D:2,"Diabetes Mellitus, Type 2",type 2 diabetes|T2DM|NIDDM,disease
D:3,Myocardial Infarction,heart attack|MI,disease
D:4,Heart Failure,cardiac failure,disease
D:5,Mitral Insufficiency,MI|mitral regurgitation,disease
D:6,Sjögren syndrome,Morbus Sjögren|sicca syndrome,disease
C:1,Aspirin,acetylsalicylic acid|ASA,chemical
C:2,Metformin,,chemical
C:3,Ibuprofen,,chemical
"""

Command = Callable[..., str]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small knowledge base."""
    folder = tmp_path_factory.mktemp("kb")
    (folder / "concepts.csv").write_text(CONCEPTS, encoding="utf-8")
    tn.KnowledgeBase.build([folder / "concepts.csv"], folder / "kb")
    return folder / "kb"


@pytest.fixture(scope="session")
def kb(folder: Path) -> tn.KnowledgeBase:
    """The small knowledge base."""
    return tn.KnowledgeBase.open(folder)


def run(*arguments: object, stdin: str | None = None, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    command = [sys.executable, "-m", "truename", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == code, done.stderr
    return done

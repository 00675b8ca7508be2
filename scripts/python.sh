#!/usr/bin/env bash
# The Python package: builds its wheel and runs its checks, its tests and the notebook in a virtual environment.
# scripts/python.sh [PYTHON]   the interpreter to test with; python3
set -euo pipefail
cd "$(dirname "$0")/../python"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/truename"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$cache/target}"
export TRUENAME_CACHE="${TRUENAME_CACHE:-$cache/kb}"
python="${1:-python3}"
venv="$cache/python-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
wheels="$(mktemp -d)"
trap 'rm -r "$wheels"' EXIT

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
bin="$venv/bin"
"$bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9,<2' ruff mypy typing_extensions pytest hypothesis numpy tqdm nbconvert ipykernel
# Tests of a library are left out where no wheel of it fits the interpreter.
for library in pandas polars pyarrow datasets spacy fsspec aiohttp 'dask[dataframe]' daft 'ray[data]'; do
    "$bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$library" || echo "left out: $library"
done
# Spark has no wheel, and needs Java.
if command -v java >/dev/null; then "$bin/pip" install --quiet --disable-pip-version-check pyspark; else echo "left out: pyspark"; fi

cargo fmt --check
cargo clippy --locked -- -D warnings
"$bin/ruff" check . ../examples
"$bin/ruff" format --check . ../examples
"$bin/maturin" build --release --locked --interpreter "$bin/python" --out "$wheels"
"$bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheels"/*.whl
"$bin/mypy"
# From elsewhere, so that the installed package is the one that is tested.
cd tests
"$bin/python" -m mypy.stubtest truename._truename
"$bin/python" -m pytest --quiet
"$bin/jupyter" nbconvert --log-level ERROR --to notebook --execute --stdout ../../examples/truename.ipynb >/dev/null

#!/usr/bin/env bash
# A cluster of Spark on this machine, two executors of one core: answers are those of one process, whatever fails.
# scripts/spark.sh [PYTHON]   an interpreter with truename and PySpark; that of scripts/python.sh
set -euo pipefail
cd "$(dirname "$0")"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/truename"
python="${1:-$cache/python-$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')/bin/python}"
if ! command -v java >/dev/null || ! "$python" -c "import pyspark" 2>/dev/null; then
    echo "left out, for there is no Java or no PySpark: the cluster of Spark"
    exit
fi
# Executors start the interpreter elsewhere.
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
timeout 300 "$python" "$OLDPWD/spark_cluster.py"

#!/usr/bin/env bash
# Checks `truename serve` by the official schemas of the reconciliation API and by programs that others wrote:
#     scripts/conformance/run.sh [--truename PATH] [--only STEP]… [--without STEP]…
# PATH is the binary; else $TRUENAME, or the release build. Steps, a line of output each (and what failed below it):
#     reconciliation  both versions of the API: official schemas and examples, and what the text of the specifications demands
#     reconciler      a pandas column matched by PyPI `reconciler`
#     cocoda          mappings by npm `cocoda-sdk`
#     openrefine      columns matched in OpenRefine 3.6.2, headless (Debian's package)
#     schemathesis    made-up requests to the own API, by its OpenAPI document: no 5xx, no answer against its schema
# Exit code 1 if a step fails; a step whose tools cannot be installed fails too, unless --without leaves it out.
#
# Installs into ~/.cache/truename/conformance, nothing into the checkout: npm ajv, ajv-formats and cocoda-sdk; a Python
# environment with reconciler (and pandas) and schemathesis. Where they are missing, apt-get installs nodejs, npm,
# python3-venv and openrefine (with a Java runtime).
set -euo pipefail
unset TRUENAME_KB
from=$PWD
cd "$(dirname "$0")"
here=$PWD
cache="${XDG_CACHE_HOME:-$HOME/.cache}/truename/conformance"
modules=$cache/node
python=$cache/python
node_packages="ajv@8.20.0 ajv-formats@3.0.1 cocoda-sdk@3.6.1"
python_packages="reconciler==0.2.2 pandas==3.1.1 numpy==2.4.6 schemathesis==4.32.5"
steps=(reconciliation reconciler cocoda openrefine schemathesis)
schemathesis_examples=60
elsewhere=https://elsewhere.example # the origin of reconciliation/client.mjs

usage() { sed -n '2,9s/^# \?//p' "$here/run.sh" >&2; exit 2; }
known() { [[ " ${steps[*]} " == *" $1 "* ]] || { echo "run.sh: no step $1" >&2; usage; }; }

target=${CARGO_TARGET_DIR:-$here/../../target}
truename=${TRUENAME:-$target/release/truename}
only=() without=()
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || usage
    case $1 in
        --truename) truename=$2 ;;
        --only) known "$2"; only+=("$2") ;;
        --without) known "$2"; without+=("$2") ;;
        *) usage ;;
    esac
    shift 2
done
truename=$(cd "$from" && realpath -e "$truename")
work=$(mktemp -d)
servers=()
end() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null && wait "$server" 2>/dev/null || true; done
    rm -rf "$work"
}
trap end EXIT

wanted() { # STEP
    [[ " ${without[*]} " != *" $1 "* ]] && { [ ${#only[@]} -eq 0 ] || [[ " ${only[*]} " == *" $1 "* ]]; }
}

# Tools

install() { # PACKAGE…
    { apt-get update && apt-get install -y --no-install-recommends "$@"; } >"$work/apt.log" 2>&1 && return
    tail -n 5 "$work/apt.log"
    return 1
}

with_node() {
    command -v npm >/dev/null || install nodejs npm || return 1
    [ "$(cat "$modules/installed" 2>/dev/null)" = "$node_packages" ] && return
    mkdir -p "$modules"
    # shellcheck disable=SC2086
    npm install --prefix "$modules" --no-audit --no-fund --ignore-scripts --silent $node_packages || return 1
    echo "$node_packages" >"$modules/installed"
}

with_python() {
    [ "$(cat "$python/installed" 2>/dev/null)" = "$python_packages" ] && return
    rm -rf "$python"
    python3 -m venv "$python" >/dev/null 2>&1 || { install python3-venv && python3 -m venv "$python"; } || return 1
    # shellcheck disable=SC2086
    "$python/bin/pip" install --quiet --disable-pip-version-check $python_packages || return 1
    echo "$python_packages" >"$python/installed"
}

# Servers

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

serve() { # VARIABLE LOG ARGUMENTS…: starts a server and sets the variable to its address
    local variable=$1 log=$2 port root
    shift 2
    port=$(free_port)
    root=http://127.0.0.1:$port
    (cd "$work" && exec "$truename" serve --port "$port" --judgements "$work/judgements" --allow-origin "$elsewhere" "$@") >"$log" 2>&1 &
    servers+=($!)
    for ((tries = 0; tries < 300; tries++)); do
        if python3 -c "import urllib.request; urllib.request.urlopen('$root/ready')" 2>/dev/null; then
            printf -v "$variable" '%s' "$root"
            return
        fi
        kill -0 "${servers[-1]}" 2>/dev/null || break
        sleep 0.1
    done
    echo "run.sh: truename serve $* does not answer" >&2
    tail -n 20 "$log" >&2
    exit 1
}

# Steps; each prints what failed

reconciliation() {
    with_node && node reconciliation/main.mjs "$modules" "$mesh/reconcile" "$odd/kb/odd/reconcile"
}

reconciler() { with_python && "$python/bin/python" -W ignore reconciler_client.py "$mesh"; }

cocoda() { with_node && node cocoda.mjs "$mesh" "$modules"; }

openrefine() {
    [ -x /usr/share/openrefine/refine ] || install openrefine || return 1
    python3 openrefine.py "$mesh"
}

schemathesis() {
    with_python || return 1
    # Names of knowledge bases that are made up would all be answered 404.
    printf '[parameters]\n"query.kb" = "mesh"\n' >"$work/schemathesis.toml"
    (cd "$work" && timeout 120 "$python/bin/schemathesis" --config-file schemathesis.toml --no-color run "$mesh/openapi.json" \
        --seed 1 --max-examples $schemathesis_examples --phases examples,coverage,fuzzing \
        --generation-database none --request-timeout 20 --warnings off \
        --checks not_a_server_error,response_schema_conformance,status_code_conformance,content_type_conformance)
}

# The second server has two knowledge bases, of which the second is asked.
head -n 1 reconciliation/odd.jsonl | sed 's/EX:/FIRST:/g' >"$work/first.jsonl"
"$truename" --quiet kb import "$work/first.jsonl" --out "$work/first" >/dev/null
"$truename" --quiet kb import reconciliation/odd.jsonl --out "$work/odd" >/dev/null
serve mesh "$work/mesh.log"
serve odd "$work/odd.log" --kb "first=$work/first" --kb "odd=$work/odd"

failed=0
for step in "${steps[@]}"; do
    if ! wanted "$step"; then
        echo "$step: left out"
        continue
    fi
    start=$SECONDS
    if "$step" >"$work/$step.out" 2>&1; then
        echo "$step: ok ($((SECONDS - start)) s)"
    else
        echo "$step: FAILED ($((SECONDS - start)) s)"
        sed 's/^/    /' "$work/$step.out"
        failed=1
    fi
done
for log in mesh odd; do
    if grep -qE 'panicked|ERROR' "$work/$log.log"; then
        echo "log of the server: FAILED"
        grep -E 'panicked|ERROR' "$work/$log.log" | head -n 20 | sed 's/^/    /'
        failed=1
    fi
done
exit $failed

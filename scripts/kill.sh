#!/usr/bin/env bash
# Kills truename at random moments and checks the state that is left: scripts/kill.sh [KILLS] [SEED]
# Each of import, import --force, update, embed, another encoder and train gets a sixth of KILLS (default 1,000). After a
# kill the knowledge base must answer as before the command or as after it, byte for byte. A killed training must, when
# resumed, reach the weights of an unbroken one; half of its kills are aimed at its first checkpoint and at its weights, of a
# run with evaluation, of one without and of a chain. `match --resume` and `link --resume` get a twelfth each besides: what is killed
# several times must end in the file of an unbroken run. The binary is $TRUENAME, or the release build.
set -euo pipefail
cd "$(dirname "$0")/.."
kills=${1:-1000}
RANDOM=${2:-1}
target=${CARGO_TARGET_DIR:-$PWD/target}
truename=$(realpath "${TRUENAME:-$target/release/truename}")
models=$PWD/crates/truename-infer/tests/models
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() { echo "kill.sh: $*" >&2; exit 1; }
now() { date +%s%N; }
run() { "$truename" --quiet "$@" 2>>log || { tail -n 5 log >&2; fail "failed: $*"; }; }

concepts() { # VERSION
    awk -v version="$1" 'BEGIN { for (n = 0; n < 3000; n++)
        printf "{\"id\":\"C%d\",\"name\":\"thing %d of %s\",\"synonyms\":[\"%s item %d\"]}\n", n, n, version, version, n }'
}

answers() { # STORE [ENCODER]: a digest of all concepts and of the answers to some names, or `none`
    [ -e "$1/data.mdb" ] || { echo none; return; }
    { run kb export --kb "$1"; run match names.txt --kb "$1" --format jsonl --top 5 ${2:+--encoder "$2"}; } | md5sum
}

# Runs a command and kills it after a random share, up to 1.1, of its usual running time.
killed() { # NANOSECONDS ARGUMENTS…
    local whole=$1
    shift
    "$truename" --quiet "$@" >/dev/null 2>>log &
    local process=$!
    sleep "$(awk -v whole="$whole" -v share="$RANDOM" 'BEGIN { printf "%.4f", 1.1 * whole * share / 32768 / 1e9 }')"
    kill -KILL "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
}

# Repeatedly kills the command ARGUMENTS, which turns a copy of BEFORE (or nothing) into AFTER.
battle() { # NAME BEFORE AFTER NANOSECONDS OLD_ENCODER NEW_ENCODER ARGUMENTS…
    local name=$1 before=$2 after=$3 whole=$4 old_encoder=$5 new_encoder=$6 old new is old_left=0 new_there=0
    shift 6
    old=$(answers "$before" "$old_encoder")
    new=$(answers "$after" "$new_encoder")
    for ((n = 0; n < kills / 6; n++)); do
        rm -rf st
        [ ! -e "$before" ] || cp -r "$before" st
        killed "$whole" "$@"
        is=$(answers st "$new_encoder" 2>/dev/null) || is=
        if [ "$is" = "$new" ]; then
            new_there=$((new_there + 1))
        else
            is=$(answers st "$old_encoder")
            [ "$is" = "$old" ] || fail "$name: neither the state before nor that after, kill $n"
            old_left=$((old_left + 1))
        fi
        # The same command still does its work.
        if ((n % 10 == 0)); then
            [ "$name" != import ] || rm -rf st
            run "$@" >/dev/null
            [ "$(answers st "$new_encoder")" = "$new" ] || fail "$name: other answers when run again, kill $n"
        fi
    done
    printf '%-16s %5d kills: %5d left the state before, %5d that after\n' "$name" $((kills / 6)) $old_left $new_there
}

measured() { # VARIABLE ARGUMENTS…
    local variable=$1 start
    shift
    start=$(now)
    run "$@" >/dev/null
    printf -v "$variable" '%d' $(($(now) - start))
}

concepts old >old.jsonl
concepts new >new.jsonl
{ head -n 1000 new.jsonl; echo '{"id":"C2999","removed":true}'; } >some.jsonl
seq -f 'thing %g of old' 0 97 2900 >names.txt
seq -f 'new itm %g' 0 97 2900 >>names.txt

run kb import old.jsonl --out warm-up
measured time_import kb import old.jsonl --out st
cp -r st was
measured time_replace kb import new.jsonl --out st --force
cp -r st replaced
rm -rf st && cp -r was st
measured time_update kb update some.jsonl --replace --kb st
cp -r st updated
rm -rf st && cp -r was st
measured time_embed kb embed --kb st --encoder "$models/bert"
cp -r st embedded
measured time_other kb embed --kb st --encoder "$models/mpnet"
cp -r st other
battle import nothing was "$time_import" "" "" kb import old.jsonl --out st
battle "import --force" was replaced "$time_replace" "" "" kb import new.jsonl --out st --force
battle update was updated "$time_update" "" "" kb update some.jsonl --replace --kb st
battle embed was embedded "$time_embed" "" "$models/bert" kb embed --kb st --encoder "$models/bert"
battle "another encoder" embedded other "$time_other" "$models/bert" "$models/mpnet" kb embed --kb st --encoder "$models/mpnet"

# Kills a command with --resume several times at random moments, and lets it finish.
resumptions() { # NAME KILLS OUT ARGUMENTS…
    local name=$1 count=$2 out=$3 broken=0 runs=0 whole
    shift 3
    measured whole "$@" --out "whole-$out"
    while ((broken < count)); do
        rm -f "$out" "$out.partial" "$out.resume"
        for ((n = RANDOM % 4; n < 4; n++)); do
            killed "$whole" "$@" --out "$out" --resume
            broken=$((broken + 1))
        done
        run "$@" --out "$out" --resume
        cmp -s "$out" "whole-$out" || fail "$name: another file after $broken kills"
        [ ! -e "$out.partial" ] && [ ! -e "$out.resume" ] || fail "$name: remains after $broken kills"
        runs=$((runs + 1))
    done
    printf '%-16s %5d kills: %5d runs, all with the file of an unbroken one\n' "$name" $broken $runs
}

awk 'BEGIN { print "n,name"; for (n = 0; n < 60000; n++) printf "%d,thng %d of old\n", n, n % 40000 }' >many.csv
awk 'BEGIN { for (n = 0; n < 60000; n++) printf "thing %d of old, and old item %d.\n", n % 3000, n % 2999 }' >many.txt
resumptions match $((kills / 12)) many-out.csv match many.csv --kb was
resumptions link $((kills / 12)) many-out.jsonl link many.txt --lines --kb was

# Runs a command and kills it as soon as it writes FILE, which may have been there before, or some milliseconds later.
killed_at() { # FILE ARGUMENTS…
    local file=$1 milliseconds=$((RANDOM % 8))
    shift
    touch started
    "$truename" --quiet "$@" >/dev/null 2>>log &
    local process=$!
    while kill -0 "$process" 2>/dev/null && [ ! "$file" -nt started ]; do :; done
    ((milliseconds > 3)) || sleep "0.00$milliseconds"
    kill -KILL "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
}

weights() { (cd "$1" && find . -name model.safetensors -not -path '*/checkpoint*' | sort | xargs md5sum); }

# Kills each run of a recipe several times, when it writes one of FILES in its folder or, without any, at random moments; then lets
# it finish.
trainings() { # NAME KILLS RECIPE FILES…
    local name=$1 count=$2 recipe=$3 broken=0 runs=0 whole
    shift 3
    local files=("$@")
    local train=(train "$recipe" --kb few.jsonl --encoder "$models/bert" --resume)
    rm -rf whole
    measured whole "${train[@]}" --out whole
    while ((broken < count)); do
        rm -rf run
        for ((n = RANDOM % 4; n < 4; n++)); do
            if ((${#files[@]} == 0)); then
                killed "$whole" "${train[@]}" --out run
            else
                killed_at "run/${files[RANDOM % ${#files[@]}]}" "${train[@]}" --out run
            fi
            broken=$((broken + 1))
        done
        run "${train[@]}" --out run >/dev/null
        [ "$(weights run)" = "$(weights whole)" ] || fail "$name: other weights after $broken kills"
        runs=$((runs + 1))
    done
    printf '%-16s %5d kills: %5d runs, all with the weights of an unbroken one\n' "$name" $broken $runs
}

head -n 40 old.jsonl >few.jsonl
recipe() { # PREFIX SHARE: the sections of a run, those of a chain with a prefix
    cat <<RECIPE
[$1task]
kind = "groups"
[$1sampler]
group = 2
groups = 8
[$1schedule]
epochs = 6
[$1evaluation]
share = $2
RECIPE
}
{ recipe "" 0.2; printf '[ranker]\nfolds = 2\n'; } >evaluated.toml
recipe "" 0 >plain.toml
{
    printf '[task]\nkind = "chain"\n[chain]\nruns = ["first", "second"]\n'
    recipe run.first. 0
    recipe run.second. 0.2
    printf '[run.second.encoder]\nfrom = "run:first"\n'
} >chain.toml
moments=(checkpoint.new checkpoint run.json model.safetensors.new model.safetensors config.json)
trainings train $((kills / 12)) evaluated.toml
trainings "train, aimed" $((kills / 36)) evaluated.toml "${moments[@]}" "${moments[@]/#/folds/0/}"
trainings "train, no scores" $((kills / 36)) plain.toml "${moments[@]}"
trainings "train, a chain" $((kills / 36)) chain.toml "${moments[@]/#/first/}" "${moments[@]/#/second/}"

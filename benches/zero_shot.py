"""Types that a recognizer has not learnt: `recipes/binder-biomedical.toml` without one type, which is then asked for by its description.

    python3 benches/zero_shot.py --data DIR --encoder MODEL --out RUNS [--without TYPE …] [--steps N] [--threads N] [--truename PATH]

Each model learns for the same steps; one learns all types. Strict F1 of the type on the development part of BC5CDR, whose texts no model has
learnt from. A row that is there already (RUNS/*.scores.json) is not measured again. The sources of the data stand in benches/data.md.
"""

import argparse
import json
import tomllib
from pathlib import Path

import recognition
from adapters import call, recipe

RECIPE = recipe("binder-biomedical")
TYPES = ["Chemical", "Disease"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--without", nargs="*", choices=TYPES, default=TYPES)
    parser.add_argument("--steps", type=int, default=450)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--truename", default="truename")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    gold = arguments.data / "bc5cdr" / "CDR_DevelopmentSet.PubTator.txt.gz"
    descriptions = tomllib.loads(RECIPE.read_text())["types"]
    for left_out in [None, *arguments.without]:
        run = trained(arguments, left_out)
        for kind in [left_out] if left_out else arguments.without:
            scores = arguments.out / f"{run.name}-{kind}.scores.json"
            if not scores.exists():
                asked = f"{kind}: {descriptions[kind]}"
                command = ["evaluate", "mentions", "--gold", gold, "--gold-type", kind, "--recognizer", run, "--entity-type", asked]
                call(arguments, [*command, "--json", scores])
            strict = json.loads(scores.read_text())["mentions"]["strict"]
            row = " ".join(f"{100 * strict[key]:6.2f}" for key in ["precision", "recall", "f1"])
            print(f"{kind:10} {'not learnt' if left_out else 'learnt':12} {row}", flush=True)


def trained(arguments, left_out):
    """The folder of a model that learns all types but one."""
    run = arguments.out / f"without-{left_out or 'none'}"
    if (run / "config.json").exists():
        return run
    blurb = arguments.data / "blurb-ner"
    files = {
        "CDR_TrainingSet.PubTator.txt": arguments.data / "bc5cdr" / "CDR_TrainingSet.PubTator.txt.gz",
        "NCBI-disease-IOB/train.tsv": blurb / "NCBI-disease-IOB" / "train.tsv.gz",
        "BC2GM-IOB/train.tsv": blurb / "BC2GM-IOB" / "train.tsv.gz",
        "JNLPBA/train": recognition.jnlpba(blurb / "JNLPBA", arguments.out)["files"]["train"],
    }
    corpora = []
    for corpus in tomllib.loads(RECIPE.read_text())["data"]["train"]:
        named = corpus["types"] if isinstance(corpus["types"], dict) else {kind: kind for kind in corpus["types"]}
        types = {own: kind for own, kind in named.items() if kind != left_out}
        if types:
            corpora.append(f"{{path = {json.dumps(str(files[corpus['path']]))}, types = {inline(types)}}}")
    settings = [f"data.train=[{', '.join(corpora)}]", "data.dev=[]", "data.dev_share=0.02", *([f"types.{left_out}="] if left_out else [])]
    settings += [f"schedule.max_steps={arguments.steps}", 'evaluation.keep="last"']
    changes = [part for setting in settings for part in ("--set", setting)]
    call(arguments, ["train", RECIPE, "--encoder", arguments.encoder, "--out", run, "--resume", *changes])
    return run


def inline(table):
    return "{" + ", ".join(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in table.items()) + "}"


if __name__ == "__main__":
    main()

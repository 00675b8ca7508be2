"""Adapters of synonyms (PICSO, tables 8 and 9) in the tasks that fine-tune or use an encoder, beside their backbone.

    python3 benches/adapters.py --data DIR --encoder MODEL --corpora CORPORA --out RUNS [--variant NAME …] [--task NAME …]
        [--seeds N] [--words WORDS] [--steps N] [--task-steps N] [--threads N] [--truename PATH]

CORPORA has the two folders that `benches/synonyms.py` makes. Each variant is one adapter of the general sentences, but for those with the biomedical one,
trained for `--steps` steps of the recipe `recipes/picso.toml`. Then each task learns for `--task-steps` steps, the same for every variant, and is scored with
the weights of the last step, with `--seeds` seeds of which mean and standard deviation are printed: F1 of pairs of records (the test part; of WDC computers the valid part), the tasks of `benches/glue.py`. LexMTurk learns
nothing: WordNet's synonyms ranked by word frequencies and the encoder; WORDS has the `frequencies.tsv` of `benches/simplify.py`. What is there already is not
run again.
"""

import argparse
import json
import subprocess
import time
from pathlib import Path
from statistics import mean, stdev

import glue
import prompt_bioel
import records

# Keys of both adapters, or of the general one, behind those of the recipe.
SCHEDULE = ["sampler.batch=128", "sampler.window=32", "schedule.learning_rate=1e-3"]
UNTRAINED = ["schedule.max_steps=1", "schedule.learning_rate=1e-9"]
PER_POSITIVE, DISTINCT = "objective.per_positive=true", "sampler.distinct=true"
CHANGES = {
    "picso": [],
    "untrained": UNTRAINED,
    "zero": [*UNTRAINED, "adapter.initial_deviation=0"],
    "wide": ["adapter.initial_deviation=0.02"],
    "per-positive": [PER_POSITIVE],
    "distinct": [DISTINCT],
    "per-positive-distinct": [PER_POSITIVE, DISTINCT],
    "no-mask": ["adapter.entity_aware=false"],
    "triplet": ['objective.loss="triplet"', "objective.temperature=", "objective.prior=", "objective.margin=0.3"],
    "info-nce": ['objective.loss="info-nce"', "objective.prior="],
}
FREEZE = ["encoder.freeze_adapters=true"]
# The folder of adapters and those of it that are used; in tasks, keys behind those of the task.
VARIANTS = {
    "backbone": (None, None),
    "both": ("picso/biomedical", "general,biomedical"),
    "general": ("picso/general", "general"),
    "biomedical": ("picso/biomedical", "biomedical"),
    "general-frozen": ("picso/general", "general", FREEZE),
    "untrained": ("untrained/general", "general"),
    "untrained-frozen": ("untrained/general", "general", FREEZE),
    "zero": ("zero/general", "general"),
    "wide": ("wide/general", "general"),
    "per-positive": ("per-positive/general", "general"),
    "distinct": ("distinct/general", "general"),
    "per-positive-distinct": ("per-positive-distinct/general", "general"),
    "no-mask": ("no-mask/general", "general"),
    "triplet": ("triplet/general", "general"),
    "info-nce": ("info-nce/general", "general"),
}
GLUE = list(glue.TASKS)
# The train part and the part that is scored of pairs of records.
PRODUCTS = {"cameras": "train.txt.medium", "shoes": "train.txt.medium.gz", "watches": "train.txt.medium.gz"}
PAIRS = records.SETS | {f"WDC {of}": (f"wdc-lspc/{of}/{train}", f"wdc-lspc/{of}/valid.txt.medium") for of, train in PRODUCTS.items()}
TASKS = ["WDC computers", "STS-B", "LexMTurk", *[name for name in PAIRS if name != "WDC computers"], "CoLA", "MRPC", "RTE", "SST-2", "WNLI"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", type=Path)
    parser.add_argument("--variant", nargs="*", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--task", nargs="*", choices=TASKS, default=TASKS[:3])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--task-steps", type=int, default=120)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--truename", default="truename")
    arguments = parser.parse_args()
    for variant in arguments.variant:
        model, adapter = adapters(arguments, variant)
        for task in arguments.task:
            rows = [measured(arguments, variant, task, model, adapter, seed) for seed in range(1 if task == "LexMTurk" else arguments.seeds)]
            of = {name: [100 * row["scores"][name] for row in rows] for name in rows[0]["scores"]}
            scores = ", ".join(f"{name} {mean(values):.2f}" + (f" ± {stdev(values):.2f}" if len(values) > 1 else "") for name, values in of.items())
            print(f"{task:14} {variant:16} {scores}; {sum(row['minutes'] for row in rows):.1f} min", flush=True)


def measured(arguments, variant, task, model, adapter, seed):
    """The scores of a task with a seed, and its minutes."""
    file = arguments.out / variant / f"seed-{seed}" / f"{task}.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        begun = time.time()
        measure = glued if task in GLUE else simplified if task == "LexMTurk" else paired
        keys = [f"seed={seed}", *(VARIANTS[variant][2:] or [[]])[0]]
        scores = measure(arguments, file.parent, task, model, adapter, keys)
        file.write_text(json.dumps({"scores": scores, "minutes": (time.time() - begun) / 60}))
    return json.loads(file.read_text())


def adapters(arguments, variant):
    """The model folder of a variant, trained unless it is there, and the names of its adapters."""
    folder, names = VARIANTS[variant][:2]
    if not folder:
        return arguments.encoder, None
    of, last = folder.split("/")
    out = arguments.out / "adapters" / of
    changes = [*SCHEDULE, f"schedule.max_steps={arguments.steps}", *CHANGES[of]]
    runs = ["general"] if last == "general" else ["general", "biomedical"]
    if not (out / last / "run.json").exists():
        command = ["train", recipe("picso"), "--encoder", arguments.encoder, "--out", out, "--resume", "--set", f"chain.runs={json.dumps(runs)}"]
        for run in ["general", "biomedical"]:
            keys = [f'data.sentences=["{(arguments.corpora / run).resolve()}"]', *changes] if run in runs else [""]
            command += [part for key in keys for part in ("--set", f"run.{run}.{key}" if key else f"run.{run}=")]
        call(arguments, command)
    return out / last, names


def paired(arguments, out, task, model, adapter, keys):
    """F1 of a classifier of pairs, by the evaluation that ends its run."""
    train, gold = (arguments.data / path for path in PAIRS[task])
    run = out / task.replace(" ", "-")
    command = ["train", recipe("record-pairs"), "--encoder", model, "--out", run, "--resume", "--set", 'classes.marking="key"', "--set", f'data.train=["{train.resolve()}"]']
    command += ["--set", f"schedule.max_steps={arguments.task_steps}", "--set", "evaluation.every=100", "--set", 'evaluation.keep="last"', "--set", f'data.dev=["{gold.resolve()}"]']
    command += [part for key in keys for part in ("--set", key)]
    call(arguments, [*command, *(["--adapter", adapter] if adapter else [])])
    return {"f1": prompt_bioel.evaluation(run)["f1"]}


def glued(arguments, out, task, model, adapter, keys):
    settings = [f"schedule.max_steps={arguments.task_steps}", 'classes.marking="shared"', *keys]
    of = {"data": arguments.data / "glue", "encoder": str(model), "adapter": adapter, "set": settings}
    of |= {"truename": arguments.truename, "threads": arguments.threads}
    (out / "glue").mkdir(exist_ok=True)
    row = glue.measured(argparse.Namespace(**of), out / "glue", task)
    return {name: row["scores"][name] for name in glue.TASKS[task][1]}


def simplified(arguments, out, task, model, adapter, _):
    gold, scores = arguments.data / "lexical-simplification" / "lex.mturk.txt", out / f"{task}.scores.json"
    command = ["evaluate", "substitutes", "--gold", gold, "--encoding", "windows-1252", "--synonyms", arguments.data / "synonyms-wordnet"]
    command += ["--frequencies", arguments.words / "frequencies.tsv", "--encoder", model, "--json", scores]
    call(arguments, [*command, *(["--adapter", adapter] if adapter else [])])
    found = json.loads(scores.read_text())
    return {key: found[key] for key in ["precision", "recall", "f1", "accuracy"]}


def recipe(name):
    return Path(__file__).parent.parent / "recipes" / f"{name}.toml"


def call(arguments, command):
    command = [arguments.truename, "-q", "--threads", arguments.threads, *map(str, command)]
    subprocess.run(["nice", "-n", "5", *command], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()

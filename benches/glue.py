"""Six tasks of GLUE by the recipes `recipes/glue-*.toml`, scored on their development parts by `truename evaluate classes`.

    python3 benches/glue.py --data DIR --encoder MODEL --out RUNS [--adapter NAMES] [--only TASK …] [--set KEY=VALUE …]
        [--truename BIN] [--threads N]

DIR has a folder a task (CoLA, MRPC, RTE, SST-2, STS-B, WNLI) with train.tsv and dev.tsv, plain or gzipped, as GLUE has them. The score of a task is
that of GLUE: Matthews' correlation for CoLA, accuracy and F1 for MRPC, Pearson's and Spearman's correlation for STS-B, else accuracy. The mean is
that of the tasks without WNLI, of several scores of a task their mean. The weights are those of the last step: none is chosen by the part it is scored on. A
row that is there already (RUNS/TASK.json) is not run again.
"""

import argparse
import json
import subprocess
from pathlib import Path

TASKS = {
    "CoLA": ("cola", ["matthews"]),
    "MRPC": ("mrpc", ["accuracy", "f1"]),
    "RTE": ("rte", ["accuracy"]),
    "SST-2": ("sst2", ["accuracy"]),
    "STS-B": ("stsb", ["pearson", "spearman"]),
    "WNLI": ("wnli", ["accuracy"]),
}
# The files of CoLA have no header.
LAYOUT = {"CoLA": ["--no-header", "--first", "4", "--label", "2"]}


def main():
    arguments = parse()
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    print(f"{'task':8}{'score':>10}{'minutes':>10}  scores", flush=True)
    rows = {}
    for task in arguments.only or TASKS:
        row = rows[task] = measured(arguments, out, task)
        scores = ", ".join(f"{name} {100 * row['scores'][name]:.2f}" for name in TASKS[task][1])
        print(f"{task:8}{100 * mean(task, row):10.2f}{row['seconds'] / 60:10.1f}  {scores}; {row['texts']} texts", flush=True)
    counted = [mean(task, row) for task, row in rows.items() if task != "WNLI"]
    if counted:
        print(f"{'mean':8}{100 * sum(counted) / len(counted):10.2f}{'':10}  of {len(counted)} tasks, without WNLI")


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--adapter", help="adapters of the model to use, for `truename train`")
    parser.add_argument("--only", nargs="*", choices=TASKS)
    parser.add_argument("--set", nargs="*", default=[])
    parser.add_argument("--truename", default="truename")
    parser.add_argument("--threads", default="1")
    return parser.parse_args()


def mean(task, row):
    """The score of a task: the mean of its scores, as GLUE counts it."""
    names = TASKS[task][1]
    return sum(row["scores"][name] for name in names) / len(names)


def measured(arguments, out, task):
    """Trains a task and scores it, unless its row is there."""
    row_file = out / f"{task}.json"
    if row_file.exists():
        return json.loads(row_file.read_text())
    name, _ = TASKS[task]
    train, dev = (part(Path(arguments.data) / task, file) for file in ["train", "dev"])
    recipe = Path(__file__).parent.parent / "recipes" / f"glue-{name}.toml"
    settings = [f"data.train={json.dumps([train])}", f"data.dev={json.dumps([dev])}", *arguments.set]
    settings = [piece for setting in settings for piece in ("--set", setting)]
    adapter = ["--adapter", arguments.adapter] if arguments.adapter else []
    run, scores = out / task, out / f"{task}.scores.json"
    call(arguments, ["train", recipe, "--encoder", arguments.encoder, *adapter, "--out", run, "--resume", *settings])
    layout = LAYOUT.get(task, [])
    call(arguments, ["evaluate", "classes", "--gold", dev, "--model", run, "--json", scores, *layout])
    report = json.loads(scores.read_text())
    row = {"seconds": json.loads((run / "run.json").read_text())["seconds"], "texts": report["texts"], "set": arguments.set}
    row |= {"encoder": arguments.encoder, "adapter": arguments.adapter, "threads": arguments.threads, "truncated": report["truncated"]}
    row["scores"] = {key: value for key, value in report.items() if isinstance(value, float)}
    row_file.write_text(json.dumps(row, indent=1))
    return row


def part(folder, name):
    """The absolute path of a part: recipes count paths from their own folder."""
    for ending in [".tsv", ".tsv.gz"]:
        if (folder / f"{name}{ending}").exists():
            return str((folder / f"{name}{ending}").resolve())
    raise SystemExit(f"there is no {folder / name}.tsv")


def call(arguments, command):
    command = [arguments.truename, "-q", "--threads", arguments.threads, *map(str, command)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()

"""Accuracy at 1 of CoSiNES's encoder by epoch, mean and standard deviation over the folds of ESAppMod (CoSiNES, figures 3 and 4).

    truename-bench esappmod --data DIR --dump CASES
    python3 benches/mining.py --cases CASES --encoder MODEL --out RUNS [--epochs 20] [--folds 5] [--truename PATH]

Trains `recipes/cosines-paper.toml` with hybrid mining at three learning rates, then with batch-all and batch-hard at the rate whose last epoch
is the best. The weights of no epoch are chosen by the names asked for. Writes RUNS/mining.tsv and, with matplotlib, RUNS/mining.svg. A run that
is there is not made again: the same command goes on. An epoch takes about 25 s on two cores.
"""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

RATES = ["1e-4", "5e-5", "1e-5"]


def main():
    arguments = parse()
    rows = {f"hybrid, {rate}": by_fold(arguments, "hybrid", rate) for rate in RATES}
    best = max(RATES, key=lambda rate: statistics.mean(fold[-1] for fold in rows[f"hybrid, {rate}"]))
    rows |= {f"{mining}, {best}": by_fold(arguments, mining, best) for mining in ["batch-all", "batch-hard"]}
    table = {name: [spread(epoch) for epoch in zip(*folds)] for name, folds in rows.items()}
    with (arguments.out / "mining.tsv").open("w") as file:
        print("epoch", *table, sep="\t", file=file)
        for epoch, row in enumerate(zip(*table.values()), 1):
            print(epoch, *(f"{mean:.2f} ± {deviation:.2f}" for mean, deviation in row), sep="\t", file=file)
    print((arguments.out / "mining.tsv").read_text(), end="")
    draw(table, arguments.out / "mining.svg")


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--truename", default="truename")
    return parser.parse_args()


def by_fold(arguments, mining, rate):
    """Accuracy at 1 after each epoch, in percent, a list a fold."""
    return [accuracies(arguments, fold, mining, rate) for fold in range(arguments.folds)]


def accuracies(arguments, fold, mining, rate):
    out = arguments.out / f"fold-{fold}-{mining}-{rate}"
    kb, gold = (with_header(arguments, fold, *file) for file in [("kb.tsv", "id\tname"), ("gold.tsv", "name\tid")])
    settings = [f"schedule.epochs={arguments.epochs}", f"schedule.learning_rate={rate}", f"objective.mining={mining}"]
    settings.append(f"evaluation.names=[{json.dumps(str(gold))}]")
    command = ["train", "recipes/cosines-paper.toml", "--kb", kb, "--encoder", arguments.encoder, "--out", out, "--resume"]
    settings = [part for setting in settings for part in ("--set", setting)]
    subprocess.run([arguments.truename, "-q", *command, *settings], check=True, stdout=subprocess.DEVNULL)
    metrics = map(json.loads, (out / "metrics.jsonl").open())
    return [100 * metric["scores"]["acc@1"] for metric in metrics if metric["kind"] == "evaluation"]


def with_header(arguments, fold, name, header):
    """A file of a case, with a first line that names its columns."""
    file = arguments.out / f"fold-{fold}-{name}"
    arguments.out.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{header}\n" + (arguments.cases / f"esappmod-{fold}" / name).read_text())
    return file.resolve()


def spread(values):
    return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def draw(table, path):
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    for name, points in table.items():
        means, deviations = zip(*points)
        pyplot.errorbar(range(1, len(points) + 1), means, yerr=deviations, capsize=2, label=name)
    pyplot.xlabel("epoch")
    pyplot.ylabel("accuracy at 1 (%)")
    pyplot.legend()
    pyplot.savefig(path)


if __name__ == "__main__":
    main()

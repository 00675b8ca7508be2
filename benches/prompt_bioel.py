"""Linking in context (Prompt-BioEL): `recipes/prompt-bioel.toml`, whole, and the chain of `prompt-bioel-retriever.toml` with its variants.

    python3 benches/prompt_bioel.py --data DIR --encoder MODEL --out RUNS [--only SET …] [--row ROW …]
        [--set KEY=VALUE …] [--threads N] [--truename PATH]

Makes the knowledge base of each set, trains the runs of each row and scores mentions whose places are given. A run or row that is there
(RUNS/SET/ROW.json) is not made again, a broken one goes on. Weights and mappings are chosen on the development part (NCBI) or on a
tenth of the train part (BC5CDR); the part that is reported chooses nothing. The sources of the data stand in benches/data.md.

Row "whole" trains the encoder in context and the re-ranker by the recipe's own schedule, and scores the encoder's vectors alone (by cosines
among the candidates), the encoder with the ranker, and both with the re-ranker. The other rows shorten their schedules alike.

The retriever, and rows with its candidates alone, are scored by the evaluation that ends their run, over mentions of one concept that the
knowledge base has, with the weights of the last step. All others are scored by `truename link --mentions`: `all` counts every mention with an id,
of a composite one any of its ids; `single` leaves out composite mentions and those whose ids the knowledge base lacks.

"ncbi, processed" asks the models of "ncbi" for the mentions that BioSyn's authors prepared (lower case, abbreviations written out, spelling
corrected), put into their texts, with their dictionary: MEDIC with the names of the train and dev parts. Of a composite mention, each part
has to find one of the ids. "ncbi, train names" asks the same models over MEDIC with the names of the train part.

"wiki, fold 1" and "wiki, fold 2" learn the documents of WIKI in even or odd places, by sorted docName, and report the others. The concepts are
the titles that the annotations of all sets link to and the candidates of AIDA. They have no synonyms to align: row "no-alignment".
"""

import argparse
import gzip
import html
import json
import os
import re
import shutil
import subprocess
import tarfile
import time
import urllib.parse
from collections import defaultdict
from pathlib import Path

import synonyms

RECIPES = Path(__file__).parent.parent / "recipes"
# Steps and highest rates for one thread of a busy machine, a few minutes of the processor a run. The recipe's own are for hours.
STEPS = {
    "aligned": {"max_steps": 60, "learning_rate": 3e-5},
    "retriever": {"max_steps": 170, "learning_rate": 1e-4},
    "pretrained": {"max_steps": 40, "learning_rate": 3e-4},
    "reranker": {"max_steps": 220, "learning_rate": 5e-5},
}
RETRIEVER = {"window": 64, "concept_tokens": 20}
NEGATIVES = {"count": 31}
PROMPT = {"window": 144, "name_tokens": 16, "batch": 16}

PAPER = {"ncbi": "92.6 / 95.8", "bc5cdr": "93.7 / 96.6", "wiki": "no comparable figure"}
ROWS = ["letters", "names", "whole", "chain", "cloze", "cross", "pretraining", "no-alignment"]
# Rows of names alone, or with the encoder in context, with flags of `link`.
NAMES = {"letters": ["--no-context", "--encoder", "none"], "names": ["--no-context"], "in-context": ["--encode-in-context"]}
# Rows that train a retriever of their own.
WHOLE = ["chain", "no-alignment"]
# Rows of the chain's models, or those of `--of`, with flags of `link`; "every-name" re-ranks the names too that the ranker is sure of.
SWITCHES = {"every-name": [], "one-sense": ["--one-sense"], "neighbours": ["--neighbours", "1"], "typed": ["--typed"]}
TITLES = {
    "letters": "names alone, by letters",
    "names": "names alone, with the encoder",
    "in-context": "mentions encoded in their sentences",
    "encoder": "encoder in context, with the ranker",
    "whole": "encoder in context, re-ranker",
    "retriever": "retriever",
    "cross": "retriever, cross-encoder",
    "cloze": "retriever, cloze re-ranker",
    "chain": "the whole chain",
    "pretraining": "with masked pretraining",
    "no-alignment": "without self-alignment",
    "every-name": "the chain, certain names re-ranked too",
    "one-sense": "the chain, one sense a document",
    "neighbours": "the chain, with neighbours",
    "typed": "the chain, with types",
}


def main():
    arguments = parse()
    for name in arguments.only or CASES:
        out = Path(arguments.out) / name.replace(", ", "-").replace(" ", "-")
        out.mkdir(parents=True, exist_ok=True)
        case = CASES[name](arguments, out)
        print(f"\n{name}: {case['note']}; the paper has {PAPER[name.split(',')[0]]}", flush=True)
        for row in arguments.row or case.get("rows", ROWS):
            for title, report in measured(arguments, out, case, row):
                print(line(title, report), flush=True)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--row", nargs="*", choices=[*ROWS, "in-context", *SWITCHES])
    parser.add_argument("--of", default="chain", help="the row whose models the rows of switches ask")
    parser.add_argument("--set", nargs="*", default=[], help="keys of a run of the chain, such as run.reranker.schedule.max_steps=100")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--truename", default="truename")
    return parser.parse_args()


def line(title, report):
    found = []
    for part in ["all", "single"]:
        if part in report:
            first, fifth, count = report[part]
            found.append(f"{part} {first:.2f}" + (f" / {fifth:.2f}" if fifth is not None else "") + f" of {count:,}")
    found += [f"{key} {value}" for key, value in report.get("recall", {}).items()]
    if "reranked" in report:
        found.append(f"{report['reranked']:,} re-ranked")
    if report.get("minutes"):
        found.append(f"{report['minutes']:.1f} min ({report['processor_minutes']:.1f} of the processor), {report['mib']:,} MiB")
    return f"{title:52}" + "; ".join(found)


# Rows


def measured(arguments, out, case, row):
    """Trains and scores a row, unless it is there; yields titles with reports."""
    file = out / f"{row}.json"
    if not file.exists():
        measure = names if row in NAMES else switched if row in SWITCHES else whole if row == "whole" else trained
        reports = measure(arguments, out, case, row)
        file.write_text(json.dumps(reports, indent=1))
    for title, report in json.loads(file.read_text()).items():
        yield TITLES.get(title, title), report


def names(arguments, out, case, row):
    answers = linked(arguments, out, case, case["kb"], row, *NAMES[row], top=64)
    found = {f"candidates, {row}: {name}": {"recall": recall} for name, recall in recalls(answers).items()}
    return {row: scored(answers)} | found


def whole(arguments, out, case, row):
    """Trains the recipe whole, unless another set has, and scores its encoder alone and with the re-ranker."""
    model, use = case.get("models", out) / row, {}
    if "models" not in case:
        keys = [f"data.train={json.dumps(case['train'])}", f"data.dev={json.dumps(case['dev'])}"]
        further = [key for key in arguments.set if key.startswith(("run.encoder.", "run.reranker."))]
        command = ["train", RECIPES / "prompt-bioel.toml", "--encoder", arguments.encoder, "--kb", case["kb"], "--out", model, "--resume"]
        use = call(arguments, [*command, *set_all([*keys, *further])], out / f"{row}.log")
    encoder, both = out / "kb-encoder", out / f"kb-{row}"
    for kb, source in [(encoder, case["kb"]), (both, encoder)]:
        shutil.rmtree(kb, ignore_errors=True)
        shutil.copytree(source, kb)
        attach = ["embed", "--encoder", model / "encoder"] if kb == encoder else ["models", "add", "--reranker", model / "reranker"]
        call(arguments, ["kb", *attach, "--kb", kb])
    answers = linked(arguments, out, case, encoder, "encoder", top=64)
    found = {f"candidates of the encoder: {name}": {"recall": recall} for name, recall in recalls(answers).items()}
    return found | {"encoder": scored(answers), row: scored(linked(arguments, out, case, both, row)) | use}


def switched(arguments, out, case, row):
    kb = out / f"kb-{arguments.of}"
    if row == "every-name":
        asked, reranker = out / "kb-every-name", out / "every-name"
        for made in [asked, reranker]:
            shutil.rmtree(made, ignore_errors=True)
        shutil.copytree(kb, asked)
        shutil.copytree(case.get("models", out) / arguments.of / "reranker", reranker)
        config = json.loads((reranker / "truename.json").read_text())
        config["heads"]["cloze"]["certain"] = None
        (reranker / "truename.json").write_text(json.dumps(config))
        kb = asked
        call(arguments, ["kb", "models", "add", "--kb", kb, "--reranker", reranker])
    return {row: scored(linked(arguments, out, case, kb, row, *SWITCHES[row]))}


def trained(arguments, out, case, row):
    if "models" in case:
        return borrowed(arguments, out, case, row)
    runs = {"chain": ["aligned", "retriever", "reranker"], "no-alignment": ["retriever", "reranker"], "pretraining": ["pretrained", "reranker"]}
    if row not in runs:
        return retriever_alone(arguments, out, case, row)
    chain, model = out / "chain", out / row
    keys = [f"chain.runs={json.dumps(runs[row])}", f"data.train={json.dumps(case['train'])}", f"data.dev={json.dumps(case['dev'])}"]
    if row == "pretraining":
        keys.append(f"run.pretrained.data.text={json.dumps(case['train'])}")
    keys += [key for key in changes("run.{}.", arguments.set) if any(f"run.{run}." in key for run in runs[row])]
    if row in WHOLE:
        # A retriever has one evaluation, which ends it and chooses nothing: it is that of the reported part.
        keys.append(f"run.retriever.data.dev={json.dumps([case['gold']])}")
    if row == "chain" and "ontologies" in case:
        keys.append(f"run.aligned.data.extra={json.dumps([str(case['ontologies'])])}")
    if row == "no-alignment":
        keys += ["run.retriever.encoder=", "run.reranker.encoder="]
    if row == "pretraining":
        # The texts of the train part, then the synonyms, in the aligned encoder; the chain's retriever.
        keys.append("run.pretrained.encoder=")
        keys += ['run.reranker.encoder.from="run:pretrained"', f"run.reranker.candidates.retriever={chain / 'retriever'}"]
    start = chain / "aligned" if row == "pretraining" else arguments.encoder
    command = ["train", RECIPES / "prompt-bioel-retriever.toml", "--encoder", start, "--kb", case["kb"], "--out", model, "--resume", *set_all(keys)]
    use = call(arguments, command, out / f"{row}.log")
    return attached(arguments, out, case, row, (model if row in WHOLE else chain) / "retriever", model / "reranker", use)


def retriever_alone(arguments, out, case, row):
    """A re-ranker of the retriever's candidates alone, as published, by its own scores."""
    chain, model = out / "chain", out / row
    keys = [f"data.train={json.dumps(case['train'])}", f"data.dev={json.dumps([case['gold']])}", 'evaluation.keep="last"']
    keys += changes("", arguments.set, "reranker") + [f"candidates.retriever={chain / 'retriever'}", 'candidates.of="retriever"']
    if row == "cross":
        # The context of the cloze prompt beside one candidate, and as many minutes.
        keys += ["prompt.together=false", f"prompt.window={PROMPT['window'] - 5 * PROMPT['name_tokens']}"]
        keys.append(f"schedule.max_steps={STEPS['reranker']['max_steps'] // 2}")
    command = ["train", RECIPES / "prompt-bioel-rerank.toml", "--encoder", chain / "aligned", "--kb", case["kb"], "--out", model]
    use = call(arguments, [*command, "--resume", *set_all(keys)], out / f"{row}.log")
    scores = evaluation(model)
    found, among = (100 * scores[key] for key in ["acc@1", "among the candidates"])
    return {row: {"single": (found, None, scores["names"]), "recall": {"@6": f"{among:.2f}"}} | use}


def attached(arguments, out, case, row, retriever, reranker, use):
    """Scores a chain that is attached to a copy of the knowledge base, and beside it what its retriever finds."""
    of_retriever, kb = out / f"kb-{retriever.parent.name}-retriever", out / f"kb-{row}"
    reports = {}
    if not of_retriever.exists():
        copying, making = Path(f"{of_retriever}.copying"), Path(f"{of_retriever}.making")
        if not making.exists():
            shutil.rmtree(copying, ignore_errors=True)
            shutil.copytree(case["kb"], copying)
            copying.rename(making)
        call(arguments, ["kb", "models", "add", "--kb", making, "--retriever", retriever])
        making.rename(of_retriever)
    if row in WHOLE:
        recall = recalls(linked(arguments, out, case, of_retriever, "candidates", top=64))
        reports |= {f"candidates with the retriever: {name}": {"recall": found} for name, found in recall.items()}
    if use and row in WHOLE:
        found = evaluation(retriever)
        recall = {f"@{most}": f"{100 * found[f'recall@{most}']:.2f}" for most in [6, 64]}
        title = "retriever" if row == "chain" else f"{TITLES[row]}, retriever"
        reports[title] = {"single": (100 * found["acc@1"], 100 * found["acc@5"], found["names"]), "recall": recall}
    shutil.rmtree(kb, ignore_errors=True)
    shutil.copytree(of_retriever, kb)
    call(arguments, ["kb", "models", "add", "--kb", kb, "--reranker", reranker])
    reports[row] = scored(linked(arguments, out, case, kb, row)) | use
    return reports


def borrowed(arguments, out, case, row):
    """Scores the models that another set trained."""
    model = case["models"] / row
    retriever = (model if row in WHOLE else case["models"] / "chain") / "retriever"
    return attached(arguments, out, case, row, retriever, model / "reranker", {})


def changes(prefix, further, only=None):
    """The keys of the shortened runs, by name with `run.NAME.`, or of one of them without; further changes behind."""
    found = []
    for run, schedule in STEPS.items():
        if only in [None, run]:
            of = prefix.format(run)
            found += [f"{of}schedule.{key}={value}" for key, value in schedule.items()]
            # One evaluation: each reads all concepts anew.
            found += [f"{of}schedule.epochs=8", f"{of}evaluation.every=8"]
            found += [f"{of}prompt.{key}={value}" for key, value in PROMPT.items() if run == "reranker"]
            found += [f"{of}retriever.{key}={value}" for key, value in RETRIEVER.items() if run == "retriever"]
            found += [f"{of}negatives.{key}={value}" for key, value in NEGATIVES.items() if run == "retriever"]
    if only:
        further = [change.removeprefix(f"run.{only}.") for change in further if change.startswith(f"run.{only}.")]
    return found + list(further)


def set_all(keys):
    return [part for change in keys for part in ("--set", change)]


def evaluation(model):
    """The scores of the last evaluation of a run."""
    lines = map(json.loads, (model / "metrics.jsonl").open())
    return [entry["scores"] for entry in lines if "scores" in entry][-1]


def call(arguments, command, log=None):
    """Runs a command; returns its minutes, processor time and memory."""
    command = [str(part) for part in [arguments.truename, "--threads", arguments.threads, *command]]
    begun = time.time()
    target = log.open("a") if log else subprocess.DEVNULL
    child = subprocess.Popen(["nice", "-n", "5", *command], stdout=subprocess.DEVNULL, stderr=target if log else None)
    _, status, use = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"failed: {' '.join(command)}" + (f"; see {log}" if log else ""))
    return {"minutes": (time.time() - begun) / 60, "processor_minutes": use.ru_utime / 60, "mib": use.ru_maxrss // 1024}


# Scores


def linked(arguments, out, case, kb, name, *flags, top=6):
    """Links the given mentions; yields each with its candidates."""
    target = out / f"{name}.linked.jsonl"
    call(arguments, ["link", case["gold"], "--kb", kb, "--mentions", "--top", top, "--format", "jsonl", "--out", target, *flags])
    known = case["ids"]()
    answers, documents = [], {}
    for document in map(json.loads, target.open()):
        places = {(mention["start"], mention["end"]): mention["candidates"] for mention in document["mentions"]}
        documents[document["id"]] = places
    for mention in case["mentions"]():
        candidates = [documents[document].get((start, end), []) for document, start, end in mention["places"]]
        is_known = any(local(id) in known for id in mention["ids"])
        ids = [[(known[local(c["id"])], c["scores"]) for c in found] for found in candidates]
        answers.append({"ids": {local(id) for id in mention["ids"]}, "single": is_known and not mention["composite"], "candidates": ids})
    return answers


def local(id):
    return id.rsplit(":", 1)[-1].strip()


def ranks(answer, key=None):
    """The place of the right concept for each part of a mention; `key` orders candidates by one of their scores."""
    for candidates in answer["candidates"]:
        if key:
            candidates = [candidate for candidate in candidates if key(candidate[1])]
            candidates = sorted(candidates, key=lambda candidate: -key(candidate[1]))
        yield next((place for place, (ids, _) in enumerate(candidates) if ids & answer["ids"]), 10**6)


def scored(answers):
    asked = sum(any("reranker" in scores for candidates in answer["candidates"] for _, scores in candidates) for answer in answers)
    report = {"reranked": asked} if asked else {}
    for part, asked in [("all", answers), ("single", [answer for answer in answers if answer["single"]])]:
        worst = [max(ranks(answer)) for answer in asked]
        within = lambda most: 100 * sum(rank < most for rank in worst) / len(asked)
        report[part] = (within(1), within(5), len(asked))
    return report


def recalls(answers):
    """Recall at 1, 6 and 64 of each generator, and of all in the order of the ranker, over single mentions."""
    # Of the only concept with the exact name, no generator has a score: all of them have it first.
    own = lambda name: lambda scores: 2.0 if scores.get("ranker") is None else scores.get(name)
    keys = {"lookup": own("exact"), "n-grams": own("ngram"), "all, by the ranker": None}
    has = lambda name: any(name in scores for answer in answers for candidates in answer["candidates"] for _, scores in candidates)
    if has("retriever"):
        keys["all, by cosines in context"] = own("retriever")
    if has("dense"):
        # Every candidate has a cosine, whichever generator proposed it.
        keys["all, by cosines"] = own("dense")
    found = {}
    for name, key in keys.items():
        places = [max(ranks(answer, key)) for answer in answers if answer["single"]]
        found[name] = {f"@{most}": f"{100 * sum(place < most for place in places) / len(places):.2f}" for most in [1, 6, 64]}
    return found


# Data


def ncbi(arguments, out):
    folder = arguments.data / "ncbi-disease"
    kb = imported(arguments, out, arguments.data / "dict-medic/medic_06Jul2012.txt.gz")
    gold = folder / "NCBItestset_corpus.txt"
    return {
        "note": "test, raw text, MEDIC", "kb": kb, "gold": str(gold), "dev": [str(folder / "NCBIdevelopset_corpus.txt")],
        "train": [str(folder / "NCBItrainset_corpus.txt.gz")], "ontologies": ontologies(arguments, out, gold), "ids": lambda: ids_of(arguments, kb), "mentions": lambda: annotated(gold),
    }


def bc5cdr(arguments, out):
    folder = arguments.data / "bc5cdr"
    concepts = out / "mesh.jsonl"
    if not concepts.exists():
        write_lines(concepts, mesh(arguments.data / "dict-mesh/mesh_id_label_mappings.tsv.gz"))
    kb = imported(arguments, out, concepts)
    gold = folder / "CDR_DevelopmentSet.PubTator.txt.gz"
    parts = {part: out / f"{part}.PubTator.txt" for part in ["train", "held-out"]}
    if not parts["held-out"].exists():
        blocks = opened(folder / "CDR_TrainingSet.PubTator.txt.gz").read().strip().split("\n\n")
        parts["train"].write_text("\n\n".join(block for number, block in enumerate(blocks) if number % 10) + "\n")
        parts["held-out"].write_text("\n\n".join(blocks[::10]) + "\n")
    return {
        "note": "dev, MeSH descriptors", "kb": kb, "gold": str(gold), "dev": [str(parts["held-out"])],
        "train": [str(parts["train"])], "ontologies": ontologies(arguments, out, gold),
        "ids": lambda: ids_of(arguments, kb), "mentions": lambda: annotated(gold),
    }


def supplementary(arguments, out):
    """BC5CDR with the supplementary chemicals in the knowledge base, whose names have no vectors."""
    case = bc5cdr(arguments, out.parent / "bc5cdr")
    concepts = out / "mesh.jsonl"
    if not concepts.exists():
        descriptors = list(mesh(arguments.data / "dict-mesh/mesh_id_label_mappings.tsv.gz"))
        chemicals = {concept["id"] for concept in descriptors if "chemical" in concept["types"]}
        further = []
        for row in opened(arguments.data / "dict-mesh/mesh_supp_id_label_mappings.tsv.gz"):
            id, name, names, mapped = (row.rstrip("\n").split("\t") + ["", ""])[:4]
            if chemicals & {descriptor.lstrip("*") for descriptor in re.split("[|,]", mapped)}:
                further.append({"id": id, "name": name, "synonyms": [name for name in names.split("|") if name], "types": ["chemical"]})
        write_lines(concepts, descriptors + further)
    kb = imported(arguments, out, concepts, encoder=False)
    rows = {"rows": ["letters", "chain"], "models": out.parent / "bc5cdr"}
    note = "dev, MeSH descriptors and supplementary chemicals, without vectors of names; the models of the set before"
    return case | rows | {"note": note, "kb": kb, "ids": lambda: ids_of(arguments, kb)}


def processed(arguments, out):
    """BioSyn's mentions in their texts, with its dictionary."""
    unpacked = out / "biosyn"
    if not unpacked.exists():
        with tarfile.open(arguments.data / "biosyn-ncbi-disease/ncbi-disease.tar.gz") as archive:
            archive.extractall(unpacked, filter="data")
    folder = next(unpacked.glob("**/test_dictionary.txt")).parent
    concepts, corpus, asked = out / "dictionary.jsonl", out / "test.jsonl", out / "asked.json"
    if not asked.exists():
        write_lines(concepts, dictionary(folder / "test_dictionary.txt"))
        documents, mentions = placed(arguments.data / "ncbi-disease/NCBItestset_corpus.txt", folder / "processed_test")
        write_lines(corpus, documents)
        asked.write_text(json.dumps(mentions))
    kb = imported(arguments, out, concepts)
    return {
        "note": "test, BioSyn's mentions and dictionary, the models of the first set", "kb": kb, "gold": str(corpus), "models": out.parent / "ncbi",
        "rows": ["letters", "names", "whole", "chain"], "ids": lambda: ids_of(arguments, kb), "mentions": lambda: json.loads(asked.read_text()),
    }


def with_names(arguments, out):
    """The raw mentions, where the knowledge base has the names of the train part too."""
    case = ncbi(arguments, out.parent / "ncbi")
    names = defaultdict(dict)
    for _, _, rows in pubtator(Path(case["train"][0])):
        for _, _, name, id in rows:
            if not re.search(r"[|+,;]", id):
                names[id.strip()][name] = None
    file = out / "train-names.jsonl"
    write_lines(file, ({"id": local(id), "synonyms": list(found)} for id, found in names.items()))
    kb = imported(arguments, out, arguments.data / "dict-medic/medic_06Jul2012.txt.gz", "--aliases", file)
    rows = {"rows": ["letters", "names", "whole", "chain"], "models": out.parent / "ncbi"}
    note = "test, raw text, MEDIC with the names of the train part, the models of the first set"
    return case | rows | {"note": note, "kb": kb, "ids": lambda: ids_of(arguments, kb)}


def wiki(fold):
    def case(arguments, out):
        data = arguments.data / "entity-linking"
        documents = documents_of(data / "wikipedia.xml.gz")
        asked = [document for place, document in enumerate(documents) if place % 2 == fold]
        learnt = [document for place, document in enumerate(documents) if place % 2 != fold]
        parts = {"gold": asked, "train": [one for place, one in enumerate(learnt) if place % 10], "dev": learnt[::10]}
        files = {part: out / part / "wiki.xml" for part in parts}
        concepts = out / "titles.jsonl"
        if not concepts.exists():
            for part, found in parts.items():
                shutil.rmtree(out / part, ignore_errors=True)
                (out / part).mkdir()
                synonyms.untar(data / "wikipedia-RawText.tar.zst", out / part)
                root = "wikipediaData.entityAnnotation"
                files[part].write_text("\n".join([f"<{root}>", *found, f"</{root}>"]) + "\n")
            write_lines(concepts, titles(data, out))
        kb = imported(arguments, out, concepts)
        return {
            "note": "half of the documents", "kb": kb, "gold": str(files["gold"]), "dev": [str(files["dev"])], "train": [str(files["train"])],
            "rows": ["letters", "names", "no-alignment"], "ids": lambda: ids_of(arguments, kb), "mentions": lambda: list(links(asked)),
        }

    return case


def documents_of(path):
    """The elements of the documents, by name."""
    documents = re.findall(r'<document docName="[^"]*">.*?</document>', opened(path).read(), re.S)
    return sorted(documents, key=lambda document: document.split('"')[1])


def links(documents):
    """The annotations with a title."""
    pattern = r"<wikiName>(.*?)</wikiName>\s*<offset>(\d+)</offset>\s*<length>(\d+)</length>"
    for document in documents:
        for title, start, length in re.findall(pattern, document, re.S):
            title, start = html.unescape(title).strip(), int(start)
            if title not in ["", "NIL"]:
                place = (html.unescape(document.split('"')[1]), start, start + int(length))
                yield {"places": [place], "ids": [synonyms.wned_id(title)], "composite": False}


def titles(data, out):
    """The titles of the annotations and of AIDA's candidates: their ids, and their names without what stands in brackets behind."""
    found = set()
    for path in [*data.glob("*.xml"), *data.glob("*.xml.gz")]:
        found |= {html.unescape(title).strip() for title in re.findall(r"<wikiName>(.*?)</wikiName>", opened(path).read(), re.S)}
    folder = out / "candidates"
    folder.mkdir(exist_ok=True)
    synonyms.untar(data / "PPRforNED-AIDA_candidates.tar.zst", folder)
    for path in folder.glob("AIDA_candidates/*/*"):
        urls = re.findall(r"^CANDIDATE\t.*?\turl:http://en\.wikipedia\.org/wiki/([^\t\n]*)", path.read_text(), re.M)
        found |= {urllib.parse.unquote(url).replace("_", " ") for url in urls}
    for title in sorted(found - {"", "NIL"}):
        name = synonyms.plain(title)
        yield {"id": synonyms.wned_id(title), "name": name or title, "synonyms": [title] if name not in ["", title] else []}


CASES = {"ncbi": ncbi, "ncbi, train names": with_names, "ncbi, processed": processed, "bc5cdr": bc5cdr}
CASES |= {"bc5cdr, supplementary": supplementary, "wiki, fold 1": wiki(0), "wiki, fold 2": wiki(1)}


def imported(arguments, out, file, *flags, encoder=True):
    kb = out / "kb"
    if not kb.exists():
        making = out / "kb.making"
        if not making.exists():
            call(arguments, ["kb", "import", file, "--out", making, *flags])
        if encoder:
            call(arguments, ["kb", "embed", "--kb", making, "--encoder", arguments.encoder])
        making.rename(kb)
    return kb


def ids_of(arguments, kb):
    """All ids of each concept, by each of them without its prefix."""
    exported = subprocess.run([arguments.truename, "-q", "kb", "export", "--kb", kb], check=True, capture_output=True, text=True).stdout
    known = defaultdict(set)
    for concept in map(json.loads, exported.splitlines()):
        ids = {local(id) for id in [concept["id"], *concept.get("xrefs", [])]}
        for id in ids:
            known[id] |= ids
    return known


def write_lines(path, objects):
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects))


def opened(path):
    return gzip.open(path, "rt") if path.suffix == ".gz" else path.open()


def pubtator(path):
    """The documents of a file: id, text, and rows of start, end, text and ids."""
    for block in opened(path).read().strip().split("\n\n"):
        rows = [row for row in block.strip().split("\n") if row]
        parts = {row.split("|", 2)[1]: row.split("|", 2) for row in rows[:2]}
        id, text = parts["t"][0], f"{parts['t'][2]} {parts['a'][2]}"
        columns = [row.split("\t") for row in rows[2:]]
        yield id, text, [(int(row[1]), int(row[2]), row[3], row[5]) for row in columns if len(row) > 5]


def annotated(path):
    """The mentions with an id."""
    mentions = []
    for document, _, rows in pubtator(path):
        for start, end, _, id in rows:
            if id.strip() not in ["", "-", "-1"]:
                ids = re.split(r"[|+,;]", id.strip())
                mentions.append({"places": [(document, start, end)], "ids": ids, "composite": bool(re.search(r"[|+]", id))})
    return mentions


def ontologies(arguments, out, gold):
    """The names of MeSH, MONDO, DOID and HPO for self-alignment, without those that the reported part mentions."""
    file = out / "ontologies.jsonl"
    if not file.exists():
        entries = {**synonyms.mesh(arguments.data / "dict-mesh"), **synonyms.ontologies(arguments.data / "synonyms-ontologies")}
        entries = {key: entry for key, entry in entries.items() if not key.startswith(("EFO:", "MESH:C"))}
        mentioned = {name.lower() for _, _, rows in pubtator(gold) for _, _, name, _ in rows}
        concepts = []
        for concept in synonyms.merged(entries):
            name, *others = [name for name in [concept["name"], *concept["synonyms"]] if name.lower() not in mentioned] or [None]
            if others:
                concepts.append({"id": concept["id"], "name": name, "synonyms": others})
        write_lines(file, concepts)
    return file


def mesh(path):
    """MeSH's descriptors of diseases and chemicals."""
    for row in opened(path):
        id, name, synonyms, trees = (row.rstrip("\n").split("\t") + ["", ""])[:4]
        trees = trees.split("|")
        kinds = {"disease": ("C", "F03"), "chemical": ("D",)}
        types = [kind for kind, letters in kinds.items() if any(tree.startswith(letters) for tree in trees)]
        if types:
            yield {"id": id, "name": name, "synonyms": [name for name in synonyms.split("|") if name], "types": types}


def dictionary(path):
    """The concepts of BioSyn's dictionary."""
    concepts = {}
    for row in path.open():
        ids, name = row.rstrip("\n").split("||", 1)
        first, *others = ids.replace("+", "|").split("|")
        concept = concepts.setdefault(first, {"id": first, "names": {}, "xrefs": {}})
        concept["names"][name] = concept["xrefs"].update(dict.fromkeys(others))
    for concept in concepts.values():
        name, *synonyms = concept["names"]
        yield {"id": concept["id"], "name": name, "synonyms": synonyms, "xrefs": list(concept["xrefs"])}


def placed(corpus, folder):
    """Documents with BioSyn's mentions in the place of theirs, a document more for each part of a composite one."""
    documents, asked = [], []
    for document, text, _ in pubtator(corpus):
        rows = [row.split("||", 4) for row in (folder / f"{document}.concept").read_text().splitlines()]
        rows = sorted((*map(int, row[1].split("|")), row[3], row[4].strip("| ")) for row in rows)
        short = short_forms(text)
        # The places of mentions that stand within another one are asked for in a document of their own, as parts are.
        apart, last = [], 0
        whole = []
        for row in rows:
            is_apart = "|" in row[2] or row[0] < last
            (apart if is_apart else whole).append(row)
            last = max(last, row[1])
        documents.append(written(document, text, short, whole, asked))
        for number, (start, end, mention, id) in enumerate(apart):
            mentions = [(start, end, part, id) for part in mention.split("|")]
            found = []
            for part, row in enumerate(mentions):
                others = [other for other in whole if other[1] <= start or end <= other[0]]
                documents.append(written(f"{document}-{number}-{part}", text, short, sorted([*others, row]), found, row))
            places = [place for one in found for place in one["places"]]
            asked.append({"places": places, "ids": re.split(r"[|+]", id), "composite": len(mentions) > 1})
    return documents, asked


def written(document, text, short, rows, asked, only=None):
    """The text with the mentions of `rows` in it, all of them annotated or `only` one."""
    out, end, mentions = "", 0, []
    for row in rows:
        first, last, mention, id = row
        out += expanded(text[end:first], short)
        if only in [None, row]:
            mentions.append({"start": len(out), "end": len(out) + len(mention), "id": id})
            asked.append({"places": [(document, len(out), len(out) + len(mention))], "ids": re.split(r"[|+]", id), "composite": False})
        out, end = out + mention, last
    return {"id": document, "text": out + expanded(text[end:], short), "mentions": mentions}


def expanded(text, short):
    """Lower case, with the abbreviations written out."""
    write_out = lambda match: short.get(match[0], match[0])
    return re.sub(r"\b[\w-]{2,10}\b", write_out, text).lower()


def short_forms(text):
    """The abbreviations that a text defines, by Schwartz and Hearst's rule."""
    found = {}
    for match in re.finditer(r"\(([\w-]{2,10})\)", text):
        short = match[1]
        if not re.search("[A-Z]", short):
            continue
        words = text[: match.start()].rsplit(". ", 1)[-1].split()[-min(len(short) + 5, 2 * len(short)) :]
        before = " ".join(words)
        place = len(before)
        for number, letter in enumerate(reversed(short.lower())):
            if not letter.isalnum():
                continue
            is_first = number == len(short) - 1
            place = before.lower().rfind(letter, 0, place)
            while place > 0 and is_first and before[place - 1].isalnum():
                place = before.lower().rfind(letter, 0, place)
            if place < 0:
                break
        if place >= 0:
            found.setdefault(short, before[place:])
    return found


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Finds the mentions of abstracts with a trained recognizer, in PyTorch with the same weights, and with spaCy, in turn.

    pip install torch==2.15.0 transformers==5.23.0 tokenizers spacy==3.8.18
    python3 benches/recognize_peers.py --data DIR --model MODEL --truename target/release/truename --ner NER

`DIR/bc5cdr` holds BC5CDR; `MODEL` is a folder that `truename train` made with `task.kind = "recognize"` (BINDER).
Each program reads the development part (`--documents N`: its first N abstracts) in a process of its own.

Agreement: PyTorch computes the score and the threshold of each mention that `truename recognize` finds, from the states
of BERT by the formulas of BINDER (section 3), and both must find the same mentions. Scores must agree to 1e-4 of their
size, or of one where they are smaller; a mention that only one finds must be as near its threshold.

Speed: a figure is the time for all abstracts but the first, a run on the first one taken off, so that neither the
start nor the loading of a model counts; tokenization does. Medians of `--rounds`.
- `truename`: `truename --threads N recognize`; a run is a process. `truename-int8`: the same with `--int8 FOLDER`, which
  `truename model quantize MODEL --out FOLDER` made.
- `pytorch`: the same windows, sorted by length, in batches of 32 padded to the longest, all candidate spans of a batch
  scored at once.
- `spacy-ruler`: EntityRuler on a blank English pipeline, without regard to case; its patterns are the mentions of the
  training part, each with its most frequent type.
- `spacy-ner`: tok2vec and `ner` as `spacy init config --pipeline ner` has them (a CNN without vectors), trained on the
  training part for `--ner-epochs`, once: the folder `--ner` keeps it.
Two threads of spaCy are two processes, whose memory is not measured. `cpu_ms` is processor time an abstract
(independent of other work on the machine), `memory_mb` the peak of the process. P, R and F1 are strict: both bounds and
the type.
"""

import argparse
import collections
import concurrent.futures
import gzip
import json
import multiprocessing
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

BATCH = 32
RULER_COPIES = 10  # of the abstracts in one run, which would be too short to time
TOLERANCE = 1e-4
PEERS = ("pytorch", "spacy-ruler", "spacy-ner")


class Abstract:
    """A title and an abstract, with a break between them, as Truename reads PubTator."""

    def __init__(self, identifier, title, abstract, gold):
        self.identifier, self.title, self.abstract, self.gold = identifier, title, abstract, gold

    @property
    def text(self):
        return f"{self.title}\n{self.abstract}"

    @property
    def passages(self):
        """Each passage with its place in the text."""
        return [(0, self.title), (len(self.title) + 1, self.abstract)]


def read_pubtator(path):
    """Returns the abstracts of a file, with their mentions as `(start, end, type)` in characters."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        blocks = [block.split("\n") for block in file.read().strip("\n").split("\n\n")]
    abstracts = []
    for title, abstract, *rows in blocks:
        rows = [row.split("\t") for row in rows]
        gold = {(int(row[1]), int(row[2]), row[4]) for row in rows if len(row) >= 6}
        identifier, _, title = title.split("|", 2)
        abstracts.append(Abstract(identifier, title, abstract.split("|", 2)[2], gold))
    return abstracts


def write_pubtator(path, abstracts):
    """Writes abstracts without their mentions."""
    blocks = (f"{one.identifier}|t|{one.title}\n{one.identifier}|a|{one.abstract}\n" for one in abstracts)
    path.write_text("\n".join(blocks), encoding="utf-8")


def training_part(data):
    return data / "bc5cdr" / "CDR_TrainingSet.PubTator.txt.gz"


def development_part(data):
    return data / "bc5cdr" / "CDR_DevelopmentSet.PubTator.txt.gz"


class Window:
    """A window of a text: its tokens, their places in the text, and the tokens at which words begin and end."""

    def __init__(self, tokens, places, text):
        self.tokens, self.places = tokens, places
        bounded = lambda side: [number for number, place in enumerate(places) if place and is_bound(text, place[side])]
        self.starts, self.ends = bounded(0), bounded(1)


def is_bound(text, at):
    """Returns whether a place lies between two words: not both characters beside it are letters or digits.

    Truename also separates the letters of scripts without spaces, which this corpus does not have.
    """
    return not (0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum())


class PyTorch:
    """BINDER's inference in PyTorch (section 3), by the weights of a model of Truename."""

    def __init__(self, folder, places):
        import safetensors.torch
        import torch
        import transformers

        self.places = places
        self.torch = torch
        self.config = json.loads((folder / "truename.json").read_text())["heads"]["spans"]
        self.types = [kind["name"] for kind in self.config["types"]]
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        self.tokenizer, self.encoder = self.open(folder)
        tensors = safetensors.torch.load_file(folder / "model.safetensors")
        self.heads = {name: values for name, values in tensors.items() if name.startswith("spans.")}
        self.scale = self.heads["spans.log_scales"][2].exp()
        with torch.inference_mode():
            self.anchors = self.type_vectors(*self.open(folder / "network-2"))
            # The map of a span, taken apart: for its first token, its last token, and its width with the bias.
            weight, hidden = self.heads["spans.span.weight"], self.encoder.config.hidden_size
            self.first, self.last, of_width = weight.split([hidden, hidden, weight.shape[1] - 2 * hidden], 1)
            self.widths = self.heads["spans.widths"] @ of_width.T + self.heads["spans.span.bias"]

    def open(self, folder):
        import tokenizers
        import transformers

        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer, transformers.AutoModel.from_pretrained(folder, dtype=self.torch.float32).eval()

    def type_vectors(self, tokenizer, encoder):
        """Returns the unit vectors of the types: `[types, dimensions]`."""
        rows = []
        for kind in self.config["types"]:
            ids = [tokenizer.encode(description.strip()).ids for description in kind["descriptions"]]
            states = [encoder(self.torch.tensor([one])).last_hidden_state[0, 0] for one in ids]
            rows.append(self.torch.stack(states).mean(0))
        vectors = self.torch.stack(rows) @ self.heads["spans.type_span.weight"].T + self.heads["spans.type_span.bias"]
        return self.torch.nn.functional.normalize(vectors, dim=1)

    def windows(self, texts):
        """Returns the windows of each text, which end where those of Truename end."""
        first_mark, last_mark = self.tokenizer.encode("").ids

        def window(text, encoding, start, end):
            inside = [token for token, place in enumerate(encoding.offsets) if start <= place[0] and place[1] <= end]
            tokens, places = [encoding.ids[token] for token in inside], [encoding.offsets[token] for token in inside]
            return Window([first_mark, *tokens, last_mark], [None, *places, None], text)

        encodings = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return [
            [window(text, encoding, *place) for place in self.places[text]] for text, encoding in zip(texts, encodings)
        ]

    def states(self, windows):
        """Yields batches of windows, the longest first: their numbers, and their states `[windows, tokens, hidden]`."""
        order = sorted(range(len(windows)), key=lambda number: -len(windows[number].tokens))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            width = len(windows[batch[0]].tokens)
            ids = self.torch.zeros(len(batch), width, dtype=self.torch.long)
            mask = self.torch.zeros_like(ids)
            for row, number in enumerate(batch):
                tokens = windows[number].tokens
                ids[row, : len(tokens)] = self.torch.tensor(tokens)
                mask[row, : len(tokens)] = 1
            yield batch, self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state

    def scores(self, first, last, width):
        """Returns the similarities of spans to types, from the parts of their vectors: `[spans, types]`."""
        vectors = first + last + self.widths[width]
        return self.scale * (vectors @ self.anchors.T) / vectors.norm(dim=1, keepdim=True)

    def thresholds(self, states):
        """Returns the thresholds of windows: `[windows, types]`."""
        match self.config["thresholds"]:
            case "dynamic":
                return self.scores(states[:, 0] @ self.first.T, states[:, 0] @ self.last.T, 0)
            case "learned":
                return self.heads["spans.thresholds"][2].expand(len(states), -1)
            case {"tuned": thresholds}:
                return self.torch.tensor(thresholds).expand(len(states), -1)

    def score_and_threshold(self, states, first, last, kind):
        """Returns the score of one span of a window and its threshold, by the formulas as they stand in the paper."""
        torch, heads = self.torch, self.heads

        def similarity(i, j):
            # Linear(h_i ⊕ h_j ⊕ D(j - i)); its cosine with the type, over the temperature.
            joined = torch.cat([states[i], states[j], heads["spans.widths"][j - i]])
            vector = heads["spans.span.weight"] @ joined + heads["spans.span.bias"]
            return (self.scale * torch.nn.functional.cosine_similarity(vector, self.anchors[kind], dim=0)).item()

        is_dynamic = self.config["thresholds"] == "dynamic"
        threshold = similarity(0, 0) if is_dynamic else self.thresholds(states[None])[0, kind].item()
        return similarity(first, last), threshold

    def found(self, windows, batch, states):
        """Yields the spans of a batch above their thresholds: number of the window, tokens, type, score, threshold."""
        torch, (rows, tokens) = self.torch, states.shape[:2]
        starts, ends = torch.zeros(2, rows, tokens, dtype=torch.bool)
        for row, number in enumerate(batch):
            starts[row, windows[number].starts] = True
            ends[row, windows[number].ends] = True
        place = torch.arange(tokens)
        widths = place[None, :] - place[:, None]
        is_span = starts[:, :, None] & ends[:, None, :] & (widths >= 0) & (widths < self.config["max_span"])
        row, first, last = is_span.nonzero(as_tuple=True)
        scores = self.scores((states @ self.first.T)[row, first], (states @ self.last.T)[row, last], last - first)
        thresholds = self.thresholds(states)[row]
        span, kind = (scores > thresholds).nonzero(as_tuple=True)
        columns = (row[span], first[span], last[span], kind, scores[span, kind], thresholds[span, kind])
        for row, *others in zip(*(column.tolist() for column in columns)):
            yield batch[row], *others

    def find(self, texts):
        """Returns the mentions of each text: start, end, type, score, threshold."""
        by_text = self.windows(texts)
        windows = [window for windows in by_text for window in windows]
        spans = collections.defaultdict(list)
        with self.torch.inference_mode():
            for batch, states in self.states(windows):
                for number, *span in self.found(windows, batch, states):
                    spans[number].append(span)
        return list(self.merged(by_text, spans))

    def merged(self, by_text, spans):
        """Yields the mentions of each text, from the spans of its windows."""
        offset = 0
        for windows in by_text:
            mentions = []
            for number, window in enumerate(windows):
                for first, last, kind, score, threshold in spans[offset + number]:
                    start, end = window.places[first][0], window.places[last][1]
                    if judging_window(windows, start, end)[0] == number:
                        mentions.append((start, end, self.types[kind], score, threshold))
            offset += len(windows)
            yield without_overlaps(mentions) if self.config["is_flat"] else sorted(mentions)


def judging_window(windows, start, end):
    """Returns the number of the window in which a span is farthest from a border within the text, and its tokens."""
    best = None
    for number, window in enumerate(windows):
        first = next((token for token in window.starts if window.places[token][0] == start), None)
        last = next((token for token in reversed(window.ends) if window.places[token][1] == end), None)
        if first is None or last is None:
            continue
        before = float("inf") if number == 0 else first
        after = float("inf") if number + 1 == len(windows) else len(window.tokens) - 1 - last
        if best is None or min(before, after) > best[0]:
            best = min(before, after), number, first, last
    return best[1:]


def without_overlaps(mentions):
    """Keeps the mentions that overlap none with a higher score, the best first (BINDER, algorithm 1)."""
    kept = []
    for mention in sorted(mentions, key=lambda mention: (-mention[3], *mention[:3])):
        if all(mention[1] <= other[0] or other[1] <= mention[0] for other in kept):
            kept.append(mention)
    return sorted(kept)


def find_by_pytorch(engine, abstracts):
    """Returns the mentions of each abstract, with score and threshold; passages are read one by one."""
    passages = [(number, *passage) for number, one in enumerate(abstracts) for passage in one.passages]
    found = engine.find([text for _, _, text in passages])
    mentions = [{} for _ in abstracts]
    for (number, offset, _), spans in zip(passages, found):
        mentions[number].update({(start + offset, end + offset, kind): rest for start, end, kind, *rest in spans})
    return mentions


def window_places(given, abstracts):
    """Returns the start and end of each window in which Truename reads a passage."""
    texts = [text for one in abstracts for _, text in one.passages]
    command = [given.truename.with_name("truename-bench"), "windows", "--model", given.model]
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    printed = subprocess.run(command, input=lines, capture_output=True, check=True, encoding="utf-8").stdout
    return dict(zip(texts, map(json.loads, printed.splitlines())))


def agreement(given, abstracts, ours):
    """Compares Truename's mentions with those of PyTorch, and its scores and thresholds with the formulas.

    `margin` is the largest distance from its threshold of a mention that only one of the two finds.
    """
    engine = PyTorch(given.model, given.places)
    lines = [json.loads(line) for line in ours.read_text(encoding="utf-8").splitlines()]
    assert [line["text"] for line in lines] == [one.text for one in abstracts]
    windows, to_score, margins = [], collections.defaultdict(list), []
    for line, one, theirs in zip(lines, abstracts, find_by_pytorch(engine, abstracts)):
        found = {(m["start"], m["end"], m["types"][0]): (m["score"], m["threshold"]) for m in line["mentions"]}
        margins += [score - threshold for span, (score, threshold) in theirs.items() if span not in found]
        for offset, text in one.passages:
            (of_text,) = engine.windows([text])
            for (start, end, kind), values in found.items():
                if offset <= start < offset + len(text):
                    number, first, last = judging_window(of_text, start - offset, end - offset)
                    is_shared = (start, end, kind) in theirs
                    to_score[len(windows) + number].append((first, last, kind, values, is_shared))
            windows += of_text
    differences, relative = [[], []], [[], []]
    with engine.torch.inference_mode():
        for batch, states in engine.states(windows):
            for number, of_window in zip(batch, states):
                for first, last, kind, values, is_shared in to_score[number]:
                    expected = engine.score_and_threshold(of_window, first, last, engine.types.index(kind))
                    for part in (0, 1):
                        differences[part].append(abs(values[part] - expected[part]))
                        relative[part].append(differences[part][-1] / max(1.0, abs(expected[part])))
                    margins += [] if is_shared else [expected[0] - expected[1]]
    largest = {"score": differences[0], "threshold": differences[1], "relative": relative[0] + relative[1]}
    return {name: max(values, default=0.0) for name, values in largest.items()} | {
        "mentions": len(differences[0]),
        "only_one": len(margins),
        "margin": max(map(abs, margins), default=0.0),
    }


class SpaCy:
    """A pipeline of spaCy, of as many processes as threads."""

    def __init__(self, pipeline, threads):
        self.pipeline, self.threads = pipeline, threads

    def __call__(self, abstracts):
        # Batches of the default size would all go to one process.
        texts = [one.text for one in abstracts]
        documents = self.pipeline.pipe(texts, batch_size=BATCH, n_process=self.threads)
        return [{(span.start_char, span.end_char, span.label_) for span in one.ents} for one in documents]


def ruler(training):
    """Returns an EntityRuler of the mentions of the training part."""
    spacy = import_spacy()
    types = collections.defaultdict(collections.Counter)
    for one in training:
        for start, end, kind in one.gold:
            types[one.text[start:end].lower()][kind] += 1
    pipeline = spacy.blank("en")
    patterns = [{"label": kinds.most_common(1)[0][0], "pattern": text} for text, kinds in sorted(types.items())]
    pipeline.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"}).add_patterns(patterns)
    return pipeline


def train_ner(training, folder, epochs):
    """Trains spaCy's `ner` by its default configuration into a folder; returns the seconds that it took."""
    spacy = import_spacy()
    from spacy.cli.init_config import init_config
    from spacy.training import Example
    from spacy.training.batchers import minibatch_by_words
    from thinc.api import compounding, fix_random_seed

    start = time.perf_counter()
    fix_random_seed(0)
    pipeline = spacy.util.load_model_from_config(init_config(lang="en", pipeline=["ner"], optimize="efficiency"))
    examples = []
    for one in training:
        document = pipeline.make_doc(one.text)
        spans = [document.char_span(start, end, kind) for start, end, kind in sorted(one.gold)]
        # Mentions that do not begin and end with tokens of spaCy are none.
        reference = pipeline.make_doc(one.text)
        reference.ents = spacy.util.filter_spans([span for span in spans if span is not None])
        examples.append(Example(document, reference))
    optimizer = pipeline.initialize(lambda: examples)
    sizes = compounding(100, 1000, 1.001)
    shuffled = random.Random(0)
    for _ in range(epochs):
        shuffled.shuffle(examples)
        for batch in minibatch_by_words(examples, size=sizes, tolerance=0.2):
            pipeline.update(batch, sgd=optimizer, drop=0.1)
    pipeline.to_disk(folder)
    return time.perf_counter() - start


def strict_scores(found, abstracts):
    """Returns precision, recall and F1 in percent."""
    right = sum(len(set(spans) & one.gold) for spans, one in zip(found, abstracts))
    precision = right / max(1, sum(map(len, found)))
    recall = right / sum(len(one.gold) for one in abstracts)
    return [100 * share for share in (precision, recall, 2 * precision * recall / max(1e-9, precision + recall))]


def measure_peer(name, given, abstracts, threads):
    find = finder(name, given, threads)
    find(abstracts[:1])  # the first call of a library takes longer
    copies = RULER_COPIES if name == "spacy-ruler" else 1
    (_, first), (found, rest) = timed(find, abstracts[:1]), timed(find, abstracts * copies)
    is_one_process = name == "pytorch" or threads == 1
    return {
        "seconds": (rest[0] - first[0]) / copies,
        "cpu_s": (rest[1] - first[1]) / copies,
        "memory_mb": peak_memory_mb() if is_one_process else float("nan"),
        "found": [set(spans) for spans in found[: len(abstracts)]],
    }


def finder(name, given, threads):
    """Returns the function of a peer that finds the mentions of abstracts."""
    if name == "pytorch":
        import torch

        torch.set_num_threads(threads)
        engine = PyTorch(given.model, given.places)
        return lambda abstracts: find_by_pytorch(engine, abstracts)
    spacy = import_spacy()
    is_ruler = name == "spacy-ruler"
    return SpaCy(ruler(read_pubtator(training_part(given.data))) if is_ruler else spacy.load(given.ner), threads)


def import_spacy():
    """Imports spaCy as it is where PyTorch is not installed: it would load PyTorch too, for networks not used here."""
    sys.modules["torch"] = None
    import spacy

    return spacy


def timed(find, abstracts):
    """Returns the mentions, and the seconds and the processor time that they took, child processes included."""
    start, processor = time.perf_counter(), sum(os.times()[:4])
    found = find(abstracts)
    return found, (time.perf_counter() - start, sum(os.times()[:4]) - processor)


def peak_memory_mb():
    """Returns the peak memory of this process alone; ru_maxrss would count its parent too."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) / 1024


def in_own_process(threads, function, *arguments):
    """Calls a function in a new process, whose libraries take this many threads."""
    variables = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
    os.environ.update(dict.fromkeys(variables, str(threads)))
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def run_ours(given, model, documents, threads, out):
    """Runs `truename recognize` on a file; returns seconds, processor time and peak memory."""
    command = [given.truename, "--quiet", "--threads", threads, "recognize", "--no-abbreviations", documents, "--recognizer", model]
    command += ["--format", "jsonl", "--offsets", "chars", "--out", out]
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command])
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    assert status == 0, f"truename ended with status {status}"
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure_ours(given, model, documents, first_document, threads, out):
    first = run_ours(given, model, first_document, threads, out)
    rest = run_ours(given, model, documents, threads, out)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    found = [{(one["start"], one["end"], one["types"][0]) for one in line["mentions"]} for line in lines]
    return {"seconds": rest[0] - first[0], "cpu_s": rest[1] - first[1], "memory_mb": rest[2], "found": found}


def compare(given):
    abstracts = read_pubtator(development_part(given.data))[: given.documents]
    given.places = window_places(given, abstracts)
    most = max(given.threads)
    with tempfile.TemporaryDirectory() as folder:
        names = ("all.pubtator", "first.pubtator", "out.jsonl")
        documents, first, out = (pathlib.Path(folder) / name for name in names)
        write_pubtator(documents, abstracts)
        write_pubtator(first, abstracts[:1])
        run_ours(given, given.model, documents, most, out)
        check(in_own_process(most, agreement, given, abstracts, out))
        if "spacy-ner" in given.peers and not given.ner.exists():
            training = read_pubtator(training_part(given.data))
            seconds = in_own_process(1, train_ner, training, given.ner, given.ner_epochs)
            print(f"spacy-ner trained for {given.ner_epochs} epochs in {seconds:.0f} s", flush=True)
        runs = collections.defaultdict(list)
        for _ in range(given.rounds):
            for threads in given.threads:
                for name, model in (("truename", given.model), ("truename-int8", given.int8)):
                    if model:
                        runs[name, threads].append(measure_ours(given, model, documents, first, threads, out))
                for name in given.peers:
                    libraries = threads if name == "pytorch" else 1
                    run = in_own_process(libraries, measure_peer, name, given, abstracts, threads)
                    runs[name, threads].append(run)
    report(runs, abstracts)


def check(agreed):
    print("{mentions} mentions; largest difference of scores {score:.1e}, ".format_map(agreed), end="")
    print("of thresholds {threshold:.1e}, relative {relative:.1e}".format_map(agreed))
    print("{only_one} mentions that only one finds, ".format_map(agreed), end="")
    print("at most {margin:.1e} from the threshold".format_map(agreed), flush=True)
    assert max(agreed["relative"], agreed["margin"]) < TOLERANCE


def report(runs, abstracts):
    print(f"{len(abstracts)} abstracts")
    print(f"{'':13} threads abstracts/s  cpu_ms memory_mb |      P      R     F1")
    for (name, threads), measured in sorted(runs.items(), key=lambda item: item[0][1]):
        median = {key: statistics.median(run[key] for run in measured) for key in ("seconds", "cpu_s", "memory_mb")}
        others = len(abstracts) - 1
        scores = "".join(f"{score:7.2f}" for score in strict_scores(measured[0]["found"], abstracts))
        print(f"{name:13}{threads:8}{others / median['seconds']:12.1f}{1e3 * median['cpu_s'] / others:8.1f}", end="")
        print(f"{median['memory_mb']:10.0f} |{scores}".replace("nan", "  -"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--truename", type=pathlib.Path, required=True)
    parser.add_argument("--int8", type=pathlib.Path, help="the model in 8 bits; left out without it")
    parser.add_argument("--ner", type=pathlib.Path, default="spacy-ner", help="folder of spaCy's trained pipeline")
    parser.add_argument("--ner-epochs", type=int, default=10)
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=PEERS)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--documents", type=int, help="number of abstracts [default: all]")
    compare(parser.parse_args())


if __name__ == "__main__":
    main()

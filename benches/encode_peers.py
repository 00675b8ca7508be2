#!/usr/bin/env python3
"""Runs the same encoder in other engines and in ours, in turn, each time in a process of its own.

    pip install torch==2.15.0 transformers==5.23.0 tokenizers onnx onnxscript onnxruntime==1.31.1
    truename model quantize MODEL --out INT8    # ours in 8 bits; `--int8 INT8` below, left out without it
    python3 benches/encode_peers.py texts MODEL esappmod/train.json DIR    # DIR/names.txt, DIR/long.txt
    RUSTFLAGS="-C target-cpu=native" cargo build --release --manifest-path benches/engines/Cargo.toml --target-dir engines
    OURS="target/release/truename-bench encode" ENGINES=engines/release/other-engines    # candle and rten; left out without it
    python3 benches/encode_peers.py run MODEL DIR/names.txt --ours "$OURS" --engines $ENGINES
    python3 benches/encode_peers.py run MODEL DIR/long.txt --ours "$OURS" --engines $ENGINES

Every engine gets two threads (`--threads`). As in sentence-transformers, PyTorch, ONNX Runtime, candle and rten get the texts sorted by length
in batches of 32, padded to the longest. Vectors are the mean over the tokens, of unit length. Tokenization counts.
`all_s` is the time for all texts after a warm-up run, `one_*` for one text at a time, `cpu_s` the processor time of all_s
(independent of other work on the machine). Figures are medians of five processes. The peak is the best of five runs of
PyTorch's (MKL's) product of two matrices of 2,048 by 2,048. `share` is the useful operations a second in all_s, without
padding, divided by the peak. Engines in single precision must agree to 1e-4, those in 8 bits to a cosine of 0.97. ONNX
Runtime's model in 8 bits is made by `onnxruntime.quantization.quantize_dynamic`, a scale for each channel.
"""

import argparse
import json
import os
import pathlib
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

THREADS = int(os.environ.get("RAYON_NUM_THREADS", "2"))  # what ours obeys; --threads sets it for all
ROUNDS = 5
BATCH = 32
SINGLE_TEXTS = 500


def write_names(train, file):
    """Writes the names that are encoded, and returns them."""
    entries = json.loads(train.read_text())["data"].values()
    names = list(dict.fromkeys(" ".join(name.split()) for entry in entries for name in entry["mentions"]))[:2439]
    file.write_text("\n".join(names) + "\n")
    return names


def write_texts(model, train, folder):
    import tokenizers

    folder.mkdir(parents=True, exist_ok=True)
    names = write_names(train, folder / "names.txt")
    tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    words = " ".join(names * 20).split()
    random.Random(0).shuffle(words)
    words, texts = iter(words), []
    while len(texts) < 512:
        text, length = "the", 3
        while length < 128:
            word = next(words)
            pieces = len(tokenizer.encode(word, add_special_tokens=False).ids)
            text, length = (f"{text} {word}", length + pieces) if length + pieces <= 128 else (f"{text} the", length + 1)
        assert len(tokenizer.encode(text).ids) == 128, text
        texts.append(text)
    assert len(set(texts)) == len(texts)
    (folder / "long.txt").write_text("\n".join(texts) + "\n")


class Engine:
    """Encodes tokens in padded batches; a subclass computes the hidden states."""

    def __init__(self, model):
        import tokenizers

        self.tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def encode(self, texts):
        import numpy

        tokens = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda index: -len(tokens[index]))
        vectors = [None] * len(texts)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            width = len(tokens[batch[0]])
            ids = numpy.array([tokens[index] + [0] * (width - len(tokens[index])) for index in batch])
            mask = numpy.array([[1] * len(tokens[index]) + [0] * (width - len(tokens[index])) for index in batch])
            for index, vector in zip(batch, self.vectors(ids, mask)):
                vectors[index] = vector
        return numpy.stack(vectors)


class PyTorch(Engine):
    def __init__(self, model):
        import torch
        import transformers

        super().__init__(model)
        torch.set_num_threads(THREADS)
        self.model = transformers.AutoModel.from_pretrained(model).eval()

    def vectors(self, ids, mask):
        import torch

        with torch.inference_mode():
            ids, mask = torch.from_numpy(ids), torch.from_numpy(mask)
            states = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
            sums = (states * mask[..., None]).sum(1)
            return torch.nn.functional.normalize(sums, dim=1).numpy()


class OnnxRuntime(Engine):
    file = "exported.onnx"

    def __init__(self, model):
        import onnxruntime

        super().__init__(model)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        self.session = onnxruntime.InferenceSession(str(model / self.file), options, ["CPUExecutionProvider"])

    def vectors(self, ids, mask):
        import numpy

        (states,) = self.session.run(None, {"input_ids": ids, "attention_mask": mask})
        sums = (states * mask[..., None]).sum(1)
        return sums / numpy.linalg.norm(sums, axis=1, keepdims=True)


class OnnxRuntimeInt8(OnnxRuntime):
    file = "int8.onnx"


def export(model, folder):
    """A folder with the model's tokenizer and the model as ONNX, in single precision and in 8 bits."""
    import torch
    import transformers
    from onnxruntime.quantization import QuantType, quantize_dynamic

    class States(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = transformers.AutoModel.from_pretrained(model, attn_implementation="eager").eval()

        def forward(self, input_ids, attention_mask):
            return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    batch, length = torch.export.Dim("batch", min=1), torch.export.Dim("length", min=2, max=256)
    shape = {0: batch, 1: length}
    example = (torch.ones(3, 7, dtype=torch.long), torch.ones(3, 7, dtype=torch.long))
    dynamic = {"input_ids": shape, "attention_mask": shape}
    torch.onnx.export(
        States(), example, str(folder / "exported.onnx"), input_names=["input_ids", "attention_mask"],
        dynamic_shapes=dynamic, dynamo=True, external_data=False,
    )
    single, int8 = folder / OnnxRuntime.file, folder / OnnxRuntimeInt8.file
    quantize_dynamic(single, int8, per_channel=True, weight_type=QuantType.QInt8)
    (folder / "tokenizer.json").write_bytes((model / "tokenizer.json").read_bytes())


ENGINES = {"pytorch": PyTorch, "onnxruntime": OnnxRuntime, "onnxruntime-int8": OnnxRuntimeInt8}


def work(name, model, path):
    """One process: the same steps as `benches/src/encode.rs`."""
    texts = path.read_text().splitlines()
    module = ("torch", "transformers") if name == "pytorch" else ("onnxruntime",)
    for one in module + ("numpy", "tokenizers"):
        __import__(one)  # the time to open is the model's alone
    start = time.perf_counter()
    engine = ENGINES[name](model)
    opened = time.perf_counter()
    engine.encode(texts)
    first = time.perf_counter()
    cpu = time.process_time()
    vectors = engine.encode(texts)
    done, cpu = time.perf_counter(), time.process_time() - cpu
    single = []
    for text in texts[:SINGLE_TEXTS]:
        before = time.perf_counter()
        engine.encode([text])
        single.append(time.perf_counter() - before)
    single.sort()
    quantile = lambda share: 1e3 * single[int((len(single) - 1) * share)]
    report = {
        "engine": name, "texts": len(texts), "open_ms": 1e3 * (opened - start), "first_s": first - opened,
        "all_s": done - first, "cpu_s": cpu, "one_p50_ms": quantile(0.5), "one_p99_ms": quantile(0.99),
        "memory_mb": peak_memory_mb(), "first_vector": vectors[0].tolist(),
    }
    print(json.dumps(report))


def peak_memory_mb():
    """Returns the peak memory of this process alone; ru_maxrss would count its parent too."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) / 1024


def peak():
    import torch

    torch.set_num_threads(THREADS)
    left, right = torch.randn(2048, 2048), torch.randn(2048, 2048)
    left @ right
    start = time.perf_counter()
    left @ right
    print(json.dumps({"engine": "peak", "gflops": 2 * 2048**3 / (time.perf_counter() - start) / 1e9}))


def useful_operations(model, path):
    """Floating-point operations in the matrix products of all texts, without padding."""
    import tokenizers

    config = json.loads((model / "config.json").read_text())
    hidden, inner, layers = (config[key] for key in ("hidden_size", "intermediate_size", "num_hidden_layers"))
    tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    lengths = [len(encoding.ids) for encoding in tokenizer.encode_batch(path.read_text().splitlines())]
    per_layer = sum(2 * length * (4 * hidden * hidden + 2 * hidden * inner + 2 * hidden * length) for length in lengths)
    return sum(lengths), layers * per_layer


def spawn(command, threads):
    """The line of JSON that a process prints last."""
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads), "RTEN_NUM_THREADS": str(threads)}
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(run.stdout.splitlines()[-1])


def compare(model, path, ours, int8, engines, rounds, threads):
    tokens, operations = useful_operations(model, path)
    with tempfile.TemporaryDirectory() as folder:
        exported = pathlib.Path(folder)
        this = [sys.executable, __file__]
        subprocess.run(this + ["export", str(model), folder], check=True, stdout=subprocess.DEVNULL)
        commands = {
            "peak": this + ["peak"],
            "truename": shlex.split(ours) + [str(model), str(path)],
            "pytorch": this + ["work", "pytorch", str(model), str(path)],
            "onnxruntime": this + ["work", "onnxruntime", str(exported), str(path)],
            "onnxruntime-int8": this + ["work", "onnxruntime-int8", str(exported), str(path)],
        }
        if int8:
            commands["truename-int8"] = shlex.split(ours) + [str(int8), str(path)]
        if engines:
            commands["candle"] = shlex.split(engines) + ["candle", str(model), str(path)]
            for name in ("rten", "rten-int8"):
                commands[name] = shlex.split(engines) + [name, str(exported), str(path)]
        runs = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                runs[name].append(spawn(command, threads))
    expected = runs["pytorch"][0]["first_vector"]
    for name in set(runs) - {"peak", "pytorch"}:
        found = runs[name][0]["first_vector"]
        cosine = sum(a * b for a, b in zip(found, expected, strict=True))
        is_int8, greatest = name.endswith("int8"), max(abs(a - b) for a, b in zip(found, expected))
        assert cosine > 0.97 if is_int8 else greatest < 1e-4, f"{name}: cosine {cosine}, greatest difference {greatest}"
    best = max(run["gflops"] for run in runs.pop("peak"))
    print(f"{path.name}: {tokens} tokens, {operations / 1e9:.0f} Gflop; peak {best:.0f} Gflop/s on {threads} threads")
    columns = ["open_ms", "first_s", "all_s", "cpu_s", "one_p50_ms", "one_p99_ms", "memory_mb"]
    print(f"{'':17}" + "".join(f"{column:>12}" for column in columns) + f"{'share':>8}")
    for name, of_engine in runs.items():
        median = {key: statistics.median(run.get(key, float("nan")) for run in of_engine) for key in columns}
        share = operations / median["all_s"] / 1e9 / best
        print(f"{name.replace('-', ' '):17}" + "".join(f"{median[column]:12.2f}" for column in columns) + f"{share:8.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    texts = commands.add_parser("texts")
    for argument in ("model", "train", "folder"):
        texts.add_argument(argument, type=pathlib.Path)
    names = commands.add_parser("names")
    for argument in ("train", "file"):
        names.add_argument(argument, type=pathlib.Path)
    run = commands.add_parser("run")
    run.add_argument("model", type=pathlib.Path)
    run.add_argument("texts", type=pathlib.Path)
    run.add_argument("--ours", required=True)
    run.add_argument("--int8", type=pathlib.Path, help="the folder of our model in 8 bits; left out without it")
    run.add_argument("--engines", help="the program of benches/engines; left out without it")
    run.add_argument("--rounds", type=int, default=ROUNDS)
    run.add_argument("--threads", type=int, default=THREADS)
    exporter = commands.add_parser("export")
    for argument in ("model", "folder"):
        exporter.add_argument(argument, type=pathlib.Path)
    worker = commands.add_parser("work")
    worker.add_argument("engine", choices=ENGINES)
    worker.add_argument("model", type=pathlib.Path)
    worker.add_argument("texts", type=pathlib.Path)
    commands.add_parser("peak")
    given = parser.parse_args()
    match given.command:
        case "texts":
            write_texts(given.model, given.train, given.folder)
        case "names":
            write_names(given.train, given.file)
        case "run":
            compare(given.model, given.texts, given.ours, given.int8, given.engines, given.rounds, given.threads)
        case "export":
            export(given.model, given.folder)
        case "work":
            work(given.engine, given.model, given.texts)
        case "peak":
            peak()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Scores the prompts of a re-ranker in PyTorch, with the same weights and in turn with Truename.

    pip install torch==2.15.0 transformers==5.23.0
    python3 benches/rerank_peers.py MODEL KB CORPUS --truename target/release/truename-bench

`MODEL` is a folder that `truename train` made with `task.kind = "rerank"`, `KB` a knowledge base and `CORPUS` its documents with
mentions. `truename-bench rerank` makes the prompts, so that both programs score the same tokens: PyTorch is timed without making them.
PyTorch gets the prompts sorted by length in batches of 32, padded to the longest, on as many threads as Truename (`--threads`).
Scores must agree to 1e-3. Figures are medians of three processes each.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

BATCH = 32
ROUNDS = 3
TOLERANCE = 1e-3
# As `CandidateScore::SPAN_LOGIT`.
SPAN_LOGIT = 10


def score(model_folder, prompts):
    """Returns the scores of all prompts (Prompt-BioEL, equation 6, by states or by spans) and the seconds."""
    import safetensors.torch
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    model = transformers.AutoModel.from_pretrained(model_folder, attn_implementation="sdpa").eval()
    tensors = safetensors.torch.load_file(model_folder / "model.safetensors")
    head = json.loads((model_folder / "truename.json").read_text())["heads"]["cloze"]
    dense, norm = "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm"
    words, width = model.embeddings.word_embeddings.weight, model.config.hidden_size

    def mapped(states):
        states = torch.nn.functional.linear(states, tensors[f"{dense}.weight"], tensors[f"{dense}.bias"])
        states = torch.nn.functional.gelu(states)
        scale, shift = tensors[f"{norm}.weight"], tensors[f"{norm}.bias"]
        return torch.nn.functional.layer_norm(states, [width], scale, shift, model.config.layer_norm_eps)

    order = sorted(range(len(prompts)), key=lambda at: -len(prompts[at]["ids"]))
    scores = [None] * len(prompts)
    start = time.perf_counter()
    with torch.inference_mode():
        for first in range(0, len(order), BATCH):
            batch = order[first : first + BATCH]
            longest = len(prompts[batch[0]]["ids"])
            fill = lambda values: values + [0] * (longest - len(values))
            ids = torch.tensor([fill(prompts[at]["ids"]) for at in batch])
            mask = torch.tensor([fill([1] * len(prompts[at]["ids"])) for at in batch])
            position = lambda at: prompts[at]["positions"] or list(range(len(prompts[at]["ids"])))
            positions = torch.tensor([fill(position(at)) for at in batch])
            states = model(input_ids=ids, attention_mask=mask, position_ids=positions).last_hidden_state
            for row, at in enumerate(batch):
                prompt = prompts[at]
                if head.get("score", "token") == "spans":
                    mean = lambda tokens: states[row, tokens["start"] : tokens["end"]].mean(0)
                    names = torch.stack([mean(tokens) for tokens in prompt["names"]])
                    cosines = torch.nn.functional.cosine_similarity(mean(prompt["mention"]), names, dim=-1)
                    scores[at] = (SPAN_LOGIT * (2 * cosines - 1)).tolist()
                    continue
                of_mask, options = mapped(states[row, prompt["mask"]]), prompt["options"]
                if head.get("score", "token") == "state":
                    found = states[row, options] @ of_mask / width**0.5
                else:
                    tokens = ids[row, options]
                    found = words[tokens] @ of_mask + tensors["cls.predictions.bias"][tokens]
                scores[at] = found.tolist()
    return scores, time.perf_counter() - start


def worker(arguments):
    import torch

    torch.set_num_threads(arguments.threads)
    prompts = [json.loads(line) for line in arguments.prompts.read_text().splitlines()]
    score(arguments.model, prompts[:BATCH])
    scores, seconds = score(arguments.model, prompts)
    pairs = [pair for found, prompt in zip(scores, prompts) for pair in zip(found, prompt["scores"])]
    print(json.dumps({"score_s": seconds, "difference": max(abs(left - right) for left, right in pairs)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("kb", type=pathlib.Path)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--truename", default="target/release/truename-bench")
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--prompts", type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.prompts:
        return worker(arguments)
    environment = {**os.environ, "RAYON_NUM_THREADS": str(arguments.threads)}
    with tempfile.TemporaryDirectory() as folder:
        prompts = pathlib.Path(folder) / "prompts.jsonl"
        command = [arguments.truename, "rerank", arguments.model, arguments.kb, arguments.corpus]
        ours = [*map(str, command), "--documents", str(arguments.documents), "--prompts", str(prompts)]
        theirs = [sys.executable, __file__, *sys.argv[1:], "--prompts", str(prompts)]
        runs = {"truename": [], "pytorch": []}
        for _ in range(ROUNDS):
            for name, line in (("truename", ours), ("pytorch", theirs)):
                output = subprocess.run(line, env=environment, check=True, capture_output=True, text=True).stdout
                runs[name].append(json.loads(output.splitlines()[-1]))
    for name, found in runs.items():
        median = {key: statistics.median(run[key] for run in found) for key in found[0]}
        print(name, json.dumps(median))
    difference = max(run["difference"] for run in runs["pytorch"])
    assert difference <= TOLERANCE, f"scores differ by {difference}"


if __name__ == "__main__":
    main()

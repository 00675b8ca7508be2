#!/usr/bin/env python3
"""Times a training step in PyTorch and in Truename, in turn, on the same texts and weights.

    pip install torch==2.15.0 transformers==5.23.0 tokenizers
    python3 benches/encode_peers.py texts MODEL esappmod/train.json DIR    # DIR/names.txt, DIR/long.txt
    OURS="target/release/truename-bench train-step"
    python3 benches/train_peers.py MODEL DIR/names.txt --size 160 --ours "$OURS"
    python3 benches/train_peers.py MODEL DIR/long.txt --size 32 --ours "$OURS"

A step is the forward pass, the supervised contrastive loss over classes of ten, the backward pass and AdamW, without
dropout. PyTorch gets each batch padded to its longest text. Figures are medians of five steps after a warm-up step, in
three processes each. The losses of all steps must agree to 1e-3.
"""

import argparse
import json
import os
import pathlib
import resource
import shlex
import statistics
import subprocess
import sys
import time

GROUP, RATE, TEMPERATURE = 10, 1e-4, 0.05
THREADS = int(os.environ.get("RAYON_NUM_THREADS", "2"))


def work(model_path, texts_path, size, steps):
    import torch
    import transformers

    torch.set_num_threads(THREADS)
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_path)
    model = transformers.AutoModel.from_pretrained(model_path)
    # The pooler is not used and gets no gradient.
    model.eval()
    decays = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": decays, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=RATE)
    texts = texts_path.read_text().splitlines()
    labels = torch.arange(size) // GROUP
    positive = (labels[:, None] == labels[None, :]) & ~torch.eye(size, dtype=torch.bool)
    is_anchor = positive.any(1) & (labels[:, None] != labels[None, :]).any(1)
    seconds, losses = [], []
    for step in range(steps):
        batch = tokenizer(texts[step * size : (step + 1) * size], padding=True, truncation=True, return_tensors="pt")
        start = time.perf_counter()
        states = model(**batch).last_hidden_state
        mask = batch["attention_mask"][:, :, None].float()
        vectors = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=1)
        logits = (vectors @ vectors.T / TEMPERATURE).masked_fill(torch.eye(size, dtype=torch.bool), -1e9)
        logs = torch.log_softmax(logits, 1)
        each = -(logs * positive).sum(1) / positive.sum(1).clamp(min=1)
        loss = each[is_anchor].mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seconds.append(time.perf_counter() - start)
        losses.append(loss.item())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"step_s": statistics.median(seconds[1:]), "losses": losses, "memory_mb": memory}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("texts", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=160)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ours")
    given = parser.parse_args()
    if not given.ours:
        work(given.model, given.texts, given.size, given.steps)
        return
    common = [str(given.model), str(given.texts), "--size", str(given.size), "--steps", str(given.steps)]
    commands = {"pytorch": [sys.executable, __file__] + common, "truename": shlex.split(given.ours) + common}
    runs = {name: [] for name in commands}
    for _ in range(given.rounds):
        for name, command in commands.items():
            environment = {**os.environ, "RAYON_NUM_THREADS": str(THREADS)}
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
            runs[name].append(json.loads(output.splitlines()[-1]))
    for one, other in zip(runs["pytorch"][0]["losses"], runs["truename"][0]["losses"]):
        assert abs(one - other) < 1e-3 * max(1.0, abs(one)), (one, other)
    for name, of_engine in runs.items():
        step, memory = (statistics.median(run[key] for run in of_engine) for key in ("step_s", "memory_mb"))
        print(f"{name:10} {step:7.3f} s a step {memory:7.0f} MB")


if __name__ == "__main__":
    main()

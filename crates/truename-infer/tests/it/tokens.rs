//! Windows, pairs, templates and offsets, against the library `tokenizers` in Python where it does the same.

use proptest::prelude::*;
use truename_infer::{
    AdaptersConfig, Backbone, Checkpoint, ClassifyConfig, ClassifyText, Marking, Part, Pooling, Sequence, Slot,
    SpecialToken, Tokenizer,
};

/// A model's tokenizer, with the pairs that real models of its family have.
fn tokenizer(family: &str) -> Tokenizer {
    Checkpoint::open(paired(family).path()).unwrap().tokenizer().unwrap()
}

/// A folder of a model with the pairs that real models of its family have.
fn paired(family: &str) -> tempfile::TempDir {
    let folder = crate::models::copy(family);
    let path = folder.path().join("tokenizer.json");
    let pair = match family {
        "bert" => {
            r#"[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}},{"Sequence":{"id":"B","type_id":1}},{"SpecialToken":{"id":"[SEP]","type_id":1}}]"#
        }
        _ => {
            r#"[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"</s>","type_id":0}},{"SpecialToken":{"id":"</s>","type_id":0}},{"Sequence":{"id":"B","type_id":1}},{"SpecialToken":{"id":"</s>","type_id":1}}]"#
        }
    };
    if family != "roberta" {
        let mut json = crate::models::json(&path);
        json["post_processor"]["pair"] = serde_json::from_str(pair).unwrap();
        std::fs::write(&path, json.to_string()).unwrap();
    }
    folder
}

/// A tokenizer with a window of so many tokens.
fn with_window(family: &str, window: usize) -> Tokenizer {
    let folder = crate::models::copy(family);
    std::fs::write(folder.path().join("sentence_bert_config.json"), format!("{{\"max_seq_length\": {window}}}"))
        .unwrap();
    Checkpoint::open(folder.path()).unwrap().tokenizer().unwrap()
}

fn segments(sequence: &Sequence) -> Vec<u32> {
    sequence.input.segments().map_or(vec![0; sequence.input.len()], <[u32]>::to_vec)
}

// from tokenizers import Tokenizer
// tokenizer = Tokenizer.from_file("tests/models/bert/tokenizer.json"), with the templates above
// tokenizer.encode("heart attack", "the fièvre").ids, .type_ids
#[test]
fn pairs_are_those_of_hugging_face() {
    let cases: [(&str, &[u32], &[u32]); 3] = [
        ("bert", &[0, 137, 138, 2, 93, 124, 96, 120, 2], &[0, 0, 0, 0, 1, 1, 1, 1, 1]),
        ("roberta", &[0, 317, 88, 319, 2, 2, 267, 272, 77, 313, 90, 305, 2], &[0; 13]),
        ("mpnet", &[0, 136, 138, 2, 2, 93, 124, 95, 119, 2], &[0, 0, 0, 0, 0, 1, 1, 1, 1, 1]),
    ];
    for (family, ids, expected) in cases {
        let (left, right) = (" heart attack", "the fièvre");
        let pair = tokenizer(family).pair(left, right).unwrap();
        assert_eq!((pair.input.ids(), segments(&pair).as_slice()), (ids, expected), "{family}");
        assert!(pair.truncated.is_empty());
        let texts = pair.places.iter().flatten().map(|place| place.text);
        assert!(texts.is_sorted() && pair.places[1].unwrap().span.of(left).unwrap().starts_with('h'));
        let last = pair.places[pair.places.len() - 2].unwrap();
        assert!(last.text == 1 && last.span.end == right.len());
    }
}

// tokenizer.enable_truncation(12)
// tokenizer.encode("the patient had a heart attack", "no fever, no cough").ids
// tokenizer.enable_truncation(8, stride=2); encoding = tokenizer.encode("the patient had a heart attack")
// [window.ids for window in [encoding] + encoding.overflowing]
#[test]
fn windows_are_those_of_hugging_face() {
    let pair = with_window("roberta", 12).pair("the patient had a heart attack", "no fever, no cough").unwrap();
    assert_eq!(pair.input.ids(), [0, 267, 293, 292, 261, 2, 2, 265, 280, 16, 279, 2]);
    assert_eq!(pair.truncated, [0, 1]);
    let windows = with_window("roberta", 8).windows("the patient had a heart attack", 2).unwrap();
    let ids: Vec<&[u32]> = windows.iter().map(|window| window.input.ids()).collect();
    assert_eq!(ids, [&[0, 267, 293, 292, 261, 225, 317, 2][..], &[0, 225, 317, 88, 319, 2]]);
}

// The byte spans of tokenizer.encode("Die Ärztin: 37 °C 🙂 naïve", add_special_tokens=False).offsets; a space alone has none.
#[test]
fn offsets_are_those_of_hugging_face() {
    let text = "Die Ärztin: 37 °C 🙂 naïve";
    let pieces: [(&str, &[&str]); 3] = [
        ("bert", &["Di", "e", "Är", "z", "ti", "n", ":", "37", "°", "C", "🙂", "n", "a", "ïv", "e"]),
        (
            "roberta",
            &[
                "D", "ie", "", "Ä", "Ä", "r", "z", "t", "in", ":", "3", "7", "", "°", "°", "C", "", "🙂", "🙂", "🙂",
                "🙂", "", "n", "a", "ï", "ï", "v", "e",
            ],
        ),
        ("xlm-roberta", &["Die", "Ärztin", ":", "3", "3", "7", "°", "°", "C", "🙂", "🙂", "naïve"]),
    ];
    for (family, expected) in pieces {
        let windows = tokenizer(family).windows(text, 0).unwrap();
        let [window] = windows.as_slice() else { panic!("{} windows", windows.len()) };
        let tokens = window.parts[1].clone();
        let found = tokens.map(|token| window.span(token).map_or("", |span| &text[span.range()]));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{family}");
        assert!(window.span(0).is_none() && window.places.last().unwrap().is_none());
    }
}

// The byte spans of tokenizer.encode(text, add_special_tokens=False).offsets
#[test]
fn offsets_are_exact_under_the_normalization_of_sentencepiece() {
    let text = " the \u{fb01}èvre e\u{301} ２ \u{bd} day";
    let window = &tokenizer("xlm-roberta").windows(text, 0).unwrap()[0];
    let found = window.places[window.parts[1].clone()].iter().map(|place| &text[place.unwrap().span.range()]);
    let expected = ["the", "ﬁèvre", "e", "e\u{301}", "２", "２", "½", "½", "½", "½", "day"];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

/// A tokenizer of its own file, in the folder of another model.
fn tokenizer_of(json: serde_json::Value) -> Tokenizer {
    let folder = crate::models::copy("roberta");
    std::fs::write(folder.path().join("tokenizer.json"), json.to_string()).unwrap();
    Checkpoint::open(folder.path()).unwrap().tokenizer().unwrap()
}

// unigram = Tokenizer(models.Unigram(pieces, unk_id=0)); unigram.normalizer = normalizers.NFKC()
// unigram.pre_tokenizer = pre_tokenizers.Metaspace()
// unigram.encode("heart cafe\u0301 \ufb01 \u00bd").tokens
//   ['▁he', 'art', '▁', 'c', 'a', 'f', 'é', '▁', 'f', 'i', '▁', '1', '⁄', '2']
// A mark that normalization joins with its letter has no offset there; it belongs to its letter here.
#[test]
fn offsets_are_exact_under_every_normalization() {
    let unigram = serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "decoder": null, "post_processor": null,
        "normalizer": {"type": "NFKC"},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
        "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": false, "vocab": [
            ["<unk>", 0.0], ["▁", -2.0], ["▁he", -3.0], ["art", -3.0], ["é", -3.5], ["f", -4.0], ["i", -4.0], ["c", -4.0],
            ["a", -4.0], ["1", -5.0], ["⁄", -5.0], ["2", -5.0],
        ]},
    });
    let pairs = |normalizers: serde_json::Value| {
        serde_json::json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "decoder": null,
            "post_processor": null, "pre_tokenizer": {"type": "Whitespace"},
            "normalizer": {"type": "Sequence", "normalizers": normalizers},
            "model": {
                "type": "BPE", "dropout": null, "unk_token": "<unk>", "fuse_unk": false, "byte_fallback": false,
                "continuing_subword_prefix": null, "end_of_word_suffix": null, "ignore_merges": false,
                "vocab": {"<unk>": 0, "c": 1, "a": 2, "f": 3, "é": 4, "ca": 5, "fé": 6, "e": 7},
                "merges": [["c", "a"], ["f", "é"]],
            },
        })
    };
    let composed = serde_json::json!([{"type": "NFC"}, {"type": "Lowercase"}]);
    let stripped = serde_json::json!([{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]);
    let (text, capitals) = ("heart cafe\u{301} \u{fb01} \u{bd}", "CAFE\u{301} café");
    let cases: [(_, _, &[&str]); 3] = [
        (unigram, text, &["he", "art", "", "c", "a", "f", "e\u{301}", "", "ﬁ", "ﬁ", "", "½", "½", "½"]),
        (pairs(composed), capitals, &["CA", "FE\u{301}", "ca", "fé"]),
        (pairs(stripped), capitals, &["CA", "F", "E\u{301}", "ca", "f", "é"]),
    ];
    for (json, text, expected) in cases {
        let tokenizer = tokenizer_of(json);
        let window = &tokenizer.windows(text, 0).unwrap()[0];
        let found = window.places.iter().map(|place| place.map_or("", |place| &text[place.span.range()]));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
        let pair = tokenizer.pair(text, text).unwrap();
        assert_eq!(segments(&pair).iter().sum::<u32>() as usize * 2, pair.input.len());
    }
}

#[test]
fn marks_that_a_tokenizer_takes_away_belong_to_their_letter() {
    let tokenizer = tokenizer("bert");
    for text in ["cafe\u{301}, e\u{301}\u{323}!", "E\u{301}COLE İzmir", "a\u{200b}b\r\n🙂\u{fe0f} x"] {
        let windows = tokenizer.windows(text, 0).unwrap();
        let mut covered = 0;
        for span in windows[0].places.iter().flatten().map(|place| place.span) {
            let between = text.get(covered.min(span.start)..span.start).unwrap();
            assert!(between.chars().all(|left| left.is_whitespace() || left == '\u{200b}'), "{between:?} in {text:?}");
            covered = span.end;
        }
        assert_eq!(covered, text.len(), "{text:?}");
    }
}

#[test]
fn templates_hold_their_texts_and_no_special_token_of_them() {
    let folder = crate::models::copy("bert");
    let Checkpoint::Transformer(mut checkpoint) = Checkpoint::open(folder.path()).unwrap() else { panic!() };
    let ids = checkpoint.add_special_tokens(&["[START]", "[END]", "[MASK]"].map(SpecialToken::new), 1).unwrap();
    assert_eq!(ids[..2], [160, 161]);
    let mut checkpoint = Checkpoint::Transformer(checkpoint);
    let tokenizer = checkpoint.tokenizer().unwrap();
    let parts = [
        Part::Special("[CLS]"),
        Part::Slot,
        Part::Special("[START]"),
        Part::Slot,
        Part::Special("[END]"),
        Part::Slot,
        Part::Segment(1),
        Part::Text("the same?"),
        Part::Special("[MASK]"),
        Part::Special("[SEP]"),
    ];
    let template = tokenizer.template(&parts).unwrap();
    assert_eq!(template.slots(), 3);
    let texts = ["the patient had a ", "heart attack", ", [END] no fever"];
    let slots = [Slot::ending(texts[0], 2), Slot::new(texts[1], 8), Slot::new(texts[2], 8)];
    let sequence = tokenizer.fill(&template, &slots).unwrap();
    let ids = sequence.input.ids();
    assert_eq!(ids.iter().filter(|id| **id == 161).count(), 1, "[END] in a text is text");
    assert_eq!(sequence.parts.iter().map(|part| ids[part.start]).nth(2), Some(160));
    assert_eq!(sequence.truncated, [0]);
    let first = sequence.places[1].unwrap();
    assert_eq!((first.text, &texts[0][first.span.range()]), (0, "had"));
    let mention = sequence.parts[3].clone().map(|token| sequence.span(token).unwrap());
    assert_eq!(mention.map(|span| &texts[1][span.range()]).collect::<Vec<_>>(), ["heart", "attack"]);
    let mask = sequence.parts[7].start;
    assert_eq!((ids[mask], segments(&sequence)[mask], segments(&sequence)[1]), (4, 1, 0));
    assert_eq!(sequence.input.len(), ids.len());

    let error = tokenizer.template(&[Part::Special("[E1]")]).unwrap_err();
    assert!(error.to_string().contains("no token [E1]") && error.hint().is_some());
    let long = "fever ".repeat(100);
    let [_, mention, after] = slots;
    let error = tokenizer.fill(&template, &[Slot::new(&long, 40), mention, after]).unwrap_err();
    assert!(error.to_string().contains("the model reads 48"), "{error}");
}

#[test]
fn names_of_a_list_are_joined_by_a_special_token() {
    let folder = crate::models::copy("bert");
    let Checkpoint::Transformer(mut checkpoint) = Checkpoint::open(folder.path()).unwrap() else { panic!() };
    let or = checkpoint.add_special_tokens(&[SpecialToken::new("[OR]")], 1).unwrap()[0];
    let tokenizer = Checkpoint::Transformer(checkpoint).tokenizer().unwrap();
    let parts =
        [Part::Special("[CLS]"), Part::Slot, Part::Special("[SEP]"), Part::List("[OR]"), Part::Special("[SEP]")];
    let template = tokenizer.template(&parts).unwrap();
    let names = ["heart attack", "fever", "the heart"];
    let fill = |most| tokenizer.fill(&template, &[Slot::new("the", 1), Slot::list(names.to_vec(), most)]).unwrap();
    let id = |word: &str| tokenizer.tokens(word).unwrap().ids[1];
    let [heart, attack, fever, the] = ["heart", "attack", "fever", "the"].map(id);
    let whole = fill(7);
    assert_eq!(whole.input.ids(), [0, the, 2, heart, attack, or, fever, or, the, heart, 2]);
    let texts: Vec<Option<usize>> = whole.places.iter().map(|place| place.map(|place| place.text)).collect();
    let expected = [None, Some(0), None, Some(1), Some(1), None, Some(2), None, Some(3), Some(3), None];
    assert_eq!(texts, expected);
    let cut = fill(4);
    assert_eq!(cut.input.ids(), [0, the, 2, heart, attack, or, fever, 2]);
    assert_eq!((whole.truncated.len(), cut.truncated), (0, vec![1]));
    // A name that does not fit at all is left out as one that is cut.
    assert_eq!(fill(2).truncated, [1]);
}

#[test]
fn text_in_a_template_is_words_beside_each_other() {
    let tokenizer = tokenizer("roberta");
    let parts = [Part::Special("<s>"), Part::Slot, Part::Slot, Part::Special("</s>")];
    let template = tokenizer.template(&parts).unwrap();
    let sequence = tokenizer.fill(&template, &[Slot::new("heart ", 9), Slot::new(" attack", 9)]).unwrap();
    assert_eq!(sequence.input.ids(), tokenizer.tokens("heart attack").unwrap().ids);
    let last = sequence.places[sequence.places.len() - 2].unwrap();
    assert_eq!((last.text, last.span.of(" attack")), (1, Some(&" attack"[last.span.range()])));
    assert_eq!(last.span.end, 7);
}

#[test]
fn bad_windows_are_refused() {
    let tokenizer = with_window("bert", 5);
    assert!(tokenizer.windows("heart attack", 2).is_ok());
    let error = tokenizer.windows("heart attack", 3).unwrap_err();
    assert!(error.to_string().contains("room for 3 tokens cannot overlap by 3"), "{error}");
    assert!(with_window("roberta", 5).pair("a", "b").unwrap_err().to_string().contains("no room for two texts"));
}

#[test]
fn encoders_of_characters_read_single_texts() {
    let config = truename_infer::CharacterConfig::new(truename_infer::Network::Graph, 4, 1);
    let tensors = config.tensors().into_iter().map(|(name, shape)| {
        let values = vec![0.1; shape.iter().product()];
        (name, truename_infer::Tensor::new(shape, values))
    });
    let checkpoint = truename_infer::CharacterCheckpoint::new(config.clone(), &tensors.collect());
    let folder = tempfile::tempdir().unwrap();
    Checkpoint::Characters(checkpoint).save(folder.path(), &Default::default(), None).unwrap();
    let backbone = Backbone::open(folder.path()).unwrap();
    let error = backbone.tokenizer().pair("a", "b").unwrap_err();
    assert!(error.to_string().contains("single texts alone") && error.hint().is_some());
}

proptest! {
    /// No letter is lost in windows, and every span is a piece of the text.
    #[test]
    fn windows_hold_the_whole_text(
        words in prop::collection::vec("[a-zäéİΣ🙂°心]{1,6}[,.]?(\u{301})?", 0..40),
        window in 5usize..20,
        overlap in 0usize..3,
        family in prop::sample::select(vec!["bert", "roberta", "mpnet"]),
    ) {
        let text = format!(" {} ", words.join(" "));
        let tokenizer = with_window(family, window);
        let all = with_window(family, 64).windows(&text, 0).unwrap();
        let all: Vec<u32> = all.iter().flat_map(|window| window.input.ids()[window.parts[1].clone()].to_vec()).collect();
        let windows = tokenizer.windows(&text, overlap).unwrap();
        let mut joined = Vec::new();
        let mut covered = vec![false; text.len()];
        for (number, window) in windows.iter().enumerate() {
            let tokens = window.input.ids()[window.parts[1].clone()].to_vec();
            joined.extend_from_slice(if number == 0 { &tokens } else { &tokens[overlap..] });
            for span in window.places.iter().flatten().map(|place| place.span) {
                prop_assert!(span.of(&text).is_some_and(|piece| piece.trim() == piece));
                covered[span.range()].fill(true);
            }
            let starts = window.places.iter().flatten().map(|place| place.span.start);
            prop_assert!(starts.is_sorted());
        }
        prop_assert_eq!(joined, all);
        for (at, letter) in text.char_indices() {
            prop_assert!(covered[at] || letter.is_whitespace(), "{:?} of {:?}", letter, text);
        }
    }

    /// A slot has the tokens and places of the end that is kept, as if the whole text were read.
    #[test]
    fn slots_hold_the_end_of_the_whole_text(
        words in prop::collection::vec("[a-zA-Zäéİ0-9]{1,6}[,.]?|[a-zΣ🙂°心]{1,6}(\u{301})?|[a-z]{110}", 0..200),
        most in 1usize..12,
        family in prop::sample::select(vec!["bert", "roberta", "mpnet"]),
    ) {
        let text = format!(" {} ", words.join(" "));
        let tokenizer = with_window(family, 40);
        let windows = tokenizer.windows(&text, 0).unwrap();
        let of_text = |window: &Sequence| window.parts[1].clone();
        let ids: Vec<u32> =
            windows.iter().flat_map(|window| window.input.ids()[of_text(window)].to_vec()).collect();
        let places: Vec<_> = windows.iter().flat_map(|window| window.places[of_text(window)].to_vec()).collect();
        let template = tokenizer.template(&[Part::Slot]).unwrap();
        let filled = |slot: Slot<'_>| {
            let sequence = tokenizer.fill(&template, &[slot]).unwrap();
            (sequence.input.ids().to_vec(), sequence.places, sequence.truncated)
        };
        let kept = ids.len().min(most);
        let truncated = if ids.len() > most { vec![0] } else { Vec::new() };
        let first = (ids[..kept].to_vec(), places[..kept].to_vec(), truncated.clone());
        prop_assert_eq!(filled(Slot::new(&text, most)), first);
        let last = (ids[ids.len() - kept..].to_vec(), places[places.len() - kept..].to_vec(), truncated);
        prop_assert_eq!(filled(Slot::ending(&text, most)), last);
    }
}

#[test]
fn texts_to_classify_lose_what_does_not_fit_the_longer_of_a_pair_first() {
    let tokenizer = &tokenizer("bert");
    let config = ClassifyConfig::new(Vec::new(), 10, Pooling::Cls);
    let [first, last] = ["[CLS]", "[SEP]"].map(|token| tokenizer.id(token).unwrap());
    let whole = config.tokens(ClassifyText { first: " flu ", second: Some("heart attack") }, tokenizer).unwrap();
    assert!(whole.truncated.is_empty());
    let ids = whole.input.ids();
    assert_eq!((ids[0], *ids.last().unwrap()), (first, last));
    let middle = 1 + ids[1..].iter().position(|id| *id == last).unwrap();
    let segments = whole.input.segments().unwrap();
    assert!(segments[..=middle].iter().all(|segment| *segment == 0));
    assert!(segments[middle + 1..].iter().all(|segment| *segment == 1));
    let long = "heart attack and heart attack and heart attack and heart attack";
    let cut = config.tokens(ClassifyText { first: long, second: Some("flu") }, tokenizer).unwrap();
    assert_eq!((cut.input.len(), cut.truncated), (10, vec![0]));
    let single = config.tokens(ClassifyText { first: long, second: None }, tokenizer).unwrap();
    assert_eq!((single.input.len(), single.truncated), (10, vec![0]));
    assert_eq!(single.input.ids()[9], last);
    let single = config.tokens(ClassifyText { first: "flu", second: None }, tokenizer).unwrap();
    assert!(single.truncated.is_empty() && single.input.segments().is_none());
}

#[test]
fn shared_words_of_a_pair_are_marked_where_the_model_has_markers() {
    let folder = paired("bert");
    let Checkpoint::Transformer(mut checkpoint) = Checkpoint::open(folder.path()).unwrap() else {
        panic!("a transformer")
    };
    let [start, end] = checkpoint.add_special_tokens(&AdaptersConfig::special_tokens(), 1).unwrap()[..] else {
        panic!("two markers")
    };
    let tokenizer = Checkpoint::Transformer(checkpoint).tokenizer().unwrap();
    let mut config = ClassifyConfig::new(Vec::new(), 24, Pooling::Cls);
    let pair = ClassifyText { first: "the Attack of flu", second: Some("heart attack") };
    let read = |config: &ClassifyConfig, tokenizer: &Tokenizer| config.tokens(pair, tokenizer).unwrap().input;
    let unmarked = read(&config, &tokenizer);
    config.marking = Marking::Shared;
    assert_eq!(
        read(&config, &self::tokenizer("bert")),
        unmarked,
        "a model without markers reads the texts as they are"
    );
    let marked = read(&config, &tokenizer);
    assert_eq!(marked.len(), unmarked.len() + 4);
    assert_eq!(marked.entities().len(), 2);
    for (entity, segment) in marked.entities().iter().zip([0, 1]) {
        let ids = &marked.ids()[entity.clone()];
        assert_eq!((ids[0], *ids.last().unwrap()), (start, end));
        assert!(marked.segments().unwrap()[entity.clone()].iter().all(|of_token| *of_token == segment));
    }
    let [first, second] = [0, 1].map(|at| marked.ids()[marked.entities()[at].clone()].to_vec());
    assert_eq!(first, second, "one word");
    config.window = 10;
    assert!(read(&config, &tokenizer).len() <= 10);
}

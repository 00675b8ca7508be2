//! Re-rankers that `train` made, in `kb models`, `link` and `kb info`.

use std::sync::LazyLock;

use crate::folder::{Folder, ran};
use serde_json::Value;

static MODEL: LazyLock<String> = LazyLock::new(|| crate::folder::model("bert"));

/// Two concepts share a name, and the words around it tell which is meant.
const KB: &str = "id\tname\nA:1\tcommon cold\nA:1\tcold\nA:2\tlow temperature\nA:2\tcold\nA:3\taspirin\n";
pub const ILL: [&str; 4] = ["flu or a cold", "a heart and a cold", "the guests had a cold", "flu with a cold"];
pub const WIND: [&str; 4] = ["cold is the wind", "cold wind again", "cold as wind is", "cold wind not flu"];

const RECIPE: &str = "\
[task]
kind = \"rerank\"
[data]
train = [\"corpus.pubtator\"]
dev = [\"dev.pubtator\"]
[encoder]
dropout = 0.0
[prompt]
candidates = 3
name_tokens = 6
window = 56
question = \"mention\"
[schedule]
epochs = 200
learning_rate = 3e-3
[evaluation]
every = 100
";

/// The same tokens, which are not learnt.
fn dev() -> String {
    corpus_of(1, |text, _| text.replacen(' ', "  ", 1))
}

fn corpus() -> String {
    corpus_of(1, |text, _| text.to_owned())
}

/// So many copies of the texts, each with its mention; `written` is given a text and the number of the copy.
pub fn corpus_of(copies: usize, written: impl Fn(&str, usize) -> String) -> String {
    let texts = || ILL.map(|text| (text, "A:1")).into_iter().chain(WIND.map(|text| (text, "A:2")));
    let document = |(number, (text, id)): (usize, (&str, &str))| {
        let text = written(text, number / 8);
        let start = text.find("cold").unwrap();
        format!("{number}|t|{text}\n{number}\t{start}\t{}\tcold\tThing\t{id}\n\n", start + 4)
    };
    (0..copies).flat_map(|_| texts()).enumerate().map(document).collect()
}

/// With a knowledge base in `kb` and a re-ranker in `reranker`.
fn trained() -> Folder {
    let folder = Folder::new();
    folder.write("kb.tsv", KB);
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb"]), ran(0, "", ""));
    folder.write("corpus.pubtator", corpus());
    folder.write("dev.pubtator", dev());
    folder.write("recipe.toml", RECIPE);
    let run = folder.run(&["train", "recipe.toml", "--kb", "kb", "--encoder", &MODEL, "--out", "reranker"]);
    assert_eq!((run.code, run.out.as_str()), (0, "reranker\n"), "{}", run.err);
    assert!(run.err.contains("3 concepts; 8 mentions to learn, 8 to evaluate on"), "{}", run.err);
    assert!(run.err.contains("epoch 200: acc@1 100.00 %"), "{}", run.err);
    folder
}

#[test]
fn mentions_with_the_name_of_one_concept_alone_are_learnt_in_part() {
    let folder = Folder::new();
    folder.write("kb.tsv", KB.to_owned() + "A:4\taspirin acid\n");
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb"]), ran(0, "", ""));
    let exact: String =
        (10..50).map(|id| format!("{id}|t|aspirin or cold\n{id}\t0\t7\taspirin\tThing\tA:3\n\n")).collect();
    folder.write("corpus.pubtator", corpus() + &exact);
    folder.write("dev.pubtator", dev());
    folder.write("recipe.toml", RECIPE);
    let texts = |share: &str| {
        let flags =
            ["--set", "schedule.epochs=1", "--set", "schedule.max_steps=1", "--set", "prompt.batch=1", "--set", share];
        let run = ["train", "recipe.toml", "--kb", "kb", "--encoder", &MODEL, "--out", share];
        let run = folder.run(&[&run[..], &flags].concat());
        assert!(run.err.contains("40 mentions have the name of one concept alone"), "{}", run.err);
        run.err.lines().find(|line| line.contains("texts")).unwrap().to_owned()
    };
    assert!(texts("prompt.exact=1").contains(" 48 texts"));
    assert!(texts("prompt.exact=0.5").contains(" 28 texts"));
    assert!(texts("prompt.exact=0").contains(" 8 texts"));
    folder.write("corpus.pubtator", exact);
    let run = ["train", "recipe.toml", "--kb", "kb", "--encoder", &MODEL, "--out", "none", "--set", "prompt.exact=0"];
    let run = folder.run(&run);
    assert!(run.code != 0 && run.err.contains("prompt.exact is 0; it must be higher"), "{}", run.err);
}

#[test]
fn probabilities_are_not_fitted_to_what_was_learnt() {
    let folder = Folder::new();
    folder.write("kb.tsv", KB);
    folder.write("corpus.pubtator", corpus());
    let spaced =
        |text: &str| format!("{{\"text\":\" {text}\",\"mentions\":[{{\"start\":1,\"end\":4,\"id\":\"A:1\"}}]}}\n");
    folder.write("dev.jsonl", ILL.map(spaced).concat());
    folder.write("recipe.toml", RECIPE);
    let train = |set: &str| {
        let run = ["train", "recipe.toml", "--kb", "kb.tsv", "--encoder", &MODEL, "--out", "none", "--set", set];
        let run = folder.run(&run);
        assert!(run.code != 0, "{}", run.err);
        run.err
    };
    let learnt = "data.train has learnt 8 of the 8 documents with mentions to evaluate on";
    assert!(train("data.dev=[\"corpus.pubtator\"]").contains(learnt));
    let err = train("data.dev=[\"dev.jsonl\"]");
    assert!(err.contains("data.train has learnt 4 of the 4 documents"), "space around a text does not count: {err}");
    folder.write("recipe.toml", RECIPE.replace("dev = [\"dev.pubtator\"]\n", ""));
    assert!(train("data.dev_share=0.999").contains("all documents with a mention to learn are held out"));
    folder.write("kb.tsv", "id\tname\nA:1\tcold\nA:2\txyzzy\n");
    let of_one: Vec<String> =
        corpus().split_inclusive("\n\n").filter(|one| one.contains("A:1")).map(str::to_owned).collect();
    folder.write("corpus.pubtator", of_one.concat());
    let err = train("data.dev_share=0");
    assert!(err.contains("no mention to learn has a candidate beside the right one"), "{err}");
}

#[test]
fn a_prompt_has_the_types_of_candidates_and_the_parents_of_homonyms_where_the_recipe_says_so() {
    let folder = Folder::new();
    folder.write("corpus.pubtator", corpus());
    // Nothing is held out: after one epoch the ranker would be certain of all.
    let recipe = RECIPE.replace("dev = [\"dev.pubtator\"]", "dev_share = 0").replace("epochs = 200", "epochs = 1");
    folder.write("recipe.toml", recipe);
    let import = |kind: &str, parent: &str| {
        let concept = |id: &str, name: &str, rest: &str| {
            format!("{{\"id\":\"{id}\",\"name\":\"{name}\",\"synonyms\":[\"cold\"]{rest}}}\n")
        };
        let rest = format!(",\"types\":[\"{kind}\"],\"parents\":[\"{parent}\"]");
        let kb = concept("A:1", "common cold", &rest) + &concept("A:2", "low temperature", "");
        folder.write("kb.jsonl", kb + "{\"id\":\"A:3\",\"name\":\"aspirin\"}\n{\"id\":\"A:4\",\"name\":\"flu\"}\n");
        assert_eq!(folder.run(&["-q", "kb", "import", "kb.jsonl", "--out", "kb", "--force"]).code, 0);
    };
    import("wind", "A:4");
    let train = |model: &str, switch: &str| {
        let run = ["train", "recipe.toml", "--kb", "kb", "--encoder", &MODEL, "--out", model];
        let switches = [format!("prompt.types={switch}"), format!("prompt.parents={switch}")];
        let run = folder.run(&[&run[..], &["--set", &switches[0], "--set", &switches[1]]].concat());
        assert_eq!(run.code, 0, "{}", run.err);
    };
    train("plain", "false");
    train("labelled", "true");
    folder.write("note.txt", WIND[0]);
    let score = |model: &str, kind: &str, parent: &str| {
        import(kind, parent);
        assert_eq!(folder.run(&["-q", "kb", "models", "add", model, "--kb", "kb"]).code, 0);
        let run = folder.run(&["-q", "link", "note.txt", "--kb", "kb", "--min-probability", "0", "--top", "3"]);
        let document: Value = serde_json::from_str(&run.out).unwrap();
        let candidates = document["mentions"][0]["candidates"].as_array().unwrap();
        let of_first = candidates.iter().find(|candidate| candidate["id"] == "A:1").unwrap();
        of_first["scores"]["reranker"].as_f64().unwrap()
    };
    assert_eq!(score("plain", "wind", "A:4"), score("plain", "heart", "A:3"), "by names alone");
    let labelled = score("labelled", "wind", "A:4");
    assert_ne!(score("labelled", "heart", "A:4"), labelled, "another type");
    assert_ne!(score("labelled", "wind", "A:3"), labelled, "another parent");
    assert_eq!(score("labelled", "wind", "A:4"), labelled);
}

#[test]
fn what_no_window_holds_is_listed() {
    let folder = trained();
    folder.write("kb.tsv", format!("{KB}A:4\t{}\n", "very long cold ".repeat(9)));
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb", "--force"]), ran(0, "", ""));
    let run = folder.run(&["kb", "models", "add", "reranker", "--kb", "kb"]);
    let expected =
        "warning: no name of 1 concept is short enough for the re-ranker, which reads their beginning:\n  A:4 (";
    assert!(run.err.contains(expected), "{}", run.err);
    let name = "cold ".repeat(90);
    let mention = format!("{{\"start\":0,\"end\":{}}}", name.trim_end().len());
    folder.write("note.jsonl", format!("{{\"text\":\"{name}wind\",\"mentions\":[{mention}]}}\n"));
    let link = |more: &[&str]| folder.run(&[&["link", "note.jsonl", "--kb", "kb", "--mentions"], more].concat());
    let (run, by_name) = (link(&[]), link(&["--no-context"]));
    assert!(run.err.contains("1 name is longer than the window of a model"), "{}", run.err);
    assert_eq!(run.out.replace(",\"is_truncated\":true", ""), by_name.out, "the answer is that of the name");
}

#[test]
fn a_context_is_explained_by_the_probability_before_and_words() {
    let folder = trained();
    assert_eq!(folder.run(&["-q", "kb", "models", "add", "reranker", "--kb", "kb"]), ran(0, "", ""));
    folder.write("note.txt", ILL[2]);
    let run = folder.run(&["-q", "link", "note.txt", "--kb", "kb", "--explain"]);
    let document: Value = serde_json::from_str(&run.out).unwrap();
    let mention = &document["mentions"][0];
    let why = mention["explanation"].as_str().unwrap();
    let hint = "A hint, no proof: of the context the re-ranker attended most to “";
    assert!(why.contains("Before the context was read it had ") && why.contains(hint), "{why}");
    let words = why.split(hint).nth(1).unwrap();
    assert!(["guests", "had", "the"].iter().all(|word| words.contains(word)), "{words}");
    let before: f64 =
        mention["candidates"].as_array().unwrap().iter().map(|one| one["probability_by_name"].as_f64().unwrap()).sum();
    assert!(before > 0.5 && before <= 1.0 + 1e-9, "{before}");
    let page = folder.run(&["-q", "link", "note.txt", "--kb", "kb", "--explain", "--format", "html"]).out;
    assert!(page.contains("by name ") && page.contains("attended most to"), "{page}");
}

/// The id of the mention in a text.
fn id_of(folder: &Folder, text: &str, more: &[&str]) -> String {
    folder.write("note.txt", text);
    let run = folder.run(&[&["-q", "link", "note.txt", "--kb", "kb", "--min-probability", "0"], more].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let document: Value = serde_json::from_str(&run.out).unwrap();
    document["mentions"][0]["id"].as_str().unwrap_or("NIL").to_owned()
}

#[test]
fn the_context_decides_between_concepts_that_share_a_name() {
    let folder = trained();
    let without = folder.run(&["-q", "link", "corpus.pubtator", "--kb", "kb", "--explain", "--top", "3"]);
    assert_eq!(folder.run(&["-q", "kb", "models", "add", "reranker", "--kb", "kb"]), ran(0, "", ""));
    assert!(folder.run(&["kb", "models", "--kb", "kb"]).out.starts_with("model reranker: "));
    for text in ILL {
        assert_eq!(id_of(&folder, text, &[]), "A:1", "{text}");
    }
    for text in WIND {
        assert_eq!(id_of(&folder, text, &[]), "A:2", "{text}");
    }
    let same = |text: &str| id_of(&folder, text, &["--no-context"]);
    assert_eq!(same(ILL[0]), same(WIND[0]), "by names alone");
    let no_context =
        folder.run(&["-q", "link", "corpus.pubtator", "--kb", "kb", "--explain", "--top", "3", "--no-context"]);
    assert_eq!(no_context, without, "a re-ranker that is not asked changes nothing");
    assert_eq!(folder.run(&["-q", "kb", "models", "remove", "reranker", "--kb", "kb"]), ran(0, "", ""));
    let removed = folder.run(&["-q", "link", "corpus.pubtator", "--kb", "kb", "--explain", "--top", "3"]);
    assert_eq!(removed, without, "nor one that is gone");
}

#[test]
fn documents_calibrate_ranker_and_re_ranker() {
    let folder = trained();
    let filler: String =
        (0..80).map(|number| format!("B:{number}\tsubstance {}{number}\n", "abcdefgh".repeat(number % 3))).collect();
    folder.write("kb.tsv", format!("{KB}{filler}"));
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb", "--force"]), ran(0, "", ""));
    assert_eq!(folder.run(&["-q", "kb", "models", "add", "reranker", "--kb", "kb"]), ran(0, "", ""));
    let calibrate = |gold: &str| folder.run(&["calibrate", "--kb", "kb", "--gold", gold]);
    let refused = calibrate("corpus.pubtator");
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("a model of the knowledge base learnt 8 of 8 documents"), "{}", refused.err);
    // The same tokens in other documents.
    let spaced = |text: &str, number: usize| text.replacen(' ', &" ".repeat(2 + number), 1);
    let texts = (0..80).map(|number| match number % 2 {
        0 => (spaced(ILL[number / 2 % 4], number), "A:1"),
        _ => (spaced(WIND[number / 2 % 4], number), "A:2"),
    });
    let document = |(number, (text, id)): (usize, (String, &str))| {
        let start = text.find("cold").unwrap();
        format!("{number}|t|{text}\n{number}\t{start}\t{}\tcold\tThing\t{id}\n\n", start + 4)
    };
    folder.write("more.pubtator", texts.enumerate().map(document).collect::<String>());
    let run = calibrate("more.pubtator");
    assert_eq!(run.code, 0, "{}", run.err);
    let line = |start: &str| run.out.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
    let last = |start: &str| line(start).split_whitespace().last().unwrap().parse::<f64>().unwrap();
    assert!(run.out.contains(" mentions in context, by a mapping fitted to other documents"), "{}", run.out);
    assert_eq!(last("in context: first (%)"), 100.0, "{}", run.out);
    let losses: Vec<f64> =
        line("in context: log-loss").split_whitespace().filter_map(|cell| cell.parse().ok()).collect();
    assert!(losses[1] <= losses[0], "{}", run.out);
    assert_eq!(id_of(&folder, WIND[0], &[]), "A:2", "{}", run.out);
    folder.write("no-ids.pubtator", "1|t|a cold\n1\t2\t6\tcold\tThing\n\n");
    let run = calibrate("no-ids.pubtator");
    assert!(run.code == 1 && run.err.contains("no-ids.pubtator has no mention with an id"), "{}", run.err);
}

#[test]
fn a_column_of_a_table_is_the_context_of_its_names() {
    let folder = trained();
    folder.write("names.csv", format!("name,note\ncold,{}\nCold,{}\ncold,\n", ILL[0], WIND[1]));
    let asked = ["match", "names.csv", "--kb", "kb", "--context-column", "note"];
    let refused = folder.run(&asked);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("needs a knowledge base with a model that reads texts"), "{}", refused.err);
    assert_eq!(folder.run(&["-q", "kb", "models", "add", "reranker", "--kb", "kb"]), ran(0, "", ""));
    let ids = |more: &[&str]| -> Vec<String> {
        let run = folder.run(&[&["-q"], &asked[..], &["--min-probability", "0"], more].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        run.out.lines().skip(1).map(|row| row.split(',').nth(2).unwrap().to_owned()).collect()
    };
    let by_name = folder.run(&["-q", "match", "names.csv", "--kb", "kb", "--min-probability", "0"]).out;
    let by_name = by_name.lines().nth(3).unwrap().split(',').nth(2).unwrap();
    assert_eq!(ids(&[]), ["A:1", "A:2", by_name]);
    folder.write("names.jsonl", format!("{{\"name\":\"cold\",\"note\":\"{}\"}}\n", WIND[0]));
    let run = folder.run(&["-q", "match", "names.jsonl", "--kb", "kb", "--context-column", "note"]);
    assert!(run.out.contains("\"id\":\"A:2\""), "{}", run.out);
    folder.write("names.txt", "cold\n");
    let run = folder.run(&["match", "names.txt", "--kb", "kb", "--context-column", "note"]);
    assert_eq!((run.code, run.err.contains("a list of names has no further column")), (2, true), "{}", run.err);
    let run = folder.run(&["match", "names.csv", "--kb", "kb", "--context-column", "notes"]);
    assert!(run.code == 2 && run.err.contains("did you mean --context-column note?"), "{}", run.err);
}

#[test]
fn a_corpus_without_ids_of_the_knowledge_base_is_refused() {
    let folder = Folder::with_kb();
    folder.write("corpus.pubtator", corpus());
    folder.write("dev.pubtator", dev());
    folder.write("recipe.toml", RECIPE);
    let run = folder.run(&["train", "recipe.toml", "--kb", "kb", "--encoder", &MODEL, "--out", "reranker"]);
    assert_eq!(run.code, 1);
    let expected = "no mention of ";
    assert!(
        run.err.contains(expected) && run.err.contains("corpus.pubtator has an id of the knowledge base"),
        "{}",
        run.err
    );
}

#[test]
fn synonyms_and_texts_are_learnt_by_masking() {
    let folder = Folder::with_kb();
    folder.write("notes.txt", "Aspirin after a heart attack. The guests have heart failure.");
    let recipe = "[task]\nkind = \"pretrain\"\n[data]\ntext = [\"notes.txt\"]\n[schedule]\nepochs = 3\n";
    folder.write("recipe.toml", recipe);
    let run = folder.run(&["train", "recipe.toml", "--kb", "kb", "--encoder", &MODEL, "--out", "pretrained"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("2 concepts with 4 synonyms, 1 passages of texts"), "{}", run.err);
    let metrics = String::from_utf8(folder.read("pretrained/metrics.jsonl")).unwrap();
    assert!(metrics.lines().count() >= 3, "{metrics}");
    // A re-ranker starts from the head that was learnt.
    let folder_of = folder.path("pretrained");
    let info = folder.run(&["model", "info", folder_of.to_str().unwrap()]);
    assert_eq!(info.code, 0, "{}", info.err);
}

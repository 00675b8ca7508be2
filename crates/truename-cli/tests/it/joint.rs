//! Models that find mentions and link them from one reading of a text.

use serde_json::Value;

use crate::folder::{model, ran};
use crate::in_context::prepared;
use crate::rerank::{ILL, WIND};

const RECIPE: &str = "\
[task]
kind = \"joint\"
[data]
train = [\"corpus.pubtator\"]
dev = [\"dev.pubtator\"]
[types]
Thing = \"cold\"
[encoder]
dropout = 0.0
[spans]
dimensions = 16
[linking]
names = 2
[schedule]
epochs = 200
learning_rate = 3e-3
[evaluation]
every = 200
keep = \"last\"
";

#[test]
fn one_model_finds_mentions_and_links_them_by_their_texts() {
    let folder = prepared(RECIPE);
    let run = folder.run(&["train", "recipe.toml", "--kb", "kb", "--encoder", &model("bert"), "--out", "model"]);
    assert_eq!((run.code, run.out.as_str()), (0, "model\n"), "{}", run.err);
    assert!(run.err.contains("8 mentions in windows are linked, among 5 distinct names"), "{}", run.err);
    assert!(run.err.contains("epoch 200: acc@1 100.00 %") && run.err.contains("f1 100.00 %"), "{}", run.err);
    assert_eq!(folder.run(&["-q", "kb", "models", "add", "model", "--kb", "kb"]), ran(0, "", ""));
    assert_eq!(folder.run(&["-q", "kb", "embed", "--kb", "kb", "--encoder", "model"]).code, 0);
    let mentions = |file: &str, more: &[&str]| {
        let run = folder.run(&[&["-q", "link", file, "--kb", "kb", "--min-probability", "0"], more].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        let documents = run.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        documents.map(|document| document["mentions"].as_array().unwrap().clone()).collect::<Vec<_>>()
    };
    // The mentions are read in their sentences, which are the whole texts here.
    let given = mentions("dev.pubtator", &["--mentions"]);
    let found = mentions("dev.pubtator", &[]);
    let cosines = |mention: &Value| -> Vec<f64> {
        let candidates = mention["candidates"].as_array().unwrap().iter();
        candidates.map(|candidate| candidate["scores"]["retriever"].as_f64().unwrap()).collect()
    };
    let expected = ILL.map(|_| "A:1").into_iter().chain(WIND.map(|_| "A:2"));
    for ((found, given), id) in found.iter().zip(&given).zip(expected) {
        assert_eq!((found.len(), found[0]["text"].as_str(), found[0]["id"].as_str()), (1, Some("cold"), Some(id)));
        for (found, given) in cosines(&found[0]).into_iter().zip(cosines(&given[0])) {
            assert!((found - given).abs() < 1e-4, "{found} {given}");
        }
    }
    // Found mentions are read in their windows, which have both sentences.
    let two = format!("{}. {}.", ILL[2], "The wind and the heart are not of guests");
    folder.write("two.pubtator", format!("1|t|{two}\n1\t17\t21\tcold\tThing\tA:1\n\n"));
    let (given, found) = (mentions("two.pubtator", &["--mentions"]), mentions("two.pubtator", &[]));
    let one = found[0].iter().find(|mention| mention["start"] == given[0][0]["start"]).unwrap();
    assert_eq!(one["text"], "cold");
    assert!((cosines(one)[0] - cosines(&given[0][0])[0]).abs() > 1e-3, "{one} {}", given[0][0]);
    let refused = folder.run(&["-q", "train", "recipe.toml", "--encoder", &model("bert"), "--out", "none"]);
    assert!(refused.code != 0 && refused.err.contains("--kb"), "{}", refused.err);
}

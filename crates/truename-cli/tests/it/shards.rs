//! Shards of a knowledge base: `kb frequencies`, `kb weigh`, `kb gather`.

use crate::folder::{Folder, Ran};

const CONCEPTS: [&str; 4] = [
    "{\"id\": \"X:1\", \"name\": \"myocardial infarction\", \"synonyms\": [\"heart attack\"]}\n",
    "{\"id\": \"X:2\", \"name\": \"cerebral infarction\"}\n",
    "{\"id\": \"X:3\", \"name\": \"heart failure\"}\n",
    "{\"id\": \"X:4\", \"name\": \"panic attack\"}\n",
];

fn run(folder: &Folder, arguments: &[&str]) -> Ran {
    Ran::of(folder.command(arguments).output().unwrap())
}

fn done(folder: &Folder, arguments: &[&str]) -> Ran {
    let ran = run(folder, arguments);
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran
}

#[test]
fn shards_on_two_machines_answer_as_one_knowledge_base() {
    let folder = Folder::new();
    folder.write("names.txt", "hart attack\nheart failures\nX:2\ninfarct\n");
    for (name, lines) in [("whole", CONCEPTS.concat()), ("a", CONCEPTS[..2].concat()), ("b", CONCEPTS[2..].concat())] {
        folder.write(&format!("{name}.jsonl"), &lines);
        done(&folder, &["kb", "import", &format!("{name}.jsonl"), "--out", name]);
    }
    let refused = run(&folder, &["kb", "gather", "a", "b", "--names", "names.txt", "--out", "second"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("`truename kb weigh a b`"), "{}", refused.err);

    // Each machine has the frequencies of the other by a file.
    for shard in ["a", "b"] {
        done(&folder, &["kb", "frequencies", shard, "--out", &format!("{shard}.frequencies")]);
    }
    for shard in ["a", "b"] {
        let weighed = done(&folder, &["kb", "weigh", shard, "--frequencies", "a.frequencies", "b.frequencies"]);
        assert!(weighed.err.contains("1 shard weighed by the frequencies in 5 names"), "{}", weighed.err);
        let part = format!("of-{shard}");
        done(&folder, &["kb", "gather", shard, "--names", "names.txt", "--out", &part]);
    }
    let gathered = done(&folder, &["kb", "gather", "of-a", "of-b", "--names", "names.txt", "--out", "second"]);
    assert!(gathered.err.contains("4 concepts with 5 names for 4 names of 2 shards in second"), "{}", gathered.err);
    let [whole, second] = ["whole", "second"].map(|kb| {
        done(&folder, &["-q", "match", "names.txt", "--kb", kb, "--format", "jsonl", "--top", "4", "--explain"]).out
    });
    assert_eq!(second, whole);

    // Without files, by the shards given.
    done(&folder, &["-q", "kb", "weigh", "b", "a"]);
    done(&folder, &["kb", "check", "--deep", "--kb", "a"]);
    let refused = run(&folder, &["kb", "weigh", "a", "--frequencies", "b.frequencies"]);
    assert!(refused.code == 1 && refused.err.contains("not of all its names"), "{}", refused.err);
    let refused = run(&folder, &["kb", "weigh", "a", "--frequencies", "names.txt"]);
    assert!(refused.code == 1 && refused.err.contains("names.txt holds no frequencies"), "{}", refused.err);
}

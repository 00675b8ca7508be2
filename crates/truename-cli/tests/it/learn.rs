//! `kb learn`, and the judgements of a server on their way into it.

use crate::folder::{Folder, ran};

fn matched(folder: &Folder, name: &str) -> serde_json::Value {
    folder.write("name.txt", format!("{name}\n"));
    let out = folder.run(&["-q", "match", "name.txt", "--kb", "kb", "--explain", "--format", "jsonl"]).out;
    serde_json::from_str(out.lines().next().unwrap()).unwrap()
}

#[test]
fn a_table_is_learnt_listed_and_forgotten() {
    let folder = Folder::with_kb();
    assert_eq!(matched(&folder, "coronary")["id"], serde_json::Value::Null);
    folder.write(
        "gold.csv",
        "name,id,date\ncoronary,X:2,2026-11-26\nAspirin,nil,2026-11-25\nplan,never a mention,\nx,X:9,\n",
    );
    let learnt = folder.run(&["kb", "learn", "gold.csv", "--kb", "kb"]);
    assert_eq!(
        (learnt.code, learnt.err.as_str()),
        (
            0,
            "warning: left out \"x\", for no concept has its id X:9\n3 judgements learnt, 0 known before, 0 forgotten\n"
        )
    );
    let coronary = matched(&folder, "coronary");
    assert_eq!(coronary["id"], "X:2");
    assert!(coronary.to_string().contains("You judged this on 2026-11-26."), "{coronary}");
    let aspirin = matched(&folder, "aspirin");
    assert_eq!(aspirin["id"], serde_json::Value::Null);
    assert!(aspirin.to_string().contains("You judged on 2026-11-25 that no concept is meant"), "{aspirin}");

    let listed = folder.run(&["kb", "learn", "--list", "--kb", "kb"]).out;
    let [header, aspirin, coronary, plan] = listed.lines().collect::<Vec<_>>()[..] else { panic!("{listed}") };
    assert_eq!([header, aspirin, coronary], ["name,id,date", "Aspirin,,2026-11-25", "coronary,X:2,2026-11-26"]);
    assert!(plan.starts_with("plan,never a mention,20"), "{plan}");
    // What is listed is learnt as it was.
    let again = folder.run_with_input(&["kb", "learn", "--kb", "kb"], listed.as_bytes());
    assert_eq!((again.code, again.err.as_str()), (0, "0 judgements learnt, 3 known before, 0 forgotten\n"));

    let forgotten = folder.run(&["kb", "learn", "--forget", "Coronary", "--forget", "flu", "--kb", "kb"]);
    let expected = "0 judgements learnt, 0 known before, 1 forgotten\nerror: not forgotten, as never judged: flu\n";
    assert_eq!((forgotten.code, forgotten.err.as_str()), (1, expected));
    assert_eq!(matched(&folder, "coronary")["id"], serde_json::Value::Null);
}

#[test]
fn a_stop_name_of_the_knowledge_base_is_no_mention() {
    let folder = Folder::with_kb();
    folder.write("note.txt", "Heart failure after acetylsalicylic acid.");
    let mentions = || {
        let out = folder.run(&["-q", "link", "note.txt", "--kb", "kb", "--format", "jsonl"]).out;
        let line: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
        line["mentions"].as_array().unwrap().len()
    };
    assert_eq!(mentions(), 2);
    let learnt =
        folder.run_with_input(&["-q", "kb", "learn", "--kb", "kb"], b"name,id\nAcetylsalicylic acid,never a mention\n");
    assert_eq!(learnt, ran(0, "", ""));
    assert_eq!(mentions(), 1);
}

#[test]
fn the_judgements_of_a_server_are_piped_into_a_knowledge_base() {
    let folder = Folder::with_kb();
    folder.write(
        "kb/judgements.jsonl",
        "{\"name\": \"coronary\", \"id\": \"X:2\", \"at\": 1795651200}\n\
         {\"name\": \"plan\", \"id\": null, \"stop_name\": true, \"at\": 1795651200}\n",
    );
    let exported = folder.run(&["-q", "review", "export", "--kb", "kb"]);
    assert_eq!(
        exported,
        ran(0, "name,id,date,chance\ncoronary,X:2,2026-11-26,1\nplan,never a mention,2026-11-26,1\n", "")
    );
    let learnt = folder.run_with_input(&["-q", "kb", "learn", "--kb", "kb"], exported.out.as_bytes());
    assert_eq!(learnt, ran(0, "", ""));
    let listed = "name,id,date\ncoronary,X:2,2026-11-26\nplan,never a mention,2026-11-26\n";
    assert_eq!(folder.run(&["kb", "learn", "--list", "--kb", "kb"]).out, listed);
    folder.write("gold.csv", exported.out);
    let scored = folder.run(&["-q", "evaluate", "names", "--kb", "kb", "--gold", "gold.csv"]);
    assert_eq!(scored.code, 0, "{}", scored.err);
}

#[test]
fn what_cannot_be_learnt_is_told_with_its_line() {
    let folder = Folder::with_kb();
    for (table, message) in [
        ("name,id\na,X:1|X:2\n", "gold.csv:2: \"X:1|X:2\" are several ids; a name is learnt with one\nhint: "),
        ("name,id,date\na,X:1,yesterday\n", "gold.csv:2: \"yesterday\" is no date\nhint: "),
        ("name,id\n", "gold.csv:1: no judgements\nhint: "),
    ] {
        folder.write("gold.csv", table);
        let refused = folder.run(&["-q", "kb", "learn", "gold.csv", "--kb", "kb"]);
        assert!(refused.code == 1 && refused.err.contains(message), "{}", refused.err);
    }
    folder.write("gold.csv", b"name,id\nM\xFCller,X:1\n");
    let refused = folder.run(&["-q", "kb", "learn", "gold.csv", "--kb", "kb"]);
    assert!(refused.code == 1 && refused.err.contains("not UTF-8"), "{}", refused.err);
    assert!(
        refused.err.ends_with("hint: convert it to UTF-8: iconv -f WINDOWS-1252 -t UTF-8 FILE\n"),
        "{}",
        refused.err
    );
    assert_eq!(folder.run(&["kb", "learn", "--list", "--kb", "kb"]).out, "name,id,date\n");
}

#[test]
fn an_export_has_all_judgements() {
    let folder = Folder::with_kb();
    let gold = b"name,id,date\ncoronary,X:2,2026-11-26\nAspirin,nil,2026-11-25\nplan,never a mention,2026-11-24\n";
    assert_eq!(folder.run_with_input(&["-q", "kb", "learn", "--kb", "kb"], gold), ran(0, "", ""));
    let listed = |kb: &str| folder.run(&["kb", "learn", "--list", "--kb", kb]).out;
    let exported = folder.run(&["kb", "export", "--kb", "kb", "--out", "kb.jsonl"]);
    assert_eq!(exported.code, 0, "{}", exported.err);
    let lines = String::from_utf8(folder.read("kb.jsonl")).unwrap();
    assert!(lines.ends_with(
        "{\"name\":\"Aspirin\",\"judged\":\"nil\",\"date\":\"2026-11-25\"}\n\
         {\"name\":\"plan\",\"judged\":\"never a mention\",\"date\":\"2026-11-24\"}\n"
    ));
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.jsonl", "--out", "again"]), ran(0, "", ""));
    assert_eq!(listed("again"), listed("kb"));
    // They are learnt from there with their days, and nothing else is.
    folder.write("kb.tsv", crate::folder::KB);
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "learnt"]), ran(0, "", ""));
    let learnt = folder.run_with_input(&["kb", "learn", "--kb", "learnt"], lines.as_bytes());
    assert_eq!((learnt.code, learnt.err.as_str()), (0, "3 judgements learnt, 0 known before, 0 forgotten\n"));
    assert_eq!(listed("learnt"), listed("kb"));
    // An update has them too; what is known of a name stays.
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "new"]), ran(0, "", ""));
    let own = b"name,id,date\nPlan,X:1,2026-11-26\n";
    assert_eq!(folder.run_with_input(&["-q", "kb", "learn", "--kb", "new"], own), ran(0, "", ""));
    let updated = folder.run(&["-q", "kb", "update", "kb.jsonl", "--kb", "new"]);
    assert_eq!(updated.code, 0, "{}", updated.err);
    assert_eq!(listed("new"), "name,id,date\nAspirin,,2026-11-25\nPlan,X:1,2026-11-26\ncoronary,X:2,2026-11-26\n");
    // A judgement with a concept is an alias of it, and no line.
    folder.write(
        "odd.jsonl",
        "{\"id\":\"A:1\",\"name\":\"a\"}\n{\"name\":\"b\",\"judged\":\"A:1\",\"date\":\"2026-11-26\"}\n",
    );
    let odd = folder.run(&["kb", "import", "odd.jsonl", "--out", "odd"]);
    assert!(odd.code == 0 && odd.err.contains("the judgement of \"b\" has the concept A:1"), "{}", odd.err);
}

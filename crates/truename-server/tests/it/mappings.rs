//! Mappings that are listed and judged.

use std::path::PathBuf;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tempfile::TempDir;
use truename_server::{MappingSource, Server, ServerOptions};

use crate::Served;

const MAPPINGS: &str = "#curie_map:
#  sub: http://sub.example/
#  skos: http://www.w3.org/2004/02/skos/core#
#license: x
subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tobject_label\tmapping_justification\tconfidence\tmatch_string
D:1\tinfarct\tskos:exactMatch\t\tO:1\theart attack\tsemapv:LexicalMatching\t0.5\theart attack
sub:D:2\tfailing heart\tskos:exactMatch\t\tO:9\tpump\tsemapv:LexicalMatching\t0.9\t
D:3\tdisease\tskos:broadMatch\t\tO:1\theart attack\tsemapv:LogicalReasoning\t0.7\t
D:3\tdisease\tskos:exactMatch\t\tO:1\theart attack\tsemapv:LogicalReasoning\t0.2\t
C:1\taspirin\tskos:exactMatch\tNot\tO:1\theart attack\tsemapv:ManualMappingCuration\t0.2\t
";
const COLUMNS: &str = "subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tobject_label\tmapping_justification\tauthor_label\tmapping_date\n";

/// A folder with `m.sssom.tsv`.
struct Files(TempDir);

impl Files {
    fn new(mappings: &str) -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        std::fs::write(files.path("m.sssom.tsv"), mappings).unwrap();
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn options(&self) -> ServerOptions {
        let source =
            MappingSource { mappings: self.path("m.sssom.tsv"), judgements: self.path("m.judgements.sssom.tsv") };
        ServerOptions { mappings: vec![source], ..ServerOptions::default() }
    }

    /// Returns the rows of the table of judgements without their days.
    fn rows(&self) -> Vec<String> {
        let table = std::fs::read_to_string(self.path("m.judgements.sssom.tsv")).unwrap();
        let (head, rows) = table.split_once(COLUMNS).unwrap();
        assert_eq!(head, MAPPINGS.split_inclusive('\n').take(4).collect::<String>());
        rows.lines().map(|row| row.rsplit_once('\t').unwrap().0.to_owned()).collect()
    }
}

fn judged(subject: &str, object: &str, accepted: Value) -> Value {
    json!({"subject_id": subject, "object_id": object, "accepted": accepted, "user": "ann"})
}

#[tokio::test]
async fn mappings_are_listed_with_both_concepts_doubtful_ones_sooner() {
    let files = Files::new(MAPPINGS);
    let served = Served::with(files.options());
    assert_eq!(served.get("/v1/bases").await.1["mappings"], json!(["m.sssom.tsv"]));
    let (status, list) = served.get("/v1/mappings").await;
    assert_eq!(
        (status.as_u16(), &list["total"], &list["judged"], &list["next"]),
        (200, &json!(4), &json!(0), &Value::Null)
    );
    let listed = list["mappings"].as_array().unwrap();
    let of = |subject: &str| listed.iter().find(|mapping| mapping["subject_id"] == subject).unwrap();
    let first = of("D:1");
    assert_eq!((&first["confidence"], &first["judgement"]), (&json!(0.5), &Value::Null));
    assert_eq!((&first["subject"]["kb"], &first["object"]["kb"]), (&json!("first"), &json!("second")));
    assert_eq!(first["subject"]["parents"], json!(["heart disease"]));
    assert_eq!(first["subject"]["synonyms"], json!(["heart attack"]));
    // An id is found behind its prefix; the file's own label stands for a concept that no knowledge base has.
    let second = of("sub:D:2");
    assert_eq!((&second["subject"]["id"], &second["object"]["name"]), (&json!("D:2"), &json!("pump")));
    assert_eq!(second["object"]["kb"], Value::Null);
    let (_, part) = served.get("/v1/mappings?from=1&top=2").await;
    assert_eq!((&part["mappings"][0], &part["next"]), (&listed[1], &json!(3)));
    for bad in ["top=0", "top=101", "from=-1", "judged=maybe"] {
        assert_eq!(served.get(&format!("/v1/mappings?{bad}")).await.0, 400, "{bad}");
    }
    let (status, failure) = served.get("/v1/mappings?file=n.tsv").await;
    assert_eq!((status.as_u16(), &failure["hint"]), (404, &json!("those here are m.sssom.tsv")));
    assert_eq!(Served::new().get("/v1/mappings").await.0, 404);
}

#[tokio::test]
async fn judgements_are_a_table_of_sssom_that_the_next_server_reads() {
    let files = Files::new(MAPPINGS);
    let served = Served::with(files.options());
    let judge = async |body: Value| served.post("/v1/mappings/judgements", body).await;
    assert_eq!(judge(judged("D:1", "O:1", json!(true))).await.0, 201);
    assert_eq!(judge(judged("http://sub.example/D:2", "O:9", json!(false))).await.0, 201);
    let right = "D:1\tinfarct\tskos:exactMatch\t\tO:1\theart attack\tsemapv:ManualMappingCuration\tann";
    let wrong = "sub:D:2\tfailing heart\tskos:exactMatch\tNot\tO:9\tpump\tsemapv:ManualMappingCuration\tann";
    assert_eq!(files.rows(), [right, wrong]);
    // Another judgement takes the place of the first.
    let changed = right.replace("exactMatch\t", "exactMatch\tNot");
    judge(judged("D:1", "O:1", json!(false))).await;
    assert_eq!(files.rows(), [wrong, &changed]);
    judge(judged("sub:D:2", "O:9", Value::Null)).await;
    assert_eq!(judge(judged("sub:D:2", "O:9", Value::Null)).await.0, 201);
    assert_eq!(files.rows(), [changed.as_str()]);
    let (_, left) = served.get("/v1/mappings?judged=false").await;
    assert_eq!((&left["judged"], left["mappings"].as_array().unwrap().len()), (&json!(1), 3));

    let (status, failure) = judge(judged("D:3", "O:1", json!(true))).await;
    assert_eq!((status.as_u16(), &failure["hint"]), (400, &json!("say which one by `predicate_id`")));
    let mut broad = judged("D:3", "O:1", json!(true));
    broad["predicate_id"] = "skos:broadMatch".into();
    assert_eq!(judge(broad).await.0, 201);
    for unknown in [("D:1", "O:9"), ("C:1", "O:1"), ("", "")] {
        let (status, failure) = judge(judged(unknown.0, unknown.1, json!(true))).await;
        assert!(
            status == 404 && failure["error"].as_str().unwrap().contains("m.sssom.tsv has no mapping of"),
            "{failure}"
        );
    }
    for bad in [
        json!({"subject_id": "D:1", "object_id": "O:1"}),
        json!({"subject_id": "D:1", "object_id": "O:1", "accepted": 1}),
    ] {
        assert_eq!(judge(bad).await.0, 400);
    }

    let request = Request::get("/v1/mappings/judgements?format=sssom").body(Body::empty()).unwrap();
    let (_, headers, table) = served.send(request).await;
    assert!(headers["content-type"].to_str().unwrap().starts_with("text/tab-separated-values"));
    assert_eq!(table, std::fs::read(files.path("m.judgements.sssom.tsv")).unwrap());
    assert_eq!(served.get("/v1/mappings/judgements?format=xml").await.0, 400);
    let (_, before) = served.get("/v1/mappings?judged=true").await;
    let verdicts = before["mappings"].as_array().unwrap().iter().map(|mapping| &mapping["judgement"]);
    assert!(verdicts.clone().count() == 2 && verdicts.clone().all(|verdict| verdict["user"] == "ann"), "{before}");
    // A row that a stopped process wrote in part is cut off.
    std::fs::write(files.path("m.judgements.sssom.tsv"), [&table[..], b"D:3\tdis"].concat()).unwrap();
    let again = Served::with(files.options());
    assert_eq!(again.get("/v1/mappings?judged=true").await.1, before);
    assert_eq!(std::fs::read(files.path("m.judgements.sssom.tsv")).unwrap(), table);
}

#[test]
fn malformed_files_are_refused_with_a_way_out() {
    let refused = |files: &Files| Server::open(served_folder(files), files.options()).err().unwrap();
    let confidence = refused(&Files::new("subject_id\tobject_id\tconfidence\nA:1\tB:1\thigh\n")).to_string();
    assert!(confidence.contains("m.sssom.tsv:2: the confidence \"high\" is no number from 0 to 1"), "{confidence}");
    let column = refused(&Files::new("subject_id\tname\nA:1\tx\n"));
    assert!(column.to_string().contains(":1: no column \"object_id\"") && column.hint().is_some(), "{column}");
    let none = refused(&Files::new("subject_id\tpredicate_modifier\tobject_id\nA:1\tNot\tB:1\n")).to_string();
    assert!(none.contains("m.sssom.tsv: no mappings that could be judged"), "{none}");
    let xml = refused(&Files::new("<rdf:RDF/>"));
    assert!(xml.hint().unwrap().to_string().contains("SSSOM"), "{xml}");
    let files = Files::new(MAPPINGS);
    let with = |judgements: &str| {
        std::fs::write(files.path("m.judgements.sssom.tsv"), judgements).unwrap();
        refused(&files)
    };
    let columns = with("subject_id\tobject_id\nD:1\tO:1\n");
    assert!(columns.to_string().contains("the columns are not those of judgements: subject_id,"), "{columns}");
    let prefix = with(&format!("#curie_map:\n#  sub: http://other.example/\n{COLUMNS}"));
    assert!(prefix.to_string().contains("the prefix of \"sub:D:2\" stands for another IRI"), "{prefix}");
    let twice =
        ServerOptions { mappings: [files.options().mappings, files.options().mappings].concat(), ..files.options() };
    std::fs::remove_file(files.path("m.judgements.sssom.tsv")).unwrap();
    let twice = Server::open(served_folder(&files), twice).err().unwrap().to_string();
    assert!(twice.contains("two files of mappings are called \"m.sssom.tsv\""), "{twice}");
}

/// Makes a knowledge base in the folder of the files.
fn served_folder(files: &Files) -> Vec<truename_server::BaseSource> {
    let (file, kb) = (files.path("kb.tsv"), files.path("kb"));
    if !kb.exists() {
        std::fs::write(&file, "id\tname\nD:1\tasthma\n").unwrap();
        truename::KnowledgeBase::import(&[file], &kb, &Default::default(), false).unwrap();
    }
    let judgements = kb.join("judgements.jsonl");
    vec![truename_server::BaseSource { name: "kb".into(), folder: Some(kb), judgements }]
}

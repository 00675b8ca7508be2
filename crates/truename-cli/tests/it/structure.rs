//! The structure of the workspace: no circle of modules, and HTTP, output and `unsafe` in their places alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// A module by the names that lead to it from the root of its crate.
type Module = Vec<String>;

/// Crates that speak HTTP, or the crates that do it for them.
const HTTP: [(&str, &[&str]); 3] = [
    ("truename-server", &["axum", "hyper", "hyper-util", "tower", "tower-http", "tokio"]),
    ("truename-download", &["ureq"]),
    ("truename-cli", &["tokio"]),
];

/// Files that may hold `unsafe`.
const UNSAFE: [&str; 9] = [
    "truename-index/src/vector/kernels.rs",
    "truename-infer/src/weights.rs",
    "truename-kb/src/compact.rs",
    "truename-kb/src/environment.rs",
    "truename-kb/src/guard.rs",
    "truename-nn/src/allocator.rs",
    "truename-server/src/memory.rs",
    "truename-storage/src/environment.rs",
    "truename-storage/src/free_space.rs",
];

/// Crates with circles that are not opened yet; no other may have one.
const CIRCULAR: [&str; 4] = ["truename", "truename-kb", "truename-read", "truename-train"];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        match () {
            () if path.is_dir() => files(&path, found),
            () if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            () => {}
        }
    }
}

/// The modules of a crate, and the names that they export from others.
#[derive(Default)]
struct Crate {
    files: BTreeMap<Module, syn::File>,
    exports: BTreeMap<(Module, String), Vec<String>>,
}

impl Crate {
    fn read(folder: &Path) -> Self {
        let (mut paths, mut read, src) = (Vec::new(), Self::default(), folder.join("src"));
        files(&src, &mut paths);
        for path in paths.iter().filter(|path| !path.ends_with("tests.rs")) {
            let relative = path.strip_prefix(&src).unwrap().with_extension("");
            let mut module: Module = relative.iter().map(|name| name.to_string_lossy().into_owned()).collect();
            module.pop_if(|last| matches!(last.as_str(), "mod" | "lib" | "main"));
            let file = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
            let mut found = Paths::default();
            file.items.iter().for_each(|item| match item {
                syn::Item::Use(item) if !matches!(item.vis, syn::Visibility::Inherited) => {
                    found.tree(&[], &item.tree);
                }
                _ => {}
            });
            for (path, name) in found.found {
                read.exports.insert((module.clone(), name), path);
            }
            read.files.insert(module, file);
        }
        read
    }

    /// Returns the module that a path in `module` leads to; `None` if it leads out of the crate.
    fn resolve(&self, module: &Module, path: &[String], depth: usize) -> Option<Module> {
        let mut rest = path;
        let mut at = match rest.first()?.as_str() {
            "crate" => Vec::new(),
            "self" | "super" => module.clone(),
            first if self.files.contains_key(&[module.as_slice(), &[first.to_owned()]].concat()) => module.clone(),
            _ => return None,
        };
        while let Some(("crate" | "self" | "super", further)) =
            rest.split_first().map(|(first, rest)| (first.as_str(), rest))
        {
            if rest[0] == "super" {
                at.pop();
            }
            rest = further;
        }
        while let Some((first, further)) = rest.split_first() {
            let within = [at.as_slice(), std::slice::from_ref(first)].concat();
            if !self.files.contains_key(&within) {
                break;
            }
            (at, rest) = (within, further);
        }
        let exported = rest.first().and_then(|first| self.exports.get(&(at.clone(), first.clone())));
        exported.filter(|_| depth < 8).and_then(|path| self.resolve(&at, path, depth + 1)).or(Some(at))
    }

    /// Returns the modules that each uses, but for those that it stands in or that stand in it.
    fn uses(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let of = |module: &Module| {
            let mut paths = Paths::default();
            paths.visit_file(&self.files[module]);
            let found = paths.found.iter().filter_map(|(path, _)| self.resolve(module, path, 0));
            found.filter(|used| !module.starts_with(used) && !used.starts_with(module)).collect()
        };
        self.files.keys().map(|module| (module, of(module))).collect()
    }
}

/// Paths that a file names, each with the name by which it is known there.
#[derive(Default)]
struct Paths {
    found: Vec<(Vec<String>, String)>,
}

impl Paths {
    fn tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.found.push((with(&name.ident), name.ident.to_string())),
            syn::UseTree::Rename(name) => self.found.push((with(&name.ident), name.rename.to_string())),
            syn::UseTree::Glob(_) => self.found.push((before.to_vec(), "*".to_owned())),
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.tree(before, item)),
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_test(&item.attrs) {
            self.tree(&[], &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if matches!(names[0].as_str(), "crate" | "super") {
            self.found.push((names, String::new()));
        }
        visit::visit_path(self, path);
    }
}

/// Returns true if uses lead from one module to another.
fn reaches(uses: &BTreeMap<&Module, BTreeSet<Module>>, from: &Module, to: &Module) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(module) = open.pop() {
        if module == to {
            return true;
        }
        open.extend(uses[module].iter().filter(|used| seen.insert(used)));
    }
    false
}

#[test]
fn modules_have_no_circles() {
    let (mut circles, mut circular) = (Vec::new(), BTreeSet::new());
    for entry in fs::read_dir(crates()).unwrap() {
        let folder = entry.unwrap().path();
        let read = Crate::read(&folder);
        assert!(!read.files.is_empty(), "{}", folder.display());
        let uses = read.uses();
        let name = folder.file_name().unwrap().to_string_lossy();
        for (module, used) in &uses {
            let circle = used.iter().filter(|used| reaches(&uses, used, module));
            let shown = circle.map(|used| format!("{name}: {} -> {}", module.join("::"), used.join("::")));
            let before = circles.len();
            circles.extend(shown);
            circular.extend((circles.len() > before).then(|| name.to_string()));
        }
    }
    let known: BTreeSet<String> = CIRCULAR.iter().map(ToString::to_string).collect();
    assert_eq!(circular, known, "modules that lead back to themselves:\n{}", circles.join("\n"));
}

#[test]
fn http_is_spoken_by_server_and_download_alone() {
    let clients = ["axum", "hyper", "hyper-util", "reqwest", "tokio", "tower", "tower-http", "tungstenite", "ureq"];
    for entry in fs::read_dir(crates()).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let manifest: toml::Table = fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
        let Some(dependencies) = manifest.get("dependencies").and_then(toml::Value::as_table) else { continue };
        let allowed = HTTP.iter().find(|(speaks, _)| *speaks == name).map_or(&[][..], |(_, allowed)| allowed);
        let wrong = clients.iter().filter(|client| dependencies.contains_key(**client) && !allowed.contains(client));
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&&str>::new(), "{name}");
    }
}

#[test]
fn only_the_command_prints() {
    let mut paths = Vec::new();
    files(&crates(), &mut paths);
    paths.retain(|path| {
        let text = fs::read_to_string(path).unwrap();
        let mut code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        path.iter().any(|part| part == "src")
            && code.any(|line| ["print!(", "println!(", "stdout", "stderr"].iter().any(|print| line.contains(print)))
    });
    let (own, others): (Vec<_>, Vec<_>) =
        paths.iter().partition(|path| path.starts_with(crates().join("truename-cli")));
    assert!(!own.is_empty() && others.is_empty(), "{others:?}");
}

#[test]
fn unsafe_stands_in_its_files_alone() {
    let mut paths = Vec::new();
    files(&crates(), &mut paths);
    let allows = |path: &&PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        path.components().any(|part| part.as_os_str() == "src") && text.contains("allow(unsafe_code)")
    };
    let found: Vec<String> =
        paths.iter().filter(allows).map(|path| path.strip_prefix(crates()).unwrap().display().to_string()).collect();
    assert_eq!(found, UNSAFE);
}

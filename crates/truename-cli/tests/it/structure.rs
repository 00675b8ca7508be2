//! The structure of the workspace: no circle of modules, and HTTP, LMDB, tensors, output and `unsafe` in their places alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// A module by the names that lead to it from the root of its crate.
type Module = Vec<String>;

/// Dependencies that stand in some crates alone: HTTP, the binding to LMDB, tensors, tokenizers.
const BOUND: [(&str, &[&str]); 13] = [
    ("axum", &["truename-server"]),
    ("burn-autodiff", &["truename-nn"]),
    ("burn-flex", &["truename-nn"]),
    ("burn-tensor", &["truename-nn"]),
    ("heed", &["truename-storage"]),
    ("hyper", &["truename-server"]),
    ("hyper-util", &["truename-server"]),
    ("reqwest", &[]),
    ("tokenizers", &["truename-infer"]),
    ("tokio", &["truename-cli", "truename-server"]),
    ("tower", &["truename-server"]),
    ("tower-http", &["truename-server"]),
    ("ureq", &["truename-download"]),
];

/// Files that may hold `unsafe`.
const UNSAFE: [&str; 13] = [
    "truename-index/src/vector/kernels.rs",
    "truename-infer/src/kernels/int8/aarch64.rs",
    "truename-infer/src/kernels/int8/amx.rs",
    "truename-infer/src/kernels/int8/x86.rs",
    "truename-infer/src/weights.rs",
    "truename-kb/src/compact.rs",
    "truename-kb/src/environment.rs",
    "truename-kb/src/guard.rs",
    "truename-nn/src/allocator.rs",
    "truename-server/src/memory.rs",
    "truename-storage/src/environment.rs",
    "truename-storage/src/free_space.rs",
    "truename-storage/src/spill.rs",
];

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
    let mut circles = Vec::new();
    let folders = fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap().path());
    for folder in folders.chain([crates().with_file_name("benches")]) {
        let read = Crate::read(&folder);
        assert!(!read.files.is_empty(), "{}", folder.display());
        let uses = read.uses();
        let name = folder.file_name().unwrap().to_string_lossy();
        for (module, used) in &uses {
            let circle = used.iter().filter(|used| reaches(&uses, used, module));
            circles.extend(circle.map(|used| format!("{name}: {} -> {}", module.join("::"), used.join("::"))));
        }
    }
    assert!(circles.is_empty(), "modules that lead back to themselves:\n{}", circles.join("\n"));
}

/// Returns the name of each crate with the names that it depends on.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let folder = entry.unwrap().path();
        let manifest: toml::Table = fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
        let named = manifest.get("dependencies").and_then(toml::Value::as_table);
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        (name, named.into_iter().flat_map(toml::Table::keys).cloned().collect())
    };
    fs::read_dir(crates()).unwrap().map(read).collect()
}

#[test]
fn dependencies_stand_in_their_crates_alone() {
    let dependencies = dependencies();
    for (bound, allowed) in BOUND {
        let found = dependencies.iter().filter(|(_, used)| used.contains(bound)).map(|(name, _)| name.as_str());
        assert_eq!(found.collect::<Vec<_>>(), allowed, "{bound}");
    }
}

#[test]
fn the_index_sees_no_text() {
    let mut paths = Vec::new();
    files(&crates().join("truename-index/src"), &mut paths);
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let mut lines = code.lines().filter(|line| !line.starts_with("//!"));
        let is_wrong = |line: &&str| line.contains("truename_text") && *line != "use truename_text::Gram;";
        assert_eq!(lines.find(is_wrong), None, "{}", path.display());
    }
}

fn architecture() -> String {
    fs::read_to_string(crates().join("../ARCHITECTURE.md")).unwrap()
}

#[test]
fn the_map_of_crates_has_their_dependencies() {
    let text = architecture();
    let (_, table) = text.split_once("| uses |\n| --- | --- | --- | --- |\n").unwrap();
    let mut above = BTreeSet::new();
    let mut dependencies = dependencies();
    for row in table.lines().take_while(|line| !line.is_empty()) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let whole = |name: &str| if name == "truename" { name.to_owned() } else { format!("truename-{name}") };
        let name = whole(cells[0].trim_matches('`'));
        let uses: BTreeSet<String> = cells[3].split(", ").filter(|used| !used.is_empty()).map(whole).collect();
        let mut found = dependencies.remove(&name).unwrap_or_else(|| panic!("no crate {name}"));
        found.retain(|used| used.starts_with("truename"));
        assert_eq!(uses, found, "{name}");
        assert!(uses.is_subset(&above), "{name} stands above a crate that it uses");
        above.insert(name);
    }
    assert!(dependencies.is_empty(), "not in the map: {dependencies:?}");
}

#[test]
fn tests_that_hold_an_invariant_are_there() {
    let text = architecture();
    let (_, table) = text.split_once("| held by |").unwrap();
    let named: Vec<Vec<&str>> = table.split('`').map(|name| name.split("::").collect()).collect();
    let tests: Vec<&Vec<&str>> = named.iter().filter(|parts| parts.len() == 3).collect();
    assert!(tests.len() > 30, "{tests:?}");
    for test in tests {
        let folder =
            crates().join(if test[0] == "truename" { test[0].into() } else { format!("truename-{}", test[0]) });
        let mut paths = Vec::new();
        files(&folder, &mut paths);
        let is_of_module = |path: &&PathBuf| path.with_extension("").iter().rev().take(2).any(|part| part == test[1]);
        let function = format!("fn {}(", test[2]);
        let is_there = |path: &PathBuf| fs::read_to_string(path).unwrap().contains(&function);
        assert!(paths.iter().filter(is_of_module).any(is_there), "there is no test {}", test.join("::"));
    }
    let (_, scripts) = text.split_once("| held by |").unwrap();
    for script in scripts.split('`').filter(|name| name.starts_with("scripts/")) {
        assert!(crates().join("..").join(script).exists(), "there is no {script}");
    }
}

#[test]
fn messages_are_filtered() {
    let mut paths = Vec::new();
    files(&crates().join("truename-cli/src"), &mut paths);
    for path in paths.iter().filter(|path| !path.ends_with("harmless.rs")) {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let is_unfiltered = |line: &&str| ["print!(", "println!(", "io::stderr"].iter().any(|call| line.contains(call));
        assert_eq!(lines.find(is_unfiltered), None, "{}: use `say!`", path.display());
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

#[test]
fn every_module_says_what_it_is_for() {
    let mut paths = Vec::new();
    files(&crates(), &mut paths);
    for path in paths.iter().filter(|path| path.iter().any(|part| part == "src")) {
        let text = fs::read_to_string(path).unwrap();
        let first = text.lines().next().unwrap_or_default();
        let is_said = first.starts_with("//! ") && first.chars().count() <= 120;
        assert!(is_said, "{}: the first line says in at most 120 characters what it is for: {first}", path.display());
    }
}

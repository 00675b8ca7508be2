use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use truename_infer::Tokenizer;
use truename_kb::{Concept, ImportOptions, Store, import};
use truename_text::{NormalizedName, stable_hash};
use xxhash_rust::xxh3::xxh3_128;

use crate::{Error, Recipe};

/// What is learnt from, and what is asked.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// The names of each concept, each once. Those of the knowledge base come first.
    concepts: Vec<Named>,
    /// How many concepts are of the knowledge base.
    searched: usize,
    queries: Vec<Query>,
    files: Vec<DataFile>,
}

/// A concept with its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Its id.
    pub id: String,
    /// Its names, none twice.
    pub names: Vec<String>,
    /// The ids of its parents, by which concepts are related.
    pub parents: Vec<String>,
}

impl From<&Concept> for Named {
    fn from(concept: &Concept) -> Self {
        let parents = concept.parents.iter().map(ToString::to_string).collect();
        Self { id: concept.id.to_string(), names: concept.names().map(str::to_owned).collect(), parents }
    }
}

/// A name that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Query {
    /// The name.
    pub name: String,
    /// The ids any of which is right.
    pub ids: Vec<String>,
}

/// A file that data came from.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DataFile {
    /// Where it lay.
    pub path: PathBuf,
    /// XXH3 with 128 bits of its bytes, in hexadecimal.
    pub hash: String,
}

impl Dataset {
    /// The data that a recipe names, with names held out if it says so.
    ///
    /// # Errors
    /// Where a file cannot be read, no knowledge base is named, or fewer than two concepts have names.
    pub fn read(recipe: &Recipe) -> Result<Self, Error> {
        if recipe.data.kb.is_empty() {
            return Err(Error::missing("data.kb", "--kb"));
        }
        let mut files = Vec::new();
        let mut concepts = read_concepts(&recipe.data.kb, &mut files)?;
        for path in &recipe.data.names {
            let place: HashMap<String, usize> =
                concepts.iter().enumerate().map(|(place, concept)| (concept.id.clone(), place)).collect();
            for gold in truename_eval::read_gold(path)? {
                for id in gold.ids {
                    match place.get(&id) {
                        Some(place) => concepts[*place].names.push(gold.name.clone()),
                        None => return Err(Error::unknown_id(path, &gold.name, &id)),
                    }
                }
            }
            files.push(DataFile::of(path)?);
        }
        let extra = read_concepts(&recipe.data.extra, &mut files)?;
        let mut queries = Vec::new();
        for path in &recipe.evaluation.names {
            let gold = truename_eval::read_gold(path)?.into_iter().filter(|gold| !gold.ids.is_empty());
            queries.extend(gold.map(|gold| Query { name: gold.name, ids: gold.ids }));
            files.push(DataFile::of(path)?);
        }
        let mut dataset = Self::new(concepts, extra, queries)?;
        dataset.files = files;
        if dataset.queries.is_empty() && recipe.evaluation.share > 0.0 {
            dataset.hold_out(recipe.evaluation.share);
        }
        if dataset.queries.is_empty() && recipe.evaluation.patience > 0 {
            return Err(Error::nothing_asked());
        }
        Ok(dataset)
    }

    /// Data from memory: the concepts of the knowledge base, others to learn from, and names to ask for.
    ///
    /// # Errors
    /// Where fewer than two concepts have names.
    pub fn new(concepts: Vec<Named>, extra: Vec<Named>, queries: Vec<Query>) -> Result<Self, Error> {
        let searched = concepts.len();
        let mut concepts: Vec<Named> = concepts.into_iter().chain(extra).collect();
        for concept in &mut concepts {
            let mut known = HashSet::new();
            concept.names.retain(|name| !name.trim().is_empty() && known.insert(name.clone()));
        }
        let named = concepts.iter().filter(|concept| !concept.names.is_empty()).count();
        if named < 2 {
            return Err(Error::too_few(named));
        }
        Ok(Self { concepts, searched, queries, files: Vec::new() })
    }

    /// Takes a share of the names of the knowledge base out, to be asked for; every concept keeps one.
    fn hold_out(&mut self, share: f64) {
        let names = self.concepts[..self.searched].iter().map(|concept| concept.names.len()).sum::<usize>();
        let places = self.concepts[..self.searched].iter().enumerate();
        let places = places.flat_map(|(place, concept)| concept.names.iter().map(move |name| (place, name.clone())));
        let mut order: Vec<(u64, usize, String)> =
            places.map(|(place, name)| (stable_hash(&name), place, name)).collect();
        order.sort_unstable();
        let mut held_out: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (_, place, name) in order {
            if held_out.len() as f64 >= share * names as f64 {
                break;
            }
            let concept = &mut self.concepts[place];
            if concept.names.len() > 1 {
                concept.names.retain(|known| *known != name);
                held_out.entry(name).or_default().insert(place);
            }
        }
        // A name that another concept keeps would be found by itself.
        let kept: HashSet<&String> = self.concepts.iter().flat_map(|concept| &concept.names).collect();
        let query = |(name, places): (&String, &BTreeSet<usize>)| Query {
            name: name.clone(),
            ids: places.iter().map(|place| self.concepts[*place].id.clone()).collect(),
        };
        self.queries = held_out.iter().filter(|(name, _)| !kept.contains(name)).map(query).collect();
    }

    /// Cross-validation: the same without the names of one of `folds` parts, and those asked for in place of all others.
    ///
    /// A concept that would lose all its names keeps them, and they are not asked for; nor is a name that is left in
    /// another spelling.
    #[must_use]
    pub fn fold(&self, fold: usize, folds: usize) -> Self {
        // Not the parts of `without_fold`, which a run on this data makes anew.
        let part = |name: &NormalizedName| (stable_hash(&format!("part {}", name.squeezed())) % folds as u64) as usize;
        let mut dataset = self.without(|name| part(name) == fold);
        let places = |concepts: &[Named]| {
            let mut places: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
            for (place, concept) in concepts.iter().enumerate() {
                for name in &concept.names {
                    places.entry(NormalizedName::new(name).squeezed()).or_default().insert(place);
                }
            }
            places
        };
        let (all, left) = (places(self.searched()), places(dataset.searched()));
        let mut asked = BTreeSet::new();
        let mut queries = Vec::new();
        for name in self.searched().iter().flat_map(|concept| &concept.names) {
            let key = NormalizedName::new(name).squeezed();
            if left.contains_key(&key) || !asked.insert(key.clone()) {
                continue;
            }
            let ids = all[&key].iter().map(|place| self.concepts[*place].id.clone()).collect();
            queries.push(Query { name: name.clone(), ids });
        }
        dataset.queries = queries;
        dataset
    }

    /// The same with nothing to ask for.
    #[must_use]
    pub fn without_queries(mut self) -> Self {
        self.queries.clear();
        self
    }

    /// The same without the names of one of `folds` parts; a concept that would lose all its names keeps them.
    ///
    /// An encoder that learnt this has not seen those names, so that a ranker can be fitted to what it makes of them.
    #[must_use]
    pub fn without_fold(&self, fold: usize, folds: usize) -> Self {
        self.without(|name| name.fold(folds) == fold)
    }

    fn without(&self, is_left_out: impl Fn(&NormalizedName) -> bool) -> Self {
        let mut dataset = self.clone();
        for concept in &mut dataset.concepts[..self.searched] {
            let is_kept = |name: &String| !is_left_out(&NormalizedName::new(name));
            if concept.names.iter().any(is_kept) {
                concept.names.retain(is_kept);
            }
        }
        dataset
    }

    /// Every concept that is learnt from.
    pub fn concepts(&self) -> &[Named] {
        &self.concepts
    }

    /// The concepts of the knowledge base.
    pub fn searched(&self) -> &[Named] {
        &self.concepts[..self.searched]
    }

    /// The names that are asked for.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// The files that it came from.
    pub fn files(&self) -> &[DataFile] {
        &self.files
    }

    /// How many names there are to learn from.
    pub fn name_count(&self) -> usize {
        self.concepts.iter().map(|concept| concept.names.len()).sum()
    }

    /// Returns the hash of all that a run depends on: every concept, the number of those that are searched, and the names
    /// asked for, in their order.
    pub fn hash(&self) -> String {
        let mut bytes = Vec::new();
        let mut add = |texts: &[&String]| {
            bytes.extend_from_slice(&(texts.len() as u64).to_le_bytes());
            for text in texts {
                bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
                bytes.extend_from_slice(text.as_bytes());
            }
        };
        for Named { id, names, parents } in &self.concepts {
            add(&[id]);
            add(&names.iter().collect::<Vec<_>>());
            add(&parents.iter().collect::<Vec<_>>());
        }
        for Query { name, ids } in &self.queries {
            add(&[name]);
            add(&ids.iter().collect::<Vec<_>>());
        }
        bytes.extend_from_slice(&(self.searched as u64).to_le_bytes());
        format!("{:032x}", xxh3_128(&bytes))
    }

    /// Describes the data for the user, a line each.
    pub(crate) fn describe(&self, tokenizer: &Tokenizer) -> Result<Vec<String>, Error> {
        let counted = |count: usize, noun| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let names: Vec<&String> = self.concepts.iter().flat_map(|concept| &concept.names).collect();
        let is_truncated = |name: &&String| Ok(usize::from(tokenizer.tokens(name)?.is_truncated));
        let truncated = names.par_iter().map(is_truncated).sum::<Result<usize, Error>>()?;
        let mut lines = vec![format!(
            "{} of {} to learn, {} to ask for",
            counted(names.len(), "name"),
            counted(self.concepts.len(), "concept"),
            counted(self.queries.len(), "name")
        )];
        if truncated > 0 {
            lines.push(format!(
                "{} longer than the encoder's window; of each the beginning is learnt",
                counted(truncated, "name")
            ));
        }
        Ok(lines)
    }

    /// Returns the files and sizes of the data, for `run.json`.
    pub(crate) fn provenance(&self) -> serde_json::Value {
        serde_json::json!({"concepts": self.concepts.len(), "names": self.name_count(), "files": self.files})
    }
}

impl DataFile {
    fn of(path: &Path) -> Result<Self, Error> {
        let file = if path.is_dir() { path.join("data.mdb") } else { path.to_owned() };
        let bytes = std::fs::read(&file).map_err(|source| Error::io("read", &file, source))?;
        Ok(Self { path: path.to_owned(), hash: format!("{:032x}", xxh3_128(&bytes)) })
    }
}

/// The concepts of a store, or of files that make one knowledge base.
fn read_concepts(paths: &[PathBuf], files: &mut Vec<DataFile>) -> Result<Vec<Named>, Error> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    for path in paths {
        files.push(DataFile::of(path)?);
    }
    if let [path] = paths
        && path.is_dir()
    {
        let store = Store::open(path)?;
        let snapshot = store.snapshot()?;
        let mut concepts = Vec::new();
        for concept in snapshot.concepts()? {
            concepts.push(Named::from(&concept?));
        }
        return Ok(concepts);
    }
    let import = import::read_files(paths, &ImportOptions::default())?;
    Ok(import.concepts.iter().map(Named::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(id: &str, names: &[&str]) -> Named {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Named { id: id.into(), names, ..Named::default() }
    }

    #[test]
    fn held_out_names_are_asked_for_and_not_learnt() {
        let concepts = (0..20).map(|n| named(&format!("C:{n}"), &[&format!("a {n}"), &format!("b {n}"), "shared"]));
        let mut dataset = Dataset::new(concepts.collect(), Vec::new(), Vec::new()).unwrap();
        let before = dataset.name_count();
        dataset.hold_out(0.2);
        assert!(dataset.queries().len() >= 10, "{}", dataset.queries().len());
        assert!(dataset.name_count() < before);
        for query in dataset.queries() {
            assert!(dataset.concepts().iter().all(|concept| !concept.names.contains(&query.name)), "{query:?}");
        }
        assert!(dataset.concepts().iter().all(|concept| !concept.names.is_empty()));
    }

    #[test]
    fn every_name_is_left_out_of_one_fold() {
        let concepts =
            (0..30).map(|n| named(&format!("C:{n}"), &[&format!("a{n}"), &format!("a {n}"), &format!("b{n}")]));
        let dataset = Dataset::new(concepts.collect(), vec![named("x", &["extra"])], Vec::new()).unwrap();
        let folds: Vec<Dataset> = (0..3).map(|fold| dataset.without_fold(fold, 3)).collect();
        for concept in dataset.searched() {
            for name in &concept.names {
                let has = |fold: &&Dataset| fold.concepts().iter().any(|concept| concept.names.contains(name));
                // Two ways to write a name are left out together, so a concept may keep all it has.
                assert!((2..=3).contains(&folds.iter().filter(has).count()), "{name}");
            }
        }
        assert!(folds.iter().all(|fold| fold.name_count() < dataset.name_count()));
        assert!(folds.iter().all(|fold| fold.concepts().last() == Some(&named("x", &["extra"]))));
    }

    #[test]
    fn every_name_is_asked_for_in_one_fold() {
        let concepts = (0..30)
            .map(|n| named(&format!("C:{n}"), &[&format!("a{n}"), &format!("A {n}"), &format!("b{n}"), "shared"]));
        let dataset = Dataset::new(concepts.collect(), Vec::new(), Vec::new()).unwrap();
        let folds: Vec<Dataset> = (0..3).map(|fold| dataset.fold(fold, 3)).collect();
        let mut asked = Vec::new();
        for (fold, query) in folds.iter().flat_map(|fold| fold.queries().iter().map(move |query| (fold, query))) {
            let key = NormalizedName::new(&query.name).squeezed();
            let mut left = fold.searched().iter().flat_map(|concept| &concept.names);
            assert!(left.all(|name| NormalizedName::new(name).squeezed() != key), "{query:?}");
            assert_eq!(query.ids.len(), if query.name == "shared" { 30 } else { 1 });
            asked.push(key);
        }
        // All but those of concepts whose names are in one part; two ways to write a name are asked for once.
        assert!((50..=61).contains(&asked.len()), "{asked:?}");
        let distinct: BTreeSet<&String> = asked.iter().collect();
        assert_eq!(distinct.len(), asked.len(), "{asked:?}");
    }

    #[test]
    fn one_concept_is_too_few() {
        let error = Dataset::new(vec![named("a", &["x"]), named("b", &[" "])], Vec::new(), Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "the data has 1 concept with a name; training needs 2");
    }
}

//! Data sets of names: to learn from and to ask for, with parts held out so that no spelling is in both.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use truename::KnowledgeBase;
use truename_error::{ErrorKind, HintPart, hint};
use truename_kb::{Concept, ImportOptions, import};
use truename_text::{NormalizedName, stable_hash};
use xxhash_rust::xxh3::xxh3_128;

use super::keys::{DataKeys, NameKeys};
use crate::{DataFile, Error, Recipe, error};

/// Names to learn from, and names to ask for.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// The concepts of the knowledge base, then the others. No concept has a name twice.
    concepts: Vec<NamedConcept>,
    /// Number of concepts of the knowledge base.
    searched: usize,
    queries: Vec<Query>,
    /// Labelled names with their ids, among the names of the concepts.
    labelled: Vec<(String, String)>,
    files: Vec<DataFile>,
}

/// A concept with its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedConcept {
    /// The id.
    pub id: String,
    /// The names, none twice.
    pub names: Vec<String>,
    /// The ids of the parents, by which concepts are related.
    pub parents: Vec<String>,
}

impl NamedConcept {
    /// Creates a concept without parents.
    pub fn new<N: Into<String>>(id: impl Into<String>, names: impl IntoIterator<Item = N>) -> Self {
        Self { id: id.into(), names: names.into_iter().map(Into::into).collect(), parents: Vec::new() }
    }
}

impl From<&Concept> for NamedConcept {
    fn from(concept: &Concept) -> Self {
        let parents = concept.parents.iter().map(ToString::to_string).collect();
        Self { id: concept.id.to_string(), names: concept.names().map(str::to_owned).collect(), parents }
    }
}

/// A name to ask for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Query {
    /// The name.
    pub name: String,
    /// Accepted ids, of which any is right.
    pub ids: Vec<String>,
}

impl Dataset {
    /// Reads the files that a recipe names, and holds names out where it asks for that.
    ///
    /// # Errors
    /// Where a file cannot be read, no knowledge base is named, or fewer than two concepts have names.
    pub fn read(recipe: &Recipe) -> Result<Self, Error> {
        let NameKeys { data, evaluation, .. } = recipe.keys()?;
        let mut dataset = Self::open(&data, &evaluation.names)?;
        if dataset.queries.is_empty() && evaluation.share > 0.0 {
            dataset.hold_out(evaluation.share);
        }
        if dataset.queries.is_empty() && recipe.evaluation.patience > 0 {
            return Err(error::nothing_asked());
        }
        Ok(dataset)
    }

    /// Reads the names of a knowledge base, a store or files that `kb import` reads.
    ///
    /// # Errors
    /// Where a file cannot be read, or fewer than two concepts have names.
    pub fn read_kb(paths: &[PathBuf]) -> Result<Self, Error> {
        Self::open(&DataKeys { kb: paths.to_vec(), ..DataKeys::default() }, &[])
    }

    fn open(data: &DataKeys, asked: &[PathBuf]) -> Result<Self, Error> {
        if data.kb.is_empty() {
            return Err(error::missing("data.kb", HintPart::setting("kb")));
        }
        let mut files = Vec::new();
        let mut concepts = read_concepts(&data.kb, &mut files)?;
        let mut labelled = Vec::new();
        for file in DataFile::each_of(&data.names)? {
            labelled.extend(add_labelled(&mut concepts, &file.path)?);
            files.push(file);
        }
        let extra = read_concepts(&data.extra, &mut files)?;
        let mut queries = Vec::new();
        for file in DataFile::each_of(asked)? {
            let gold = truename_eval::read_gold(&file.path)?.into_iter().filter(|gold| !gold.ids.is_empty());
            queries.extend(gold.map(|gold| Query { name: gold.name, ids: gold.ids }));
            files.push(file);
        }
        let mut dataset = Self::new(concepts, extra, queries)?;
        (dataset.labelled, dataset.files) = (labelled, files);
        Ok(dataset)
    }

    /// Creates a data set from the concepts of the knowledge base, others to learn from, and names to ask for.
    ///
    /// # Errors
    /// Where fewer than two concepts have names.
    pub fn new(concepts: Vec<NamedConcept>, extra: Vec<NamedConcept>, queries: Vec<Query>) -> Result<Self, Error> {
        let searched = concepts.len();
        let mut concepts: Vec<NamedConcept> = concepts.into_iter().chain(extra).collect();
        for concept in &mut concepts {
            let mut known = HashSet::new();
            concept.names.retain(|name| !name.trim().is_empty() && known.insert(name.clone()));
        }
        let named = concepts.iter().filter(|concept| !concept.names.is_empty()).count();
        if named < 2 {
            return Err(error::too_few(named));
        }
        Ok(Self { concepts, searched, queries, ..Self::default() })
    }

    /// Moves a share of the knowledge base's names to those asked for, all spellings of a name together. A concept that would lose
    /// all its names keeps them.
    fn hold_out(&mut self, share: f64) {
        let place =
            |name: &NormalizedName| stable_hash(&format!("held out {}", name.squeezed())) as f64 / u64::MAX as f64;
        let kept = self.without(|name| place(name) < share);
        *self = Self { queries: self.names_missing_in(&kept), ..kept };
    }

    /// Returns a fold of a cross-validation: the names of one of `folds` parts are left out, and asked for in place of all others.
    ///
    /// A concept that would lose all its names keeps them, and they are not asked for. A name that is left in another spelling
    /// is not asked for either.
    #[must_use]
    pub fn fold(&self, fold: usize, folds: usize) -> Self {
        // Not the parts of `without_fold`, which a run on this data makes anew.
        let part = |name: &NormalizedName| (stable_hash(&format!("part {}", name.squeezed())) % folds as u64) as usize;
        let kept = self.without(|name| part(name) == fold);
        Self { queries: self.names_missing_in(&kept), ..kept }
    }

    /// Returns the names of the knowledge base that another data set has in no spelling, each with all its concepts.
    fn names_missing_in(&self, other: &Self) -> Vec<Query> {
        let key = |name: &String| NormalizedName::new(name).squeezed();
        let left: HashSet<String> = other.concepts().iter().flat_map(|concept| &concept.names).map(key).collect();
        // Places of the query and of the last concept of each name.
        let mut places: HashMap<String, (usize, usize)> = HashMap::new();
        let mut queries: Vec<Query> = Vec::new();
        for (place, concept) in self.searched().iter().enumerate() {
            for name in &concept.names {
                match places.entry(key(name)) {
                    Entry::Vacant(new) if !left.contains(new.key()) => {
                        new.insert((queries.len(), place));
                        queries.push(Query { name: name.clone(), ids: vec![concept.id.clone()] });
                    }
                    Entry::Occupied(mut known) if known.get().1 < place => {
                        queries[known.get().0].ids.push(concept.id.clone());
                        known.get_mut().1 = place;
                    }
                    _ => {}
                }
            }
        }
        queries
    }

    /// Returns the data set with nothing to ask for.
    #[must_use]
    pub fn without_queries(mut self) -> Self {
        self.queries.clear();
        self
    }

    /// Returns the data set without the names of one of `folds` parts; a concept that would lose all its names keeps them.
    ///
    /// An encoder that is trained on it has not seen these names, so that a ranker can be fitted to its vectors of them.
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

    /// All concepts to learn from.
    pub fn concepts(&self) -> &[NamedConcept] {
        &self.concepts
    }

    /// The concepts of the knowledge base.
    pub fn searched(&self) -> &[NamedConcept] {
        &self.concepts[..self.searched]
    }

    /// The names to ask for.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// The labelled names that are learnt, each with an id.
    pub fn labelled(&self) -> impl Iterator<Item = (&str, &str)> {
        let concepts = self.searched().iter();
        let learnt: HashSet<(&str, &str)> = concepts
            .flat_map(|concept| concept.names.iter().map(|name| (name.as_str(), concept.id.as_str())))
            .collect();
        let labelled = self.labelled.iter().map(|(name, id)| (name.as_str(), id.as_str()));
        labelled.filter(move |labelled| learnt.contains(labelled))
    }

    /// The files that the data came from.
    pub fn files(&self) -> &[DataFile] {
        &self.files
    }

    /// Number of names to learn from.
    pub fn name_count(&self) -> usize {
        self.concepts.iter().map(|concept| concept.names.len()).sum()
    }

    /// Returns the hash of all that a run depends on: every concept, the number of concepts that are searched, and the names
    /// to ask for, in their order.
    pub fn hash(&self) -> String {
        let mut bytes = Vec::new();
        let mut add = |texts: &[&String]| {
            bytes.extend_from_slice(&(texts.len() as u64).to_le_bytes());
            for text in texts {
                bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
                bytes.extend_from_slice(text.as_bytes());
            }
        };
        for NamedConcept { id, names, parents } in &self.concepts {
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
}

/// Adds labelled names to their concepts, and returns them with their ids.
fn add_labelled(concepts: &mut [NamedConcept], path: &Path) -> Result<Vec<(String, String)>, Error> {
    let place: HashMap<String, usize> =
        concepts.iter().enumerate().map(|(place, concept)| (concept.id.clone(), place)).collect();
    let mut labelled = Vec::new();
    for gold in truename_eval::read_gold(path)? {
        for id in gold.ids {
            let Some(place) = place.get(&id) else {
                let (path, name) = (path.display(), &gold.name);
                let message = format!("{path}: \"{name}\" has the id {id}, which the knowledge base does not have");
                let update = HintPart::action("kb update");
                let advice = hint!["leave the row out, or add the concept to the knowledge base with ", update];
                return Err(Error::new(ErrorKind::Choice, message).with_hint(advice));
            };
            concepts[*place].names.push(gold.name.clone());
            labelled.push((gold.name.clone(), id));
        }
    }
    Ok(labelled)
}

/// Reads the concepts of a knowledge base, or of files that make one knowledge base.
pub(crate) fn read_concepts(paths: &[PathBuf], files: &mut Vec<DataFile>) -> Result<Vec<NamedConcept>, Error> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    files.extend(DataFile::each_of(paths)?);
    if let [path] = paths
        && KnowledgeBase::is_at(path)
    {
        let mut concepts = Vec::new();
        KnowledgeBase::open(path)?.for_each_concept(|concept| {
            concepts.push(NamedConcept::from(&concept));
            Ok::<_, Error>(())
        })?;
        return Ok(concepts);
    }
    let import = import::read_files(&vocabularies(paths)?, &ImportOptions::default()).map_err(error::import_first)?;
    Ok(import.concepts.iter().map(NamedConcept::from).collect())
}

/// Returns files and folders of a knowledge base, the files of patterns one by one.
pub(crate) fn vocabularies(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut all = Vec::new();
    for path in paths {
        // A folder may hold one vocabulary in several files.
        if path.is_dir() { all.push(path.clone()) } else { all.extend(truename_read::files(path)?) }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn named(id: &str, names: &[&str]) -> NamedConcept {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        NamedConcept { id: id.into(), names, ..NamedConcept::default() }
    }

    #[test]
    fn folders_and_patterns_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, text) in [
            ("kb/a.csv", "id,name\nX:1,flu\n"),
            ("kb/b.csv", "id,name\nX:2,gout\n"),
            ("names/a.tsv", "name\tid\nthe flu\tX:1\n"),
            ("names/within/b.tsv", "name\tid\npodagra\tX:2\n"),
        ] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), text).unwrap();
        }
        let read = |kb: &[&str], names: &[&str]| {
            let paths = |names: &[&str]| names.iter().map(|name| at(name)).collect();
            let keys = DataKeys { kb: paths(kb), names: paths(names), ..DataKeys::default() };
            Dataset::open(&keys, &keys.names).unwrap()
        };
        let each = read(&["kb/a.csv", "kb/b.csv"], &["names/a.tsv", "names/within/b.tsv"]);
        assert_eq!((each.name_count(), each.queries().len(), each.files().len()), (4, 2, 6));
        for other in [read(&["kb"], &["names"]), read(&["kb/?.csv"], &["names/*"])] {
            assert_eq!((other.hash(), other.files()), (each.hash(), each.files()));
        }
    }

    #[test]
    fn held_out_names_are_asked_for_and_learnt_in_no_spelling() {
        let names = |n: usize| [format!("prot-{n}"), format!("prot {n}"), format!("b {n}"), "shared".into()];
        let concepts = (0..40).map(|n| NamedConcept::new(format!("C:{n}"), names(n)));
        let extra = (0..10).map(|n| NamedConcept::new(format!("x{n}"), [format!("B-{n}")]));
        let mut dataset = Dataset::new(concepts.collect(), extra.collect(), Vec::new()).unwrap();
        dataset.labelled = (0..40).map(|n| (format!("b {n}"), format!("C:{n}"))).collect();
        let before = dataset.name_count();
        dataset.hold_out(0.3);
        assert!((10..40).contains(&dataset.queries().len()), "{}", dataset.queries().len());
        assert!(dataset.name_count() < before);
        let key = |name: &str| NormalizedName::new(name).squeezed();
        for query in dataset.queries() {
            let mut learnt = dataset.concepts().iter().flat_map(|concept| &concept.names);
            assert!(learnt.all(|name| key(name) != key(&query.name)), "{query:?}");
        }
        assert!(dataset.concepts().iter().all(|concept| !concept.names.is_empty()));
        let labelled: Vec<_> = dataset.labelled().collect();
        assert!(
            labelled.len() < 40
                && labelled.iter().all(|(name, _)| dataset.queries().iter().all(|query| query.name != *name))
        );
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

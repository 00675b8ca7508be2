//! A store with its indexes: what users import, update, look at and export.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use truename_index::{Hit, NgramIndex, Rank, Search, SearchScratch, VectorIndex, VectorScratch, VectorSearch};
use truename_infer::Encoder;
use truename_kb::import::read_files;
use truename_kb::{
    Applied, Comparison, Concept, ConceptId, Import, ImportOptions, NameIndex, Partial, Problem, Snapshot, Store,
};
use truename_text::{Gram, NameKeys, NormalizedName, grams};

use crate::vectors::{EncoderRecord, SETS, VectorSets, encode};
use crate::{Error, ranker};

const META_PROVENANCE: &str = "provenance";

/// A knowledge base on disk.
#[derive(Clone)]
pub struct KnowledgeBase {
    pub(crate) store: Store,
    pub(crate) indexes: Indexes,
    pub(crate) encoder: Option<Arc<Encoder>>,
}

/// The indexes of a store.
#[derive(Clone, Copy)]
pub(crate) struct Indexes {
    pub(crate) ngrams: NgramIndex,
    pub(crate) vectors: VectorIndex,
}

/// Stores this process has begun to build.
static BUILDS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static SCRATCH: RefCell<SearchScratch> = RefCell::default();
}

/// A name near to another.
#[derive(Clone, Debug, PartialEq)]
pub struct NearName {
    /// The concept it is of.
    pub id: String,
    /// The name.
    pub name: String,
    /// The cosine of the character n-grams, by TF-IDF, or of the vectors; higher is closer.
    pub score: f32,
}

/// A file that went into a knowledge base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// `import` or `update`.
    pub action: String,
    /// The file as it was named.
    pub file: String,
    /// Its format.
    pub format: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Entries or rows taken from it.
    pub entries: u64,
}

/// What an import or update did.
#[derive(Debug, Default)]
pub struct Report {
    /// Concepts that are new.
    pub added: u32,
    /// Concepts that changed.
    pub changed: u32,
    /// Concepts that are gone.
    pub removed: u32,
    /// Names in the knowledge base now.
    pub names: u32,
    /// Concepts in the knowledge base now.
    pub concepts: u32,
    /// Entries left out because the files say they are obsolete.
    pub obsolete: usize,
    /// The first problems.
    pub problems: Vec<Problem>,
    /// How many there were.
    pub problem_count: u64,
    /// Ids that were to be removed and were not there.
    pub missing: Vec<ConceptId>,
    /// Mappings of which neither side is a concept.
    pub unused_mappings: usize,
}

/// What a knowledge base holds, in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Info {
    /// Concepts.
    pub concepts: u32,
    /// Names.
    pub names: u32,
    /// Names a concept, in the mean.
    pub names_per_concept: f64,
    /// The most names one concept has, and which.
    pub most_names: Option<(usize, String)>,
    /// Concepts with a single name.
    pub single_name_concepts: u32,
    /// Names beside another name of the same concept with the same normal form.
    pub duplicate_names: u32,
    /// Normal forms that several concepts share.
    pub ambiguous_names: u32,
    /// Some of them, each with the concepts that share it.
    pub ambiguous_examples: Vec<(String, Vec<String>)>,
    /// Concepts by type.
    pub types: BTreeMap<String, u32>,
    /// The files it was made from.
    pub provenance: Vec<Provenance>,
    /// Whether `calibrate` fitted a ranker to it.
    pub calibrated: bool,
    /// The vectors of its names, where it has any.
    pub vectors: Option<VectorInfo>,
    /// The size of its file.
    pub bytes: u64,
    /// The bytes of it that updates left unused; [`KnowledgeBase::compact`] frees them.
    pub unused_bytes: u64,
}

/// The vectors of a knowledge base's names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VectorInfo {
    /// Names that have one.
    pub names: u64,
    /// The encoder that made them.
    pub encoder: EncoderRecord,
    /// Whether `calibrate` fitted a ranker with them.
    pub calibrated: bool,
    /// The vectors that are to replace them, where these are being made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextVectors>,
}

/// Vectors that replace those in use once every name has one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NextVectors {
    /// Names that have one.
    pub names: u64,
    /// The encoder that makes them.
    pub encoder: EncoderRecord,
}

/// Ambiguous names shown in [`Info`].
const SHOWN_AMBIGUOUS: usize = 5;

impl KnowledgeBase {
    /// Opens a knowledge base.
    ///
    /// # Errors
    /// Where there is none, it is damaged, or a newer version of Truename made it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let store = Store::open(path)?;
        let read = store.env().read_txn().map_err(truename_kb::Error::from)?;
        let ngrams = NgramIndex::open(store.env(), &read)?;
        let vectors = VectorIndex::open(store.env(), &read)?;
        read.commit().map_err(truename_kb::Error::from)?;
        Ok(Self { store, indexes: Indexes { ngrams, vectors }, encoder: None })
    }

    /// Imports files into a new knowledge base at `out`; with `replace` one that is there gives way.
    ///
    /// A new store is built beside `out` and moved there whole; one that is replaced is filled anew in one
    /// transaction, so that its readers keep what they see. A failure leaves what was there.
    ///
    /// # Errors
    /// Where `out` exists and is not to be replaced, or a file cannot be read.
    pub fn import(
        files: &[PathBuf],
        out: &Path,
        options: &ImportOptions,
        replace: bool,
    ) -> Result<(Self, Report), Error> {
        refuse_existing(out, replace)?;
        let import = read_files(files, options)?;
        import.require_concepts()?;
        let provenance = provenance("import", &import);
        let mut report = Report {
            added: import.concepts.len() as u32,
            obsolete: import.removed.len(),
            unused_mappings: import.mappings.len(),
            problem_count: import.problem_count,
            problems: import.problems,
            ..Report::default()
        };
        let former = if replace { Self::open(out).and_then(Self::undamaged).ok() } else { None };
        let opened = match former {
            Some(former) => {
                fill(&former.store, import.concepts, &provenance, options, true)?;
                former
            }
            None => place(out, import.concepts, &provenance, options, replace)?,
        };
        let counts = opened.store.snapshot()?.counts();
        (report.concepts, report.names) = (counts.concepts, counts.names);
        Ok((opened, report))
    }

    /// This knowledge base, if its file is not damaged.
    fn undamaged(self) -> Result<Self, Error> {
        // What else keeps it from being written to is for the writer to say.
        let damage = self.store.write().err().filter(truename_kb::Error::is_damaged);
        damage.map_or(Ok(self), |error| Err(error.into()))
    }

    /// Looks for damage: compares the file with its checksums, without believing anything in it. Where there are no
    /// checksums for all of it, or `deep` is set, reads every record too.
    ///
    /// # Errors
    /// [`Error::is_damaged`] with the first damage found.
    pub fn check(path: &Path, deep: bool) -> Result<Comparison, Error> {
        let compared = Store::compare(path)?;
        let all_compared = matches!(compared, Comparison::Intact | Comparison::UnusedDiffers);
        if deep || !all_compared {
            Self::open(path)?.check_records()?;
        }
        Ok(compared)
    }

    fn check_records(&self) -> Result<(), Error> {
        let snapshot = self.store.snapshot()?;
        snapshot.check()?;
        self.indexes.ngrams.check(snapshot.transaction())?;
        for number in SETS {
            self.indexes.vectors.set(number).check(snapshot.transaction())?;
        }
        VectorSets::read(&snapshot)?;
        read_provenance(&snapshot)?;
        for with_vectors in [false, true] {
            if let Some(bytes) = snapshot.meta(ranker::fact(with_vectors))? {
                ranker::Ranker::from_bytes(bytes, with_vectors)?;
            }
        }
        Ok(())
    }

    /// Rewrites a knowledge base without the bytes that updates left unused. Returns the sizes of its file before and
    /// after.
    ///
    /// # Errors
    /// Where it is damaged, or another process or a value of this type has it open; it is as it was before.
    pub fn compact(path: &Path) -> Result<(u64, u64), Error> {
        Ok(truename_kb::compact(path)?)
    }

    /// Makes a knowledge base from concepts in memory.
    ///
    /// # Errors
    /// Where `out` exists already or the disk fails.
    pub fn create(concepts: Vec<Concept>, out: &Path) -> Result<Self, Error> {
        refuse_existing(out, false)?;
        place(out, concepts, &[], &ImportOptions::default(), false)
    }

    /// Opens the knowledge base that comes with Truename: MeSH diseases and chemicals. It is unpacked into
    /// the user's cache on first use.
    ///
    /// # Errors
    /// Where the cache cannot be written.
    pub fn bundled() -> Result<Self, Error> {
        crate::bundled::open()
    }

    /// Adds the concepts of files, replaces those that are there, and removes those that the files or
    /// `removed` name, in one transaction and in place.
    ///
    /// # Errors
    /// Where a file cannot be read or the store not be written; it is then as it was before.
    pub fn update(&self, files: &[PathBuf], removed: &[ConceptId], options: &ImportOptions) -> Result<Report, Error> {
        let import = if files.is_empty() { Import::default() } else { read_files(files, options)? };
        let new_provenance = provenance("update", &import);
        options.progress.begin("indexing", 0);
        let mut write = self.store.write()?;
        let snapshot = self.store.snapshot()?;
        let mut concepts = import.concepts;
        let gone: Vec<ConceptId> = removed.iter().chain(&import.removed).cloned().collect();
        let unused_mappings = add_mappings(&snapshot, import.mappings, &gone, &mut concepts)?;
        let applied = self.store.apply(&mut write, concepts, &gone)?;
        let [old, new] = [&applied.old_names, &applied.new_names].map(|names| with_grams(names));
        self.indexes.ngrams.update(&mut write, &old, &new)?;
        let gone: Vec<u32> = applied.old_names.iter().map(|(name, _)| name.0).collect();
        for number in SETS {
            self.indexes.vectors.set(number).remove(&mut write, &gone)?;
        }
        let mut provenance = read_provenance(&snapshot)?;
        provenance.extend(new_provenance);
        self.store.put_meta(&mut write, META_PROVENANCE, &to_json(&provenance))?;
        drop(snapshot);
        let committing = options.progress.commit()?;
        self.store.commit(write)?;
        drop(committing);
        let counts = self.store.snapshot()?.counts();
        let Applied { added, changed, removed: removed_count, missing, .. } = applied;
        // Obsolete terms of a file need not have been there; ids asked for by name should have been.
        let missing = missing.into_iter().filter(|id| removed.contains(id)).collect();
        Ok(Report {
            added,
            changed,
            removed: removed_count,
            names: counts.names,
            concepts: counts.concepts,
            obsolete: import.removed.len(),
            problem_count: import.problem_count,
            problems: import.problems,
            missing,
            unused_mappings,
        })
    }

    /// The concept with an id.
    ///
    /// # Errors
    /// [`Error::is_not_found`] where there is none.
    pub fn concept(&self, id: &ConceptId) -> Result<Concept, Error> {
        Ok(self.store.snapshot()?.concept_by_id(id)?)
    }

    /// Hands every concept to `visit`, in the order of their ids.
    ///
    /// # Errors
    /// Where the storage fails, or `visit` does.
    pub fn for_each_concept<E: From<Error>>(&self, mut visit: impl FnMut(Concept) -> Result<(), E>) -> Result<(), E> {
        let snapshot = self.store.snapshot().map_err(Error::from)?;
        for concept in snapshot.concepts().map_err(Error::from)? {
            visit(concept.map_err(Error::from)?)?;
        }
        Ok(())
    }

    /// The names nearest to `name` by n-grams alone, best first: what that candidate generator sees.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn nearest_by_ngrams(&self, name: &str, limit: usize) -> Result<Vec<NearName>, Error> {
        let snapshot = self.store.snapshot()?;
        let rank = snapshot.name_order()?.map(|order| move |name| order.rank(NameIndex(name)));
        let search = Search { limit, rank: rank.as_ref().map(|rank| rank as Rank<'_>), ..Search::default() };
        let grams = grams(&NormalizedName::new(name));
        let hits = SCRATCH
            .with_borrow_mut(|scratch| self.indexes.ngrams.search(snapshot.transaction(), &grams, &search, scratch))?;
        near_names(&snapshot, hits)
    }

    /// The names whose vectors are nearest to that of `name`, best first; none where there is no encoder.
    ///
    /// # Errors
    /// Where the storage or the encoder fails.
    pub fn nearest_by_vectors(&self, name: &str, limit: usize) -> Result<Vec<NearName>, Error> {
        let Some(encoder) = &self.encoder else { return Ok(Vec::new()) };
        let vector = encode(encoder, &[name])?;
        let snapshot = self.store.snapshot()?;
        let Some(reader) = self.vectors(&snapshot)? else { return Ok(Vec::new()) };
        let rank = snapshot.name_order()?.map(|order| move |name| order.rank(NameIndex(name)));
        let search =
            VectorSearch { limit, rank: rank.as_ref().map(|rank| rank as Rank<'_>), ..VectorSearch::default() };
        let hits = reader.search(&[vector.row(0)], &search, &mut VectorScratch::default())?;
        near_names(&snapshot, hits.into_iter().flatten().collect())
    }

    /// What it holds, in numbers.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn info(&self) -> Result<Info, Error> {
        let snapshot = self.store.snapshot()?;
        let counts = snapshot.counts();
        let (mut types, mut single, mut most) = (BTreeMap::new(), 0, None::<(usize, String)>);
        let mut duplicates = 0;
        let mut by_form: HashMap<u64, Vec<u32>> = HashMap::new();
        for (concept, number) in snapshot.concepts()?.zip(0u32..) {
            let concept = concept?;
            for name in &concept.types {
                *types.entry(name.clone()).or_insert(0) += 1;
            }
            let names = 1 + concept.synonyms.len();
            single += u32::from(names == 1);
            if most.as_ref().is_none_or(|(known, _)| names > *known) {
                most = Some((names, concept.id.to_string()));
            }
            let forms: HashSet<u64> =
                concept.names().map(|name| NameKeys::of(&NormalizedName::new(name)).exact.0).collect();
            duplicates += (names - forms.len()) as u32;
            for form in forms {
                by_form.entry(form).or_default().push(number);
            }
        }
        by_form.retain(|_, concepts| concepts.len() > 1);
        let (bytes, unused_bytes) = self.store.size()?;
        Ok(Info {
            bytes,
            unused_bytes,
            concepts: counts.concepts,
            names: counts.names,
            names_per_concept: f64::from(counts.names) / f64::from(counts.concepts.max(1)),
            most_names: most,
            single_name_concepts: single,
            duplicate_names: duplicates,
            ambiguous_names: by_form.len() as u32,
            ambiguous_examples: ambiguous_examples(&snapshot, &by_form)?,
            types,
            provenance: read_provenance(&snapshot)?,
            calibrated: snapshot.meta(ranker::fact(false))?.is_some(),
            vectors: self.vector_info(&snapshot)?,
        })
    }

    fn vector_info(&self, snapshot: &Snapshot<'_>) -> Result<Option<VectorInfo>, Error> {
        let sets = VectorSets::read(snapshot)?;
        let Some(current) = sets.current else { return Ok(None) };
        let next = match sets.next {
            Some(set) => Some(NextVectors { names: self.count_of(&set, snapshot)?, encoder: set.encoder }),
            None => None,
        };
        Ok(Some(VectorInfo {
            names: self.count_of(&current, snapshot)?,
            encoder: current.encoder,
            calibrated: snapshot.meta(ranker::fact(true))?.is_some(),
            next,
        }))
    }

    /// The types of its concepts.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn types(&self) -> Result<BTreeSet<String>, Error> {
        let snapshot = self.store.snapshot()?;
        let mut types = BTreeSet::new();
        for entry in snapshot.all_types()? {
            for name in entry?.1 {
                if !types.contains(name) {
                    types.insert(name.to_owned());
                }
            }
        }
        Ok(types)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.store.path()
    }
}

fn near_names(snapshot: &Snapshot<'_>, hits: Vec<Hit>) -> Result<Vec<NearName>, Error> {
    let named = |hit: Hit| {
        let (concept, name) = snapshot.name(NameIndex(hit.name))?;
        let id = snapshot.concept_names(concept)?.0.to_owned();
        Ok(NearName { id, name: name.to_owned(), score: hit.score })
    };
    hits.into_iter().map(named).collect()
}

fn ambiguous_examples(
    snapshot: &Snapshot<'_>,
    by_form: &HashMap<u64, Vec<u32>>,
) -> Result<Vec<(String, Vec<String>)>, Error> {
    let mut shared: Vec<(&u64, usize)> = by_form.iter().map(|(form, concepts)| (form, concepts.len())).collect();
    shared.sort_by_key(|(form, concepts)| (std::cmp::Reverse(*concepts), **form));
    let mut examples = Vec::new();
    for (form, _) in shared.into_iter().take(SHOWN_AMBIGUOUS) {
        let (mut text, mut ids) = (String::new(), Vec::new());
        for name in snapshot.names_under(truename_text::Key(*form))? {
            let (concept, name) = snapshot.name(name)?;
            if NameKeys::of(&NormalizedName::new(name)).exact.0 == *form {
                name.clone_into(&mut text);
                ids.push(snapshot.concept_names(concept)?.0.to_owned());
            }
        }
        ids.sort();
        ids.dedup();
        examples.push((text, ids));
    }
    Ok(examples)
}

/// A folder beside the one that is to be, removed unless it was moved.
struct Beside(Partial);

impl Beside {
    fn new(out: &Path) -> Result<Self, Error> {
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        let number = BUILDS.fetch_add(1, Ordering::Relaxed);
        let path = out.with_file_name(format!(".{name}.{}-{number}.partial", std::process::id()));
        // Left by a killed process whose number is ours now.
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(|source| Error::io("remove", &path, source))?;
        }
        Ok(Self(Partial::new(path)))
    }

    /// Makes the new store the current one, in one step. Without `replace` a store that another process put there in the
    /// meantime stays, and is an error.
    fn move_to(self, out: &Path, replace: bool) -> Result<(), Error> {
        let failed = |source| Error::io("write", out, source);
        std::fs::create_dir_all(out).map_err(failed)?;
        let data = self.0.path().join("data.mdb");
        share(&data, out).map_err(failed)?;
        let place = out.join("data.mdb");
        if replace {
            // The sums of the file that gives way are not those of the new one; a file without any is no damage.
            let _ = std::fs::remove_file(out.join("data.sum"));
            // A lock file of a store that could not be opened says nothing of the new one.
            let _ = std::fs::remove_file(out.join("lock.mdb"));
            std::fs::rename(data, place).map_err(failed)?;
        } else if let Err(source) = std::fs::hard_link(&data, &place) {
            if place.exists() {
                return Err(truename_kb::Error::exists(out).into());
            }
            // A file system without hard links.
            std::fs::rename(data, place).map_err(|_| failed(source))?;
        }
        // Best effort: a store without sums is whole, and not every file system lets a folder be synchronised.
        let _ = std::fs::rename(self.0.path().join("data.sum"), out.join("data.sum"));
        let _ = std::fs::File::open(out).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

fn refuse_existing(out: &Path, replace: bool) -> Result<(), Error> {
    let Ok(mut entries) = std::fs::read_dir(out) else {
        if out.exists() {
            let source = std::io::Error::from(std::io::ErrorKind::NotADirectory);
            return Err(Error::io("write", out, source));
        }
        return Ok(());
    };
    let is_store = out.join("data.mdb").is_file();
    match entries.next().is_some() {
        true if !is_store => Err(truename_kb::Error::not_empty(out).into()),
        true if !replace => Err(truename_kb::Error::exists(out).into()),
        _ => Ok(()),
    }
}

/// LMDB lets the owner alone read its files; a knowledge base may be read by whoever may read its folder.
#[cfg(unix)]
fn share(data: &Path, folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(folder)?.permissions().mode() & 0o666;
    std::fs::set_permissions(data, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn share(_: &Path, _: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Builds a store beside `out` and moves it there; with `replace` what is there gives way.
fn place(
    out: &Path,
    concepts: Vec<Concept>,
    provenance: &[Provenance],
    options: &ImportOptions,
    replace: bool,
) -> Result<KnowledgeBase, Error> {
    let beside = Beside::new(out)?;
    let store = Store::create(beside.0.path())?;
    fill(&store, concepts, provenance, options, false)?;
    store.close();
    let committing = options.progress.commit()?;
    beside.move_to(out, replace)?;
    drop(committing);
    KnowledgeBase::open(out)
}

/// Fills a store, in place of what it holds, in one transaction; `is_seen` is that of a store that others open.
fn fill(
    store: &Store,
    concepts: Vec<Concept>,
    provenance: &[Provenance],
    options: &ImportOptions,
    is_seen: bool,
) -> Result<(), Error> {
    let progress = &options.progress;
    progress.begin("indexing", 0);
    let mut write = store.write()?;
    store.clear(&mut write)?;
    let names = store.fill(&mut write, concepts)?;
    progress.check()?;
    let ngrams = NgramIndex::create(store.env(), &mut write)?;
    ngrams.build(&mut write, names.len() as u32, |name| match progress.is_stopped() {
        // What is built now is thrown away below.
        true => Vec::new(),
        false => grams(&NormalizedName::new(&names[name as usize])),
    })?;
    progress.check()?;
    let vectors = VectorIndex::create(store.env(), &mut write)?;
    for number in SETS {
        vectors.set(number).clear(&mut write)?;
    }
    store.put_meta(&mut write, META_PROVENANCE, &to_json(provenance))?;
    let _committing = is_seen.then(|| progress.commit()).transpose()?;
    Ok(store.commit(write)?)
}

/// Turns mappings that concern stored concepts into changed concepts; returns how many concern none.
fn add_mappings(
    snapshot: &Snapshot<'_>,
    mappings: Vec<(String, String)>,
    gone: &[ConceptId],
    concepts: &mut Vec<Concept>,
) -> Result<usize, Error> {
    let mut unused = 0;
    let mut changed: BTreeMap<ConceptId, Concept> = BTreeMap::new();
    for (subject, object) in mappings {
        let mut used = false;
        for (side, other) in [(&subject, &object), (&object, &subject)] {
            let Ok(id) = side.parse::<ConceptId>() else { continue };
            if gone.contains(&id) {
                continue;
            }
            let concept = match changed.remove(&id) {
                Some(concept) => Some(concept),
                None => snapshot.index_of(&id)?.map(|index| snapshot.concept(index)).transpose()?,
            };
            if let Some(mut concept) = concept {
                used = true;
                if !concept.xrefs.contains(other) {
                    concept.xrefs.push(other.clone());
                }
                changed.insert(id, concept);
            }
        }
        unused += usize::from(!used);
    }
    concepts.extend(changed.into_values());
    Ok(unused)
}

fn with_grams(names: &[(NameIndex, String)]) -> Vec<(u32, Vec<Gram>)> {
    names.iter().map(|(number, name)| (number.0, grams(&NormalizedName::new(name)))).collect()
}

fn provenance(action: &str, import: &Import) -> Vec<Provenance> {
    let of_file = |file: &truename_kb::import::FileReport| Provenance {
        action: action.to_owned(),
        file: file.path.display().to_string(),
        format: file.format.as_str().to_owned(),
        bytes: file.bytes,
        entries: file.entries,
    };
    import.files.iter().map(of_file).collect()
}

fn read_provenance(snapshot: &Snapshot<'_>) -> Result<Vec<Provenance>, Error> {
    let read = |json| serde_json::from_slice(json).map_err(|_| Error::damaged("the list of its sources"));
    Ok(snapshot.meta(META_PROVENANCE)?.map(read).transpose()?.unwrap_or_default())
}

fn to_json(provenance: &[Provenance]) -> Vec<u8> {
    serde_json::to_vec(provenance).expect("strings and numbers are JSON")
}

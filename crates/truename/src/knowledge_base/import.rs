//! Import, replacement and update of a knowledge base from files.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use truename_error::ErrorKind;
use truename_files::Partial;
use truename_index::{NgramIndex, VectorIndex};
use truename_kb::import::{AliasReport, Vocabulary, read_files, read_vocabulary};
use truename_kb::{
    Alias, Concept, ConceptId, Import, ImportOptions, Judgement, NameIndex, Problem, RetiredId, Snapshot, Store,
    StoreChanges, WriteTransaction, judged_on,
};
use truename_text::{Gram, NormalizedName, grams};

use super::KnowledgeBase;
use super::frequencies::NameFrequencies;
use super::judgements::put_without_concept;
use super::losses::Losses;
use super::models::META_COPIED;
use super::vector_sets::NUMBERS;
use crate::{Error, error};

const META_PROVENANCE: &str = "provenance";

/// A file that went into a knowledge base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Provenance {
    /// `import`, `aliases` or `update`.
    pub action: String,
    /// Path of the file as given.
    pub file: String,
    /// Format of the file.
    pub format: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Number of entries or rows imported.
    pub entries: u64,
}

/// Report of an import or update.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Number of new concepts.
    pub added: u32,
    /// Number of changed concepts.
    pub changed: u32,
    /// Number of removed concepts.
    pub removed: u32,
    /// Number of names afterwards.
    pub names: u32,
    /// Number of concepts afterwards.
    pub concepts: u32,
    /// Number of entries left out as obsolete.
    pub obsolete: usize,
    /// The first problems.
    pub problems: Vec<Problem>,
    /// Number of all problems.
    pub problem_count: u64,
    /// Notes on guesses, such as a separator, and on fields that were not read.
    pub notes: Vec<Problem>,
    /// Number of values of RDF properties that are not read.
    pub unread_values: u64,
    /// Ids to remove that were not in the knowledge base.
    pub missing: Vec<ConceptId>,
    /// Number of mappings without a concept on either side.
    pub unused_mappings: usize,
    /// Counts of what each outside vocabulary added.
    pub aliases: Vec<AliasReport>,
}

impl KnowledgeBase {
    /// Imports files into a new knowledge base at `out`; with `replace` an existing one is replaced.
    ///
    /// A new store is built beside `out` and moved there whole. An existing one is refilled in one transaction, so that
    /// its readers keep the version they read. A failure leaves `out` as it was.
    ///
    /// # Errors
    /// If `out` exists and `replace` is not set, or a file cannot be read.
    pub fn import(
        files: &[PathBuf],
        out: &Path,
        options: &ImportOptions,
        replace: bool,
    ) -> Result<(Self, Report), Error> {
        Self::import_with_aliases(files, &[], out, options, replace)
    }

    /// Imports files as [`KnowledgeBase::import`] does, and adds the names of outside vocabularies to the concepts that
    /// they mean, as [`Import::add_aliases`] says.
    ///
    /// `aliases` are files, their format told by extension and content, folders or patterns of files, or knowledge bases. The name of
    /// the file or folder marks the names it adds.
    ///
    /// # Errors
    /// As [`KnowledgeBase::import`].
    pub fn import_with_aliases(
        files: &[PathBuf],
        aliases: &[PathBuf],
        out: &Path,
        options: &ImportOptions,
        replace: bool,
    ) -> Result<(Self, Report), Error> {
        refuse_existing(out, replace)?;
        let mut import = read_files(files, options)?;
        import.require_concepts()?;
        let mut vocabularies = Vec::new();
        for path in aliases {
            vocabularies.push(vocabulary(path, options, &mut import)?);
        }
        let aliases = import.add_aliases(vocabularies);
        let provenance = provenance("import", &import);
        let mut report = Report {
            aliases,
            added: import.concepts.len() as u32,
            obsolete: import.removed.len(),
            unused_mappings: import.mappings.len(),
            problem_count: import.problem_count,
            notes: import.notes(),
            unread_values: import.unread_values,
            problems: import.problems,
            ..Report::default()
        };
        let former = if replace { Self::open(out).and_then(Self::undamaged).ok() } else { None };
        let (concepts, retired, judgements) = (import.concepts, import.retired, import.judgements);
        let contents = Contents { concepts, retired, judgements, provenance, ..Contents::default() };
        let opened = match former {
            Some(former) => {
                former.record_copied(None)?;
                fill(&former.store, contents, options, true)?;
                former
            }
            None => place(out, contents, options, replace)?,
        };
        // The names have no vectors yet, so no model is in use.
        opened.prune_models()?;
        let counts = opened.store.snapshot()?.counts();
        (report.concepts, report.names) = (counts.concepts, counts.names);
        Ok((opened, report))
    }

    /// Returns this knowledge base if its file is not damaged.
    fn undamaged(self) -> Result<Self, Error> {
        // Other reasons against writing are reported by the writer.
        let damage = self.write().err().filter(truename_kb::Error::is_damaged);
        damage.map_or(Ok(self), Err)
    }

    /// Creates a knowledge base from concepts in memory.
    ///
    /// # Errors
    /// If `out` exists already or the disk fails.
    pub fn create(concepts: Vec<Concept>, out: &Path) -> Result<Self, Error> {
        Self::create_with(Contents { concepts, ..Contents::default() }, out, &ImportOptions::default())
    }

    /// Creates a knowledge base from contents in memory.
    ///
    /// # Errors
    /// As [`KnowledgeBase::create`].
    pub(crate) fn create_with(contents: Contents, out: &Path, options: &ImportOptions) -> Result<Self, Error> {
        refuse_existing(out, false)?;
        place(out, contents, options, false)
    }

    /// Adds the concepts of files, replaces those already there, and removes the concepts that the files or `removed`
    /// name, in one transaction and in place. Judged names stay with their concepts, and go with retired ids to the concepts that
    /// replace these; judgements without a concept are added where a name has none.
    ///
    /// # Errors
    /// If a file cannot be read or the store cannot be written; or, unless [`ImportOptions::replace`] is set, if a concept would lose
    /// its preferred name, have fewer names, or lose all its types, parents, cross-references or its definition. The store then stays
    /// as it was.
    pub fn update(&self, files: &[PathBuf], removed: &[ConceptId], options: &ImportOptions) -> Result<Report, Error> {
        self.check_writable()?;
        let import = if files.is_empty() { Import::default() } else { read_files(files, options)? };
        let new_provenance = provenance("update", &import);
        options.progress.begin("indexing", 0);
        let mut write = self.write()?;
        let snapshot = self.store.snapshot()?;
        let notes = import.notes();
        let mut concepts = import.concepts;
        let retired = import.retired.iter().map(|retired| &retired.id);
        let gone: Vec<ConceptId> = removed.iter().chain(retired).cloned().collect();
        let mut mappings = import.mappings;
        mappings.extend(replacements(&snapshot, &import.retired, &gone, &concepts)?);
        if !options.replace {
            losses(&snapshot, &concepts)?.refuse()?;
        }
        let unused_mappings = add_mappings(&snapshot, mappings, &gone, &mut concepts)?;
        keep_judged(&snapshot, &import.retired, &gone, &mut concepts)?;
        let applied = self.apply(&mut write, &snapshot, concepts, &gone)?;
        let mut provenance = read_provenance(&snapshot)?;
        provenance.extend(new_provenance);
        self.store.put_meta(&mut write, META_PROVENANCE, &to_json(&provenance))?;
        self.store.put_retired(&mut write, &import.retired)?;
        let mut judgements = Vec::new();
        for judgement in import.judgements {
            // What is known of a name stays.
            if snapshot.judgement(&judgement.name)?.is_none() {
                judgements.push(judgement);
            }
        }
        put_without_concept(&self.store, &mut write, judgements, |key| snapshot.judged_under(key))?;
        drop(snapshot);
        let committing = options.progress.commit()?;
        self.store.commit(write)?;
        drop(committing);
        let counts = self.store.snapshot()?.counts();
        let StoreChanges { added, changed, removed: removed_count, missing, .. } = applied;
        // Obsolete terms of a file need not exist; ids asked for by name should.
        let missing = missing.into_iter().filter(|id| removed.contains(id)).collect();
        Ok(Report {
            added,
            changed,
            removed: removed_count,
            names: counts.names,
            concepts: counts.concepts,
            obsolete: import.removed.len(),
            problem_count: import.problem_count,
            notes,
            unread_values: import.unread_values,
            problems: import.problems,
            missing,
            unused_mappings,
            aliases: Vec::new(),
        })
    }

    /// Adds, replaces and removes concepts in the store and its indexes.
    pub(super) fn apply(
        &self,
        write: &mut WriteTransaction<'_>,
        snapshot: &Snapshot<'_>,
        concepts: Vec<Concept>,
        gone: &[ConceptId],
    ) -> Result<StoreChanges, Error> {
        let applied = self.store.apply(write, concepts, gone)?;
        let [old, new] = [&applied.old_names, &applied.new_names].map(|names| with_grams(names));
        self.indexes.ngrams.update(write, applied.next_name.0, &old, &new)?;
        let gone: Vec<u32> = applied.old_names.iter().map(|(name, _)| name.0).collect();
        let concepts: Vec<u32> = applied.old_concepts.iter().map(|concept| concept.0).collect();
        self.drop_vectors(write, snapshot, &gone, &concepts)?;
        Ok(applied)
    }
}

/// Returns what stored concepts would lose to those that take their place.
fn losses(snapshot: &Snapshot<'_>, concepts: &[Concept]) -> Result<Losses, Error> {
    let mut losses = Losses::default();
    for concept in concepts {
        if let Some(index) = snapshot.index_of(&concept.id)? {
            losses.add(&snapshot.concept(index)?, concept);
        }
    }
    Ok(losses)
}

/// Adds the judged names of stored concepts to those that take their place.
fn keep_judged(
    snapshot: &Snapshot<'_>,
    retired: &[RetiredId],
    gone: &[ConceptId],
    concepts: &mut Vec<Concept>,
) -> Result<(), Error> {
    let mut judged: BTreeMap<ConceptId, Vec<Alias>> = BTreeMap::new();
    for concept in &*concepts {
        judged.insert(concept.id.clone(), judged_names(snapshot, &concept.id)?);
    }
    for id in gone {
        let by = retired.iter().find(|retired| retired.id == *id).and_then(RetiredId::replacement);
        let current = match by {
            Some(by) if judged.contains_key(by) => Some(by.clone()),
            Some(by) => snapshot.current(by)?,
            None => None,
        };
        if let Some(current) = current {
            judged.entry(current).or_default().extend(judged_names(snapshot, id)?);
        }
    }
    judged.retain(|_, names| !names.is_empty());
    let is_same = |one: &Alias, other: &Alias| one.name == other.name && one.judged_on().is_some();
    for concept in &mut *concepts {
        let mut names = judged.remove(&concept.id).unwrap_or_default();
        names.retain(|name| !concept.aliases.iter().any(|known| is_same(known, name)));
        concept.aliases.extend(names);
    }
    for (id, names) in judged {
        let mut concept = snapshot.concept_by_id(&id)?;
        concept.aliases.extend(names);
        concepts.push(concept);
    }
    Ok(())
}

/// Returns the names judged to be of a stored concept; none where there is no such concept.
fn judged_names(snapshot: &Snapshot<'_>, id: &ConceptId) -> Result<Vec<Alias>, Error> {
    let mut names = Vec::new();
    if let Some(index) = snapshot.index_of(id)? {
        for (name, source) in snapshot.aliases(index)?.into_iter().filter(|(_, source)| judged_on(source).is_some()) {
            names.push(Alias { name: snapshot.name(name)?.1.to_owned(), source: source.to_owned() });
        }
    }
    Ok(names)
}

/// Reads an outside vocabulary. Its problems and its file are listed with those of the import.
fn vocabulary(path: &Path, options: &ImportOptions, import: &mut Import) -> Result<Vocabulary, Error> {
    let source = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let mut entries = Vec::new();
    if KnowledgeBase::is_at(path) {
        KnowledgeBase::open(path)?.for_each_concept(|concept| {
            options.progress.check()?;
            entries.push(concept);
            Ok::<_, Error>(())
        })?;
        return Ok(Vocabulary { source, entries, mappings: Vec::new() });
    }
    let read = read_vocabulary(path, &ImportOptions { format: None, ..options.clone() })?;
    import.problem_count += read.problem_count;
    import.problems.extend(read.problems);
    import.files.extend(read.files);
    Ok(Vocabulary { source, entries: read.concepts, mappings: read.mappings })
}

/// Moves a store into its folder in one step. Without `replace`, a store that another process put there meanwhile
/// stays, and is an error.
fn move_store(built: &Path, out: &Path, replace: bool) -> Result<(), Error> {
    let failed = |source| error::io("write", out, source);
    std::fs::create_dir_all(out).map_err(failed)?;
    let data = Partial::new(built.join("data.mdb"));
    share(data.path(), out).map_err(failed)?;
    let place = out.join("data.mdb");
    if replace {
        // Checksums of the old file do not fit the new one; a file without checksums is not damaged.
        let _ = std::fs::remove_file(out.join("data.sum"));
        // The lock file of an unreadable store does not fit the new one.
        let _ = std::fs::remove_file(out.join("lock.mdb"));
        data.replace(&place).map_err(failed)?;
    } else if let Err(source) = std::fs::hard_link(data.path(), &place) {
        if place.exists() {
            return Err(truename_kb::exists(out));
        }
        // The file system has no hard links.
        data.replace(&place).map_err(|_| failed(source))?;
    }
    // Best effort: a store without checksums is complete.
    let _ = Partial::new(built.join("data.sum")).replace(&out.join("data.sum"));
    Ok(())
}

fn refuse_existing(out: &Path, replace: bool) -> Result<(), Error> {
    let Ok(mut entries) = std::fs::read_dir(out) else {
        if out.exists() {
            let source = std::io::Error::from(std::io::ErrorKind::NotADirectory);
            return Err(error::io("write", out, source));
        }
        return Ok(());
    };
    let is_store = out.join("data.mdb").is_file();
    match entries.next().is_some() {
        true if !is_store => {
            let message = format!("{} holds other files and no knowledge base", out.display());
            Err(Error::new(ErrorKind::Other, message).with_hint("name a new folder, or an empty one"))
        }
        true if !replace => Err(truename_kb::exists(out)),
        _ => Ok(()),
    }
}

/// Lets all readers of the folder read the file; LMDB lets only its owner.
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

/// The contents of a store.
#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) concepts: Vec<Concept>,
    pub(crate) retired: Vec<RetiredId>,
    pub(crate) judgements: Vec<Judgement>,
    pub(crate) provenance: Vec<Provenance>,
    /// Facts by their names.
    pub(crate) facts: Vec<(&'static str, Vec<u8>)>,
    /// Frequencies by which its names are weighed, in place of their own.
    pub(crate) whole: Option<NameFrequencies>,
}

/// Builds a store beside `out` and moves it there; with `replace` an existing one is replaced.
fn place(out: &Path, contents: Contents, options: &ImportOptions, replace: bool) -> Result<KnowledgeBase, Error> {
    let built = Partial::beside(out).map_err(|source| error::io("write", out, source))?;
    let store = Store::create(built.path())?;
    fill(&store, contents, options, false)?;
    store.close();
    let committing = options.progress.commit()?;
    move_store(built.path(), out, replace)?;
    drop(committing);
    KnowledgeBase::open(out)
}

/// Replaces the contents of a store in one transaction; `is_seen` if others may have it open.
fn fill(store: &Store, contents: Contents, options: &ImportOptions, is_seen: bool) -> Result<(), Error> {
    let Contents { concepts, retired, judgements, provenance, facts, whole } = contents;
    let progress = &options.progress;
    progress.begin("indexing", 0);
    let mut write = store.write()?;
    let copied = store.snapshot()?.meta(META_COPIED)?.map(<[u8]>::to_vec);
    store.clear(&mut write)?;
    // The models are removed after this commit.
    if let Some(copied) = copied {
        store.put_meta(&mut write, META_COPIED, &copied)?;
    }
    let names = store.fill(&mut write, concepts)?;
    progress.check()?;
    let ngrams = NgramIndex::create(store.env(), &mut write)?;
    ngrams.build(&mut write, names.len() as u32, |name| match progress.is_stopped() {
        // The transaction is dropped below.
        true => Vec::new(),
        false => grams(&NormalizedName::new(&names[name as usize])),
    })?;
    progress.check()?;
    let vectors = VectorIndex::create(store.env(), &mut write)?;
    for number in NUMBERS {
        vectors.set(number).clear(&mut write)?;
    }
    store.put_meta(&mut write, META_PROVENANCE, &to_json(&provenance))?;
    store.put_retired(&mut write, &retired)?;
    put_without_concept(store, &mut write, judgements, |_| Ok(Vec::new()))?;
    for (name, value) in facts {
        store.put_meta(&mut write, name, &value)?;
    }
    if let Some(whole) = whole {
        whole.weigh(store, &ngrams, &mut write, names.len() as u32, names.len() as u32)?;
    }
    let _committing = is_seen.then(|| progress.commit()).transpose()?;
    store.commit(write)
}

/// Merges mappings into the stored concepts that they concern. Returns the number of mappings that concern none.
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

/// Returns the retired ids that a stored concept replaces, each with it. Imported concepts have theirs as cross-references.
fn replacements(
    snapshot: &Snapshot<'_>,
    retired: &[RetiredId],
    gone: &[ConceptId],
    imported: &[Concept],
) -> Result<Vec<(String, String)>, Error> {
    let left_out: HashSet<&ConceptId> = imported.iter().map(|concept| &concept.id).chain(gone).collect();
    let mut replaced = Vec::new();
    for (retired, by) in retired.iter().filter_map(|retired| Some((retired, retired.replacement()?))) {
        let current = snapshot.current(by)?.filter(|current| !left_out.contains(current));
        replaced.extend(current.map(|current| (retired.id.to_string(), current.to_string())));
    }
    Ok(replaced)
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

pub(super) fn read_provenance(snapshot: &Snapshot<'_>) -> Result<Vec<Provenance>, Error> {
    let read = |json| serde_json::from_slice(json).map_err(|_| truename_kb::damaged("the list of its sources"));
    Ok(snapshot.meta(META_PROVENANCE)?.map(read).transpose()?.unwrap_or_default())
}

fn to_json(provenance: &[Provenance]) -> Vec<u8> {
    serde_json::to_vec(provenance).expect("strings and numbers are JSON")
}

//! Collects the entries that importers find: checked, cleaned, merged by id.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use truename_error::{ErrorKind, Hint, HintPart, hint};
use truename_read::encoding_hint;
use truename_text::{Problem, excerpt, is_missing_value};

use super::clean::{tidy_value, without_controls};
use super::cycle::cycles;
use super::format::Format;
use super::iri::iri_of;
use super::iri_label::iri_label;
use super::options::ImportOptions;
use super::placeholder::{is_placeholder, is_sign};
use super::report::{FileReport, Import};
use crate::retired::current;
use crate::{Alias, Concept, ConceptId, Error, Judgement, RetiredId, SynonymScope};
use truename_read::xml::UnresolvedReferences;

/// The longest name taken. No vocabulary has a longer one; a longer value is a file read the wrong way.
const LONGEST_NAME_BYTES: usize = 4096;
/// Note on concepts that name a replacement and are not marked as out of use.
const REPLACED_IN_USE: &str = "concepts kept, not marked as obsolete, that name a replacement";
/// Note on ids such as `9E+17`.
const ROUNDED: &str = "ids kept that a spreadsheet rounded, as it shows long numbers (9E+17)";
/// Number of problems listed; all are counted.
const LISTED_PROBLEMS: usize = 1000;

/// An entry as a file has it, unchecked.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) synonyms: Vec<String>,
    /// Synonyms that do not mean exactly the concept.
    pub(super) scopes: BTreeMap<String, SynonymScope>,
    pub(super) aliases: Vec<Alias>,
    pub(super) types: Vec<String>,
    pub(super) parents: Vec<String>,
    pub(super) part_of: Vec<String>,
    pub(super) disjoint_from: Vec<String>,
    pub(super) xrefs: Vec<String>,
    pub(super) definition: Option<String>,
    /// True if the id is no longer in use; then `replaced_by` and `consider` say what became of it.
    pub(super) is_removed: bool,
    pub(super) replaced_by: Vec<String>,
    pub(super) consider: Vec<String>,
    /// Ids that are no longer in use, which this one replaces.
    pub(super) replaces: Vec<String>,
    /// Ids that are no longer in use, in place of which this one may be meant.
    pub(super) considered_for: Vec<String>,
}

impl Entry {
    /// Adds a synonym; `None` is the scope of one that means exactly the concept, which holds if any entry says it.
    pub(super) fn add_synonym(&mut self, name: String, scope: Option<SynonymScope>) {
        match scope {
            None => drop(self.scopes.remove(&name)),
            Some(scope) if !self.synonyms.contains(&name) => drop(self.scopes.insert(name.clone(), scope)),
            Some(_) => {}
        }
        self.synonyms.push(name);
    }

    /// Returns an id that another replaces.
    pub(super) fn replaced(id: String, by: &str) -> Self {
        Self { id, replaced_by: vec![by.to_owned()], ..Self::default() }
    }

    /// Returns an id in place of which another may be meant.
    pub(super) fn considered(id: String, other: &str) -> Self {
        Self { id, consider: vec![other.to_owned()], ..Self::default() }
    }

    /// Returns an id that is no longer in use.
    pub(super) fn removed(id: String) -> Self {
        Self { id, is_removed: true, ..Self::default() }
    }
}

/// Something of a file that is not read.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Unread {
    /// A field, by its name.
    Field(String),
    /// Placeholders, which an option keeps.
    Placeholder,
    /// Anything else, in words.
    Other(&'static str),
}

#[derive(Default)]
pub(super) struct Collector {
    pub(super) options: Arc<ImportOptions>,
    import: Import,
    by_id: HashMap<ConceptId, usize>,
    /// Types of concepts that may come later, or not at all.
    types: Vec<(String, String)>,
    /// Ids whose names so far are in languages that are not kept, each with one of them and its file.
    other_languages: BTreeMap<String, (String, usize)>,
    /// Classes without a label, each with its IRI and file.
    unlabelled: Vec<(String, Entry, usize)>,
    retired: HashMap<ConceptId, RetiredId>,
    /// Names of the published tables read so far.
    pub(super) tables: Vec<&'static str>,
    /// Ranks that files of a release give names, by what the files know the names by.
    pub(super) name_ranks: HashMap<String, u32>,
    /// Definitions of concepts that may come later.
    definitions: Vec<(String, String)>,
    /// Ranks of the preferred names so far, by the place of their concepts; a name without one has the last.
    ranks: Vec<u32>,
    /// The properties for synonyms that were asked for and met.
    met_properties: BTreeSet<String>,
    /// Counts of what was not read, by file.
    unread: BTreeMap<(usize, Unread), u64>,
    path: PathBuf,
    /// True if the file is of no published vocabulary, so that a word such as `none` is no name.
    is_plain: bool,
    /// Number of files of the import.
    files: usize,
}

impl Collector {
    pub(super) fn new(options: &ImportOptions, files: usize) -> Self {
        Self { options: Arc::new(options.clone()), files, ..Self::default() }
    }

    pub(super) fn begin(&mut self, path: &Path, format: Format) {
        self.path = path.to_owned();
        self.is_plain = matches!(format, Format::Csv | Format::Tsv | Format::Jsonl);
        let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        self.import.files.push(FileReport { path: path.to_owned(), format, bytes, entries: 0, notes: Vec::new() });
    }

    /// The file that is being read.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// True if the import has one file.
    pub(super) fn is_only_file(&self) -> bool {
        self.files == 1
    }

    /// Notes how the file was read, where that was told by looking.
    pub(super) fn add_note(&mut self, note: impl Into<String>) {
        self.add_advised_note(note, None);
    }

    /// As [`Collector::add_note`], with advice.
    pub(super) fn add_advised_note(&mut self, note: impl Into<String>, hint: Option<Hint>) {
        if let Some(file) = self.import.files.last_mut() {
            let note = Problem::new(&file.path, None, note);
            file.notes.push(hint.into_iter().fold(note, Problem::with_hint));
        }
    }

    /// Counts a value of a field that is not read.
    pub(super) fn add_unread(&mut self, field: &str) {
        self.count_unread(Unread::Field(field.to_owned()));
    }

    /// Lists references that could not be resolved.
    pub(super) fn report_unresolved(&mut self, unresolved: &UnresolvedReferences) -> Result<(), Error> {
        let found = std::mem::take(&mut *unresolved.borrow_mut());
        for (line, reference) in found {
            self.problem(Some(line), &reference, "neither an entity nor a character, so kept as written")?;
        }
        Ok(())
    }

    /// Lists something skipped or repaired; an error where the import is strict.
    pub(super) fn problem(&mut self, line: Option<u64>, value: &str, reason: impl Into<String>) -> Result<(), Error> {
        self.advised_problem(line, value, reason, None)
    }

    /// As [`Collector::problem`], with advice.
    fn advised_problem(
        &mut self,
        line: Option<u64>,
        value: &str,
        reason: impl Into<String>,
        hint: Option<Hint>,
    ) -> Result<(), Error> {
        let problem = Problem::new(self.path.clone(), line, reason).with_value(value);
        let problem = hint.into_iter().fold(problem, Problem::with_hint);
        if self.options.strict {
            let advice = hint!["without ", HintPart::setting("strict"), " such rows are skipped, counted and listed"];
            return Err(Error::of_problem(ErrorKind::Syntax, problem).with_hint(advice));
        }
        self.import.problem_count += 1;
        if self.import.problems.len() < LISTED_PROBLEMS {
            self.import.problems.push(problem);
        }
        Ok(())
    }

    pub(super) fn not_utf8(&mut self, line: u64, bytes: &[u8]) -> Result<(), Error> {
        self.advised_problem(Some(line), &String::from_utf8_lossy(bytes), "not UTF-8", Some(encoding_hint()))
    }

    /// Lists a last line that has no line end.
    pub(super) fn cut_off(&mut self, line: u64, text: &str) -> Result<(), Error> {
        self.problem(Some(line), text, "the last line has no line end, so the file may be cut off")
    }

    /// Number of problems so far.
    pub(super) fn problem_count(&self) -> u64 {
        self.import.problem_count
    }

    /// Adds an entry of a format that has one entry for each concept.
    pub(super) fn add(&mut self, line: Option<u64>, mut entry: Entry) -> Result<(), Error> {
        if self.settle(line, &mut entry)? {
            return Ok(());
        }
        let id = without_mark(&entry.id).to_owned();
        let known = self.by_id.len();
        self.add_row(line, entry)?;
        let repeated =
            self.by_id.len() == known && id.trim().parse::<ConceptId>().is_ok_and(|id| self.by_id.contains_key(&id));
        if repeated { self.problem(line, &id, "this id was there before; the entries are merged") } else { Ok(()) }
    }

    /// Adds a judgement without a concept.
    pub(super) fn add_judgement(&mut self, line: u64, judgement: Judgement) -> Result<(), Error> {
        if judgement.name.trim().is_empty() || judgement.name.len() > LONGEST_NAME_BYTES {
            let reason = format!("a judgement of an empty name, or of one longer than {LONGEST_NAME_BYTES} bytes");
            return self.problem(Some(line), &judgement.name, reason);
        }
        self.import.judgements.push(judgement);
        Ok(())
    }

    /// Takes in what became of ids. Returns true if the entry's own id is no longer in use.
    pub(super) fn settle(&mut self, line: Option<u64>, entry: &mut Entry) -> Result<bool, Error> {
        if entry.is_removed {
            let entry = std::mem::take(entry);
            self.import.removed.extend(entry.id.parse::<ConceptId>());
            return self.retire(line, entry).map(|()| true);
        }
        if !std::mem::take(&mut entry.replaced_by).is_empty() {
            self.add_left_out(REPLACED_IN_USE);
        }
        let id = &entry.id;
        let replaced = entry.replaces.drain(..).map(|former| Entry::replaced(former, id));
        let considered = entry.considered_for.drain(..).map(|former| Entry::considered(former, id));
        replaced.chain(considered).try_for_each(|former| self.retire(line, former))?;
        Ok(false)
    }

    /// Adds a row of a format that may have several rows for a concept.
    pub(super) fn add_row(&mut self, line: Option<u64>, entry: Entry) -> Result<(), Error> {
        self.options.progress.check()?;
        let Ok(id) = without_mark(&entry.id).parse::<ConceptId>() else {
            return self.refuse_id(line, &entry.id);
        };
        // `NA` is the code of Namibia.
        if id.as_str() != "NA" && self.leaves_out(id.as_str()) {
            return self.placeholder(line, id.as_str(), "a placeholder in place of an id, so the entry was left out");
        }
        if is_rounded(id.as_str()) {
            self.add_left_out(ROUNDED);
        }
        let mut concept = Concept::new(id, "");
        let named = !entry.name.is_empty() || !entry.synonyms.is_empty();
        for name in std::iter::once(entry.name).filter(|name| !name.is_empty()).chain(entry.synonyms) {
            let scope = entry.scopes.get(&name).copied();
            if let Some(name) = self.clean_name(line, &name)? {
                concept.scopes.extend(scope.map(|scope| (name.clone(), scope)));
                if concept.name.is_empty() { concept.name = name } else { concept.synonyms.push(name) }
            }
        }
        if concept.name.is_empty() {
            // The name itself was listed where there was one.
            return if named { Ok(()) } else { self.problem(line, concept.id.as_str(), "an entry without a name") };
        }
        for Alias { name, source } in entry.aliases {
            match (self.clean_name(line, &name)?, tidy_value(source)) {
                (Some(name), Some(source)) => concept.aliases.push(Alias { name, source }),
                (Some(name), None) => self.problem(line, &name, "an alias without a source")?,
                (None, _) => {}
            }
        }
        concept.types = entry.types.into_iter().filter_map(tidy_value).collect();
        if !self.options.keep_placeholders {
            let types = concept.types.len();
            concept.types.retain(|name| !is_sign(name));
            (concept.types.len()..types).for_each(|_| self.add_left_out("types left out as placeholders"));
        }
        concept.xrefs = entry.xrefs.into_iter().filter_map(tidy_value).collect();
        let relations = [
            (&entry.parents, &mut concept.parents, "a parent that is no concept id"),
            (&entry.part_of, &mut concept.part_of, "a whole that is no concept id"),
            (&entry.disjoint_from, &mut concept.disjoint_from, "a disjoint concept that is no concept id"),
        ];
        for (ids, related, reason) in relations {
            for id in ids.iter().filter(|id| !id.trim().is_empty()) {
                match id.parse() {
                    Ok(id) => related.push(id),
                    Err(_) => self.problem(line, id, reason)?,
                }
            }
        }
        concept.definition = entry.definition.and_then(tidy_value);
        self.options.progress.names.fetch_add(concept.name_count() as u64, Ordering::Relaxed);
        if let Some(file) = self.import.files.last_mut() {
            file.entries += 1;
        }
        match self.by_id.get(&concept.id) {
            Some(at) => self.import.concepts[*at].merge(concept),
            None => {
                self.by_id.insert(concept.id.clone(), self.import.concepts.len());
                self.import.concepts.push(concept);
            }
        }
        Ok(())
    }

    /// Adds a row of a format in which the name of the lowest rank is the preferred one; of equal ranks the first.
    pub(super) fn add_ranked(&mut self, line: Option<u64>, entry: Entry, rank: u32) -> Result<(), Error> {
        let (id, name) = (entry.id.clone(), entry.name.trim().to_owned());
        self.add_row(line, entry)?;
        let Some(at) = self.place(&id) else { return Ok(()) };
        self.ranks.resize(self.import.concepts.len().max(self.ranks.len()), u32::MAX);
        if rank < self.ranks[at] {
            self.ranks[at] = rank;
            let concept = &mut self.import.concepts[at];
            if let Some(place) = concept.synonyms.iter().position(|synonym| *synonym == name) {
                std::mem::swap(&mut concept.name, &mut concept.synonyms[place]);
            }
        }
        Ok(())
    }

    /// Gives a name its rank, by what a file of the release knows it by; of several ranks the lowest counts.
    pub(super) fn rank(&mut self, name: &str, rank: u32) {
        let known = self.name_ranks.entry(name.to_owned()).or_insert(rank);
        *known = rank.min(*known);
    }

    /// Adds a name of a concept that is known already; names of others are counted.
    pub(super) fn add_name(&mut self, line: Option<u64>, id: &str, name: &str) -> Result<(), Error> {
        match self.has(id) {
            true => self.add_row(line, Entry { id: id.to_owned(), name: name.to_owned(), ..Entry::default() }),
            false => {
                self.add_left_out("names left out, of ids that no file describes");
                Ok(())
            }
        }
    }

    /// Adds a broader concept of one that is known already.
    pub(super) fn add_parent(&mut self, id: &str, parent: &str) {
        if let (Some(at), Ok(parent)) = (self.place(id), parent.parse()) {
            self.import.concepts[at].parents.push(parent);
        }
    }

    /// Adds a cross-reference of a concept that is known already.
    pub(super) fn add_xref(&mut self, id: &str, xref: &str) {
        if let Some(at) = self.place(id) {
            self.import.concepts[at].xrefs.push(xref.to_owned());
        }
    }

    /// Adds a definition of a concept, kept if the concept is there in the end and has none.
    pub(super) fn add_definition(&mut self, id: &str, definition: String) {
        self.definitions.push((id.to_owned(), definition));
    }

    /// Counts values of properties that are not read.
    pub(super) fn add_unread_values(&mut self, count: u64) {
        self.import.unread_values += count;
    }

    /// Returns true if values of a property, by its IRI or CURIE, were asked for as synonyms.
    pub(super) fn asks_for(&mut self, property: &str) -> bool {
        let iri = iri_of(property);
        let asked = self.options.synonym_properties.iter().find(|asked| *asked == property || iri_of(asked) == iri);
        self.met_properties.extend(asked.cloned());
        asked.is_some()
    }

    /// Counts something that was left out.
    pub(super) fn add_left_out(&mut self, what: &'static str) {
        self.count_unread(Unread::Other(what));
    }

    fn count_unread(&mut self, what: Unread) {
        *self.unread.entry((self.import.files.len() - 1, what)).or_default() += 1;
    }

    /// Returns true if names in a language are kept, by its code (BCP 47).
    pub(super) fn speaks(&self, language: &str) -> bool {
        let kept = &self.options.languages;
        let main = language.split('-').next().unwrap_or(language);
        let is_kept =
            |kept: &String| kept == "*" || kept.eq_ignore_ascii_case(main) || kept.eq_ignore_ascii_case(language);
        if kept.is_empty() { main.eq_ignore_ascii_case("en") } else { kept.iter().any(is_kept) }
    }

    /// Returns true if entries of a source vocabulary are kept.
    pub(super) fn keeps_source(&self, source: &str) -> bool {
        self.options.sources.is_empty() || self.options.sources.iter().any(|kept| kept == source)
    }

    /// Adds a type of a concept, kept if the concept is there in the end.
    pub(super) fn add_type(&mut self, id: &str, name: &str) {
        self.types.push((id.to_owned(), name.to_owned()));
    }

    /// Notes a concept that has a name in a language that is not kept.
    pub(super) fn add_other_language(&mut self, id: &str, language: &str) {
        if !self.other_languages.contains_key(id) && !self.has(id) {
            self.other_languages.insert(id.to_owned(), (language.to_owned(), self.import.files.len() - 1));
        }
    }

    /// Notes a class that has no label in this file.
    pub(super) fn add_unlabelled(&mut self, iri: &str, entry: Entry) {
        self.unlabelled.push((iri.to_owned(), entry, self.import.files.len() - 1));
    }

    fn has(&self, id: &str) -> bool {
        self.place(id).is_some()
    }

    /// Returns the place of a concept among those found so far.
    fn place(&self, id: &str) -> Option<usize> {
        self.by_id.get(id.trim()).copied()
    }

    /// Adds two ids that are equivalent.
    pub(super) fn add_mapping(&mut self, subject: &str, object: &str) {
        self.import.mappings.push((subject.to_owned(), object.to_owned()));
    }

    /// Adds an id that is no longer in use, or more of what became of it.
    pub(super) fn retire(&mut self, line: Option<u64>, former: Entry) -> Result<(), Error> {
        let Ok(id) = former.id.parse::<ConceptId>() else { return self.refuse_id(line, &former.id) };
        let mut retired = self.retired.remove(&id).unwrap_or_else(|| RetiredId::new(id));
        for (ids, known) in [(former.replaced_by, &mut retired.replaced_by), (former.consider, &mut retired.consider)] {
            for id in ids {
                match id.parse::<ConceptId>() {
                    Ok(id) if id != retired.id && !known.contains(&id) => known.push(id),
                    Ok(_) => {}
                    Err(_) => self.refuse_id(line, &id)?,
                }
            }
        }
        self.retired.insert(retired.id.clone(), retired);
        Ok(())
    }

    /// Returns true if an id is no longer in use, as far as the files read so far say.
    pub(super) fn is_retired(&self, id: &str) -> bool {
        self.retired.contains_key(id)
    }

    fn refuse_id(&mut self, line: Option<u64>, id: &str) -> Result<(), Error> {
        self.problem(line, id, "an id must have 1 to 500 bytes and no control characters")
    }

    /// Returns true if a name or id is a placeholder and to be left out.
    fn leaves_out(&self, text: &str) -> bool {
        !self.options.keep_placeholders && if self.is_plain { is_placeholder(text) } else { is_sign(text) }
    }

    fn placeholder(&mut self, line: Option<u64>, text: &str, reason: &str) -> Result<(), Error> {
        self.count_unread(Unread::Placeholder);
        self.problem(line, text, reason)
    }

    fn clean_name(&mut self, line: Option<u64>, name: &str) -> Result<Option<String>, Error> {
        let trimmed = name.trim();
        if trimmed.is_empty() {
            self.problem(line, name, "an empty name")?;
            return Ok(None);
        }
        if self.leaves_out(trimmed) {
            self.placeholder(line, name, "a placeholder in place of a name, left out")?;
            return Ok(None);
        }
        if !self.is_plain && is_missing_value(trimmed) {
            self.add_left_out("names kept that may be placeholders");
        }
        if trimmed.len() > LONGEST_NAME_BYTES {
            self.problem(line, trimmed, format!("a name of {} bytes (at most {LONGEST_NAME_BYTES})", trimmed.len()))?;
            return Ok(None);
        }
        if trimmed.contains('\u{FFFD}') {
            let reason = "a character that could not be decoded";
            self.advised_problem(line, trimmed, reason, Some(encoding_hint()))?;
        }
        let repaired = truename_text::repaired(trimmed);
        if repaired.is_some() {
            let reason = "UTF-8 that was decoded as another encoding, repaired";
            self.advised_problem(line, trimmed, reason, Some(encoding_hint()))?;
        }
        let repaired = on_one_line(repaired.as_deref().unwrap_or(trimmed));
        let plain = truename_text::without_markup(&repaired).map(|plain| plain.replace('\n', " ").trim().to_owned());
        if plain.as_ref().is_some_and(String::is_empty) && !self.options.keep_placeholders {
            self.placeholder(line, name, "markup in place of a name, left out")?;
            return Ok(None);
        }
        let plain = plain.filter(|plain| !plain.is_empty()).unwrap_or_else(|| repaired.into_owned());
        let Cow::Owned(cleaned) = without_controls(&plain) else { return Ok(Some(plain)) };
        self.problem(line, trimmed, "control or bidirectional characters were taken out of a name")?;
        Ok(Some(cleaned).filter(|cleaned| !cleaned.is_empty()))
    }

    /// Lists classes without a label, or takes the last part of their IRIs.
    fn finish_unlabelled(&mut self) -> Result<(), Error> {
        let mut left_out = Vec::new();
        for (iri, entry, file) in std::mem::take(&mut self.unlabelled) {
            if self.has(&entry.id) {
                continue;
            }
            match iri_label(&iri).filter(|_| self.options.label_from_iri) {
                Some(name) => self.add_row(None, Entry { name, ..entry })?,
                None => left_out.push((iri, file)),
            }
        }
        let Some((first, file)) = left_out.first() else { return Ok(()) };
        self.path = self.import.files[*file].path.clone();
        let reason = format!("classes without a label were left out ({})", left_out.len());
        if self.options.label_from_iri {
            return self.problem(None, first, format!("{reason}; their IRIs end in a number"));
        }
        let setting = HintPart::setting("label_from_iri");
        self.import.way_out = Some(hint!["name the classes by their IRIs with ", setting.clone()]);
        self.advised_problem(None, first, reason, Some(hint![setting, " takes the last part of their IRIs"]))
    }

    /// Lists concepts of which no name is in a language that is kept.
    fn finish_other_languages(&mut self) -> Result<(), Error> {
        let mut left_out = std::mem::take(&mut self.other_languages);
        left_out.retain(|id, _| !self.has(id));
        let Some((first, (_, file))) = left_out.first_key_value() else { return Ok(()) };
        self.path = self.import.files[*file].path.clone();
        let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
        for (language, _) in left_out.values() {
            *languages.entry(language).or_default() += 1;
        }
        let (example, counts) = (
            languages.keys().next().copied().unwrap_or_default(),
            languages.iter().map(|(language, count)| format!("{language} {count}")).collect::<Vec<_>>().join(", "),
        );
        let reason = format!("concepts with names in other languages only were left out ({counts})");
        let language = |code: &str| HintPart::setting("language").value(code);
        let advice = hint![language(example), " keeps such names"];
        let parts =
            ["keep names in other languages with ".into(), language("CODE"), ", or all with ".into(), language("'*'")];
        self.import.way_out = Some(Hint::from_iter(parts));
        self.advised_problem(None, first, reason, Some(advice))
    }

    /// Hands over the retired ids, each a cross-reference of the concept that replaces it.
    fn finish_retired(&mut self) -> Result<(), Error> {
        let (kept, removed): (Vec<_>, _) =
            std::mem::take(&mut self.import.removed).into_iter().partition(|id| self.by_id.contains_key(id));
        self.import.removed = removed;
        for id in kept {
            self.problem(None, id.as_str(), "given and removed in one import, so kept")?;
        }
        let mut retired = BTreeMap::from_iter(std::mem::take(&mut self.retired));
        retired.retain(|id, _| !self.by_id.contains_key(id));
        for id in retired.keys() {
            let is_concept = |id: &ConceptId| Ok::<_, Error>(self.by_id.contains_key(id));
            let current = current(id, is_concept, |id| Ok(retired.get(id).cloned()))?;
            if let Some(at) = current.and_then(|current| self.by_id.get(&current)) {
                self.import.concepts[*at].xrefs.push(id.to_string());
            }
        }
        self.import.retired = retired.into_values().collect();
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Import, Error> {
        self.finish_unlabelled()?;
        self.finish_other_languages()?;
        for ((file, unread), count) in std::mem::take(&mut self.unread) {
            let file = &mut self.import.files[file];
            let note = |note: String| Problem::new(&file.path, None, note);
            file.notes.push(match unread {
                Unread::Field(field) if count == 1 => {
                    note(format!("field `{}` is not read (1 value)", excerpt(&field)))
                }
                Unread::Field(field) => note(format!("field `{}` is not read ({count} values)", excerpt(&field))),
                Unread::Placeholder => note(format!("placeholders left out: {count}"))
                    .with_hint(hint![HintPart::setting("keep_placeholders"), " keeps them"]),
                Unread::Other(what) => note(format!("{what}: {count}")),
            });
        }
        let options = Arc::clone(&self.options);
        for property in &options.synonym_properties {
            if !self.met_properties.contains(property) {
                self.add_note(format!("no concept has a value of `{}`, a property for synonyms", excerpt(property)));
            }
        }
        for (id, name) in std::mem::take(&mut self.types) {
            if let Some(at) = self.place(&id) {
                self.import.concepts[at].types.push(name);
            }
        }
        for (id, definition) in std::mem::take(&mut self.definitions) {
            if let Some(at) = self.place(&id) {
                self.import.concepts[at].definition.get_or_insert(definition);
            }
        }
        for (subject, object) in std::mem::take(&mut self.import.mappings) {
            let sides = [(&subject, &object), (&object, &subject)];
            let mut found = false;
            for (side, other) in sides {
                if let Some(at) = side.parse().ok().and_then(|id: ConceptId| self.by_id.get(&id)) {
                    self.import.concepts[*at].xrefs.push(other.clone());
                    found = true;
                }
            }
            if !found {
                self.import.mappings.push((subject, object));
            }
        }
        self.finish_retired()?;
        self.import.concepts.iter_mut().for_each(Concept::tidy);
        for cycle in cycles(&self.import.concepts, &self.by_id) {
            self.problem(None, &cycle, "a cycle among parents, which are kept")?;
        }
        Ok(self.import)
    }
}

/// Returns whether an id is a number in the form that spreadsheets give long ones: `9E+17`, `1.23457E+11`.
fn is_rounded(id: &str) -> bool {
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    id.split_once("E+")
        .is_some_and(|(number, exponent)| are_digits(exponent) && are_digits(&number.replacen('.', "", 1)))
}

/// Returns an id without the byte order mark that a line has where files were joined.
fn without_mark(id: &str) -> &str {
    id.trim_start_matches('\u{FEFF}')
}

/// Returns a name with blanks in the place of its line ends, as files that are set out for reading have them.
fn on_one_line(name: &str) -> Cow<'_, str> {
    if !name.contains(['\n', '\r']) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "))
}

//! Statements about concepts in RDF and OWL, whatever the syntax: names, broader concepts, matches, retired ids.
//!
//! A name is a literal of a class or concept, or the name of a node that the class points to: a label of SKOS-XL, an individual of
//! old OBO-in-OWL, a term of MeSH. Values of other properties are counted by property.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::collector::{Collector, Entry};
use super::iri::{OBO, OBO_IN_OWL, OWL, RDF, RDFS, SKOS, SKOS_XL, VOCABULARIES, curie, iri_of};
use super::iri_label::iri_label;
use super::mesh;
use super::options::ImportOptions;
use crate::{Error, SynonymScope};

const EFO: &str = "http://www.ebi.ac.uk/efo/";
const NCIT: &str = "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#";
const DCTERMS: &str = "http://purl.org/dc/terms/";
const SCHEMA: &str = "http://schema.org/";
const SCHEMA_HTTPS: &str = "https://schema.org/";
const MESH_VOCABULARY: &str = "http://id.nlm.nih.gov/mesh/vocab#";
const MESH: &str = "http://id.nlm.nih.gov/mesh/";
const NAMESPACES: [&str; 12] =
    [RDF, RDFS, SKOS, SKOS_XL, OWL, OBO_IN_OWL, OBO, EFO, NCIT, DCTERMS, SCHEMA, SCHEMA_HTTPS];
pub(super) const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const ON_PROPERTY: &str = "http://www.w3.org/2002/07/owl#onProperty";
const SOME_VALUES_FROM: &str = "http://www.w3.org/2002/07/owl#someValuesFrom";
const MEMBERS: &str = "http://www.w3.org/2002/07/owl#members";
const FIRST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#first";
const REST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest";
/// Classes of the longest list of disjoint ones that is read.
const MOST_DISJOINT: usize = 64;
/// Relation of a restriction to the class that is below it.
const RESTRICTED: &str = "";

/// Number of properties that are listed as not used.
const LISTED_PROPERTIES: usize = 20;
/// Number of languages that are listed as left out.
const LISTED_LANGUAGES: usize = 10;
/// Number of classes that are listed as without a name.
const LISTED_CLASSES: usize = 8;
/// Outcome of a class with a name, counted.
const CONCEPTS: &str = "concepts";
/// Longest chain of nodes from a concept to its names: MeSH has a descriptor, a concept and a term.
const NAME_STEPS: usize = 3;

/// The part that a property has in a concept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Preferred,
    Label,
    /// A synonym, with its scope if it does not mean exactly the concept.
    Synonym(Option<SynonymScope>),
    Definition,
    Xref,
    /// A mapping to another node.
    Match,
    Type,
    Kind,
    Parent,
    Child,
    Disjoint,
    /// A place in MeSH's tree.
    Tree,
    Deprecated,
    Active,
    AlternativeId,
    ReplacedBy,
    Consider,
    /// Statements about classes and properties that are no fact about a concept.
    Axiom,
    /// A synonym of a scope that is not asked for, or a property that is not known.
    Unread,
}

impl Role {
    fn of(predicate: &str, options: &ImportOptions) -> Self {
        if let Some(local) = predicate.strip_prefix(MESH_VOCABULARY) {
            return Self::of_mesh(local);
        }
        let scoped = |scope| if options.scopes.keeps(Some(scope)) { Self::Synonym(Some(scope)) } else { Self::Unread };
        let parts = NAMESPACES.iter().find_map(|namespace| Some((*namespace, predicate.strip_prefix(namespace)?)));
        match parts.unwrap_or_default() {
            (SKOS | SKOS_XL, "prefLabel") => Self::Preferred,
            (SKOS | SKOS_XL, "altLabel" | "hiddenLabel")
            | (OBO_IN_OWL, "hasExactSynonym" | "hasSynonym")
            | (OBO, "IAO_0000118")
            | (EFO, "alternative_term")
            | (NCIT, "P90" | "P108")
            | (DCTERMS, "alternative")
            | (SCHEMA | SCHEMA_HTTPS, "alternateName") => Self::Synonym(None),
            (OBO_IN_OWL, "hasRelatedSynonym") => scoped(SynonymScope::Related),
            (OBO_IN_OWL, "hasNarrowSynonym") => scoped(SynonymScope::Narrow),
            (OBO_IN_OWL, "hasBroadSynonym") => scoped(SynonymScope::Broad),
            (RDFS, "label") | (SKOS_XL, "literalForm") | (SCHEMA | SCHEMA_HTTPS, "name") => Self::Label,
            (SKOS, "definition") | (OBO, "IAO_0000115") | (OBO_IN_OWL, "hasDefinition") => Self::Definition,
            (OBO_IN_OWL, "hasDbXref") => Self::Xref,
            (SKOS, "exactMatch" | "closeMatch") | (OWL, "equivalentClass" | "sameAs") => Self::Match,
            (OBO_IN_OWL, "hasOBONamespace") => Self::Type,
            (RDF, "type") => Self::Kind,
            (SKOS, "broader") | (RDFS, "subClassOf") => Self::Parent,
            (SKOS, "narrower") => Self::Child,
            (OWL, "disjointWith") => Self::Disjoint,
            (OWL, "deprecated") => Self::Deprecated,
            (OBO_IN_OWL, "hasAlternativeId") => Self::AlternativeId,
            (OBO, "IAO_0100001") | (OBO_IN_OWL, "replacedBy") | (DCTERMS, "isReplacedBy") => Self::ReplacedBy,
            (OBO_IN_OWL, "consider") => Self::Consider,
            (RDF | OWL, _) | (RDFS, "domain" | "range" | "subPropertyOf" | "isDefinedBy") => Self::Axiom,
            (SKOS, "inScheme" | "topConceptOf" | "hasTopConcept" | "member") | (OBO_IN_OWL, "id") => Self::Axiom,
            _ => Self::Unread,
        }
    }

    /// MeSH RDF (hhs.github.io/meshrdf): a descriptor has concepts, a concept has terms, a term has labels.
    fn of_mesh(local: &str) -> Self {
        match local {
            "preferredTerm" | "preferredConcept" => Self::Preferred,
            "term" | "concept" | "altLabel" | "casn1_label" => Self::Synonym(None),
            "prefLabel" => Self::Label,
            "scopeNote" => Self::Definition,
            "registryNumber" => Self::Xref,
            "broaderDescriptor" | "broaderQualifier" | "preferredMappedTo" | "mappedTo" => Self::Parent,
            "treeNumber" => Self::Tree,
            "active" => Self::Active,
            "replacedBy" => Self::ReplacedBy,
            "identifier" | "sortVersion" | "lexicalTag" => Self::Axiom,
            _ => Self::Unread,
        }
    }

    fn is_name(self) -> bool {
        matches!(self, Self::Preferred | Self::Label | Self::Synonym(_))
    }
}

/// Statements about a node.
#[derive(Default)]
struct NodeStatements {
    entry: Entry,
    /// `rdfs:label`, used where there is no `skos:prefLabel`.
    label: String,
    /// True if it is declared a class of OWL.
    is_class: bool,
    /// True if it is declared a class or concept.
    is_declared: bool,
    /// True if it is a property, ontology, scheme or label rather than a concept.
    is_other: bool,
    /// The language of a name that was left out.
    other_language: Option<String>,
    trees: Vec<String>,
    /// The number of the property of each value that is not read.
    unread: Vec<u32>,
}

/// Nodes in the order of their IRIs, blank nodes first.
#[derive(Default)]
pub(super) struct Graph {
    described: BTreeMap<String, NodeStatements>,
    /// Properties that were met, each with its number and role.
    properties: HashMap<String, (u32, Role)>,
    /// Nodes that have a name, definition or cross-reference of another, with its role there.
    holders: BTreeMap<String, Vec<(Role, String)>>,
    /// Number of names that are not kept, by language.
    other_languages: BTreeMap<String, u64>,
    /// Concept and the narrower one.
    narrower: Vec<(String, String)>,
    /// Blank nodes that may say that a class is a part of another, until all of each is known.
    restrictions: HashMap<String, Restriction>,
    /// Blank nodes that hold the members of an axiom such as `AllDisjointClasses`, and the nodes of lists: a member, and the rest.
    member_lists: Vec<String>,
    lists: HashMap<String, (Option<String>, Option<String>)>,
}

/// A restriction of OWL that a class is below: `part of some whole`.
#[derive(Default)]
struct Restriction {
    part: Option<String>,
    is_part_of: Option<bool>,
    whole: Option<String>,
}

impl Graph {
    fn property(&mut self, predicate: &str, collector: &mut Collector) -> (u32, Role) {
        if let Some(known) = self.properties.get(predicate) {
            return *known;
        }
        let role =
            if collector.asks_for(predicate) { Role::Synonym(None) } else { Role::of(predicate, &collector.options) };
        let property = (self.properties.len() as u32, role);
        self.properties.insert(predicate.to_owned(), property);
        property
    }

    fn described(&mut self, node: &str) -> &mut NodeStatements {
        if !self.described.contains_key(node) {
            self.described.insert(node.to_owned(), NodeStatements::default());
        }
        self.described.get_mut(node).expect("it was just put there")
    }

    /// Takes a literal in.
    pub(super) fn say(
        &mut self,
        subject: &str,
        predicate: &str,
        value: &str,
        language: Option<&str>,
        collector: &mut Collector,
    ) {
        // An empty tag is that of no language (XML 1.0, section 2.12); programs write `en_US` for `en-US`.
        let language = language.map(|language| language.trim().replace('_', "-")).filter(|tag| !tag.is_empty());
        let language = language.as_deref();
        let (number, role) = self.property(predicate, collector);
        // Of a blank node, an axiom for the most part, no more than a name is of use.
        if is_blank(subject) && !role.is_name() {
            return;
        }
        let other_language = language.filter(|language| !collector.speaks(language));
        if let Some(language) = other_language.filter(|_| role.is_name()) {
            *self.other_languages.entry(language.to_owned()).or_default() += 1;
        }
        let described = self.described(subject);
        match (role, other_language) {
            (Role::Unread, _) => described.unread.push(number),
            (role, None) => described.say(role, value),
            (role, Some(language)) if role.is_name() => {
                described.other_language.get_or_insert_with(|| language.to_owned());
            }
            _ => {}
        }
    }

    /// Takes a relation between two nodes in.
    pub(super) fn relate(&mut self, subject: &str, predicate: &str, object: String, collector: &mut Collector) {
        let (number, role) = self.property(predicate, collector);
        match role {
            _ if is_blank(subject) => match predicate {
                MEMBERS => self.member_lists.push(object),
                FIRST => self.lists.entry(subject.to_owned()).or_default().0 = Some(object),
                REST => self.lists.entry(subject.to_owned()).or_default().1 = Some(object),
                _ => self.restrict(subject, predicate, object),
            },
            Role::Preferred | Role::Label | Role::Synonym(_) | Role::Definition | Role::Xref => {
                self.holders.entry(subject.to_owned()).or_default().push((role, object));
            }
            Role::Child => self.narrower.push((subject.to_owned(), object)),
            Role::Axiom => {}
            Role::Parent if is_blank(&object) => self.restrict(&object, RESTRICTED, subject.to_owned()),
            _ if is_blank(&object) => {}
            Role::Unread => self.described(subject).unread.push(number),
            _ => self.described(subject).relate(role, &object),
        }
    }

    /// Takes a part of a restriction in, and its whole once the restriction is complete.
    fn restrict(&mut self, node: &str, predicate: &str, object: String) {
        let is_known = [RESTRICTED, ON_PROPERTY, SOME_VALUES_FROM].contains(&predicate);
        if !is_known || predicate != ON_PROPERTY && is_blank(&object) {
            return;
        }
        let restriction = self.restrictions.entry(node.to_owned()).or_default();
        match predicate {
            ON_PROPERTY => restriction.is_part_of = Some(is_part_of(&object)),
            SOME_VALUES_FROM => restriction.whole = Some(object),
            _ => restriction.part = Some(object),
        }
        let Restriction { part: Some(part), is_part_of: Some(is_part_of), whole: Some(whole) } = restriction else {
            return;
        };
        let whole = is_part_of.then(|| (std::mem::take(part), std::mem::take(whole)));
        self.restrictions.remove(node);
        if let Some((part, whole)) = whole {
            self.add_whole(&part, &whole);
        }
    }

    /// Takes in that a class is a part of another.
    pub(super) fn add_whole(&mut self, part: &str, whole: &str) {
        self.described(part).entry.part_of.push(id_of(whole));
    }

    /// Takes in that each two of some classes are disjoint.
    pub(super) fn add_disjoint(&mut self, classes: &[String]) {
        for (place, class) in classes.iter().enumerate() {
            self.described(class).entry.disjoint_from.extend(classes[place + 1..].iter().map(|other| id_of(other)));
        }
    }

    /// Joins the lists of disjoint classes. Returns the number of those that are too long.
    fn join_disjoint(&mut self) -> u64 {
        let mut too_long = 0;
        for head in std::mem::take(&mut self.member_lists) {
            let (mut classes, mut next) = (Vec::new(), Some(head));
            while let Some((first, rest)) = next.and_then(|node| self.lists.remove(&node)) {
                classes.extend(first.filter(|class| !is_blank(class)));
                next = rest;
            }
            match classes.len() <= MOST_DISJOINT {
                true => self.add_disjoint(&classes),
                false => too_long += 1,
            }
        }
        too_long
    }

    /// Hands over all concepts.
    pub(super) fn finish(mut self, collector: &mut Collector) -> Result<(), Error> {
        let held = self.join_holders();
        let too_long = self.join_disjoint();
        if too_long > 0 {
            let reason = format!("lists of more than {MOST_DISJOINT} disjoint classes were not used: {too_long}");
            collector.add_note(reason);
        }
        for (parent, child) in std::mem::take(&mut self.narrower) {
            if let Some(described) = self.described.get_mut(&child) {
                described.entry.parents.push(id_of(&parent));
            }
        }
        let mut nameless = Vec::new();
        let (mut unread, mut classes) = (BTreeMap::<u32, u64>::new(), BTreeMap::<_, Vec<String>>::new());
        for (iri, described) in &mut self.described {
            if held.contains(iri) && !described.is_declared {
                continue;
            }
            if is_blank(iri) {
                nameless.extend(described.names().next().map(str::to_owned).filter(|_| !described.is_other));
            } else if !described.is_other {
                described.unread.drain(..).for_each(|number| *unread.entry(number).or_default() += 1);
                if described.is_class {
                    classes.entry(described.fate(iri, &collector.options)).or_default().push(short(iri));
                }
                std::mem::take(described).hand_over(iri, collector)?;
            }
        }
        if let Some(first) = nameless.first() {
            let reason = format!("named nodes without an IRI (`rdf:about`) were left out ({})", nameless.len());
            collector.problem(None, first, reason)?;
        }
        note_classes(&classes, collector);
        self.note_unread(unread, collector);
        self.note_languages(collector);
        Ok(())
    }

    /// Gives each node the names, definitions and cross-references that others hold for it. Returns the holders.
    fn join_holders(&mut self) -> HashSet<String> {
        let mut held = HashSet::new();
        for (subject, uses) in &mut self.holders {
            uses.sort_by_key(|(role, _)| *role);
            uses.dedup();
            held.extend(uses.iter().map(|(_, holder)| holder.clone()));
            self.described.entry(subject.clone()).or_default();
        }
        let mut joined = Vec::new();
        for (subject, uses) in &self.holders {
            for (role, holder) in uses {
                let values = match role {
                    Role::Xref => self.xref_of(holder),
                    Role::Definition => self.names_of(holder, NAME_STEPS),
                    _ => self.names_of(holder, 1),
                };
                let described = self.described.get(holder);
                let definition = described.and_then(|described| described.entry.definition.clone());
                let other = described.and_then(|described| described.other_language.clone());
                joined.push((subject.clone(), *role, values, definition.filter(|_| role.is_name()), other));
            }
        }
        for (subject, role, values, definition, other_language) in joined {
            let described = self.described.entry(subject).or_default();
            values.iter().for_each(|value| described.say(role, value));
            described.entry.definition = described.entry.definition.take().or(definition);
            described.other_language = described.other_language.take().or(other_language);
        }
        held
    }

    /// Returns the names of a node and, in MeSH, of the nodes that hold names for it.
    fn names_of(&self, node: &str, step: usize) -> Vec<String> {
        let own = self.described.get(node).into_iter().flat_map(NodeStatements::names).map(str::to_owned);
        let further = self.holders.get(node).into_iter().flatten().filter(|(role, _)| role.is_name());
        let further = further
            .filter(|_| step < NAME_STEPS && node.starts_with(MESH))
            .flat_map(|(_, holder)| self.names_of(holder, step + 1));
        own.chain(further).collect()
    }

    /// Returns the label of the individual that is a cross-reference; the id of any other node.
    fn xref_of(&self, node: &str) -> Vec<String> {
        let individual = self.described.get(node).filter(|described| !described.is_declared);
        let label = individual.and_then(|described| described.names().next());
        label.map(str::to_owned).or_else(|| (!is_blank(node)).then(|| curie(node))).into_iter().collect()
    }

    /// Says how many names were not kept, in which languages.
    fn note_languages(&self, collector: &mut Collector) {
        let mut counts: Vec<(&String, &u64)> = self.other_languages.iter().collect();
        counts.sort_by_key(|(language, count)| (Reverse(**count), *language));
        let total: u64 = self.other_languages.values().sum();
        let more = if counts.len() > LISTED_LANGUAGES { " and others" } else { "" };
        let listed = counts.iter().take(LISTED_LANGUAGES).map(|(language, count)| format!("{language} {count}"));
        if total > 0 {
            let listed = listed.collect::<Vec<_>>().join(", ");
            collector.add_note(format!("names in other languages left out: {total} ({listed}{more})"));
        }
    }

    /// Says how many values of which properties were not used.
    fn note_unread(&self, unread: BTreeMap<u32, u64>, collector: &mut Collector) {
        let iris: HashMap<u32, &String> = self.properties.iter().map(|(iri, (number, _))| (*number, iri)).collect();
        let mut counts: Vec<(u64, &String)> =
            unread.into_iter().map(|(number, count)| (count, iris[&number])).collect();
        collector.add_unread_values(counts.iter().map(|(count, _)| count).sum());
        counts.sort_by_key(|(count, iri)| (Reverse(*count), *iri));
        for (count, iri) in counts.iter().take(LISTED_PROPERTIES) {
            let label = self.described.get(*iri).map_or("", |property| &property.label);
            let label = if label.is_empty() { String::new() } else { format!(" ({label})") };
            let (values, were) = if *count == 1 { ("value", "was") } else { ("values", "were") };
            collector.add_note(format!("{count} {values} of `{iri}`{label} {were} not used"));
        }
        let further = counts.iter().skip(LISTED_PROPERTIES);
        let count: u64 = further.clone().map(|(count, _)| count).sum();
        if count > 0 {
            collector.add_note(format!("{count} values of {} further properties were not used", further.count()));
        }
    }
}

impl NodeStatements {
    fn say(&mut self, role: Role, value: &str) {
        let (entry, value) = (&mut self.entry, value.to_owned());
        match role {
            Role::Preferred if entry.name.is_empty() => entry.name = value,
            Role::Label if self.label.is_empty() => self.label = value,
            Role::Preferred | Role::Label => entry.add_synonym(value, None),
            Role::Synonym(scope) => entry.add_synonym(value, scope),
            Role::Definition => entry.definition = Some(value),
            Role::Type => entry.types.push(value),
            // MeSH has 0 for none.
            Role::Xref if value != "0" => entry.xrefs.push(value),
            Role::Deprecated => entry.is_removed |= value.eq_ignore_ascii_case("true") || value == "1",
            Role::Active => entry.is_removed |= value.eq_ignore_ascii_case("false") || value == "0",
            Role::AlternativeId => entry.replaces.push(id_of(&value)),
            Role::ReplacedBy => entry.replaced_by.push(id_of(&value)),
            Role::Consider => entry.consider.push(id_of(&value)),
            _ => {}
        }
    }

    fn relate(&mut self, role: Role, object: &str) {
        match role {
            Role::Kind => self.declare(object),
            Role::Parent => self.entry.parents.push(id_of(object)),
            Role::Disjoint => self.entry.disjoint_from.push(id_of(object)),
            Role::Match => self.entry.xrefs.push(curie(object)),
            Role::Tree => self.trees.push(object.rsplit('/').next().unwrap_or_default().to_owned()),
            role => self.say(role, object),
        }
    }

    fn declare(&mut self, kind: &str) {
        if let Some(kind) = kind.strip_prefix(MESH_VOCABULARY) {
            let is_concept = kind.ends_with("Descriptor") || kind.starts_with("SCR_");
            self.is_declared |= is_concept
                || matches!(kind, "SupplementaryConceptRecord" | "PublicationType" | "CheckTag" | "Qualifier");
            self.is_other |= !self.is_declared;
            self.entry.types.extend(kind.strip_prefix("SCR_").map(str::to_lowercase));
            return;
        }
        // Individuals of old OBO-in-OWL: synonyms, definitions, cross-references.
        self.is_other |= kind.starts_with(OBO_IN_OWL);
        let (is_owl, known) = (kind.starts_with(OWL), [OWL, SKOS, SKOS_XL, RDFS, RDF]);
        let kind = known.iter().find_map(|namespace| kind.strip_prefix(namespace)).unwrap_or_default();
        self.is_declared |= matches!(kind, "Class" | "Concept" | "DeprecatedClass");
        self.entry.is_removed |= kind == "DeprecatedClass";
        self.is_class |= is_owl && matches!(kind, "Class" | "DeprecatedClass");
        self.is_other |= kind.ends_with("Property")
            || matches!(kind, "Ontology" | "ConceptScheme" | "Collection" | "Datatype" | "Label" | "Axiom");
    }

    /// Returns what becomes of a class.
    fn fate(&self, iri: &str, options: &ImportOptions) -> &'static str {
        let is_named = self.names().next().is_some() || options.label_from_iri && iri_label(iri).is_some();
        match () {
            () if self.entry.is_removed => "no longer in use",
            () if is_named => CONCEPTS,
            () if self.other_language.is_some() => "with names in other languages only",
            () => "without a name",
        }
    }

    /// Returns all its names, the preferred one first.
    fn names(&self) -> impl Iterator<Item = &str> {
        let names = [&self.entry.name, &self.label].into_iter().chain(&self.entry.synonyms);
        names.map(String::as_str).filter(|name| !name.is_empty())
    }

    fn hand_over(self, iri: &str, collector: &mut Collector) -> Result<(), Error> {
        let Self { mut entry, label, trees, .. } = self;
        if entry.name.is_empty() {
            entry.name = label;
        } else if !label.is_empty() {
            entry.add_synonym(label, None);
        }
        entry.id = id_of(iri);
        entry.types.extend(mesh::categories(&trees));
        if collector.settle(None, &mut entry)? {
            return Ok(());
        }
        if !entry.name.is_empty() || !entry.synonyms.is_empty() {
            collector.add(None, entry)?;
        } else if let Some(language) = &self.other_language {
            collector.add_other_language(&entry.id, language);
        } else if self.is_declared && ![OWL, RDF, RDFS, SKOS].iter().any(|known| iri.starts_with(known)) {
            collector.add_unlabelled(iri, entry);
        }
        Ok(())
    }
}

fn is_blank(node: &str) -> bool {
    node.starts_with("_:")
}

/// Returns the id of a node: MeSH's own, as its XML has it (`…/mesh/2024/D001249` is `D001249`), else the CURIE.
fn id_of(iri: &str) -> String {
    match iri.strip_prefix(MESH).and_then(|path| path.rsplit('/').next()) {
        // A descriptor with a qualifier stands for the descriptor.
        Some(id) if id.starts_with('D') => id.split('Q').next().unwrap_or(id).to_owned(),
        Some(id) => id.to_owned(),
        None => curie(iri),
    }
}

/// Says what became of the classes of an ontology, if not all are concepts.
fn note_classes(classes: &BTreeMap<&str, Vec<String>>, collector: &mut Collector) {
    let concepts = classes.get(CONCEPTS).map_or(0, Vec::len);
    let all: usize = classes.values().map(Vec::len).sum();
    let others = classes.iter().filter(|(fate, _)| **fate != CONCEPTS).map(|(fate, classes)| {
        let more = if classes.len() > LISTED_CLASSES { ", …" } else { "" };
        let shown = classes[..classes.len().min(LISTED_CLASSES)].join(", ");
        format!(", {} {fate} ({shown}{more})", classes.len())
    });
    if all > concepts {
        collector.add_note(format!("{all} classes: {concepts} concepts{}", others.collect::<String>()));
    }
}

/// Returns an IRI as messages show it.
fn short(iri: &str) -> String {
    let known = VOCABULARIES.iter().find_map(|(namespace, prefix)| Some((prefix, iri.strip_prefix(namespace)?)));
    known.map_or_else(|| curie(iri), |(prefix, local)| format!("{prefix}:{local}"))
}

/// Returns true if a relation, by its name, CURIE or IRI, is that of a part to its whole.
pub(super) fn is_part_of(relation: &str) -> bool {
    // NCIt's R82 is "Anatomic_Structure_Is_Physical_Part_Of"; old OWL of OBO has `UNDEFINED_part_of`.
    let local = relation.rsplit(['#', '/', ':']).next().unwrap_or_default();
    matches!(local, "part_of" | "partOf" | "UNDEFINED_part_of" | "BFO_0000050")
        || relation == "BFO:0000050"
        || relation.strip_prefix(NCIT) == Some("R82")
}

/// Returns true if values of a property, by its IRI or CURIE, are names.
pub(super) fn is_synonym(property: &str, collector: &mut Collector) -> bool {
    collector.asks_for(property) || matches!(Role::of(&iri_of(property), &collector.options), Role::Synonym(_))
}

//! Which names may be answered.

use std::collections::BTreeSet;

use truename_error::ErrorKind;
use truename_kb::{ConceptIndex, NameIndex, Snapshot};

use crate::name_set::NameSet;
use crate::{Error, LinkOptions};

/// Stands for all sources of aliases.
const ALL: &str = "*";

/// Names that may be answered: those of concepts of some types, without the aliases of some sources.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameFilter {
    /// Types of the concepts; empty for all.
    types: Vec<String>,
    /// Sources of the aliases that are left out.
    without_aliases: Vec<String>,
}

impl NameFilter {
    pub(crate) fn new(options: &LinkOptions) -> Self {
        Self::default().types(options.types.clone()).without_aliases(options.without_aliases.clone())
    }

    pub(crate) fn types(self, types: Vec<String>) -> Self {
        Self { types, ..self }
    }

    pub(crate) fn without_aliases(self, without_aliases: Vec<String>) -> Self {
        Self { without_aliases, ..self }
    }

    fn is_open(&self) -> bool {
        self.types.is_empty() && self.without_aliases.is_empty()
    }

    /// Returns whether a name of a concept may be answered.
    pub(crate) fn allows(
        &self,
        concept: ConceptIndex,
        name: NameIndex,
        snapshot: &Snapshot<'_>,
    ) -> Result<bool, Error> {
        if self.is_open() {
            return Ok(true);
        }
        if !self.types.is_empty() && !self.has_type(&snapshot.concept_types(concept)?) {
            return Ok(false);
        }
        Ok(self.without_aliases.is_empty() || !self.left_out(concept, snapshot)?.contains(&name))
    }

    /// Returns the names that may be answered; `None` for all.
    pub(crate) fn names(&self, snapshot: &Snapshot<'_>) -> Result<Option<NameSet>, Error> {
        if self.is_open() {
            return Ok(None);
        }
        let (mut allowed, next) = (NameSet::default(), snapshot.next_name()?);
        for entry in snapshot.all_types()? {
            let (concept, types) = entry?;
            if self.types.is_empty() || self.has_type(&types) {
                let left_out = self.left_out(concept, snapshot)?;
                let names = snapshot.concept_names(concept)?.1;
                if names.iter().any(|name| *name >= next) {
                    return Err(truename_kb::damaged("a concept has a name that never was there"));
                }
                names.into_iter().filter(|name| !left_out.contains(name)).for_each(|name| allowed.insert(name));
            }
        }
        Ok(Some(allowed))
    }

    /// Refuses types that no concept has, and sources that no alias has.
    pub(crate) fn check(&self, snapshot: &Snapshot<'_>) -> Result<(), Error> {
        if self.is_open() {
            return Ok(());
        }
        let (mut types, mut sources) = (BTreeSet::new(), BTreeSet::from([ALL.to_owned()]));
        for entry in snapshot.all_types()? {
            let (concept, found) = entry?;
            types.extend(found.into_iter().map(str::to_owned));
            sources.extend(snapshot.aliases(concept)?.into_iter().map(|(_, source)| source.to_owned()));
        }
        if let Some(unknown) = self.types.iter().find(|name| !types.contains(*name)) {
            let error = Error::new(ErrorKind::Choice, format!("no concept has the type \"{unknown}\""));
            let known: Vec<String> = types.into_iter().take(40).collect();
            let advice = (!known.is_empty()).then(|| format!("its types are {}", known.join(", ")));
            return Err(advice.into_iter().fold(error, Error::with_hint));
        }
        match self.without_aliases.iter().find(|name| !sources.contains(*name)) {
            Some(unknown) => {
                let known: Vec<String> = sources.into_iter().take(40).collect();
                Err(Error::new(ErrorKind::Choice, format!("no alias comes from \"{unknown}\""))
                    .with_hint(format!("its sources are {}", known.join(", "))))
            }
            None => Ok(()),
        }
    }

    fn has_type(&self, types: &[&str]) -> bool {
        self.types.iter().any(|wanted| types.contains(&wanted.as_str()))
    }

    /// Returns the aliases of a concept that are left out.
    fn left_out(&self, concept: ConceptIndex, snapshot: &Snapshot<'_>) -> Result<Vec<NameIndex>, Error> {
        if self.without_aliases.is_empty() {
            return Ok(Vec::new());
        }
        let is_left_out = |source: &str| self.without_aliases.iter().any(|name| name == ALL || name == source);
        let aliases = snapshot.aliases(concept)?.into_iter();
        Ok(aliases.filter(|(_, source)| is_left_out(source)).map(|(name, _)| name).collect())
    }
}

//! Properties of concepts.

use serde::{Serialize, Serializer};
use truename::{Concept, ConceptId, Error};
use truename_read::folded;

use crate::base::Base;

/// A property of concepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Id,
    Name,
    Synonym,
    Type,
    Parent,
    Child,
    Xref,
    Definition,
}

/// A value of a property.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Value {
    Text(#[serde(serialize_with = "as_cell")] String),
    Concept { id: ConceptId, name: String },
}

/// The name of a property or type.
#[derive(Serialize)]
pub(super) struct Named {
    pub id: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Writes a text as the specification has it.
fn as_cell<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map([("str", text)])
}

impl Value {
    /// Returns the memory that the value takes, in bytes.
    pub fn bytes(&self) -> usize {
        let texts = match self {
            Self::Text(text) => text.len(),
            Self::Concept { id, name } => id.as_str().len() + name.len(),
        };
        size_of::<Self>() + texts
    }
}

impl Property {
    pub const ALL: [Self; 8] =
        [Self::Id, Self::Name, Self::Synonym, Self::Type, Self::Parent, Self::Child, Self::Xref, Self::Definition];

    pub fn id(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Name => "name",
            Self::Synonym => "synonym",
            Self::Type => "type",
            Self::Parent => "parent",
            Self::Child => "child",
            Self::Xref => "xref",
            Self::Definition => "definition",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "Identifier",
            Self::Name => "Preferred name",
            Self::Synonym => "Further name",
            Self::Type => "Type",
            Self::Parent => "Broader concept",
            Self::Child => "Narrower concept",
            Self::Xref => "Cross-reference",
            Self::Definition => "Definition",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Id => "The id in this knowledge base",
            Self::Name => "The name that the concept is called by",
            Self::Synonym => "Names beside the preferred one, those of outside vocabularies among them",
            Self::Type => "The kinds of thing that the concept is",
            Self::Parent => "Concepts that this one is a kind or part of",
            Self::Child => "Concepts that are kinds or parts of this one",
            Self::Xref => "Ids of the same concept in other vocabularies",
            Self::Definition => "A sentence that says what the concept is",
        }
    }

    pub fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|property| property.id() == id)
    }

    pub fn named(self) -> Named {
        let description = Some(self.description().to_owned());
        Named { id: self.id().to_owned(), name: self.name().to_owned(), description }
    }

    /// Returns up to `most` values of a concept's property.
    pub fn values(self, concept: &Concept, base: &Base, most: usize) -> Result<Vec<Value>, Error> {
        let texts = |texts: Vec<&String>| texts.into_iter().take(most).map(|text| Value::Text(text.clone())).collect();
        Ok(match self {
            Self::Id => vec![Value::Text(concept.id.to_string())],
            Self::Name => vec![Value::Text(concept.name.clone())],
            Self::Synonym => {
                let aliases = concept.aliases.iter().map(|alias| &alias.name);
                texts(concept.synonyms.iter().chain(aliases).collect())
            }
            Self::Type => texts(concept.types.iter().collect()),
            Self::Xref => texts(concept.xrefs.iter().collect()),
            Self::Definition => texts(concept.definition.iter().collect()),
            Self::Parent => concepts(&concept.parents, base, most)?,
            Self::Child => concepts(base.catalogue()?.children(&concept.id), base, most)?,
        })
    }

    /// Returns whether a concept's property has a value, ignoring case and outer white space. The preferred name counts as a further name.
    pub fn has(self, concept: &Concept, base: &Base, value: &str) -> Result<bool, Error> {
        let wanted = folded(value);
        if self == Self::Synonym && folded(&concept.name) == wanted {
            return Ok(true);
        }
        let catalogue = base.catalogue()?;
        let ids = match self {
            Self::Parent => &concept.parents[..],
            Self::Child => catalogue.children(&concept.id),
            _ => {
                let values = self.values(concept, base, usize::MAX)?;
                return Ok(values.iter().any(|value| matches!(value, Value::Text(text) if folded(text) == wanted)));
            }
        };
        if ids.iter().any(|id| folded(id.as_str()) == wanted) {
            return Ok(true);
        }
        for id in ids {
            if folded(&name_of(id, base)?) == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn concepts(ids: &[ConceptId], base: &Base, most: usize) -> Result<Vec<Value>, Error> {
    ids.iter().take(most).map(|id| Ok(Value::Concept { id: id.clone(), name: name_of(id, base)? })).collect()
}

/// Returns the name of a concept; a parent that lies outside the knowledge base has its id for a name.
fn name_of(id: &ConceptId, base: &Base) -> Result<String, Error> {
    match base.kb.concept(id) {
        Ok(concept) => Ok(concept.name),
        Err(error) if error.is_not_found() => Ok(id.to_string()),
        Err(error) => Err(error),
    }
}

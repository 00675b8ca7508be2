use std::fmt;

/// What went wrong while linking, or with a knowledge base.
#[derive(Debug)]
pub struct Error(Kind);

#[derive(Debug)]
enum Kind {
    KnowledgeBase(truename_kb::Error),
    Index(truename_index::Error),
    Io { action: &'static str, path: std::path::PathBuf, source: std::io::Error },
    Ranker(postcard::Error),
    UnknownType { name: String, known: Vec<String> },
    TooFewNames { found: usize, needed: usize },
}

impl Error {
    /// A way out, where one is known.
    pub fn hint(&self) -> Option<String> {
        match &self.0 {
            Kind::KnowledgeBase(source) => source.hint(),
            Kind::Index(source) if source.is_missing() => Some("import the sources again".into()),
            Kind::Ranker(_) => Some("fit the ranker of this store anew: `truename calibrate --kb DIR`".into()),
            Kind::UnknownType { known, .. } if !known.is_empty() => Some(format!("its types are {}", known.join(", "))),
            Kind::TooFewNames { .. } => Some("without calibration the ranker that comes with truename is used".into()),
            _ => None,
        }
    }

    /// Whether the file, folder or concept asked for is not there.
    pub fn is_not_found(&self) -> bool {
        match &self.0 {
            Kind::KnowledgeBase(source) => source.is_not_found(),
            Kind::Io { source, .. } => source.kind() == std::io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// Whether the work was stopped on request.
    pub fn is_interrupted(&self) -> bool {
        matches!(&self.0, Kind::KnowledgeBase(source) if source.is_interrupted())
    }

    pub(crate) fn io(action: &'static str, path: &std::path::Path, source: std::io::Error) -> Self {
        Self(Kind::Io { action, path: path.to_owned(), source })
    }

    pub(crate) fn unknown_type(name: &str, known: Vec<String>) -> Self {
        Self(Kind::UnknownType { name: name.to_owned(), known })
    }

    pub(crate) fn too_few_names(found: usize, needed: usize) -> Self {
        Self(Kind::TooFewNames { found, needed })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::KnowledgeBase(source) => source.fmt(f),
            Kind::Index(source) => source.fmt(f),
            Kind::Io { action, path, .. } => write!(f, "cannot {action} {}", path.display()),
            Kind::Ranker(_) => f.write_str("the ranker of this knowledge base cannot be read"),
            Kind::UnknownType { name, .. } => write!(f, "no concept has the type \"{name}\""),
            Kind::TooFewNames { found, needed } => {
                write!(f, "{found} names can be held out in turn, and {needed} are needed to fit a ranker")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            // These two speak for themselves above; what caused them comes next.
            Kind::KnowledgeBase(source) => source.source(),
            Kind::Index(source) => source.source(),
            Kind::Io { source, .. } => Some(source),
            Kind::Ranker(source) => Some(source),
            Kind::UnknownType { .. } | Kind::TooFewNames { .. } => None,
        }
    }
}

impl From<truename_kb::Error> for Error {
    fn from(source: truename_kb::Error) -> Self {
        Self(Kind::KnowledgeBase(source))
    }
}

impl From<truename_index::Error> for Error {
    fn from(source: truename_index::Error) -> Self {
        Self(Kind::Index(source))
    }
}

impl From<postcard::Error> for Error {
    fn from(source: postcard::Error) -> Self {
        Self(Kind::Ranker(source))
    }
}

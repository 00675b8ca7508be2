//! Special tokens that mark the parts of prompts (Prompt-BioEL, section 3).

/// Token before a mention.
pub const START: &str = "[START]";
/// Token behind a mention.
pub const END: &str = "[END]";
/// Token between two names.
pub const OR: &str = "[OR]";

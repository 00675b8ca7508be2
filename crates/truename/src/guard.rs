//! Handlers of faults in mapped files that are damaged or cut off (Linux).

pub use truename_kb::guard::install;

/// Keeps the process running where a part of a knowledge base's file cannot be read any more
/// ([`KnowledgeBase::has_faulted`](crate::KnowledgeBase::has_faulted)), and reads the weights of models whole in place of mapping them, so
/// that nothing happens when somebody cuts them off. For programs that serve several knowledge bases; to be called before the first is opened.
/// [`truename_kb::guard::survive`] has the limits.
pub fn survive() {
    truename_kb::guard::survive();
    truename_infer::read_weights();
}

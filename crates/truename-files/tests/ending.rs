//! Alone in its process, for it removes the partials of all threads.

use truename_files::{Partial, remove_partials};

#[test]
fn an_ending_process_leaves_no_partial() {
    let folder = tempfile::tempdir().unwrap();
    let file = Partial::beside(&folder.path().join("answers.csv")).unwrap();
    std::fs::write(file.path(), "half").unwrap();
    let model = Partial::new(folder.path().join("model.new"));
    std::fs::create_dir(model.path()).unwrap();
    std::fs::write(model.path().join("weights"), "half").unwrap();
    let _not_begun = Partial::new(folder.path().join("not begun"));
    remove_partials();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

//! Names linked to the bundled knowledge base: misspelt, inflected, abbreviated, and one that is in no knowledge base.
//!
//! Run it by `cargo run --example link_names`.

use truename::Linker;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let linker = Linker::bundled()?;
    let names = ["heart atack", "tumours of the lung", "NIDDM", "blorptastic"];
    for link in linker.link_names(&names)? {
        match link.answer() {
            Some(concept) => println!("{} is {}, {}", link.name, concept.id, concept.preferred_name),
            None => println!("{} is NIL", link.name),
        }
    }
    assert_eq!(linker.link_name(names[0])?.id().unwrap(), "D009203");
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}

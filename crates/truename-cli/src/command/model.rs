//! `truename model`.

use std::io::Write;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use truename::{QuantizeOptions, RecognizerOptions, bundled_models, cache_folder, quantize_model};
use truename_download::{Progress, Source, list, pull};
use truename_error::grouped;
use truename_eval::mentions::JudgedMargins;
use truename_infer::Encoder;

use crate::arguments::{DocumentArguments, KbArgument, Model};
use crate::bars::bytes_bar;
use crate::command::open_kb;
use crate::documents::Documents;
use crate::interrupt;
use crate::output::stdout;

pub fn run(command: Model, quiet: bool) -> anyhow::Result<()> {
    match command {
        Model::Pull { source } => pull_model(&source, quiet),
        Model::List => list_models(),
        Model::Info { folder } => info(&folder),
        Model::Calibrate { folder, gold, kb, reading } => calibrate(&folder, &gold, &kb, &reading, quiet),
        Model::Quantize { folder, out, trained_types } => {
            Ok(quantize_model(&folder, &out, QuantizeOptions { trained_types })?)
        }
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
    for card in bundled_models() {
        writeln!(out, "{}\t{}\tpart of this program: {}", card.name, grouped(card.bytes), card.task)?;
        writeln!(out, "  trained on  {}", card.trained_on.join("; "))?;
        writeln!(out, "  figures     {}", card.figures.join("; "))?;
        writeln!(out, "  licence     {}", card.licence)?;
        writeln!(out, "  date        {}", card.date)?;
    }
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
    writeln!(out, "dimensions    {}", encoder.dimensions())?;
    writeln!(out, "parameters    {}", grouped(info.parameters))?;
    writeln!(out, "precision     {}", info.precision)?;
    writeln!(out, "training      {}", if info.is_trainable { "yes" } else { "inference only" })?;
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

fn calibrate(
    folder: &Path,
    gold: &[PathBuf],
    kb: &KbArgument,
    reading: &DocumentArguments,
    quiet: bool,
) -> anyhow::Result<()> {
    let options = RecognizerOptions { names: true, ..RecognizerOptions::default() };
    let recognizer = options.open(&[folder.to_owned()], || open_kb(kb))?;
    let mut documents = Documents::open(gold, &reading.options()?, quiet);
    let mut margins = JudgedMargins::default();
    for batch in documents.batches() {
        margins.add_recognized(&recognizer, batch)?;
    }
    let problems = documents.finish()?;
    let calibration = margins.calibrate(folder)?;
    let mut out = stdout();
    writeln!(out, "mentions  {}", grouped(margins.annotated().len() as u64))?;
    for margin in [0.0, 2.0, 5.0, 10.0] {
        writeln!(out, "margin {margin:>4}  probability {:.3}", calibration.probability(margin))?;
    }
    out.finish()?;
    problems.report_all(quiet)
}

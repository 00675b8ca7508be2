//! `truename serve`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use truename::cache_folder;
use truename_error::{Error, ErrorKind};
use truename_records::{Blocking, SuitedBlocking};
use truename_server::{BaseSource, Keys, MappingSource, PairSource, Server, ServerOptions};

use crate::arguments::{Dedupe, Serve};
use crate::exit_code::UsageError;
use crate::records::{Input, block_rules, short_name};
use crate::{interrupt, progress};

/// Name of the bundled knowledge base.
const BUNDLED: &str = "mesh";
/// Time between two looks for a signal.
const WATCH: Duration = Duration::from_millis(50);

pub fn run(arguments: &Serve, quiet: bool) -> anyhow::Result<()> {
    let server = Server::open(sources(arguments)?, options(arguments, quiet)?)?;
    let runtime = tokio::runtime::Runtime::new().context("cannot start the threads of the server")?;
    runtime.block_on(async {
        let asked = SocketAddr::new(arguments.host, arguments.port);
        let listener = tokio::net::TcpListener::bind(asked).await.map_err(|error| cannot_listen(asked, &error))?;
        let address = listener.local_addr().context("the server has no address")?;
        if !quiet {
            say_address(address, arguments);
        }
        interrupt::ends_by_itself();
        server.serve(listener, stopped()).await;
        Ok(())
    })
}

fn say_address(address: SocketAddr, arguments: &Serve) {
    crate::say!("Truename is at http://{address}/");
    crate::say!("for OpenRefine, add the service http://{address}/reconcile/0.2");
    if !arguments.host.is_loopback() && arguments.keys.is_none() {
        crate::say!("hint: whoever reaches this address is answered; `--keys FILE` answers those who have a key");
    }
    if !arguments.host.is_loopback() && arguments.host_names.is_empty() && arguments.base_url.is_none() {
        crate::say!("hint: clients ask by its address; `--host-name NAME` lets them ask by a name");
    }
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Error {
    let message = format!("cannot listen at {address}: {error}");
    Error::new(ErrorKind::Io, message).with_hint("choose another with --port; 0 takes a free one")
}

async fn stopped() {
    while !interrupt::asked() {
        tokio::time::sleep(WATCH).await;
    }
}

fn options(arguments: &Serve, quiet: bool) -> anyhow::Result<ServerOptions> {
    Ok(ServerOptions {
        base_url: arguments.base_url.clone(),
        identifier_space: arguments.identifier_space.clone(),
        host_names: arguments.host_names.clone(),
        allow_origins: match arguments.allow_origins.is_empty() {
            true => ServerOptions::OPENREFINE.map(str::to_owned).to_vec(),
            false => arguments.allow_origins.clone(),
        },
        allow_api_origins: arguments.allow_api_origins.clone(),
        mappings: mappings(arguments),
        pairs: pairs(arguments, quiet)?,
        learns: arguments.learn,
        connections: arguments.connections as usize,
        memory_bytes: (arguments.memory as usize) << 20,
        keys: arguments.keys.as_deref().map(Keys::read).transpose()?,
        requests_per_minute: arguments.requests_per_minute,
        max_body_bytes: (arguments.max_body as usize) << 20,
        queue: arguments.queue as usize,
        batch_tokens: arguments.batch_tokens as usize,
        timeout: Duration::from_secs(arguments.timeout.into()),
        cache: arguments.cache as usize,
        match_probability: arguments.match_probability,
        match_gap: arguments.match_gap,
    })
}

/// Returns the files of mappings with those of their judgements: `m.judgements.sssom.tsv` for `m.sssom.tsv`.
fn mappings(arguments: &Serve) -> Vec<MappingSource> {
    let source = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(".tsv").unwrap_or(&name);
        let stem = stem.strip_suffix(".sssom").unwrap_or(stem);
        let judgements = folder_of_judgements(arguments, path).join(format!("{stem}.judgements.sssom.tsv"));
        MappingSource { mappings: path.clone(), judgements }
    };
    arguments.mappings.iter().map(source).collect()
}

/// Returns the folder for the judgements about a file.
fn folder_of_judgements<'a>(arguments: &'a Serve, path: &'a Path) -> &'a Path {
    arguments.judgements.as_deref().or(path.parent()).unwrap_or(Path::new(""))
}

/// Reads the tables of records and proposes pairs of them; the labels of `customers.csv` are in `customers.labels.csv`.
fn pairs(arguments: &Serve, quiet: bool) -> anyhow::Result<Option<PairSource>> {
    let Some(file) = arguments.pairs.first() else { return Ok(None) };
    let name = file.to_string_lossy();
    if arguments.pairs.iter().any(|path| path.as_os_str() == "-") || name.contains(['*', '?', '[']) {
        let message = "--pairs takes files and folders, beside which the labels lie, no pattern and not stdin";
        return Err(UsageError(message.into()).into());
    }
    let mut dedupe = Dedupe::of(&arguments.pairs);
    dedupe.id_column.clone_from(&arguments.id_column);
    dedupe.columns.clone_from(&arguments.columns);
    let rules = block_rules(&arguments.block)?;
    let tables = Input::read(&dedupe, quiet)?.tables;
    let SuitedBlocking { neighbours, rules } = SuitedBlocking::new(&tables, None, rules, false);
    let blocking = Blocking { neighbours, rules: &rules, progress: interrupt::progress(), ..Blocking::default() };
    let pairs = progress::watched(quiet, || blocking.pairs(tables.tables()))?.pairs;
    let labels = folder_of_judgements(arguments, file).join(format!("{}.labels.csv", short_name(&name)));
    Ok(Some(PairSource { tables, pairs, labels, threshold: dedupe.scorer.threshold }))
}

/// Returns the knowledge bases to serve.
fn sources(arguments: &Serve) -> anyhow::Result<Vec<BaseSource>> {
    let named = match arguments.kbs.is_empty() {
        true => vec![named(None)?],
        false => arguments.kbs.iter().map(|kb| named(Some(Path::new(kb)))).collect::<anyhow::Result<_>>()?,
    };
    let source = |(name, folder): (String, Option<PathBuf>)| {
        let judgements = match &arguments.judgements {
            Some(of_all) => judgements_in(of_all, &name),
            None => judgements_file(folder.as_deref()),
        };
        BaseSource { name, folder, judgements }
    };
    Ok(named.into_iter().map(source).collect())
}

/// Returns the name and folder of `NAME=DIR`, or of `DIR`, whose last part is the name; without one those of the bundled knowledge base.
pub fn named(kb: Option<&Path>) -> anyhow::Result<(String, Option<PathBuf>)> {
    let Some(kb) = kb else { return Ok((BUNDLED.to_owned(), None)) };
    let kb = kb.to_string_lossy();
    if let Some((name, folder)) = kb.split_once('=').filter(|(name, _)| !name.contains(['/', '\\'])) {
        return Ok((name.to_owned(), Some(folder.into())));
    }
    let folder = PathBuf::from(&*kb);
    let last = folder.canonicalize().ok().and_then(|folder| Some(folder.file_name()?.to_str()?.to_owned()));
    let name = last.or_else(|| Some(folder.file_name()?.to_str()?.to_owned()));
    let name = name.ok_or_else(|| UsageError(format!("--kb {kb} has no name; write --kb NAME={kb}")))?;
    Ok((name, Some(folder)))
}

/// Returns the file of the judgements of a knowledge base in a folder of those of several.
pub fn judgements_in(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.jsonl"))
}

/// Returns the file of the judgements of a knowledge base, of the bundled one if there is no folder.
pub fn judgements_file(folder: Option<&Path>) -> PathBuf {
    match folder {
        Some(folder) => folder.join("judgements.jsonl"),
        None => judgements_in(&cache_folder().join("judgements"), BUNDLED),
    }
}

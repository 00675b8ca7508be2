//! LMDB's file layout, as far as a checksum needs it: the two meta pages and the list of free pages.
//!
//! A commit writes pages that the last state does not use, then one of the two meta pages, in turn. The layout
//! is that of `mdb.c`, data version 1, as a 64-bit little-endian machine writes it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// `MDB_MAGIC` and `MDB_DATA_VERSION`.
const MAGIC: u32 = 0xBEEF_C0DE;
const VERSION: u32 = 1;
/// Bytes of a page before its node offsets.
const HEADER: usize = 16;
/// Bytes of a node before its key.
const NODE: usize = 8;
const BRANCH: u16 = 0x01;
const LEAF: u16 = 0x02;
const META: u16 = 0x08;
/// A node's value lies on pages of its own.
const BIG_VALUE: u16 = 0x01;
/// `CURSOR_STACK`: LMDB refuses deeper trees.
const DEEPEST: usize = 32;
/// The root of an empty tree.
const NONE: u64 = u64::MAX;
/// The bytes of a meta page that a commit writes: from the map's size to the number of the transaction.
pub(crate) const COMMITTED: std::ops::Range<usize> = 32..152;

/// The contents of a meta page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) page_size: u64,
    pub(crate) last_page: u64,
    pub(crate) transaction: u64,
    /// Root of the tree of tables; every commit that changes anything moves it.
    pub(crate) root: u64,
    free_root: u64,
}

impl Meta {
    /// Reads a meta page; `None` if LMDB would refuse it.
    pub(crate) fn parse(page: &[u8]) -> Option<Self> {
        let supported = cfg!(all(target_endian = "little", target_pointer_width = "64"));
        let is_meta =
            supported && u16_at(page, 10)? & META != 0 && u32_at(page, 16)? == MAGIC && u32_at(page, 20)? == VERSION;
        let page_size = u64::from(u32_at(page, 40)?);
        (is_meta && page_size.is_power_of_two() && (512..=65_536).contains(&page_size)).then_some(Self {
            page_size,
            last_page: u64_at(page, 136)?,
            transaction: u64_at(page, 144)?,
            root: u64_at(page, 128)?,
            free_root: u64_at(page, 80)?,
        })
    }
}

/// Returns both meta pages. Where the first does not tell the size of a page, `page_size` does.
pub(crate) fn read_metas(file: &mut File, page_size: Option<u64>) -> io::Result<[Vec<u8>; 2]> {
    let size = match page_size {
        Some(size) => size,
        None => {
            let head = read(file, 0, COMMITTED.end)?;
            Meta::parse(&head).ok_or_else(|| invalid("the first page is not LMDB's"))?.page_size
        }
    };
    Ok([read(file, 0, size as usize)?, read(file, size, size as usize)?])
}

/// Returns the later of two meta pages, which holds the committed state.
pub(crate) fn newest(metas: &[Vec<u8>; 2]) -> Option<Meta> {
    let metas = [Meta::parse(&metas[0])?, Meta::parse(&metas[1])?];
    Some(if metas[1].transaction > metas[0].transaction { metas[1] } else { metas[0] })
}

/// Returns the pages that a state does not use, ascending. No other transaction may write meanwhile.
pub(crate) fn free_pages(file: &mut File, meta: &Meta) -> io::Result<Vec<u64>> {
    let mut free = Vec::new();
    if meta.free_root != NONE {
        collect_free(file, meta, meta.free_root, 0, &mut free)?;
    }
    free.retain(|page| *page <= meta.last_page);
    free.sort_unstable();
    free.dedup();
    Ok(free)
}

/// Returns the size of a file, and the bytes of it that its committed state does not use.
pub(crate) fn size(data: &std::path::Path) -> io::Result<(u64, u64)> {
    let mut file = truename_files::open_regular(data, File::options().read(true))?;
    let length = file.metadata()?.len();
    let metas = read_metas(&mut file, None)?;
    let meta = newest(&metas).ok_or_else(|| invalid("its second page is not LMDB's"))?;
    let free = free_pages(&mut file, &meta)?.len() as u64 * meta.page_size;
    Ok((length, free + length.saturating_sub((meta.last_page + 1) * meta.page_size)))
}

/// Adds the page numbers that a subtree of the free list holds: each value is a count and so many numbers.
fn collect_free(file: &mut File, meta: &Meta, number: u64, depth: usize, free: &mut Vec<u64>) -> io::Result<()> {
    if number > meta.last_page || depth > DEEPEST || free.len() as u64 > meta.last_page {
        return Err(invalid("the list of free pages is damaged"));
    }
    let page = read(file, number * meta.page_size, meta.page_size as usize)?;
    let damaged = || invalid("a page of the list of free pages is damaged");
    let (flags, lower) = (u16_at(&page, 10).ok_or_else(damaged)?, u16_at(&page, 12).ok_or_else(damaged)?);
    for at in (HEADER..usize::from(lower)).step_by(2) {
        let node = usize::from(u16_at(&page, at).ok_or_else(damaged)?);
        let node = page.get(node..).ok_or_else(damaged)?;
        let (low, node_flags) = (u32_at(node, 0).ok_or_else(damaged)?, u16_at(node, 4).ok_or_else(damaged)?);
        if flags & BRANCH != 0 {
            let child = u64::from(low) | u64::from(node_flags) << 32;
            collect_free(file, meta, child, depth + 1, free)?;
            continue;
        }
        let key = usize::from(u16_at(node, 6).ok_or_else(damaged)?);
        let value = node.get(NODE + key..).filter(|_| flags & LEAF != 0).ok_or_else(damaged)?;
        let length = low as usize;
        if node_flags & BIG_VALUE == 0 {
            add_numbers(value.get(..length).ok_or_else(damaged)?, free);
        } else {
            let first = u64_at(value, 0).ok_or_else(damaged)?;
            let pages = (HEADER + length).div_ceil(meta.page_size as usize) as u64;
            if first.checked_add(pages).is_none_or(|end| end > meta.last_page + 1) {
                return Err(damaged());
            }
            add_numbers(&read(file, first * meta.page_size + HEADER as u64, length)?, free);
        }
    }
    Ok(())
}

fn add_numbers(value: &[u8], free: &mut Vec<u64>) {
    let mut numbers = value.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
    let count = numbers.next().unwrap_or(0);
    free.extend(numbers.take(count as usize));
}

fn read(file: &mut File, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    if offset.checked_add(length as u64).is_none_or(|end| file.metadata().is_ok_and(|found| end > found.len())) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn invalid(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

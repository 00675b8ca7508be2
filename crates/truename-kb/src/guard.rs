//! Turns a fault in a store's memory map into an error message.
//!
//! A page of the map that cannot be read raises SIGBUS: the disk fails, or another process cut the file. A changed
//! byte can lead LMDB to an address that is not mapped, which raises SIGSEGV. Neither can be caught as an error.

pub(crate) use imp::Region;

/// Ends the process with "knowledge base DIR is damaged" and exit code 1, where a fault in a store's memory map would
/// end it with a signal. Other faults go to the handler that was set before.
///
/// For programs, to be called once before the first store is opened. Does nothing on systems other than Linux.
pub fn install() {
    imp::install();
}

/// Keeps the process running where a part of a store's memory map cannot be read any more: the store counts as damaged
/// from then on ([`Store::has_faulted`](crate::Store::has_faulted)), and other stores answer as before. Answers that
/// were under way are to be dropped, since what cannot be read reads as zeros. Where damage leads LMDB outside of the
/// map, the process still ends as by [`install`].
///
/// For programs that serve several stores, to be called once before the first is opened. Does nothing on systems other
/// than Linux.
pub fn survive() {
    imp::survive();
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod imp {
    use std::path::Path;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

    /// Stores that a process can have open and guarded at once.
    const SLOTS: usize = 64;
    /// LMDB may compute an address so far past a page of a damaged file: the length of a value has 32 bits.
    const BEYOND: usize = 8 << 30;
    /// An address below this comes from a pointer that is null, as damaged records make LMDB follow; the kernel also
    /// says 0 for addresses that no process can have.
    const LOWEST: usize = 1 << 16;

    struct Slot {
        /// First address of the map; 0 where the slot is free.
        start: AtomicUsize,
        end: AtomicUsize,
        message: AtomicPtr<Vec<u8>>,
        has_faulted: AtomicBool,
    }

    static REGIONS: [Slot; SLOTS] = [const {
        Slot {
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            message: AtomicPtr::new(ptr::null_mut()),
            has_faulted: AtomicBool::new(false),
        }
    }; SLOTS];
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    static ENDING: AtomicBool = AtomicBool::new(false);
    static SURVIVING: AtomicBool = AtomicBool::new(false);
    static PAGE_BYTES: AtomicUsize = AtomicUsize::new(4096);
    static BEFORE: [OnceLock<libc::sigaction>; 2] = [const { OnceLock::new() }; 2];
    const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

    /// The guard over one map, until it is dropped.
    pub(crate) struct Region(Option<&'static Slot>);

    impl Region {
        /// Guards the map of `length` bytes of a file; a fault names `folder`.
        pub(crate) fn of(data: &Path, length: usize, folder: &Path) -> Self {
            if !INSTALLED.load(Ordering::Relaxed) {
                return Self(None);
            }
            let Some(start) = mapped_at(data, length) else { return Self(None) };
            let Some(slot) = REGIONS.iter().find(|slot| slot.start.load(Ordering::Acquire) == 0) else {
                return Self(None);
            };
            let name = folder.display();
            let message = format!(
                "error: knowledge base {name} is damaged, or its file was changed while it was read\n\
                 hint: run `truename kb check --kb {name}`\n"
            );
            // Never freed: a handler may be about to write it.
            slot.message.store(Box::into_raw(Box::new(message.into_bytes())), Ordering::Release);
            slot.has_faulted.store(false, Ordering::Release);
            slot.end.store(start + length, Ordering::Release);
            slot.start.store(start, Ordering::Release);
            Self(Some(slot))
        }

        /// Returns true where a part of the map could not be read.
        pub(crate) fn has_faulted(&self) -> bool {
            self.0.is_some_and(|slot| slot.has_faulted.load(Ordering::Acquire))
        }
    }

    impl Drop for Region {
        fn drop(&mut self) {
            if let Some(slot) = self.0 {
                slot.start.store(0, Ordering::Release);
            }
        }
    }

    /// Returns the address of a file's map, from the kernel's list; LMDB does not tell it.
    fn mapped_at(data: &Path, length: usize) -> Option<usize> {
        let maps = std::fs::read("/proc/self/maps").ok()?;
        let name = data.as_os_str().as_encoded_bytes();
        let taken = |start| REGIONS.iter().any(|slot| slot.start.load(Ordering::Acquire) == start);
        maps.split(|byte| *byte == b'\n').filter(|line| line.ends_with(name)).find_map(|line| {
            let range = std::str::from_utf8(line.split(|byte| *byte == b' ').next()?).ok()?;
            let (start, end) = range.split_once('-')?;
            let [start, end] = [start, end].map(|address| usize::from_str_radix(address, 16).ok());
            let (start, end) = (start?, end?);
            (end - start >= length && !taken(start)).then_some(start)
        })
    }

    pub(super) fn install() {
        if INSTALLED.swap(true, Ordering::AcqRel) {
            return;
        }
        for (signal, before) in SIGNALS.iter().zip(&BEFORE) {
            // SAFETY: zeros are a valid `sigaction`, which the first call fills in; the handler uses nothing but atomics
            // and calls that are safe in one. It runs on the alternate stack that Rust gives its threads.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(*signal, ptr::null(), &mut action) != 0 {
                    continue;
                }
                let _ = before.set(action);
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_fault as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(*signal, &action, ptr::null_mut());
            }
        }
    }

    pub(super) fn survive() {
        install();
        // SAFETY: asks the system for a number.
        if let Ok(bytes) = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }) {
            PAGE_BYTES.store(bytes, Ordering::Relaxed);
        }
        SURVIVING.store(true, Ordering::Release);
    }

    /// Puts zeros in place of the rest of a map, from the page of an address on. Returns false where that is impossible.
    fn cover(address: usize) -> bool {
        let bounds = |slot: &Slot| slot.start.load(Ordering::Acquire)..slot.end.load(Ordering::Acquire);
        let Some(slot) = REGIONS.iter().find(|slot| bounds(slot).contains(&address)) else { return false };
        let (page, end) = (address & !(PAGE_BYTES.load(Ordering::Relaxed) - 1), bounds(slot).end);
        slot.has_faulted.store(true, Ordering::Release);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: replaces a part of the map of a file, which nothing but the store reads, by as many readable bytes; the
        // store unmaps the whole. The call is a single system call, as is safe in a handler.
        let covered = unsafe { libc::mmap(page as *mut libc::c_void, end - page, libc::PROT_READ, flags, -1, 0) };
        covered != libc::MAP_FAILED
    }

    extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the kernel passes a valid `info` to a handler that was set with SA_SIGINFO.
        let (address, raised_by_kernel) = unsafe { ((*info).si_addr() as usize, (*info).si_code > 0) };
        if raised_by_kernel && signal == libc::SIGBUS && SURVIVING.load(Ordering::Acquire) && cover(address) {
            return;
        }
        let message = raised_by_kernel.then(|| message_for(address)).flatten();
        let Some(message) = message else { return pass_on(signal, info, context) };
        if ENDING.swap(true, Ordering::AcqRel) {
            // Another thread is about to end the process.
            loop {
                // SAFETY: waits for a signal, nothing else.
                unsafe { libc::pause() };
            }
        }
        // SAFETY: writes memory that is never freed, and ends the process without running anything.
        unsafe {
            libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
            libc::_exit(1);
        }
    }

    /// Returns the message of the map that an address belongs to.
    fn message_for(address: usize) -> Option<&'static [u8]> {
        let slot = REGIONS.iter().find(|slot| {
            let (start, end) = (slot.start.load(Ordering::Acquire), slot.end.load(Ordering::Acquire));
            start != 0 && (address < LOWEST || (start..end.saturating_add(BEYOND)).contains(&address))
        })?;
        // SAFETY: set before `start`, to a box that is never freed.
        unsafe { slot.message.load(Ordering::Acquire).as_ref() }.map(Vec::as_slice)
    }

    /// Passes a signal on to the handler that was set before.
    fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let at = usize::from(signal == SIGNALS[1]);
        let before = BEFORE[at].get();
        let handler = before.map_or(libc::SIG_DFL, |before| before.sa_sigaction);
        // SAFETY: a handler is called as the kernel would have called it. Without one the default is set again; the
        // instruction that faulted runs again when this returns, and ends the process.
        unsafe {
            match handler {
                libc::SIG_DFL | libc::SIG_IGN => {
                    libc::signal(signal, libc::SIG_DFL);
                }
                handler if before.is_some_and(|before| before.sa_flags & libc::SA_SIGINFO != 0) => {
                    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                        std::mem::transmute(handler);
                    handler(signal, info, context);
                }
                handler => {
                    let handler: extern "C" fn(libc::c_int) = std::mem::transmute(handler);
                    handler(signal);
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use std::path::Path;

    pub(crate) struct Region;

    impl Region {
        pub(crate) fn of(_: &Path, _: usize, _: &Path) -> Self {
            Self
        }

        pub(crate) fn has_faulted(&self) -> bool {
            false
        }
    }

    pub(super) fn install() {}
    pub(super) fn survive() {}
}

//! Requests that wait for each other, to be answered in batches.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use truename::Error;

use crate::base::Base;
use crate::failure::Failure;
use crate::metrics::LaneMetrics;

/// Pause of a stream before it looks again for room in the queue.
const PAUSE: Duration = Duration::from_millis(10);

/// A kind of work that is done in batches.
pub(crate) trait Work: Send + Sync + 'static {
    /// Options; requests with the same share a batch.
    type Options: Send + PartialEq;
    /// A thing asked for.
    type Item: Send;
    /// The answer to an item.
    type Answer: Send;

    /// Returns the size of an item in bytes.
    fn bytes(item: &Self::Item) -> usize;

    /// Returns one answer an item.
    fn answer(&self, base: &Base, options: &Self::Options, items: &[Self::Item]) -> Result<Vec<Self::Answer>, Error>;
}

/// Limits of a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Most requests that wait.
    pub waiting: usize,
    /// Most tokens of a batch, unless a single request has more.
    pub tokens: usize,
    /// Longest time from a request to its answer.
    pub timeout: Duration,
}

/// A bounded queue and the thread that answers its requests.
///
/// While a batch is answered, requests wait; those that came meanwhile are the next batch, up to a number of tokens. A batch is answered
/// on all threads of the rayon pool. A request whose client left is dropped.
pub(crate) struct Lane<W: Work> {
    queue: Arc<Queue<W>>,
    limits: Limits,
}

struct Queue<W: Work> {
    waiting: Mutex<Waiting<W>>,
    arrived: Condvar,
    metrics: LaneMetrics,
}

struct Waiting<W: Work> {
    requests: VecDeque<Request<W>>,
    is_closed: bool,
}

struct Request<W: Work> {
    base: Arc<Base>,
    options: W::Options,
    items: Vec<W::Item>,
    since: Instant,
    reply: oneshot::Sender<Answers<W>>,
}

/// Answers to the items of a request.
type Answers<W> = Result<Vec<<W as Work>::Answer>, Failure>;

impl<W: Work> Request<W> {
    fn new(base: Arc<Base>, options: W::Options, items: Vec<W::Item>) -> (Self, oneshot::Receiver<Answers<W>>) {
        let (reply, answer) = oneshot::channel();
        (Self { base, options, items, since: Instant::now(), reply }, answer)
    }
}

impl<W: Work> Lane<W> {
    /// Starts the thread.
    pub fn start(work: W, limits: Limits, metrics: LaneMetrics) -> Self {
        let waiting = Mutex::new(Waiting { requests: VecDeque::new(), is_closed: false });
        let queue = Arc::new(Queue { waiting, arrived: Condvar::new(), metrics });
        let shared = Arc::clone(&queue);
        thread::spawn(move || shared.run(&work, limits.tokens));
        Self { queue, limits }
    }

    /// Returns the answers to the items of a request.
    ///
    /// # Errors
    /// If the queue is full, the answer takes too long or the work fails.
    pub async fn ask(&self, base: Arc<Base>, options: W::Options, items: Vec<W::Item>) -> Answers<W> {
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let (request, answer) = Request::new(base, options, items);
        self.queue.push(request, self.limits.waiting).map_err(|_| Failure::busy())?;
        self.receive(answer).await
    }

    /// Returns the answers to the items of a request; waits while the queue is full.
    ///
    /// # Errors
    /// If the answer takes too long or the work fails.
    pub async fn ask_patiently(&self, base: Arc<Base>, options: W::Options, items: Vec<W::Item>) -> Answers<W> {
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let (mut request, answer) = Request::new(base, options, items);
        while let Err(refused) = self.queue.push(request, self.limits.waiting) {
            request = refused;
            tokio::time::sleep(PAUSE).await;
        }
        self.receive(answer).await
    }

    async fn receive(&self, answer: oneshot::Receiver<Answers<W>>) -> Answers<W> {
        match tokio::time::timeout(self.limits.timeout, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => Err(Failure::internal(&error)),
            Err(_) => Err(Failure::late(self.limits.timeout)),
        }
    }
}

impl<W: Work> Drop for Lane<W> {
    fn drop(&mut self) {
        self.queue.locked().is_closed = true;
        self.queue.arrived.notify_all();
    }
}

impl<W: Work> Queue<W> {
    fn locked(&self) -> MutexGuard<'_, Waiting<W>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request; returns it if the queue is full.
    fn push(&self, request: Request<W>, most: usize) -> Result<(), Request<W>> {
        let mut waiting = self.locked();
        if waiting.requests.len() >= most {
            return Err(request);
        }
        waiting.requests.push_back(request);
        self.metrics.waiting.set(waiting.requests.len() as i64);
        self.arrived.notify_one();
        Ok(())
    }

    /// Waits for requests; returns those of a batch, or `None` once the lane is closed.
    fn next(&self, most_tokens: usize) -> Option<Vec<Request<W>>> {
        let mut waiting = self.locked();
        while waiting.requests.is_empty() {
            if waiting.is_closed {
                return None;
            }
            waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        let (mut batch, mut tokens) = (Vec::new(), 0);
        while let Some(request) = waiting.requests.pop_front() {
            if request.reply.is_closed() {
                self.metrics.abandoned.inc();
                continue;
            }
            let more: usize = request.items.iter().map(|item| W::bytes(item) / 4 + 1).sum();
            if !batch.is_empty() && tokens + more > most_tokens {
                waiting.requests.push_front(request);
                break;
            }
            tokens += more;
            batch.push(request);
        }
        self.metrics.waiting.set(waiting.requests.len() as i64);
        if !batch.is_empty() {
            self.metrics.batch_requests.observe(batch.len() as f64);
            self.metrics.batch_tokens.observe(tokens as f64);
        }
        Some(batch)
    }

    fn run(&self, work: &W, most_tokens: usize) {
        while let Some(batch) = self.next(most_tokens) {
            for request in &batch {
                self.metrics.queue_seconds.observe(request.since.elapsed().as_secs_f64());
            }
            for group in groups(batch) {
                answer(work, group);
            }
        }
    }
}

/// Splits a batch into requests of the same knowledge base and options.
fn groups<W: Work>(batch: Vec<Request<W>>) -> Vec<Vec<Request<W>>> {
    let mut groups: Vec<Vec<Request<W>>> = Vec::new();
    for request in batch {
        let fits = |group: &&mut Vec<Request<W>>| {
            Arc::ptr_eq(&group[0].base, &request.base) && group[0].options == request.options
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(request),
            None => groups.push(vec![request]),
        }
    }
    groups
}

/// Answers a group together, or each request alone if that fails, so that it fails by its own fault.
fn answer<W: Work>(work: &W, mut group: Vec<Request<W>>) {
    let lengths: Vec<usize> = group.iter().map(|request| request.items.len()).collect();
    let items: Vec<W::Item> = group.iter_mut().flat_map(|request| request.items.drain(..)).collect();
    match attempt(work, &group[0], &items) {
        Ok(answers) => {
            let mut answers = answers.into_iter();
            for (request, length) in group.into_iter().zip(lengths) {
                // Fails if the client left meanwhile.
                let _ = request.reply.send(Ok(answers.by_ref().take(length).collect()));
            }
        }
        Err(failure) if group.len() == 1 => {
            let _ = group.remove(0).reply.send(Err(failure));
        }
        Err(_) => {
            let mut items = items.into_iter();
            for (request, length) in group.into_iter().zip(lengths) {
                let own: Vec<W::Item> = items.by_ref().take(length).collect();
                let answers = attempt(work, &request, &own);
                let _ = request.reply.send(answers);
            }
        }
    }
}

fn attempt<W: Work>(work: &W, request: &Request<W>, items: &[W::Item]) -> Answers<W> {
    let outcome = catch_unwind(AssertUnwindSafe(|| work.answer(&request.base, &request.options, items)));
    match outcome {
        _ if request.base.kb.has_faulted() => Err(Failure::unreadable()),
        Ok(answers) => Ok(answers?),
        // The hook of panics has logged where.
        Err(_) => Err(Failure::internal(&std::io::Error::other(format!("a batch of {} items panicked", items.len())))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::base::Cache;
    use crate::base::Slot;
    use crate::metrics::Metrics;

    /// Returns items as they are after a pause; "bad" is an error, "worse" a panic.
    struct Echo(Arc<AtomicUsize>);

    impl Work for Echo {
        type Options = u8;
        type Item = String;
        type Answer = String;

        fn bytes(item: &String) -> usize {
            item.len()
        }

        fn answer(&self, _: &Base, _: &u8, items: &[String]) -> Result<Vec<String>, Error> {
            self.0.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(40));
            assert!(items.iter().all(|item| item != "worse"));
            match items.iter().any(|item| item == "bad") {
                true => Err(Error::other(std::io::Error::other("bad"))),
                false => Ok(items.to_vec()),
            }
        }
    }

    struct Running {
        lane: Arc<Lane<Echo>>,
        base: Arc<Base>,
        batches: Arc<AtomicUsize>,
        metrics: LaneMetrics,
        _folder: tempfile::TempDir,
    }

    fn running(limits: Limits) -> Running {
        let folder = tempfile::tempdir().unwrap();
        let (file, kb) = (folder.path().join("kb.tsv"), folder.path().join("kb"));
        std::fs::write(&file, "id\tname\nA:1\tasthma\n").unwrap();
        truename::KnowledgeBase::import(&[file], &kb, &Default::default(), false).unwrap();
        let base = Slot::open("kb", Some(&kb), Cache { answers: 1, bytes: 1 << 20 }).unwrap().base().unwrap();
        let (batches, metrics) = (Arc::new(AtomicUsize::new(0)), Metrics::new().names);
        let lane = Arc::new(Lane::start(Echo(Arc::clone(&batches)), limits, metrics.clone()));
        Running { lane, base, batches, metrics, _folder: folder }
    }

    const LIMITS: Limits = Limits { waiting: 100, tokens: 1000, timeout: Duration::from_secs(20) };

    impl Running {
        fn ask(&self, options: u8, item: &str) -> tokio::task::JoinHandle<Result<Vec<String>, Failure>> {
            let (lane, base, item) = (Arc::clone(&self.lane), Arc::clone(&self.base), item.to_owned());
            tokio::spawn(async move { lane.ask(base, options, vec![item]).await })
        }
    }

    #[tokio::test]
    async fn requests_that_wait_are_answered_together() {
        let running = running(LIMITS);
        let first = running.ask(0, "first");
        tokio::time::sleep(Duration::from_millis(20)).await;
        let others: Vec<_> = (0..20u8).map(|at| running.ask(at % 2, &format!("item {at}"))).collect();
        assert_eq!(first.await.unwrap().unwrap(), ["first"]);
        for (at, other) in others.into_iter().enumerate() {
            assert_eq!(other.await.unwrap().unwrap(), [format!("item {at}")]);
        }
        // The first alone, then those with either option.
        assert_eq!(running.batches.load(Ordering::SeqCst), 3);
    }

    #[tokio::test]
    async fn a_batch_ends_at_its_tokens() {
        let running = running(Limits { tokens: 8, ..LIMITS });
        let first = running.ask(0, "first");
        tokio::time::sleep(Duration::from_millis(20)).await;
        // Four tokens each.
        let others: Vec<_> = (0..6).map(|at| running.ask(0, &format!("item number {at}"))).collect();
        for other in [first].into_iter().chain(others) {
            other.await.unwrap().unwrap();
        }
        assert_eq!(running.batches.load(Ordering::SeqCst), 4);
    }

    #[tokio::test]
    async fn each_request_fails_by_its_own_fault() {
        let running = running(LIMITS);
        for fault in ["bad", "worse"] {
            let first = running.ask(0, "first");
            tokio::time::sleep(Duration::from_millis(20)).await;
            let (good, wrong) = (running.ask(0, "good"), running.ask(0, fault));
            assert!(first.await.unwrap().is_ok());
            assert_eq!(good.await.unwrap().unwrap(), ["good"]);
            assert!(wrong.await.unwrap().is_err());
        }
    }

    #[tokio::test]
    async fn a_request_whose_client_left_is_dropped() {
        let running = running(LIMITS);
        let first = running.ask(0, "first");
        tokio::time::sleep(Duration::from_millis(20)).await;
        let gone = running.ask(0, "gone");
        tokio::time::sleep(Duration::from_millis(5)).await;
        gone.abort();
        assert!(first.await.unwrap().is_ok());
        assert!(running.ask(0, "last").await.unwrap().is_ok());
        assert_eq!((running.metrics.abandoned.get(), running.batches.load(Ordering::SeqCst)), (1, 2));
    }

    #[tokio::test]
    async fn what_takes_too_long_and_what_finds_no_room_is_told() {
        let running = running(Limits { waiting: 1, timeout: Duration::from_millis(60), ..LIMITS });
        let first = running.ask(0, "first");
        tokio::time::sleep(Duration::from_millis(20)).await;
        let second = running.ask(1, "second");
        tokio::time::sleep(Duration::from_millis(5)).await;
        let third = running.ask(2, "third").await.unwrap().unwrap_err();
        assert!(format!("{third:?}").contains("503"), "{third:?}");
        assert!(first.await.unwrap().is_ok());
        let second = second.await.unwrap();
        assert!(second.is_ok() || format!("{second:?}").contains("504"), "{second:?}");
    }
}

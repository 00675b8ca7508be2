//! Requests that wait for each other, to be answered in batches.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
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
    reply: oneshot::Sender<Result<Vec<W::Answer>, Failure>>,
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
    pub async fn ask(
        &self,
        base: Arc<Base>,
        options: W::Options,
        items: Vec<W::Item>,
    ) -> Result<Vec<W::Answer>, Failure> {
        let (reply, answer) = oneshot::channel();
        let request = Request { base, options, items, since: Instant::now(), reply };
        self.queue.push(request, self.limits.waiting).map_err(|_| Failure::busy())?;
        self.receive(answer).await
    }

    /// Returns the answers to the items of a request; waits while the queue is full.
    ///
    /// # Errors
    /// If the answer takes too long or the work fails.
    pub async fn ask_patiently(
        &self,
        base: Arc<Base>,
        options: W::Options,
        items: Vec<W::Item>,
    ) -> Result<Vec<W::Answer>, Failure> {
        let (reply, answer) = oneshot::channel();
        let mut request = Request { base, options, items, since: Instant::now(), reply };
        while let Err(refused) = self.queue.push(request, self.limits.waiting) {
            request = refused;
            tokio::time::sleep(PAUSE).await;
        }
        self.receive(answer).await
    }

    async fn receive(
        &self,
        answer: oneshot::Receiver<Result<Vec<W::Answer>, Failure>>,
    ) -> Result<Vec<W::Answer>, Failure> {
        match tokio::time::timeout(self.limits.timeout, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Failure::internal()),
            Err(_) => {
                let seconds = self.limits.timeout.as_secs_f64();
                let message = format!("the answer took longer than {seconds} s");
                Err(Failure::new(StatusCode::GATEWAY_TIMEOUT, message).hint("send fewer names or texts in a request"))
            }
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

fn attempt<W: Work>(work: &W, request: &Request<W>, items: &[W::Item]) -> Result<Vec<W::Answer>, Failure> {
    let outcome = catch_unwind(AssertUnwindSafe(|| work.answer(&request.base, &request.options, items)));
    match outcome {
        Ok(answers) => Ok(answers?),
        Err(_) => {
            tracing::error!("a batch of {} items panicked", items.len());
            Err(Failure::internal())
        }
    }
}

//! Counts and durations for Prometheus.

use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Instant;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

pub(crate) type Counted = Counter;

/// All metrics of a server.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<PathLabels, Histogram>,
    pub names: LaneMetrics,
    pub documents: LaneMetrics,
    pub remembered: Counted,
    pub searched: Counted,
}

/// Metrics of a lane.
#[derive(Clone)]
pub(crate) struct LaneMetrics {
    pub waiting: Gauge,
    pub abandoned: Counter,
    pub queue_seconds: Histogram,
    pub batch_requests: Histogram,
    pub batch_tokens: Histogram,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: String,
    path: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PathLabels {
    path: String,
}

/// A request that is counted on drop: when the last part of its answer is sent, or its client left.
pub(crate) struct CountedRequest {
    requests: Family<RequestLabels, Counter>,
    durations: Family<PathLabels, Histogram>,
    method: String,
    path: String,
    /// Status of the answer; 0 before there is one.
    status: AtomicU16,
    start: Instant,
}

impl CountedRequest {
    pub fn set_status(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }
}

impl Drop for CountedRequest {
    fn drop(&mut self) {
        let (method, path) = (std::mem::take(&mut self.method), std::mem::take(&mut self.path));
        let status = *self.status.get_mut();
        // A client that left before there was an answer is counted by the lane.
        if status > 0 {
            self.requests.get_or_create(&RequestLabels { method, path: path.clone(), status }).inc();
            self.durations.get_or_create(&PathLabels { path }).observe(self.start.elapsed().as_secs_f64());
        }
    }
}

fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(0.0005, 2.0, 16))
}

impl Metrics {
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("truename");
        let requests = Family::default();
        registry.register("requests", "Requests by method, path and status", requests.clone());
        let durations = Family::new_with_constructor(seconds as fn() -> Histogram);
        let what = "Time from a request to the end of its answer, by path";
        registry.register_with_unit("request_duration", what, Unit::Seconds, durations.clone());
        let remembered = Counter::default();
        registry.register("names_remembered", "Names answered from memory", remembered.clone());
        let searched = Counter::default();
        registry.register("names_searched", "Names answered by a search", searched.clone());
        let mut lane = |name: &'static str| {
            let lane = LaneMetrics {
                waiting: Gauge::default(),
                abandoned: Counter::default(),
                queue_seconds: seconds(),
                batch_requests: Histogram::new(exponential_buckets(1.0, 2.0, 12)),
                batch_tokens: Histogram::new(exponential_buckets(4.0, 2.0, 16)),
            };
            let of = registry.sub_registry_with_prefix(name);
            of.register("waiting", "Requests that wait for a batch", lane.waiting.clone());
            of.register("abandoned", "Requests dropped because their client left", lane.abandoned.clone());
            let what = "Time that requests wait for a batch";
            of.register_with_unit("queue", what, Unit::Seconds, lane.queue_seconds.clone());
            of.register("batch_requests", "Requests of a batch", lane.batch_requests.clone());
            of.register("batch_tokens", "Tokens of a batch, of four bytes each", lane.batch_tokens.clone());
            lane
        };
        let (names, documents) = (lane("names"), lane("documents"));
        Self { registry, requests, durations, names, documents, remembered, searched }
    }

    /// Returns a request that comes now.
    pub fn request(&self, method: &str, path: String) -> CountedRequest {
        let (requests, durations, method) = (self.requests.clone(), self.durations.clone(), method.to_owned());
        CountedRequest { requests, durations, method, path, status: AtomicU16::new(0), start: Instant::now() }
    }

    /// Returns all metrics in the text format of Prometheus.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

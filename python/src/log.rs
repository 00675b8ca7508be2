//! Events of the library, as records of Python's `logging`.

use std::fmt::Write;
use std::sync::Once;

use pyo3::prelude::*;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

/// Sends the events of the library to the logger `truename`.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let filter = tracing_subscriber::filter::LevelFilter::INFO;
        let subscriber = tracing_subscriber::registry().with(Logger.with_filter(filter));
        // Fails only where the program has a subscriber of its own.
        let _ = tracing::subscriber::set_global_default(subscriber);
    });
}

struct Logger;

impl<S: Subscriber> Layer<S> for Logger {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = match *event.metadata().level() {
            Level::ERROR => 40,
            Level::WARN => 30,
            _ => 20,
        };
        let mut message = Message(String::new());
        event.record(&mut message);
        // No record is kept of what happens while the interpreter ends, and a handler that fails is no failure of the call.
        let _ = Python::try_attach(|py| {
            let logger = py.import("logging")?.call_method1("getLogger", ("truename",))?;
            logger.call_method1("log", (level, "%s", message.0))?;
            Ok::<_, PyErr>(())
        });
    }
}

/// Fields of an event in one line.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

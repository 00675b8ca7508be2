//! Progress as lines now and then, where stderr is no terminal.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::TermLike;

/// Time before the first line and between two.
const INTERVAL: Duration = Duration::from_secs(10);

/// Draw target of indicatif that prints one state of a bar each 10 s.
#[derive(Debug)]
pub struct ProgressLines(Mutex<Drawn>);

#[derive(Debug)]
struct Drawn {
    text: String,
    printed: Instant,
}

impl ProgressLines {
    pub fn new() -> Self {
        Self(Mutex::new(Drawn { text: String::new(), printed: Instant::now() }))
    }
}

impl TermLike for ProgressLines {
    fn width(&self) -> u16 {
        200
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.write_str(line)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).text.push_str(text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let mut drawn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = std::mem::take(&mut drawn.text);
        if !text.trim().is_empty() && drawn.printed.elapsed() >= INTERVAL {
            drawn.printed = Instant::now();
            crate::say!("{}", text.trim());
        }
        Ok(())
    }
}

//! The binary in a fresh folder.
#![allow(dead_code, reason = "no test file uses all of it")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A fresh folder, and the binary run in it.
pub struct Folder {
    folder: tempfile::TempDir,
}

#[derive(Debug, PartialEq)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

pub const KB: &str = "\
id\tname\ttype
X:1\tmyocardial infarction\tdisease
X:1\theart attack\tdisease
X:2\theart failure\tdisease
X:3\taspirin\tdrug
X:3\tacetylsalicylic acid\tdrug
";

impl Folder {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// With a knowledge base of three concepts in `kb`.
    pub fn with_kb() -> Self {
        let folder = Self::new();
        folder.write("kb.tsv", KB);
        assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb"]), ran(0, "", ""));
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_truename"));
        command.args(arguments).current_dir(self.folder.path()).env_remove("TRUENAME_KB").stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Ran::of(child.wait_with_output().unwrap())
    }
}

impl Ran {
    pub fn of(output: std::process::Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

pub fn ran(code: i32, out: &str, err: &str) -> Ran {
    Ran { code, out: out.into(), err: err.into() }
}

/// A small encoder of random weights. Cargo runs tests in the folder of their crate, which may be elsewhere than it was built.
pub fn model(family: &str) -> String {
    std::path::absolute(format!("../truename-infer/tests/models/{family}")).unwrap().display().to_string()
}

//! Arguments of the form of a table, shared by all commands that read some.

use clap::Args;

/// Form of a table.
#[derive(Args, Clone, Copy)]
pub struct TableArguments {
    /// Delimiter of the columns of a table: , ; tab or | [default: told by the first rows]
    #[arg(long, value_name = "DELIMITER")]
    pub delimiter: Option<Delimiter>,
    /// Rows above the header of a table
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip_rows: u64,
    /// The table has no header; columns are numbers from 1
    #[arg(long)]
    pub no_header: bool,
}

/// The character between two cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delimiter(pub u8);

impl std::str::FromStr for Delimiter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "," => Ok(Self(b',')),
            ";" => Ok(Self(b';')),
            "|" => Ok(Self(b'|')),
            "tab" | "\t" | "\\t" => Ok(Self(b'\t')),
            _ => Err("a delimiter is one of , ; tab |".into()),
        }
    }
}

use clap::Args;

use super::Delimiter;

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

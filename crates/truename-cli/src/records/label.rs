//! Questions about pairs on the terminal, and the answers to them.

use std::io::BufRead;
use std::path::Path;

use truename_eval::{FittedPairModel, PairLabelling, PairModelSource, Question};
use truename_read::folded;
use truename_records::{ComparedTables, side_by_side};

use crate::{atomic_file, interrupt};

/// Widest value that is shown whole, in letters.
const WIDEST: usize = 60;

/// Asks for pairs on stderr, doubtful ones first, and reads answers from stdin, until it ends, `q` or the last pair. The file has each
/// answer before the next question.
pub fn ask(
    path: &Path,
    source: PairModelSource,
    compared: ComparedTables<'_>,
    threshold: f64,
) -> anyhow::Result<FittedPairModel> {
    let mut labelling = PairLabelling::new(source, compared, threshold)?;
    let mut answers = std::io::stdin().lock();
    let mut answered: Vec<Question> = Vec::new();
    let mut again = None;
    crate::say!("are both of the same thing? y yes, n no, ? not sure, u take back the last answer, q stop");
    while let Some(question) = match again.take() {
        Some(question) => Some(question),
        None => labelling.questions(compared, 1)?.first().copied(),
    } {
        show(&labelling, compared, question);
        let (of, is_same) = match Answer::read(&mut answers)? {
            Answer::Is(is_same) => (question, Some(is_same)),
            Answer::Unsure => (question, None),
            Answer::Back => {
                again = answered.pop();
                let Some(last) = again else {
                    again = Some(question);
                    continue;
                };
                (last, None)
            }
            Answer::Stop => break,
        };
        if again.is_none() {
            answered.push(question);
        }
        labelling.answer(compared.tables, of, is_same);
        atomic_file::write(path, &labelling.to_csv())?;
    }
    Ok(labelling.finish(compared)?)
}

/// An answer to a question.
enum Answer {
    /// True if both records stand for the same thing.
    Is(bool),
    Unsure,
    /// The last answer is taken back.
    Back,
    Stop,
}

impl Answer {
    /// Reads lines up to the next answer; the end of the input stops.
    fn read(lines: &mut impl BufRead) -> anyhow::Result<Self> {
        loop {
            interrupt::check()?;
            let mut line = String::new();
            if lines.read_line(&mut line)? == 0 {
                return Ok(Self::Stop);
            }
            match line.trim().to_lowercase().as_str() {
                "y" | "yes" | "1" => return Ok(Self::Is(true)),
                "n" | "no" | "0" => return Ok(Self::Is(false)),
                "?" => return Ok(Self::Unsure),
                "u" | "undo" => return Ok(Self::Back),
                "q" | "quit" => return Ok(Self::Stop),
                _ => crate::say!("y yes, n no, ? not sure, u take back the last answer, q stop"),
            }
        }
    }
}

/// Shows the columns of both records, one above the other.
fn show(labelling: &PairLabelling, compared: ComparedTables<'_>, question: Question) {
    let tables = compared.tables;
    let (left, right) = tables.tables().records(question.pair);
    let names = (tables.left.row_name(question.pair.left), tables.right().row_name(question.pair.right));
    let (labels, matches) = labelling.counts();
    crate::say!(
        "\n{} and {}, probability {:.2} ({labels} labelled, {matches} the same)",
        names.0,
        names.1,
        question.probability
    );
    let widths = (
        width(left.fields().chain(right.fields()).map(|(name, _)| name)),
        width(left.fields().map(|(_, value)| value)),
    );
    let lines = side_by_side(left, right).into_iter().map(|(name, left, right)| (name, [short(left), short(right)]));
    for (name, values) in lines.filter(|(_, values)| values.iter().any(|value| !value.is_empty())) {
        let sign = if folded(&values[0]) == folded(&values[1]) { ' ' } else { '|' };
        crate::say!("  {name:<0$}  {1:<2$} {sign} {3}", widths.0, values[0], widths.1, values[1]);
    }
}

fn width<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count().min(WIDEST)).max().unwrap_or_default()
}

/// Returns a value on one line, cut where it is wide.
fn short(value: &str) -> String {
    let line = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(WIDEST - 1) {
        Some((end, _)) if line.chars().count() > WIDEST => format!("{}…", &line[..end]),
        _ => line,
    }
}

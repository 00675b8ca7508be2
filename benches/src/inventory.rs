//! Names of products as inventories write them, by a generator of its own: `calibrate` asks for other versions, words and vendors.

/// What an inventory writes before a name.
const BEFORE: [&str; 8] = ["Dell EMC ", "HP ", "Fujitsu ", "The ", "hosted ", "legacy ", "PROD-", "CA Technologies "];
/// What it writes behind a name; `#` stands for a number, `@` for a letter.
const BEHIND: [&str; 22] = [
    " #.#",
    " #.x",
    " r#",
    " rel #.#",
    " (v#)",
    " #@",
    " #.#.#-#",
    " R# SP#",
    " ver. #",
    "-#.#",
    " # and up",
    " build #####",
    " rev @",
    " (EOL 20##)",
    " Premium",
    " Ultimate Edition",
    " Datacenter #",
    " (on-prem)",
    " for Linux on Z",
    " amd64",
    " DR site",
    " patch level #",
];

/// Returns the name with words before or behind it, or both.
pub fn written(name: &str, seed: u64) -> String {
    let mut state = seed | 1;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(3_202_034_522_624_059_733).wrapping_add(1);
        (state >> 33) % limit
    };
    let before = if below(4) == 0 { BEFORE[below(BEFORE.len() as u64) as usize] } else { "" };
    let behind = if before.is_empty() || below(2) == 0 { BEHIND[below(BEHIND.len() as u64) as usize] } else { "" };
    let filled = behind.chars().map(|letter| match letter {
        '#' => char::from(b'0' + below(10) as u8),
        '@' => char::from(b'A' + below(8) as u8),
        letter => letter,
    });
    format!("{before}{name}{}", filled.collect::<String>())
}

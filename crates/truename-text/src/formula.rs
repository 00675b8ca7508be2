//! Molecular formulas: `CO` is no `CO2`.

use std::collections::BTreeMap;

/// Symbols of elements that formulas of compounds have.
const SYMBOLS: [&str; 30] = [
    "Ag", "Al", "B", "Ba", "Br", "C", "Ca", "Cl", "Co", "Cu", "F", "Fe", "H", "Hg", "I", "K", "Li", "Mg", "Mn", "N",
    "Na", "Ni", "O", "P", "Pb", "S", "Si", "Sn", "Ti", "Zn",
];
/// Bytes of the longest name that is read as a formula.
const LONGEST: usize = 20;

/// Returns true if two names are molecular formulas of other atoms, one of them with a number (`H2O` and `H2O2`).
pub fn differ_in_formula(one: &str, other: &str) -> bool {
    let has_digit = |name: &str| name.bytes().any(|byte| byte.is_ascii_digit());
    (has_digit(one) || has_digit(other)) && atoms(one).zip(atoms(other)).is_some_and(|(one, other)| one != other)
}

/// Returns the atoms of each element of a molecular formula; `None` for other names, and for one atom.
fn atoms(name: &str) -> Option<BTreeMap<&'static str, usize>> {
    let (mut atoms, mut rest) = (BTreeMap::new(), name);
    if name.len() > LONGEST {
        return None;
    }
    while !rest.is_empty() {
        let begins = |symbol: &&&str| rest.starts_with(**symbol);
        let symbol = SYMBOLS.iter().filter(begins).max_by_key(|symbol| symbol.len())?;
        let behind = &rest[symbol.len()..];
        rest = behind.trim_start_matches(|c: char| c.is_ascii_digit());
        let count = &behind[..behind.len() - rest.len()];
        *atoms.entry(*symbol).or_default() += if count.is_empty() { 1 } else { count.parse().ok()? };
    }
    (atoms.values().sum::<usize>() > 1).then_some(atoms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_of_other_atoms_differ() {
        for (one, other) in [("CO", "CO2"), ("H2O", "H2O2"), ("C6H12", "C6H12O6"), ("CaCl2", "NaCl"), ("NO", "NO2")] {
            assert!(differ_in_formula(one, other) && differ_in_formula(other, one), "{one} / {other}");
        }
        for (one, other) in [
            ("CO2", "O2C"),
            ("C2H5OH", "C2H6O"),
            ("CO", "NO"),
            ("IL2", "IL"),
            ("I", "I2"),
            ("CO2", "carbon dioxide"),
            ("", "O2"),
        ] {
            assert!(!differ_in_formula(one, other), "{one} / {other}");
        }
    }
}

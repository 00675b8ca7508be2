//! Names of institutions, in which the words beside the kind tell one from another.

use crate::NormalizedName;

/// Words for kinds of institutions, in their normal form.
const KINDS: [&str; 27] = [
    "banca",
    "banco",
    "bank",
    "banque",
    "clinic",
    "clinica",
    "clinique",
    "college",
    "hopital",
    "hospital",
    "hospitals",
    "klinik",
    "klinikum",
    "krankenhaus",
    "ospedale",
    "politecnico",
    "polyclinic",
    "sparkasse",
    "stadtwerke",
    "universidad",
    "universidade",
    "universita",
    "universitat",
    "universite",
    "universiteit",
    "university",
    "volksbank",
];
/// Endings of such names in Chinese, Japanese and Korean.
const ENDINGS: [&str; 11] =
    ["大学", "大學", "医院", "醫院", "病院", "银行", "銀行", "병원", "대학교", "은행", "研究所"];

/// Returns true for the name of a hospital, university or bank, by the word that says so.
pub fn is_institution(name: &str) -> bool {
    let name = NormalizedName::new(name);
    name.tokens().count() > 1 && name.tokens().any(|word| KINDS.contains(&word))
        || ENDINGS.iter().any(|ending| name.as_str().strip_suffix(ending).is_some_and(|rest| !rest.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn institutions_have_a_kind_and_a_name() {
        for name in
            ["Hospital Clinic Madrid", "Hôpital Saint-Louis", "Université de Lyon", "三菱住友銀行", "大阪市立大学"]
        {
            assert!(is_institution(name), "{name}");
        }
        for name in ["hospital", "銀行", "lung cancer", ""] {
            assert!(!is_institution(name), "{name}");
        }
    }
}

//! Parts of compound words, as of "hydrocortisone".

/// Combining forms after which a compound word goes on with another word, sorted.
#[rustfmt::skip]
const COMBINING_FORMS: &[&str] = &[
    "acetyl", "acyl", "adeno", "adren", "adreno", "alkyl", "allo", "allyl", "amido", "amino", "angio", "anti",
    "arterio", "aryl", "atrio", "audio", "auto", "aza", "azo", "bacterio", "benzo", "benzyl", "bi", "bio", "bis",
    "bromo", "broncho", "butyl", "carb", "carbo", "carboxy", "cardio", "cerebro", "chemo", "chloro", "chole",
    "cholecysto", "chondro", "co", "colo", "contra", "counter", "cranio", "crypto", "cyano", "cyclo", "cyto",
    "deca", "dehydro", "deoxy", "dermato", "desoxy", "di", "duodeno", "echo", "ecto", "electro", "encephalo",
    "endo", "enol", "entero", "epi", "ergo", "erythro", "esophago", "ethoxy", "ethyl", "ethylene", "exo", "extra",
    "fibro", "fluoro", "formyl", "galacto", "gastro", "geo", "glomerulo", "gluco", "glutamyl", "glycero", "glyco",
    "granulo", "haemo", "hemi", "hemo", "hepato", "hepta", "hetero", "hexa", "hexyl", "histidyl", "histo", "homo",
    "hydro", "hydroxy", "hyper", "hypo", "hystero", "imido", "immuno", "infra", "inter", "intra", "iodo", "iso",
    "kerato", "keto", "laryngo", "leuco", "leucyl", "leuko", "lipo", "lympho", "macro", "malonyl", "mammo", "mega",
    "meningo", "mercapto", "meta", "methoxy", "methyl", "methylene", "metro", "micro", "mono", "muco", "multi",
    "musculo", "myco", "myo", "nano", "naso", "neo", "nephro", "neuro", "nitro", "nitroso", "non", "nor", "nucleo",
    "octa", "oculo", "oesophago", "oligo", "organo", "oro", "ortho", "osteo", "oto", "ovario", "over", "oxo", "oxy",
    "pan", "pancreatico", "pancreato", "para", "patho", "penta", "pentyl", "peri", "pharmaco", "pharyngo", "pheno",
    "phenyl", "phosphatidyl", "phospho", "phosphoryl", "photo", "physio", "phyto", "plasmo", "pluri", "pneumo",
    "poly", "post", "pre", "pro", "propyl", "propylene", "proteo", "pseudo", "psycho", "pyro", "quadri", "rachi",
    "radio", "recto", "retino", "retro", "rhino", "ribo", "salpingo", "schizo", "scinti", "sclero", "semi", "sero",
    "seryl", "sialo", "socio", "somato", "sono", "spectro", "sperma", "spermato", "spino", "spleno", "steato",
    "stereo", "stomato", "sub", "succinyl", "sulf", "sulfo", "sulpho", "super", "supra", "tele", "tetra", "thermo",
    "thio", "thoraco", "thrombo", "thyro", "thyroid", "tomo", "toxo", "tracheo", "trans", "tri", "tris", "tropo",
    "tuberculo", "turbo", "typo", "tyrosyl", "ultra", "under", "uni", "urethro", "uro", "utero", "vagino", "vaso",
    "veno", "ventriculo", "vertebro", "vestibulo", "video", "vinyl", "viscero", "vitro", "xeno", "zymo",
];

/// Letters of the shortest and longest combining form.
const COMBINING_LETTERS: std::ops::RangeInclusive<usize> = 2..=12;

/// Compounds are taken apart in this many bytes.
pub(super) const COMPOUND_BYTES: usize = 64;

/// Returns the bytes of a compound word at which a part begins, as a set of bits.
pub(super) fn boundaries(word: &str) -> u64 {
    let lower = word.to_ascii_lowercase();
    let mut found = 0u64;
    for start in 0..lower.len().min(COMPOUND_BYTES) {
        let follows_letter = start > 0 && lower.as_bytes()[start - 1].is_ascii_alphanumeric();
        if follows_letter && found & (1 << start) == 0 {
            continue;
        }
        for end in COMBINING_LETTERS.map(|length| start + length).take_while(|end| *end < COMPOUND_BYTES) {
            let is_form = lower.get(start..end).is_some_and(|piece| COMBINING_FORMS.binary_search(&piece).is_ok());
            found |= u64::from(is_form) << end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combining_forms_are_sorted() {
        assert!(COMBINING_FORMS.is_sorted());
        assert!(COMBINING_FORMS.iter().all(|form| COMBINING_LETTERS.contains(&form.len())));
    }
}

//! Negation and its end, sentence by sentence.

use super::{Assertion, AssertionRules};
use crate::Span;

/// Returns the text of a marked sentence and its mentions: `{}` for negated ones, `[]` for others.
fn read(marked: &str) -> (String, Vec<(Span, bool)>) {
    let (mut text, mut mentions, mut start) = (String::new(), Vec::new(), 0);
    for c in marked.chars() {
        match c {
            '{' | '[' => start = text.len(),
            '}' | ']' => mentions.push((Span::new(start, text.len()), c == '}')),
            _ => text.push(c),
        }
    }
    (text, mentions)
}

#[track_caller]
fn check(sentences: &[&str]) {
    let wrong: Vec<String> = sentences
        .iter()
        .filter_map(|marked| {
            let (text, mentions) = read(marked);
            let (spans, expected): (Vec<Span>, Vec<bool>) = mentions.into_iter().unzip();
            let found = AssertionRules::english().of_passage(&text, Span::new(0, text.len()), &spans);
            let negated: Vec<bool> = found.iter().map(|found| found.contains(Assertion::Negated)).collect();
            (negated != expected).then(|| format!("{marked:?}: negated {negated:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_list_is_negated_to_its_end() {
    check(&[
        "no {fever}, {cough}, or {chills}",
        "no evidence of {pneumonia} or {effusion}",
        "Denies {fever}, {chills}, {nausea}, and {vomiting}.",
        "NO {FEVER}, {COUGH} OR {CHILLS}",
        "No {fever}, {cough}, or {chills} reported.",
        "No {fever}, {cough}, or {chills} noted.",
        "No {fever} was noted.",
        "{Fever} not noted, [cough] noted.",
        "No {fever}, {cough}, or {chills} present.",
        "No {consolidation}, {effusion} or {pneumothorax} is present.",
        "No {murmurs}, {rubs}, and {gallops} are present.",
        "No {fever} is present.",
        "No {fever} present.",
        "No reports of {fever} or {cough}.",
        "Denies any reports of {chest pain}.",
        "No recent reports of {seizure}.",
        "There is no {rash}, no {cough}, and no {edema}.",
        "Patient no longer has {fever}.",
        "No patient has {fever}.",
        "Not positive for {influenza}.",
        "He is no longer positive for {influenza}.",
        "No positive cultures for {MRSA}.",
        "Denies being positive for {COVID}.",
        "Negative for {fever}, {cough} and {chills}.",
        "Negative: {fever}, {cough}",
        "{Fever}, {cough} and {chills} absent.",
        "{Fever}: negative",
        "{Pneumonia} was negative.",
        "without {fever} or\nof a {cough}",
        "absent {breath sounds}, {wheezes}",
        "Denied {fever}, {cough}.",
        "No present evidence of {pneumonia}.",
        "She had no {fever}, denies {cough}.",
        "denies that he has {asthma}",
        "No indication that he has {asthma}.",
        "He no longer reports {pain}.",
        "No longer endorses {insomnia} or {anxiety}.",
        "Never complains of {pain}.",
        "Blood cultures for {MRSA}, negative to date",
        "{Fever}, {cough}, negative.",
        "{Fever}, denied by the patient",
    ]);
}

#[test]
fn but_and_a_verb_behind_it_end_a_negation() {
    check(&[
        "No {fever}, but had [pneumonia]",
        "No {fever}, but has [pneumonia].",
        "No {fever} but had [pneumonia], [cough]",
        "NO {FEVER}, BUT HAD [PNEUMONIA]",
        "No {fever}, but he had [pneumonia].",
        "No {fever} but does have [pneumonia].",
        "No {fever}, but is having [chills].",
        "No {fever} but reports [chills].",
        "No {fever} but positive for [chills].",
        "No {fever}, but [chills] present.",
        "Denies {fever} but had a [cough] last week.",
        "Denied {fever}, but the patient had [cough].",
        "Without {fever} but had\n[pneumonia]",
        "No {fever} and had [pneumonia].",
        "No {fever} and has [pneumonia].",
        "No {fever}, and has [pneumonia].",
        "No {fever}, had [pneumonia].",
        "No {fever}, however had [pneumonia].",
        "No {fever}, yet had [pneumonia].",
        "No {fever}; had [pneumonia].",
        "No {fever} though had [pneumonia].",
        "No {fever}. But had [pneumonia].",
        "Negative for {flu} but had [pneumonia], no {cough}.",
        "Had [pneumonia], but no {fever}.",
    ]);
}

#[test]
fn positive_is_the_contrary_of_negative() {
    check(&[
        "Negative for {fever}, positive for [pneumonia].",
        "Negative for {fever} and positive for [pneumonia].",
        "NEGATIVE FOR {FEVER}, POSITIVE FOR [PNEUMONIA]",
        "Negative for {fever}, {cough}, positive for [pneumonia], [chills].",
        "Positive for [pneumonia], negative for {fever}.",
        "Neg for {fever}, pos for [pneumonia].",
        "Neg for {fever}, {cough}; pos for [pneumonia].",
        "No {fever}, positive for [cough].",
        "Denies {fever}, positive for [cough].",
        "Negative for {influenza}\nPositive for [RSV]",
        "[Pneumonia] positive, {fever} negative.",
        "[Pneumonia] positive and {fever} negative.",
        "[PNEUMONIA] POSITIVE, {FEVER} NEGATIVE",
        "{Fever} negative, [pneumonia] positive.",
        "{Fever} negative and [pneumonia] positive.",
        "{Fever} negative but [pneumonia] positive.",
        "[Pneumonia]: positive, {fever}: negative",
        "[Pneumonia]: positive. {Fever}: negative.",
        "[Pneumonia] positive; {fever} negative;",
        "[Pneumonia] positive, {fever} negative, [RSV] positive, {flu} negative.",
        "[RSV] pos, {flu} neg",
        "{Flu} neg, [RSV] pos",
        "[Pneumonia] is positive, {fever} is negative.",
        "{Fever} is negative, [pneumonia] is positive.",
        "{Flu} was negative, and [RSV] was positive.",
        "Positive [pneumonia], negative {fever}.",
        "Negative {fever}, positive [pneumonia].",
        "[HIV] (positive), {HCV} (negative)",
        "No {fever}, [RSV] positive.",
        "ROS: negative for {fever}, {chills}. Positive for [cough].",
        "{HIV}-negative, [HCV]-positive.",
        "Tests negative for {flu}, tests positive for [RSV].",
    ]);
}

#[test]
fn a_verb_of_report_ends_a_denial() {
    check(&[
        "Denies {fever}, admits [cough].",
        "Denies {fever}, admits to [cough].",
        "Denies {fever}, endorses [cough].",
        "Denies {fever}, reports [cough].",
        "Denies {fever}, complains of [cough].",
        "DENIES {FEVER}, ADMITS TO [COUGH]",
        "Denies {fever}, {chills}, endorses [cough] and [nausea].",
        "Denies {fever} and endorses [cough].",
        "Denies {fever}, acknowledges [cough].",
        "Denies {fever}, notes [cough].",
        "Denies {fever}, describes [cough].",
        "Denies {fever}, states she has [cough].",
        "Denies {fever}, she reports [cough].",
        "Denied {fever}, admitted [cough].",
        "Denied {fever}, admitted to [cough].",
        "Denied {fever}, endorsed [cough].",
        "Denied {fever}, reported [cough].",
        "Denied {fever}, complained of [cough].",
        "Denies {fever}, is complaining of [cough].",
        "Denies {fever}\nbut admits [cough]",
        "Denies {fever}; reports [cough]",
        "Admits [cough], denies {fever}.",
        "Admits [cough], denied {fever}.",
        "Reports [cough], denies {fever}, reports [nausea].",
        "{Fever} denied, [cough] admitted.",
        "[Cough] admitted, {fever} denied.",
        "{Fever} denied, [cough] reported.",
        "No {rash}, [fever] noted",
        "No {rash}, [fever] was noted on day 2.",
        "Denies {chest pain}, [edema] observed.",
        "[Cough] reported, {fever} denied.",
        "Denies {fever}, reports no {cough}.",
        "Does not endorse {fever}, endorses [cough].",
        "Does not endorse {fever}, does endorse [cough].",
        "Denies {fever}, does report [cough].",
        "Denies {fever}, did admit to [cough].",
        "Denies {fever}, confirms [cough].",
        "Does not report {fever} or {cough}.",
    ]);
}

#[test]
fn a_clause_with_a_verb_of_having_ends_a_negation() {
    check(&[
        "No {fever}, has [cough]",
        "No {fever}, but has [cough]",
        "No {fever}, does have [cough].",
        "No {fever} but does have [cough].",
        "No {fever}, is having [cough].",
        "No {fever} and is having [cough].",
        "NO {FEVER}, HAS [COUGH]",
        "No {fever}, {chills}, has [cough] and [nausea].",
        "No {fever}, he has [cough].",
        "No {fever}, she has [cough].",
        "No {fever}, patient has [cough].",
        "No {fever}, the patient has [cough].",
        "No {fever}, pt has [cough].",
        "No {fever}, they have [cough].",
        "No {fever}, he is having [cough].",
        "No {fever}, he does have [cough].",
        "No {fever}, did have [cough].",
        "No {fever}, was having [cough].",
        "No {fever}, has had [cough].",
        "No {fever}; has [cough]",
        "No {fever}\nHas [cough]",
        "No {fever} and she has [cough].",
        "No {fever}, experienced [cough].",
        "No {fever}, has no {cough}.",
        "No {fever}, has not had {cough}.",
        "No {fever}, has denied {cough}.",
        "Has [cough], no {fever}, has [rash].",
        "No {fever}, also has [cough].",
        "No {fever} and still has [cough].",
        "She never had {fever}, has [cough].",
        "Neither {fever} nor {rash}, has [cough].",
    ]);
}

#[test]
fn an_answer_acts_on_the_item_before_it() {
    check(&[
        "{Fever}: no. [Cough]: yes.",
        "{Fever}: No. [Cough]: Yes.",
        "{FEVER}: NO. [COUGH]: YES.",
        "{Fever}: no, [cough]: yes",
        "{Fever}: no; [cough]: yes;",
        "{Fever}: no\n[Cough]: yes\n",
        "{Fever}: no\n\n[Cough]: yes",
        "{fever}: no\n[cough]: yes",
        "{Fever}: no.\n[cough]: yes.",
        "He had no\n{fever}",
        "- {Fever}: no\n- [Cough]: yes",
        "[Cough]: yes. {Fever}: no.",
        "[Cough]: yes, {fever}: no",
        "[Cough] yes, {fever} no",
        "{Fever} - no, [cough] - yes",
        "{Fever} no, {chills} no, [cough] yes",
        "{Fever}: no. {Chills}: no. [Cough]: yes. {Rash}: no.",
        "{Fever}: none. [Cough]: mild.",
        "{Fever}: no. 3 days of [cough].",
        "{Chest pain}: no. [Shortness of breath]: yes.",
        "{Fever} (no), [cough] (yes)",
        "{Fever} = no, [cough] = yes",
        "No, [fever] persists.",
        "He was asked and said no. [Cough] persists.",
        "Any {fever}: no. Has [cough].",
        "{Fever} no | [cough] yes",
    ]);
}

#[test]
fn absent_and_present_act_on_the_item_before_them() {
    check(&[
        "{fever} absent, [cough] present",
        "{Fever} absent, [cough] present.",
        "{FEVER} ABSENT, [COUGH] PRESENT",
        "{Fever} absent and [cough] present.",
        "{Fever} absent but [cough] present.",
        "{Fever} absent; [cough] present.",
        "{Fever} absent\n[Cough] present\n",
        "{Fever} absent. [Cough] present.",
        "{Fever}: absent, [cough]: present",
        "{Fever} (absent), [cough] (present)",
        "[Cough] present, {fever} absent",
        "[Cough] present and {fever} absent.",
        "[Cough] present, {fever} absent, [rash] present, {edema} absent.",
        "{Fever} is absent, [cough] is present.",
        "[Cough] is present, {fever} is absent.",
        "[Cough] is present and {fever} is absent.",
        "{Rales} were absent, [wheezes] were present.",
        "[Wheezes] were present, {rales} were absent.",
        "{Fever} and {chills} absent, [cough] present.",
        "Absent {fever}, [cough] present.",
        "No {fever}, [cough] present.",
        "No {fever}, [cough] is present.",
        "Denies {fever}, {chills}, [cough] is present.",
        "No {fever}, [cough] has been present for 3 days.",
        "{Fever} not present, [cough] present.",
        "{Fever} is not present, [cough] is.",
        "Absent {breath sounds}.",
    ]);
}

#[test]
fn no_before_a_number_is_no_trigger() {
    check(&[
        "No. 5 patient had [fever]",
        "no. 5 patient had [fever]",
        "NO. 5 PATIENT HAD [FEVER]",
        "No.5 patient had [fever]",
        "No. 12 had [fever] and [cough]",
        "No. #5 had [fever]",
        "Patient No. 5 had [fever].",
        "Patient no 5 had [fever].",
        "Case no. 7: [pneumonia]",
        "Case no 7 had [pneumonia].",
        "Room no 7: [pneumonia]",
        "Bed No. 3, [pneumonia]",
        "Report No. 1123 shows [pneumonia].",
        "Chart No. A17, [fever].",
        "No. of [fever] episodes: 3",
        "[Fever] in patient no. 5.",
        "[Fever] in bed no. 3, [cough]",
        "No. 5 patient had no {fever}.",
        "No. 5 patient denied {fever}, had [cough].",
        "No 5 mm {nodule}.",
        "No two {lesions}.",
        "Patient no longer has {fever}.",
        "{Fever}: no. 5 days of [cough].",
    ]);
}

#[test]
fn signs_act_on_the_item_before_them() {
    check(&[
        "No {fever}, [cough] +",
        "Negative for {fever}, [cough] (+).",
        "[Cough] +, {fever} neg",
        "No {fever}, [cough] +ve",
        "No {fever}, +[cough]",
        "{Fever} -ve, [cough] +ve",
        "[Cough] +ve, {fever} -ve",
        "-ve for {fever}, {cough}; +ve for [rash]",
        "-ve for {fever}, +ve for [rash]",
    ]);
}

#[test]
fn ends_of_negation_leave_other_assertions() {
    for (text, mention, expected) in [
        ("Call if patient reports fever", "fever", "hypothetical"),
        ("Return if she has chills, has fever", "fever", "hypothetical"),
        ("History of asthma, positive for HIV", "HIV", "historical"),
        ("History of asthma, reports cough", "cough", ""),
        ("Possible asthma, has cough", "cough", ""),
        ("Mother had diabetes, the patient has cough", "cough", ""),
    ] {
        let start = text.find(mention).unwrap();
        let span = Span::new(start, start + mention.len());
        let found = AssertionRules::english().of_passage(text, Span::new(0, text.len()), &[span]);
        assert_eq!(found[0].to_string(), expected, "{text:?}");
    }
}

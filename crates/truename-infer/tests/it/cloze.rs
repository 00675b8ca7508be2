//! The prompt that shows all candidates at once, token by token.

use std::path::Path;

use truename_infer::{
    CandidateScore, Checkpoint, ClozeCandidate, ClozeConfig, ClozePrompt, ClozeQuery, ClozeTokens, Question, Tokenizer,
};
use truename_text::Span;

/// Longest text of the model.
const WINDOW: usize = 48;

/// A tokenizer with the tokens of a prompt of three candidates.
fn tokenizer(config: &ClozeConfig) -> Tokenizer {
    let mut checkpoint = Checkpoint::open(Path::new("tests/models/bert")).unwrap();
    let Checkpoint::Transformer(transformer) = &mut checkpoint else { panic!("a transformer") };
    let tokens = config.special_tokens();
    transformer.add_special_tokens(&tokens, 1).unwrap();
    checkpoint.tokenizer().unwrap()
}

fn config(question: Question) -> ClozeConfig {
    let mut config = ClozeConfig::new(WINDOW);
    (config.candidates, config.name_tokens, config.question) = (3, 14, question);
    config
}

/// Candidates by their names.
fn candidates<'a>(names: &[&[&'a str]]) -> Vec<ClozeCandidate<'a>> {
    names.iter().map(|names| names.to_vec().into()).collect()
}

/// Returns the pieces of a prompt: special tokens by name, others by their text.
fn shown(config: &ClozeConfig, query: &ClozeQuery<'_>) -> Vec<String> {
    let tokenizer = tokenizer(config);
    let prompt = ClozePrompt::new(config.clone(), &tokenizer).unwrap().tokens(query, &tokenizer).unwrap();
    let special = config.special_tokens();
    let special: Vec<&str> = special.iter().map(|token| &*token.name).chain(["[CLS]", "[SEP]", "[MASK]"]).collect();
    let ids = prompt.sequence.input.ids();
    assert_eq!(tokenizer.id("[MASK]"), Some(ids[prompt.mask]), "the mask");
    let texts: Vec<&str> = texts(query, config.question);
    let piece = |(at, id): (usize, &u32)| match special.iter().find(|name| tokenizer.id(name) == Some(*id)) {
        Some(name) => (*name).to_owned(),
        None => {
            prompt.sequence.places[at].map_or("?".to_owned(), |place| texts[place.text][place.span.range()].to_owned())
        }
    };
    ids.iter().enumerate().map(piece).collect()
}

/// The texts of the slots in their order; names as the prompt orders them.
fn texts<'a>(query: &ClozeQuery<'a>, question: Question) -> Vec<&'a str> {
    let mention = &query.text[query.span.range()];
    let mut texts = vec![&query.text[..query.span.start], mention, &query.text[query.span.end..]];
    if question != Question::None {
        texts.push(mention);
    }
    texts.extend(query.candidates.iter().flat_map(|candidate| &candidate.names));
    texts
}

#[test]
fn a_prompt_has_the_context_the_question_and_all_candidates() {
    let text = "flu, not heart attack";
    let query = ClozeQuery {
        text,
        span: Span::new(9, 21),
        candidates: candidates(&[&["heart attack", "infarction"], &["flu"]]),
    };
    let found = shown(&config(Question::Mention), &query).join(" ");
    let expected = "[CLS] flu , not [START] heart attack [END] heart attack [MASK] [SEP] \
                    [E1] heart attack [OR] infarction [SEP] [E2] flu [SEP]";
    assert_eq!(joined(&found), joined(expected));
    let found = shown(&config(Question::None), &query).join(" ");
    assert_eq!(joined(&found), joined(&expected.replace("[END] heart attack [MASK]", "[END] [MASK]")));
    // The likest name comes first, not the longest with the same words in it.
    let names = vec!["infarction", "heart not attack flu", "heart attack"];
    let config_of = config(Question::None);
    let tokenizer_of = tokenizer(&config_of);
    let prompt = ClozePrompt::new(config_of, &tokenizer_of).unwrap();
    let likest = |names: Vec<&'static str>| {
        let query = ClozeQuery { candidates: vec![names.into()], ..query.clone() };
        prompt.tokens(&query, &tokenizer_of).unwrap().sequence.input.ids().to_vec()
    };
    assert_eq!(likest(names), likest(vec!["heart attack", "heart not attack flu", "infarction"]));
    // What several candidates are called tells them not apart.
    let named = |first: Vec<&'static str>| {
        let query = ClozeQuery { candidates: vec![first.into(), vec!["Heart attack"].into()], ..query.clone() };
        prompt.tokens(&query, &tokenizer_of).unwrap().sequence.input.ids().to_vec()
    };
    assert_eq!(named(vec!["heart attack", "infarction"]), named(vec!["infarction", "heart attack"]));
    let query = ClozeQuery { text: "flu", span: Span::new(0, 3), candidates: candidates(&[&["flu"]]) };
    let config = config(Question::Words);
    let tokenizer = tokenizer(&config);
    let found = ClozePrompt::new(config, &tokenizer).unwrap().tokens(&query, &tokenizer).unwrap();
    let ids = |text: &str| {
        let tokens = tokenizer.tokens(text).unwrap().ids;
        tokens[1..tokens.len() - 1].to_vec()
    };
    let special = |name: &str| vec![tokenizer.id(name).unwrap()];
    let mention = [special("[CLS]"), special("[START]"), ids("flu"), special("[END]")];
    let question = [ids("Which of the following options is the same as"), ids("flu"), ids("?")];
    let behind = [special("[MASK]"), special("[SEP]"), special("[E1]"), ids("flu"), special("[SEP]")];
    assert_eq!(found.sequence.input.ids(), [mention.concat(), question.concat(), behind.concat()].concat());
}

#[test]
fn types_stand_before_the_names_of_a_candidate_and_broader_concepts_where_candidates_share_a_name() {
    let labels = |types: bool, parents: bool, second: &'static str| {
        let mut config = config(Question::None);
        (config.types, config.parents) = (types, parents);
        let tokenizer = tokenizer(&config);
        let candidate =
            |names, parent| ClozeCandidate { types: vec!["flu"], parents: vec![parent], ..ClozeCandidate::from(names) };
        let candidates = vec![candidate(vec!["heart attack"], "not"), candidate(vec![second], "heart")];
        let query = ClozeQuery { text: "heart attack", span: Span::new(0, 12), candidates };
        let prompt = ClozePrompt::new(config, &tokenizer).unwrap().tokens(&query, &tokenizer).unwrap();
        let read = prompt.sequence.input.ids();
        let names: Vec<&[u32]> = prompt.names.iter().map(|names| &read[names.clone()]).collect();
        let ids = move |text: &str| {
            let tokens = tokenizer.tokens(text).unwrap().ids;
            tokens[1..tokens.len() - 1].to_vec()
        };
        assert_eq!(names, [ids("heart attack"), ids(second)], "labels are no names");
        let labels = prompt.options.iter().zip(&prompt.names);
        let labels: Vec<Vec<u32>> = labels.map(|(option, names)| read[option + 1..names.start].to_vec()).collect();
        (labels, ids)
    };
    let shown = |types, parents, second, expected: [&str; 2]| {
        let (found, ids) = labels(types, parents, second);
        assert_eq!(found, expected.map(ids), "{types} {parents} {second}");
    };
    shown(false, false, "infarction", ["", ""]);
    shown(true, false, "infarction", ["flu:", "flu:"]);
    shown(true, true, "infarction", ["flu:", "flu:"]);
    shown(true, true, "Heart attack", ["flu, not:", "flu, heart:"]);
    shown(false, true, "Heart attack", ["not:", "heart:"]);
}

#[test]
fn apart_each_candidate_has_a_prompt_of_its_own() {
    let mut config = config(Question::Mention);
    config.together = false;
    let candidates = candidates(&[&["heart attack"], &["flu"]]);
    let query = ClozeQuery { text: "flu, not heart attack", span: Span::new(9, 21), candidates };
    let found: Vec<String> =
        query.split(config.shown()).map(|query| joined(&shown(&config, &query).join(" "))).collect();
    let expected = ["heart attack", "flu"].map(|name| {
        joined(&format!("[CLS] flu , not [START] heart attack [END] heart attack [MASK] [SEP] [E1] {name} [SEP]"))
    });
    assert_eq!(found, expected);
}

#[test]
fn names_that_are_scored_by_their_states_have_positions_of_their_own() {
    let mut config = config(Question::None);
    config.score = CandidateScore::Spans;
    let candidates = candidates(&[&["heart attack", "infarction"], &["flu"]]);
    let query = ClozeQuery { text: "flu, not heart attack", span: Span::new(9, 21), candidates };
    let tokenizer = tokenizer(&config);
    let prompt = ClozePrompt::new(config.clone(), &tokenizer).unwrap().tokens(&query, &tokenizer).unwrap();
    let (ids, positions) = (prompt.sequence.input.ids(), prompt.sequence.input.positions().unwrap());
    for (option, names) in prompt.options.iter().zip(&prompt.names) {
        assert_eq!((positions[*option], positions[names.start]), (0, 1));
        assert_eq!((names.start, ids[names.end]), (option + 1, tokenizer.id("[SEP]").unwrap()));
    }
    let before = 0..prompt.options[0] as u32;
    assert_eq!(positions[..prompt.options[0]], before.collect::<Vec<_>>());
    // The same tokens as the name that is the mention.
    let mention = &ids[prompt.mention.clone()];
    assert_eq!(mention, &ids[prompt.names[0].clone()][..mention.len()]);
    // A candidate has the same positions wherever it stands.
    let other = ClozeQuery { candidates: query.candidates.iter().rev().cloned().collect(), ..query.clone() };
    let other = ClozePrompt::new(config, &tokenizer).unwrap().tokens(&other, &tokenizer).unwrap();
    let of = |prompt: &ClozeTokens, candidate: usize| {
        prompt.sequence.input.positions().unwrap()[prompt.names[candidate].clone()].to_vec()
    };
    assert_eq!(of(&prompt, 0), of(&other, 1));
}

/// Pieces of one word count as the word.
fn joined(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn a_mention_at_either_end_of_a_long_document_has_context_on_its_other_side() {
    let text = "flu ".repeat(200);
    let text = text.trim_end();
    for span in [Span::new(0, 3), Span::new(text.len() - 3, text.len()), Span::new(400, 403)] {
        let query = ClozeQuery { text, span, candidates: candidates(&[&["flu"], &["heart attack"]]) };
        let config = config(Question::Mention);
        let tokenizer = tokenizer(&config);
        let prompt = ClozePrompt::new(config, &tokenizer).unwrap().tokens(&query, &tokenizer).unwrap();
        assert_eq!(prompt.sequence.input.len(), WINDOW, "the window is used");
        assert!(prompt.sequence.truncated.iter().all(|slot| [0, 2].contains(slot)), "the context alone is cut");
        let first = prompt.sequence.parts[1].len();
        let last = prompt.sequence.parts[5].len();
        let expected = if span.start == 0 {
            first == 0
        } else if span.end == text.len() {
            last == 0
        } else {
            first.abs_diff(last) <= 1
        };
        assert!(expected, "{first} tokens before and {last} behind");
    }
}

#[test]
fn special_tokens_in_a_text_are_text() {
    let text = "[MASK] and [E1] are flu";
    let query = ClozeQuery { text, span: Span::new(20, 23), candidates: candidates(&[&["[E2]"], &["flu"]]) };
    let found = shown(&config(Question::Mention), &query);
    for once in ["[MASK]", "[E1]", "[E2]"] {
        assert_eq!(found.iter().filter(|piece| *piece == once).count(), 1, "{once} in {found:?}");
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let mut config = config(Question::Words);
    config.window = 20;
    let tokenizer = tokenizer(&config);
    let narrow = ClozePrompt::new(config.clone(), &tokenizer).err().unwrap();
    assert!(narrow.to_string().contains("the model reads 20"), "{narrow}");
    config.window = WINDOW;
    // Long names share what the window has, so that every candidate is seen.
    let prompt = ClozePrompt::new(config.clone(), &tokenizer).unwrap();
    let names = vec!["heart attack"; 9];
    let query = ClozeQuery { text: "flu", span: Span::new(0, 3), candidates: vec![names.into(); 3] };
    let tokens = prompt.tokens(&query, &tokenizer).unwrap();
    assert!(tokens.sequence.input.len() <= WINDOW && tokens.options.len() == 3);
    let ids = tokens.sequence.input.ids();
    let options: Vec<u32> = tokens.options.iter().map(|token| ids[*token]).collect();
    assert_eq!(options, prompt.options(), "the tokens that stand for the candidates, in their order");
    let mut bare = Checkpoint::open(Path::new("tests/models/bert")).unwrap();
    let missing = ClozePrompt::new(config, &bare.tokenizer().unwrap()).err().unwrap();
    assert!(missing.to_string().contains("[START]"), "{missing}");
}

//! Mentions in the JSON of annotation tools: doccano, Prodigy, spaCy, Label Studio, PubAnnotation; tokens with tags.

use serde_json::{Map, Value};
use truename_error::{HintPart, hint};

use crate::annotation::Annotation;
use crate::fields::{Fields, offset, scalar};
use crate::wrong::Wrong;

/// Keys under which tools have their list of spans.
const LISTS: [&str; 8] = ["spans", "entities", "ents", "entity", "label", "labels", "annotations", "denotations"];
/// Keys under which tools have the parts of a text, which are no annotations.
const PARTS: [&str; 5] = ["passages", "tokens", "words", "sents", "sentences"];
const TAGS: [&str; 4] = ["ner_tags", "tags", "labels", "ner"];

/// Brings a row of another tool into the form of a row with `text`: the pair that spaCy trains on, a task of Label Studio,
/// tokens.
pub(crate) fn with_text(value: Value) -> Value {
    match value {
        Value::Array(pair) if matches!(&pair[..], [Value::String(_), Value::Object(_)]) => {
            let mut pair = pair.into_iter();
            let (text, fields) = (pair.next(), pair.next());
            let Some(Value::Object(mut fields)) = fields else { return Value::Null };
            fields.extend(text.map(|text| ("text".to_owned(), text)));
            Value::Object(fields)
        }
        Value::Object(mut fields) if !fields.contains_key("text") => {
            let of_task = fields.get("data").and_then(text_of_task).cloned();
            let of_tokens = || tokens(&fields).map(|tokens| Value::from(tokens.join(" ")));
            if let Some(text) = of_task.or_else(of_tokens) {
                fields.insert("text".to_owned(), text);
            }
            Value::Object(fields)
        }
        other => other,
    }
}

/// Returns the text of a task of Label Studio, whose key the project names: `text`, or the only one that is a text.
fn text_of_task(data: &Value) -> Option<&Value> {
    let mut texts = data.as_object()?.values().filter(|value| value.is_string());
    data.get("text").or_else(|| texts.next().filter(|_| texts.next().is_none()))
}

/// Returns the annotations of a row that has no `mentions` of our own, or the reason why they cannot be read.
pub(crate) fn annotations(row: &Fields, tag_names: &[String]) -> Result<Vec<Annotation>, Wrong> {
    if let Some(tokens) = tokens(&row.0) {
        return tagged(&tokens, &row.0, tag_names);
    }
    let results = row.0.get("annotations").or(row.0.get("completions")).and_then(Value::as_array);
    let result = results.into_iter().flatten().find_map(|annotation| annotation.get("result")?.as_array());
    // Label Studio has a list of annotations too, each with a list of results.
    let is_list = |list: &&Vec<Value>| has_parts(list) && !list.iter().any(|span| span.get("result").is_some());
    let mut lists = LISTS.iter().filter_map(|key| row.0.get(*key)?.as_array()).filter(is_list);
    let spans = result.or_else(|| lists.next()).cloned();
    let groups = || LISTS.iter().filter_map(|key| row.0.get(*key)?.as_object()).flat_map(of_groups).collect();
    let spans: Vec<Value> = spans.filter(|spans| !spans.is_empty()).unwrap_or_else(groups);
    let numbered = (1..).zip(&spans);
    let read = numbered.filter_map(|(at, span)| {
        annotation(span).map_err(|message| format!("span {at}: {message}").into()).transpose()
    });
    read.collect()
}

/// Returns the spans of lists by their names, as spaCy has groups of spans: those without a label have the name of their list.
fn of_groups(groups: &Map<String, Value>) -> Vec<Value> {
    let spans = |(name, list): (&String, &Value)| {
        let named = |span: &Value| match span {
            Value::Array(bounds) if bounds.len() == 2 => {
                Some(Value::from(vec![bounds[0].clone(), bounds[1].clone(), Value::from(name.as_str())]))
            }
            Value::Array(_) | Value::Object(_) => Some(span.clone()),
            _ => None,
        };
        list.as_array().into_iter().flatten().filter_map(named).collect::<Vec<_>>()
    };
    groups.iter().flat_map(spans).collect()
}

/// Returns true if a list has objects or lists alone; a list of words is one of labels of the text.
fn has_parts(list: &[Value]) -> bool {
    list.iter().all(|span| span.is_array() || span.is_object())
}

/// Returns the number of annotations of a task of Prodigy that the annotator rejected or passed over, at least 1; none of another row.
pub(crate) fn rejected(row: &Fields) -> Option<u64> {
    let answer = row.0.get("answer").and_then(Value::as_str)?;
    matches!(answer, "reject" | "ignore").then(|| unread(row).max(1))
}

/// Returns the number of objects and lists in the lists of a row, apart from the parts of its text; those of Label Studio are results.
pub(crate) fn unread(row: &Fields) -> u64 {
    let lists = row.0.iter().filter(|(key, _)| !PARTS.contains(&key.as_str()));
    let lists = lists.filter_map(|(_, list)| list.as_array()).filter(|list| has_parts(list));
    let results = |span: &Value| span.get("result").and_then(Value::as_array).map_or(1, Vec::len);
    lists.flatten().map(|span| results(span) as u64).sum()
}

/// Returns the annotation of a span; none for what Label Studio says of the whole text, and for its relations.
fn annotation(span: &Value) -> Result<Option<Annotation>, String> {
    if let Value::Array(parts) = span {
        let bounds = (parts.first().and_then(offset), parts.get(1).and_then(offset));
        let (Some(start), Some(end)) = bounds else {
            return Err(format!("expected a start, an end and a label, found {span}"));
        };
        let mention_type = parts.get(2).and_then(scalar).unwrap_or_default();
        return Ok(Some(Annotation { pieces: vec![(start, end)], mention_type, ..Annotation::default() }));
    }
    let value = span.get("value").unwrap_or(span);
    let is_relation = span.get("from_id").is_some() && span.get("to_id").is_some();
    if is_relation || span.get("value").is_some() && value.get("start").is_none() {
        return Ok(None);
    }
    // PubAnnotation has the bounds in an object of their own, or several.
    let bounds = match value.get("span") {
        Some(Value::Array(bounds)) => &bounds[..],
        Some(bounds @ Value::Object(_)) => std::slice::from_ref(bounds),
        _ => std::slice::from_ref(value),
    };
    let piece = |bounds: &Value| {
        let at = |keys: &[&str]| keys.iter().find_map(|key| offset(bounds.get(*key)?));
        at(&["start", "start_offset", "begin"]).zip(at(&["end", "end_offset"]))
    };
    let pieces: Option<Vec<(usize, usize)>> = bounds.iter().map(piece).collect();
    let Some(pieces) = pieces.filter(|pieces| !pieces.is_empty()) else {
        return Err("`start` or `end` is missing".into());
    };
    let mention_types =
        ["label", "labels", "type", "obj", "entity_group", "entity", "tag"].iter().filter_map(|key| value.get(*key));
    let mention_type = mention_types
        .filter_map(|mention_type| scalar(mention_type).or_else(|| scalar(mention_type.as_array()?.first()?)))
        .next();
    // Pipelines of Hugging Face may give the tag of a span's first token.
    let mention_type = mention_type.map(|name| {
        let is_tag = value.get("entity").is_some() && (name.starts_with("B-") || name.starts_with("I-"));
        if is_tag { name[2..].to_owned() } else { name }
    });
    let id = ["kb_id", "concept_id"].iter().find_map(|key| scalar(value.get(*key)?)).filter(|id| !id.is_empty());
    let text = value.get("text").and_then(Value::as_str).map(str::to_owned);
    Ok(Some(Annotation { pieces, text, mention_type: mention_type.unwrap_or_default(), id, ..Annotation::default() }))
}

/// Returns the tokens of a row that has no text of its own; Prodigy's are objects.
fn tokens(fields: &Map<String, Value>) -> Option<Vec<String>> {
    let has_tags = TAGS.iter().any(|key| fields.get(*key).is_some_and(Value::is_array));
    let tokens = fields.get("tokens").or(fields.get("words")).filter(|_| has_tags)?.as_array()?;
    tokens.iter().map(|token| token.as_str().map(str::to_owned)).collect()
}

/// Returns the annotations of tags in IOB2 or one of its kin, with offsets in characters.
fn tagged(tokens: &[String], fields: &Map<String, Value>, names: &[String]) -> Result<Vec<Annotation>, Wrong> {
    let tags = TAGS.iter().find_map(|key| Some((*key, fields.get(*key)?.as_array()?)));
    let Some((key, tags)) = tags else { return Ok(Vec::new()) };
    if tags.len() != tokens.len() {
        return Err(format!("`{key}` has {} tags for {} tokens", tags.len(), tokens.len()).into());
    }
    let (mut found, mut open, mut at) = (Vec::<Annotation>::new(), false, 0);
    for (token, tag) in tokens.iter().zip(tags) {
        let name = match (tag, offset(tag)) {
            (Value::String(name), _) => name,
            (_, Some(number)) => names.get(number).ok_or_else(|| {
                let message = format!("`{key}` has the number {number}, and {} names of tags are known", names.len());
                Wrong { hint: Some(hint!["name them by ", HintPart::setting("tag_names")]), ..message.into() }
            })?,
            _ => return Err(format!("`{key}`: expected a tag, found {tag}").into()),
        };
        let (begin, end) = (at, at + token.chars().count());
        at = end + 1;
        let (mark, mention_type) = name.split_once('-').unwrap_or((name, ""));
        match found
            .last_mut()
            .filter(|last| open && matches!(mark, "I" | "E" | "L") && last.mention_type == mention_type)
        {
            Some(last) => last.pieces[0].1 = end,
            None if mark == "O" || token.is_empty() => {}
            None => {
                found.push(Annotation {
                    pieces: vec![(begin, end)],
                    mention_type: mention_type.to_owned(),
                    ..Annotation::default()
                });
            }
        }
        open = !matches!(mark, "O" | "E" | "L" | "S" | "U");
    }
    Ok(found)
}

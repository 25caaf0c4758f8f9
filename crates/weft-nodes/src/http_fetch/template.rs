//! The URL template: `{{name}}` placeholders filled from the inputs.

use std::fmt::Write as _;

use serde_json::Value;
use weft_model::JsonObject;

/// Fills a template. A value is percent-encoded, so it stays inside the path
/// segment or query value where its author put it.
///
/// A placeholder at the very start is the exception: it stands for the URL's
/// beginning and is taken as it is. Encoded, it could never be one, so the
/// published node refuses every such template; the egress guard judges the
/// result like any other URL.
pub(super) fn fill(template: &str, variables: &JsonObject) -> Result<String, String> {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, name, after)) = next_placeholder(rest) {
        filled.push_str(before);
        let value = text(name, variables.get(name))?;
        if filled.is_empty() {
            filled.push_str(&value);
        } else {
            encode(&value, &mut filled);
        }
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The text before the first placeholder, its name, and the text after it.
/// Braces that hold no name are ordinary text.
fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find("{{").map(|at| from + at) {
        let inner = &text[open + 2..];
        if let Some(close) = inner.find("}}") {
            let name = inner[..close].trim();
            if is_name(name) {
                return Some((&text[..open], name, &inner[close + 2..]));
            }
        }
        from = open + 1;
    }
    None
}

/// Whether a word can stand in a placeholder.
pub(super) fn is_name(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn text(name: &str, value: Option<&Value>) -> Result<String, String> {
    match value {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
        Some(_) => Err(format!("the value of {{{{{name}}}}} is not a text, number or boolean")),
        None => Err(format!("the template names {{{{{name}}}}}, which no input gives")),
    }
}

/// Leaves the characters that `encodeURIComponent` leaves.
fn encode(value: &str, into: &mut String) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            into.push(char::from(byte));
        } else {
            write!(into, "%{byte:02X}").expect("writing to a string cannot fail");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(template: &str, variables: Value) -> Result<String, String> {
        fill(template, variables.as_object().expect("an object"))
    }

    #[test]
    fn values_are_encoded_where_they_stand() {
        let variables = json!({"a": "x/../y?z=1&b#c", "n": 7, "t": true, "u": "ü"});
        let url = filled("https://h/{{a}}/{{ n }}/{{t}}?u={{u}}", variables).expect("filled");
        assert_eq!(url, "https://h/x%2F..%2Fy%3Fz%3D1%26b%23c/7/true?u=%C3%BC");
    }

    #[test]
    fn a_leading_placeholder_is_the_beginning_of_the_url() {
        let variables = json!({"base": "https://h/p", "q": "a b"});
        let url = filled("{{base}}?q={{q}}", variables).expect("filled");
        assert_eq!(url, "https://h/p?q=a%20b");
    }

    #[test]
    fn missing_and_structured_values_are_refused() {
        assert!(filled("https://h/{{a}}", json!({})).is_err());
        assert!(filled("https://h/{{a}}", json!({"a": [1]})).is_err());
        assert!(filled("https://h/{{a}}", json!({"a": null})).is_err());
    }

    #[test]
    fn other_braces_are_text() {
        for template in ["https://h/{a}", "https://h/{{}}", "https://h/{{1a}}", "https://h/{{a"] {
            assert_eq!(filled(template, json!({})).as_deref(), Ok(template));
        }
        assert_eq!(filled("x{{{a}}}", json!({"a": 1})).as_deref(), Ok("x{1}"));
    }
}

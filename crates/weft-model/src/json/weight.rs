//! How much a value weighs before anybody writes it.

use serde_json::Value;

/// About the bytes of a value as JSON text: escapes are not counted, and a number is as long as
/// most are. Limits on what a run carries are judged by it, because writing the text to measure
/// it would cost what the limit is there to save.
pub fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| weight(item) + 1).sum::<usize>(),
        Value::Object(members) => 2 + members.iter().map(|(name, value)| name.len() + 4 + weight(value)).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_weight_is_close_to_the_length_of_the_text() {
        for value in [
            json!(null),
            json!("text"),
            json!([1, 2, 3]),
            json!({ "name": "n".repeat(10_000), "list": vec![json!({ "a": true }); 500] }),
        ] {
            let (weight, length) = (weight(&value), value.to_string().len());
            assert!(weight >= length / 2 && weight <= length * 4 + 8, "{weight} for {length}");
        }
    }
}

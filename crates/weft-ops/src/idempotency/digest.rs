//! The digest that tells whether two requests are the same.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use weft_model::Digest;

/// Collects what makes a request this request: its path ids, its meaningful headers, its body.
/// Bodies are compared by meaning, so a client may serialise its members in another order when it
/// repeats a request.
pub(crate) struct RequestDigest(Sha256);

impl RequestDigest {
    pub(crate) fn new() -> RequestDigest {
        RequestDigest(Sha256::new())
    }

    /// Adds a text such as a path id.
    #[must_use]
    pub(crate) fn text(mut self, text: &str) -> RequestDigest {
        self.tagged(b't', text.as_bytes());
        self
    }

    /// Adds a JSON body, or its absence.
    #[must_use]
    pub(crate) fn body(mut self, body: Option<&Value>) -> RequestDigest {
        match body {
            Some(value) => self.value(value),
            None => self.tagged(b'0', &[]),
        }
        self
    }

    pub(crate) fn finish(self) -> Digest {
        Digest::from_bytes(self.0.finalize().into())
    }

    /// Recursion is bounded by the strict reader's depth limit.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.tagged(b'n', &[]),
            Value::Bool(value) => self.tagged(b'b', &[u8::from(*value)]),
            Value::Number(number) => self.tagged(b'#', number.to_string().as_bytes()),
            Value::String(text) => self.tagged(b's', text.as_bytes()),
            Value::Array(items) => {
                self.tagged(b'[', &(items.len() as u64).to_le_bytes());
                items.iter().for_each(|item| self.value(item));
            }
            Value::Object(members) => {
                self.tagged(b'{', &(members.len() as u64).to_le_bytes());
                // Sorted here, whatever order the map happens to keep.
                let mut members: Vec<_> = members.iter().collect();
                members.sort_unstable_by_key(|(name, _)| *name);
                for (name, value) in members {
                    self.tagged(b'k', name.as_bytes());
                    self.value(value);
                }
            }
        }
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.0.update([tag]);
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn digest(value: Value) -> Digest {
        RequestDigest::new().body(Some(&value)).finish()
    }

    // R-IDEM-08: what differs in meaning differs in digest, and nothing else does.
    #[test]
    fn member_order_is_no_difference_and_values_are() {
        let base = digest(json!({"a": 1, "b": [true, null]}));
        let reordered: Value = serde_json::from_str(r#"{"b":[true,null],"a":1}"#).expect("JSON");
        assert_eq!(digest(reordered), base);
        for other in
            [json!({"a": 1}), json!({"a": "1", "b": [true, null]}), json!({"a": 1, "b": [null, true]}), json!([])]
        {
            assert_ne!(digest(other), base);
        }
    }

    #[test]
    fn neighbouring_parts_do_not_run_together() {
        let one = RequestDigest::new().text("ab").text("c").finish();
        let two = RequestDigest::new().text("a").text("bc").finish();
        assert_ne!(one, two);
        assert_ne!(RequestDigest::new().body(None).finish(), digest(json!(null)));
    }
}

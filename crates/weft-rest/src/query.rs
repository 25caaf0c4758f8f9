//! The query string: the parameters that an operation names, each at most once.
//!
//! Unknown parameters are ignored (R-POLL-07), also when they cannot be decoded. A parameter that
//! is named twice has two meanings and is refused.

use std::borrow::Cow;

use weft_ops::{OpError, OpResult};

use crate::percent::{self, Plus};

/// Reads the values of `names` from a query string, in the order of `names`.
pub(crate) fn read<'q, const N: usize>(
    query: Option<&'q str>,
    names: [&'static str; N],
) -> OpResult<[Option<Cow<'q, str>>; N]> {
    let mut values = [const { None }; N];
    let Some(query) = query else { return Ok(values) };
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let Ok(name) = percent::decode(name, Plus::Space) else { continue };
        let Some(seat) = names.iter().position(|known| *known == name) else { continue };
        let value =
            percent::decode(value, Plus::Space).map_err(|_| refused(names[seat], "is not percent-encoded UTF-8"))?;
        if values[seat].replace(value).is_some() {
            return Err(refused(names[seat], "is given twice"));
        }
    }
    Ok(values)
}

fn refused(name: &'static str, reason: &str) -> OpError {
    OpError::invalid_field(name, format!("The query parameter {name} {reason}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_two(query: &str) -> OpResult<[Option<Cow<'_, str>>; 2]> {
        read(Some(query), ["limit", "cursor"])
    }

    #[test]
    fn named_parameters_are_decoded_and_others_ignored() {
        let [limit, cursor] = read_two("limit=5&cursor=a%2Bb+c&lastSequence=9&%zz=1&").expect("readable");
        assert_eq!(limit.as_deref(), Some("5"));
        assert_eq!(cursor.as_deref(), Some("a+b c"));
        let [limit, cursor] = read_two("limit&cursor=").expect("readable");
        assert_eq!((limit.as_deref(), cursor.as_deref()), (Some(""), Some("")));
        assert_eq!(read(None, ["limit"]).expect("none"), [None]);
    }

    #[test]
    fn repeated_and_undecodable_values_are_refused() {
        for query in ["limit=1&limit=1", "limit=1&l%69mit=2", "limit=%", "cursor=%FF"] {
            let error = read_two(query).expect_err(query);
            assert_eq!(error.status(), 400, "{query}");
        }
    }
}

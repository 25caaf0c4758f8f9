//! The reader: recursive descent over text that is known to be UTF-8.

use serde_json::{Number, Value};

use super::text::read_string;
use super::{DEPTH_MAX, FaultReason, JsonFault, JsonObject};

/// A fault and the byte it was met at; line and column are counted only when one is reported.
pub(super) type Fault = (usize, FaultReason);

/// Reads exactly one value.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonFault> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Err(locate(bytes, (error.valid_up_to(), FaultReason::NotUtf8))),
    };
    let mut reader = Reader { text, at: 0, depth: 0 };
    reader.document().map_err(|fault| locate(bytes, fault))
}

fn locate(bytes: &[u8], (at, reason): Fault) -> JsonFault {
    let before = &bytes[..at.min(bytes.len())];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
    JsonFault { reason, line, column }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Value, Fault> {
        let value = self.value()?;
        self.blanks();
        if self.at == self.text.len() { Ok(value) } else { Err((self.at, FaultReason::TrailingText)) }
    }

    fn value(&mut self) -> Result<Value, Fault> {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.expected("a value")),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Fault>) -> Result<Value, Fault> {
        if self.depth == DEPTH_MAX {
            return Err((self.at, FaultReason::TooDeep));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Value, Fault> {
        let mut members = JsonObject::new();
        self.blanks();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.blanks();
            let name_at = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.expected("a member name"));
            }
            let name = self.string()?;
            if members.contains_key(&name) {
                return Err((name_at, FaultReason::DuplicateMember(name)));
            }
            self.blanks();
            if !self.take(b':') {
                return Err(self.expected("a colon"));
            }
            let value = self.value()?;
            members.insert(name, value);
            self.blanks();
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return Err(self.expected("a comma or the object's end"));
            }
        }
    }

    fn array(&mut self) -> Result<Value, Fault> {
        let mut items = Vec::new();
        self.blanks();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            self.blanks();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            if !self.take(b',') {
                return Err(self.expected("a comma or the array's end"));
            }
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        let (value, end) = read_string(self.text, self.at)?;
        self.at = end;
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let negative = self.take(b'-');
        if self.take(b'0') {
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.expected("no digit after a leading zero"));
            }
        } else {
            self.digits()?;
        }
        let mut integer = true;
        if self.take(b'.') {
            integer = false;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            integer = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        number_of(&self.text[start..self.at], integer, negative).map(Value::Number).map_err(|reason| (start, reason))
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value, Fault> {
        if self.text[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.expected(word))
        }
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expected(&self, what: &'static str) -> Fault {
        let ended = self.at >= self.text.len();
        (self.at, if ended { FaultReason::UnexpectedEnd } else { FaultReason::Syntax(what) })
    }
}

/// The number a literal means. Integers stay integers or are refused; `-0` is a float, since
/// no integer is.
fn number_of(literal: &str, integer: bool, negative: bool) -> Result<Number, FaultReason> {
    if integer && literal != "-0" {
        let number =
            if negative { literal.parse::<i64>().map(Number::from) } else { literal.parse::<u64>().map(Number::from) };
        return number.map_err(|_| FaultReason::IntegerTooLarge);
    }
    let float: f64 = literal.parse().map_err(|_| FaultReason::NumberOutOfRange)?;
    let mantissa = literal.split(['e', 'E']).next().unwrap_or_default();
    let vanished = float == 0.0 && mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    if vanished {
        return Err(FaultReason::NumberOutOfRange);
    }
    Number::from_f64(float).ok_or(FaultReason::NumberOutOfRange)
}

//! Parts Rust text into code and comments, line by line where it was.

/// The two halves of a text; both keep every line break of the original.
pub(super) struct Halves {
    /// The text with comments and the insides of literals blanked out.
    pub code: String,
    /// The text with everything but comments blanked out.
    pub comments: String,
}

/// Parts `text`. An unfinished literal or comment simply runs to the end.
pub(super) fn split(text: &str) -> Halves {
    let characters: Vec<char> = text.chars().collect();
    let mut halves = Halves { code: String::with_capacity(text.len()), comments: String::new() };
    let mut at = 0;
    while at < characters.len() {
        let rest = &characters[at..];
        let (length, part) = next(rest, at.checked_sub(1).map(|before| characters[before]));
        for &character in &rest[..length] {
            halves.push(character, part);
        }
        at += length;
    }
    halves
}

impl Halves {
    fn push(&mut self, character: char, part: Part) {
        let blank = if character == '\n' { '\n' } else { ' ' };
        self.code.push(if part == Part::Code { character } else { blank });
        self.comments.push(if part == Part::Comment { character } else { blank });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Code,
    Comment,
    Literal,
}

/// How long the piece at the start of `rest` is, and what it is.
fn next(rest: &[char], before: Option<char>) -> (usize, Part) {
    if starts(rest, "//") {
        return (line(rest), Part::Comment);
    }
    if starts(rest, "/*") {
        return (block(rest), Part::Comment);
    }
    if rest[0] == '"' {
        return (string(rest), Part::Literal);
    }
    // `r` opens a raw string only at the start of a word or as the end of `br` and `cr`.
    let opens_word = before.is_none_or(|c| !c.is_alphanumeric() && c != '_') || matches!(before, Some('b' | 'c'));
    if rest[0] == 'r'
        && opens_word
        && let Some(length) = raw_string(rest)
    {
        return (length, Part::Literal);
    }
    if rest[0] == '\''
        && let Some(length) = character_literal(rest)
    {
        return (length, Part::Literal);
    }
    (1, Part::Code)
}

fn starts(rest: &[char], with: &str) -> bool {
    with.chars().enumerate().all(|(index, c)| rest.get(index) == Some(&c))
}

fn line(rest: &[char]) -> usize {
    rest.iter().position(|&c| c == '\n').unwrap_or(rest.len())
}

/// Block comments nest.
fn block(rest: &[char]) -> usize {
    let (mut at, mut depth) = (0, 0_u32);
    while at < rest.len() {
        if starts(&rest[at..], "/*") {
            depth += 1;
            at += 2;
        } else if starts(&rest[at..], "*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn string(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

fn raw_string(rest: &[char]) -> Option<usize> {
    let hashes = rest[1..].iter().take_while(|&&c| c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return None;
    }
    let body = 2 + hashes;
    let closes =
        |at: &usize| rest[*at] == '"' && rest[at + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes;
    Some((body..rest.len()).find(closes).map_or(rest.len(), |end| end + 1 + hashes))
}

/// `None` for a lifetime, which has no closing quote where a character would have one.
fn character_literal(rest: &[char]) -> Option<usize> {
    if rest.get(1) == Some(&'\\') {
        let close = rest.iter().skip(3).position(|&c| c == '\'')?;
        return Some(close + 4);
    }
    (rest.get(2) == Some(&'\'')).then_some(3)
}

#[cfg(test)]
mod tests {
    use super::split;

    fn code(text: &str) -> String {
        split(text).code.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_literals_are_not_code() {
        assert_eq!(code("a // b\n/* c /* d */ e */ f"), "a f");
        assert_eq!(code(r#"let x = "std::fs // \" y"; z"#), "let x = ; z");
        assert_eq!(code("br##\"a\"# b\"## c"), "b c");
        assert_eq!(code("let q = '\"'; let l: &'a str = '\\''; d"), "let q = ; let l: &'a str = ; d");
        assert_eq!(code("for x in our\"ter\""), "for x in our");
    }

    #[test]
    fn lines_stay_where_they_were() {
        let text = "/* one\ntwo */ x\n\"three\nfour\" // five\n";
        let halves = split(text);
        assert_eq!(halves.code.lines().count(), text.lines().count());
        assert_eq!(halves.code.lines().nth(1).map(str::trim), Some("x"));
        assert_eq!(halves.comments.lines().nth(3).map(str::trim), Some("// five"));
    }
}

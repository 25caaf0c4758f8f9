//! Lists the paths (`a::b::c`) that code names, with the groups of a `use` written out.

/// A path of at least two segments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NamedPath {
    /// The line it starts on, from 1.
    pub line: usize,
    /// Its segments.
    pub segments: Vec<String>,
}

impl NamedPath {
    /// Whether the segments of `name` stand in this path one after the other. So `std::fs` is found
    /// in `std::fs::read` and in `::std::fs`, and `Instant::now` in `time::Instant::now`.
    pub(crate) fn holds(&self, name: &str) -> bool {
        let wanted: Vec<&str> = name.split("::").collect();
        self.segments.windows(wanted.len()).any(|window| window == wanted.as_slice())
    }
}

/// All paths in `code`, which must have its comments and literals blanked out.
pub(crate) fn named_paths(code: &str) -> Vec<NamedPath> {
    let tokens = tokens(code);
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if matches!(tokens[at].1, Token::Word(_)) {
            at = tree(&tokens, at, &[], &mut paths);
        } else {
            at += 1;
        }
    }
    paths
}

/// Whether `code` names the word on its own anywhere.
pub(crate) fn names(code: &str, word: &str) -> bool {
    tokens(code).iter().any(|(_, token)| *token == Token::Word(word))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Colons,
    Other(char),
}

fn tokens(code: &str) -> Vec<(usize, Token<'_>)> {
    let mut tokens = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let (token, length) = if word > 0 {
                (Token::Word(&rest[..word]), word)
            } else if rest.starts_with("::") {
                (Token::Colons, 2)
            } else {
                (Token::Other(first), first.len_utf8())
            };
            tokens.push((number + 1, token));
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

/// Reads the path tree at `at` below `prefix` and returns where it ends.
fn tree(tokens: &[(usize, Token<'_>)], mut at: usize, prefix: &[String], into: &mut Vec<NamedPath>) -> usize {
    let Some(&(line, _)) = tokens.get(at) else { return at };
    let mut segments = prefix.to_vec();
    while let Some((_, Token::Word(word))) = tokens.get(at) {
        segments.push((*word).to_owned());
        at += 1;
        if tokens.get(at).map(|token| token.1) != Some(Token::Colons) {
            break;
        }
        at += 1;
        if tokens.get(at).map(|token| token.1) == Some(Token::Other('{')) {
            return group(tokens, at + 1, &segments, into);
        }
    }
    if segments.len() > 1 {
        into.push(NamedPath { line, segments });
    }
    at
}

/// Reads `a, b::c, d::{e}` up to the closing brace.
fn group(tokens: &[(usize, Token<'_>)], mut at: usize, prefix: &[String], into: &mut Vec<NamedPath>) -> usize {
    while let Some((line, token)) = tokens.get(at) {
        at = match token {
            Token::Other('}') => return at + 1,
            Token::Other('*') => {
                into.push(NamedPath { line: *line, segments: prefix.to_vec() });
                at + 1
            }
            // A new name for what was just read.
            Token::Word("as") => at + 2,
            Token::Word(_) => tree(tokens, at, prefix, into),
            Token::Colons | Token::Other(_) => at + 1,
        };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::named_paths;

    fn found(code: &str) -> Vec<String> {
        named_paths(code).iter().map(|path| path.segments.join("::")).collect()
    }

    #[test]
    fn groups_are_written_out() {
        let code = "use std::{fs, net::{IpAddr, TcpStream as S}, io::{self, *}};";
        let paths = ["std::fs", "std::net::IpAddr", "std::net::TcpStream", "std::io::self", "std::io"];
        assert_eq!(found(code), paths);
    }

    #[test]
    fn a_path_in_the_middle_of_code_is_found_with_its_line() {
        let paths = named_paths("fn a() {\n    let now = ::std::time::Instant::now();\n}");
        assert_eq!(paths.len(), 1);
        assert_eq!(paths[0].line, 2);
        assert!(paths[0].holds("std::time::Instant"));
        assert!(paths[0].holds("Instant::now"));
        assert!(!paths[0].holds("std::Instant"));
    }

    #[test]
    fn a_turbofish_does_not_hide_what_stands_in_it() {
        assert_eq!(found("x.parse::<std::net::IpAddr>()"), ["std::net::IpAddr"]);
    }
}

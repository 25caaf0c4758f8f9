//! One Rust file, taken apart.

use std::collections::BTreeSet;

use super::paths::{NamedPath, named_paths};
use super::split::split;
use crate::workspace::TextFile;

/// A Rust file: its halves, and which of its lines only tests compile.
#[derive(Debug)]
pub(crate) struct RustFile {
    /// Path below the root.
    pub path: String,
    /// The text without comments and the insides of literals.
    pub code: String,
    /// The comments alone.
    pub comments: String,
    /// For each line, whether only tests compile it.
    pub is_test: Vec<bool>,
}

impl RustFile {
    /// Takes `text` apart as the file at `path`.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let halves = split(text);
        let lines = halves.code.lines().count();
        let mut is_test = vec![in_test_folder(path); lines];
        for region in test_regions(&halves.code) {
            let last = region.last.min(lines);
            is_test[region.first - 1..last].fill(true);
        }
        Self { path: path.to_owned(), code: halves.code, comments: halves.comments, is_test }
    }

    /// The crate's folder name, such as `weft-core`, or `xtask` and `bench`.
    pub(crate) fn crate_name(&self) -> &str {
        let mut parts = self.path.split('/');
        match parts.next() {
            Some("crates") => parts.next().unwrap_or_default(),
            Some(first) => first,
            None => "",
        }
    }

    /// The paths named by code that is not test code.
    pub(crate) fn production_paths(&self) -> Vec<NamedPath> {
        let mut paths = named_paths(&self.code);
        paths.retain(|path| !self.is_test.get(path.line - 1).copied().unwrap_or(false));
        paths
    }
}

/// Takes every Rust file apart, and marks the files that a `#[cfg(test)] mod name;` brings in.
pub(crate) fn rust_files(texts: &[TextFile]) -> Vec<RustFile> {
    let rust = texts.iter().filter(|file| file.path.ends_with(".rs"));
    let mut files: Vec<RustFile> = rust.map(|file| RustFile::new(&file.path, &file.text)).collect();
    let modules: BTreeSet<String> = files.iter().flat_map(test_modules).collect();
    for file in &mut files {
        let of_module =
            |module: &String| file.path == format!("{module}.rs") || file.path.starts_with(&format!("{module}/"));
        if modules.iter().any(of_module) {
            file.is_test.fill(true);
        }
    }
    files
}

fn in_test_folder(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// A run of lines, both ends counted from 1 and included.
struct Region<'a> {
    first: usize,
    last: usize,
    /// The item behind the attribute, up to its brace or semicolon.
    head: &'a str,
    has_body: bool,
}

/// The items behind `#[cfg(test)]`, with the attribute itself and the comment lines between.
fn test_regions(code: &str) -> Vec<Region<'_>> {
    let mut regions = Vec::new();
    let mut from = 0;
    while let Some(found) = ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|mark| code[from..].find(mark)).min() {
        let start = from + found;
        let attribute_end = code[start..].find(']').map_or(code.len(), |at| start + at + 1);
        let (head, end, has_body) = item(code, attribute_end);
        regions.push(Region { first: line_of(code, start), last: line_of(code, end), head, has_body });
        from = end.max(attribute_end);
    }
    regions
}

/// The item that starts at `from`: its head, the offset of its last byte, and whether it has braces.
fn item(code: &str, from: usize) -> (&str, usize, bool) {
    let Some(stop) = code[from..].find(['{', ';']).map(|at| from + at) else {
        return (&code[from..], code.len().saturating_sub(1), false);
    };
    let head = &code[from..stop];
    if code.as_bytes()[stop] == b';' {
        return (head, stop, false);
    }
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(stop) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return (head, at, true);
        }
    }
    (head, code.len().saturating_sub(1), true)
}

fn line_of(code: &str, offset: usize) -> usize {
    code.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// Where the modules declared for tests only would stand, without their `.rs`.
fn test_modules(file: &RustFile) -> Vec<String> {
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let below = if matches!(stem, "lib" | "main" | "mod") { folder.to_owned() } else { format!("{folder}/{stem}") };
    let declared = test_regions(&file.code).into_iter().filter(|region| !region.has_body);
    declared
        .filter_map(|region| {
            let mut words = region.head.split_whitespace().skip_while(|word| *word != "mod");
            words.nth(1).map(|module| format!("{below}/{module}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{RustFile, rust_files};
    use crate::workspace::TextFile;

    #[test]
    fn a_test_module_is_marked_from_its_attribute_to_its_brace() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { \"}\"; }\n}\nfn c() {}\n";
        let file = RustFile::new("crates/weft-core/src/x.rs", text);
        assert_eq!(file.is_test, [false, true, true, true, true, false]);
        assert_eq!(file.crate_name(), "weft-core");
    }

    #[test]
    fn a_file_is_test_code_by_its_place_or_by_its_declaration() {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let files = rust_files(&[
            file("crates/a/src/lib.rs", "#[cfg(test)]\npub(crate) mod fixtures;\nmod real;\n"),
            file("crates/a/src/fixtures.rs", "fn a() {}\n"),
            file("crates/a/src/fixtures/more.rs", "fn a() {}\n"),
            file("crates/a/src/real.rs", "fn a() {}\n"),
            file("crates/a/src/real/tests.rs", "fn a() {}\n"),
            file("crates/a/tests/it/main.rs", "fn a() {}\n"),
        ]);
        let all: Vec<bool> = files.iter().skip(1).map(|file| file.is_test[0]).collect();
        assert_eq!(all, [true, true, false, true, true]);
    }
}

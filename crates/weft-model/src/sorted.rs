//! A check that a table is sorted, made while compiling.

/// Whether `before` sorts strictly before `after`, byte by byte.
pub(crate) const fn precedes(before: &str, after: &str) -> bool {
    let (before, after) = (before.as_bytes(), after.as_bytes());
    let mut at = 0;
    while at < before.len() && at < after.len() {
        if before[at] != after[at] {
            return before[at] < after[at];
        }
        at += 1;
    }
    before.len() < after.len()
}

use proptest::prelude::*;

use super::{project, unproject};

proptest! {
    // R-ID-02
    #[test]
    fn projecting_is_undone_and_leaves_one_segment(text in ".*") {
        let segment = project(&text);
        prop_assert!(segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-~".contains(&b)));
        prop_assert_eq!(unproject(&segment).expect("its own output"), text);
    }

    // R-ID-06
    #[test]
    fn reading_any_segment_never_panics(text in ".*") {
        let _ = unproject(&text);
    }
}

// R-ID-02
#[test]
fn the_three_bytes_that_ids_need_are_escaped_in_upper_case() {
    assert_eq!(project("anon:a/b~c"), "anon~3Aa~2Fb~7Ec");
}

// R-ID-05
#[test]
fn lower_case_escapes_are_read() {
    assert_eq!(unproject("a~2fb").expect("hex"), "a/b");
}

// R-ID-06
#[test]
fn a_tilde_needs_two_hexadecimal_digits() {
    for (segment, offset) in [("a~", 1), ("a~2", 1), ("~2G", 0), ("ab~zz", 2), ("a~2F~", 4)] {
        assert_eq!(unproject(segment).expect_err(segment).offset, offset, "{segment}");
    }
}

#[test]
fn escapes_that_are_no_text_are_refused() {
    assert!(unproject("a~FF").is_err());
}

//! The snapshot codec: what it refuses, and that it never panics.

use std::sync::Arc;

use proptest::prelude::*;

use super::Scene;
use crate::run::{RunState, SnapshotFault, snapshot_codec};
use crate::testing;

/// A state with something in every part of it.
fn rich() -> Scene {
    let mut scene = Scene::new(
        r#"var v number default=0.1; a emit {"x":1e-7}; b fail; c noop disabled; d call; e sleep; f gate {"timeoutMs":9};
           g flaky {"until":9} retry={"maxAttempts":9}; h noop; b>h all_complete; d>h all_complete"#,
    );
    scene.order("start timeout=500 limit=100");
    scene
}

#[test]
fn every_part_comes_back() {
    let mut scene = rich();
    let restored = snapshot_codec::decode(&snapshot_codec::encode(&scene.state), Arc::clone(&scene.workflow));
    assert_eq!(restored.as_ref(), Ok(&scene.state));
    scene.order("cancel");
    let restored = snapshot_codec::decode(&snapshot_codec::encode(&scene.state), Arc::clone(&scene.workflow));
    assert_eq!(restored.as_ref(), Ok(&scene.state));
    let fresh = RunState::new(super::scene::run_id(), Arc::clone(&scene.workflow));
    let restored = snapshot_codec::decode(&snapshot_codec::encode(&fresh), Arc::clone(&scene.workflow));
    assert_eq!(restored.as_ref(), Ok(&fresh));
}

#[test]
fn a_flipped_bit_is_noticed_wherever_it_is() {
    let scene = rich();
    let good = snapshot_codec::encode(&scene.state);
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        let fault = snapshot_codec::decode(&bad, Arc::clone(&scene.workflow)).unwrap_err();
        assert_eq!(fault, SnapshotFault::Damaged, "byte {at}");
    }
    for length in 0..good.len() {
        let fault = snapshot_codec::decode(&good[..length], Arc::clone(&scene.workflow)).unwrap_err();
        assert_eq!(fault, SnapshotFault::Damaged, "cut to {length}");
    }
}

#[test]
fn another_definition_or_layout_is_refused() {
    let scene = rich();
    let bytes = snapshot_codec::encode(&scene.state);
    let other = testing::compile("a noop").unwrap();
    assert_eq!(snapshot_codec::decode(&bytes, other).unwrap_err(), SnapshotFault::OtherWorkflow);
    // The version stands behind the four bytes of the magic word.
    assert_eq!(resealed(&bytes, 4), Err(SnapshotFault::OtherBuild));
    // The first letter of the build's version stands behind the text's length.
    assert_eq!(resealed(&bytes, 10), Err(SnapshotFault::OtherBuild));

    fn resealed(bytes: &[u8], at: usize) -> Result<RunState, SnapshotFault> {
        let mut body = bytes[..bytes.len() - 4].to_vec();
        body[at] ^= 1;
        let crc = crc32fast::hash(&body);
        body.extend_from_slice(&crc.to_le_bytes());
        snapshot_codec::decode(&body, rich().workflow)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Bytes with a right checksum and nothing else right never panic.
    #[test]
    fn sealed_noise_is_damage(mut body in proptest::collection::vec(any::<u8>(), 0..200), keep in 0usize..80) {
        let scene = rich();
        let good = snapshot_codec::encode(&scene.state);
        let mut noise = good[..keep].to_vec();
        noise.append(&mut body);
        let crc = crc32fast::hash(&noise);
        noise.extend_from_slice(&crc.to_le_bytes());
        prop_assert!(snapshot_codec::decode(&noise, scene.workflow).is_err());
    }

    /// A number that a node gave comes back exactly, through the log and through a snapshot.
    #[test]
    fn floats_survive(x in proptest::num::f64::NORMAL) {
        let mut scene = Scene::new("a call; b sleep");
        scene.order("start");
        scene.order(&format!("finish a#0 {}", serde_json::json!({"x": x})));
        let outputs = scene.state.snapshot().unwrap().variables.unwrap();
        prop_assert_eq!(outputs["x"].as_f64(), Some(x));
    }
}

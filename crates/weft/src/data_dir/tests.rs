//! Witnesses of the data folder's rules (DECISIONS 31).

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::owner::OwnerError;
use super::*;

fn folder() -> (tempfile::TempDir, DataDir) {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let folder = DataDir::create(&temporary.path().join("data")).expect("made");
    (temporary, folder)
}

#[test]
fn a_second_owner_is_refused_and_told_the_first_ones_pid() {
    let (_keep, folder) = folder();
    let first = FolderLock::acquire(&folder).expect("free");
    let refusal = FolderLock::acquire(&folder).expect_err("owned");
    assert!(refusal.to_string().contains(&std::process::id().to_string()), "{refusal}");
    drop(first);
    FolderLock::acquire(&folder).expect("free again");
}

#[tokio::test]
async fn a_call_reaches_the_owner_and_finds_nobody_after_it_left() {
    let (_keep, folder) = folder();
    let stop = CancellationToken::new();
    let answer = Arc::new(|request: String| async move { format!("{request}!") });
    let owner = listen(&folder, stop.clone(), answer).await.expect("bound");
    let reply: String = call(&folder, &"hello".to_owned()).await.expect("answered");
    assert_eq!(reply, "hello!");

    stop.cancel();
    owner.await.expect("ended");
    let absent = call::<_, String>(&folder, &"hello".to_owned()).await;
    assert!(matches!(absent, Err(OwnerError::Absent)));
}

#[tokio::test]
async fn an_unreadable_request_is_dropped_and_the_next_one_answered() {
    let (_keep, folder) = folder();
    let stop = CancellationToken::new();
    let answer = Arc::new(|request: u32| async move { request + 1 });
    let owner = listen(&folder, stop.clone(), answer).await.expect("bound");
    let broken = call::<_, u32>(&folder, &"not a number").await;
    assert!(matches!(broken, Err(OwnerError::Broken(_))));
    assert_eq!(call::<_, u32>(&folder, &41).await.expect("answered"), 42);
    stop.cancel();
    owner.await.expect("ended");
}

#[test]
fn the_folder_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let (keep, _folder) = folder();
    let mode = std::fs::metadata(keep.path().join("data")).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[tokio::test]
async fn a_path_too_long_for_a_socket_is_refused_with_the_remedy() {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let folder = DataDir::create(&temporary.path().join("x".repeat(120))).expect("made");
    let answer = Arc::new(|request: String| async move { request });
    let refused = listen(&folder, CancellationToken::new(), answer).await.expect_err("too long");
    assert!(refused.to_string().contains("shorter --data"), "{refused}");
}

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use weft_model::{RunId, TenantId, Timestamp};

use super::{Full, Registry};

fn run(n: u8) -> RunId {
    RunId::mint(&TenantId::parse("acme").expect("a tenant"), Timestamp::EPOCH, [n; 16])
}

#[test]
fn second_seat_of_a_run_is_refused() {
    let registry: Arc<Registry<u32>> = Registry::new(10, 10);
    let seat = registry.take(&run(1)).expect("room").expect("a free seat");
    assert!(registry.take(&run(1)).expect("room").is_none());
    assert!(registry.deliver(&run(1), 7).expect("room").is_none());
    assert_eq!(seat.try_next(), Some(7));
    drop(seat);
    assert!(registry.take(&run(1)).expect("room").is_some());
}

#[test]
fn seat_with_mail_cannot_be_left() {
    let registry: Arc<Registry<u32>> = Registry::new(10, 10);
    let seat = registry.deliver(&run(1), 1).expect("room").expect("a free seat");
    let seat = seat.leave().expect_err("mail came");
    assert_eq!(seat.try_next(), Some(1));
    assert!(seat.leave().is_ok());
    assert_eq!(registry.seated(), 0);
}

#[test]
fn full_places_are_refused() {
    let registry: Arc<Registry<u32>> = Registry::new(1, 2);
    let _seat = registry.deliver(&run(1), 1).expect("room").expect("a free seat");
    assert!(registry.deliver(&run(1), 2).expect("room").is_none());
    assert_eq!(registry.deliver(&run(1), 3).err(), Some(Full::Mailbox));
    assert_eq!(registry.deliver(&run(2), 1).err(), Some(Full::Actors));
}

/// Many threads send to one run while its actors come and go: every order is read exactly once
/// and there are never two actors.
#[test]
fn hand_over_loses_no_order() {
    const SENDERS: usize = 4;
    const ORDERS: usize = 5_000;
    let registry: Arc<Registry<usize>> = Registry::new(10, usize::MAX);
    let (read, active) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..SENDERS {
            scope.spawn(|| {
                for n in 0..ORDERS {
                    let Some(mut seat) = registry.deliver(&run(1), n).expect("room") else { continue };
                    assert_eq!(active.fetch_add(1, Ordering::SeqCst), 0);
                    loop {
                        while seat.try_next().is_some() {
                            read.fetch_add(1, Ordering::SeqCst);
                        }
                        // Counted down before the seat is free: the next holder counts up at once.
                        active.fetch_sub(1, Ordering::SeqCst);
                        match seat.leave() {
                            Ok(()) => break,
                            Err(back) => seat = back,
                        }
                        active.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    assert_eq!(read.load(Ordering::SeqCst), SENDERS * ORDERS);
    assert_eq!(registry.seated(), 0);
}

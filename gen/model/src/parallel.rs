//! Work on all processors.
//!
//! Invariants: results have the order of the items. Where the system has no more threads, this thread does the work.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{panic, thread};

/// Applies a function to every item. Each thread takes the next item as soon as it is free.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    each_on(thread::available_parallelism().map_or(1, |threads| threads.get()), items, work)
}

/// The same, beginning with the largest items: the last thread that works is not alone for long.
pub fn each_largest_first<T: Sync, R: Send>(
    items: &[T],
    size: impl Fn(&T) -> usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let mut order: Vec<(usize, &T)> = items.iter().enumerate().collect();
    order.sort_by_cached_key(|(_, item)| Reverse(size(item)));
    let mut results = each(&order, |(index, item)| (*index, work(item)));
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The same as [`each`] on a number of threads.
pub fn each_on<T: Sync, R: Send>(threads: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = threads.min(items.len());
    let next = AtomicUsize::new(0);
    let share = || {
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return results };
            results.push((index, work(item)));
        }
    };
    let mut results = thread::scope(|scope| {
        // This thread works too.
        let others: Vec<_> =
            (1..threads).filter_map(|_| thread::Builder::new().spawn_scoped(scope, share).ok()).collect();
        let mut results = share();
        for other in others {
            // A panic stays a panic.
            results.extend(other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Does both at once.
pub fn both<A: Send, B: Send>(one: impl Fn() -> A + Sync, other: impl Fn() -> B + Sync) -> (A, B) {
    thread::scope(|scope| {
        let spawned = thread::Builder::new().spawn_scoped(scope, &other);
        let one = one();
        let other = match spawned {
            // A panic stays a panic.
            Ok(spawned) => spawned.join().unwrap_or_else(|panic| panic::resume_unwind(panic)),
            Err(_) => other(),
        };
        (one, other)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled = super::each(&items, |item| {
            if item % 7 == 0 {
                std::thread::yield_now();
            }
            item * 2
        });
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(super::each(&[] as &[u8], |item| *item).is_empty());
        assert_eq!(super::each_largest_first(&items, |item| item % 10, |item| item * 2), doubled);
    }

    #[test]
    fn both_have_results() {
        assert_eq!(super::both(|| 1, || "two"), (1, "two"));
    }
}

//! Sorting by numbers.
//!
//! One sort for all that is put in order: each other type of key or value would be another copy of the algorithm in what
//! a page loads.

/// The items, rising by key; those of one key in the order in which they came.
#[must_use]
pub fn in_order<T>(items: Vec<T>, key: impl Fn(&T) -> [u64; 3]) -> Vec<T> {
    let mut keys: Vec<([u64; 3], usize)> = items.iter().enumerate().map(|(place, item)| (key(item), place)).collect();
    keys.sort_unstable();
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    keys.into_iter().filter_map(|(_, place)| items[place].take()).collect()
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn items_rise_by_key_and_keep_their_order_within_one() {
        let sorted = in_order(vec![(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd')], |&(key, _)| [key, 0, 0]);
        assert_eq!(sorted, [(1, 'b'), (2, 'd'), (3, 'a'), (3, 'c')]);
    }
}

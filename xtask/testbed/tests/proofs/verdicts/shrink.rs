//! Smaller examples of a wrong verdict: parts of both schemas and of the object are removed as long as the verdict stays wrong.

use serde_json::Value;

/// The most steps of one example.
const MOST_STEPS: usize = 600;

/// Removes parts of these values together, as long as `is_wrong`. A part is removed from each of the first two values that has it, and alone
/// from each one.
pub(crate) fn shrink(mut values: [Value; 3], is_wrong: &mut dyn FnMut(&[Value; 3]) -> bool) -> [Value; 3] {
    let mut left = MOST_STEPS;
    loop {
        let mut is_smaller = false;
        let mut pointers = Vec::new();
        for value in &values {
            collect(value, String::new(), &mut pointers);
        }
        // Large parts first.
        pointers.sort_by_key(|pointer| pointer.matches('/').count());
        pointers.dedup();
        for pointer in pointers {
            for which in [&[0, 1][..], &[2], &[0], &[1]] {
                let mut smaller = values.clone();
                let removed = which.iter().filter(|index| remove(&mut smaller[**index], &pointer)).count();
                if removed == 0 || left == 0 {
                    continue;
                }
                left -= 1;
                if is_wrong(&smaller) {
                    values = smaller;
                    is_smaller = true;
                }
            }
        }
        if !is_smaller || left == 0 {
            return values;
        }
    }
}

fn collect(value: &Value, pointer: String, found: &mut Vec<String>) {
    if !pointer.is_empty() {
        found.push(pointer.clone());
    }
    match value {
        Value::Object(map) => map.iter().for_each(|(name, below)| {
            collect(below, format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), found);
        }),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, below)| collect(below, format!("{pointer}/{index}"), found));
        }
        _ => {}
    }
}

/// Removes the part at a pointer. Returns whether there was one.
fn remove(value: &mut Value, pointer: &str) -> bool {
    let Some((above, name)) = pointer.rsplit_once('/') else { return false };
    let name = name.replace("~1", "/").replace("~0", "~");
    match value.pointer_mut(above) {
        Some(Value::Object(map)) => map.remove(&name).is_some(),
        Some(Value::Array(items)) => match name.parse::<usize>() {
            Ok(index) if index < items.len() => {
                items.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

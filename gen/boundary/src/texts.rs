//! Texts near another one: with another character, or longer or shorter.

/// The characters that replace another, unusual ones first.
const ODD: [char; 20] =
    [' ', '!', '_', '-', '.', '/', ':', '*', '#', '"', 'A', 'a', '0', 'z', 'Z', '9', '\n', '\u{0}', 'é', '😀'];

/// Texts that differ from this one in one character, and a few different ones.
pub(super) fn neighbours(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let last = characters.len().saturating_sub(1);
    let mut positions = vec![0, last, characters.len() / 2, 1.min(last), last.saturating_sub(1)];
    positions.sort_unstable();
    positions.dedup();
    let mut found = Vec::new();
    let with = |change: &dyn Fn(&mut Vec<char>)| {
        let mut changed = characters.clone();
        change(&mut changed);
        changed.into_iter().collect::<String>()
    };
    for odd in ODD {
        for &position in positions.iter().filter(|position| **position < characters.len()) {
            found.push(with(&|changed| changed[position] = odd));
        }
    }
    for odd in ODD {
        for &position in &positions {
            found.push(with(&|changed| changed.insert(position.min(changed.len()), odd)));
        }
        found.push(format!("{text}{odd}"));
    }
    for &position in positions.iter().filter(|position| **position < characters.len()) {
        found.push(with(&|changed| {
            changed.remove(position);
        }));
    }
    found.push(String::new());
    for odd in ODD {
        found.push(odd.to_string());
        found.push(odd.to_string().repeat(characters.len()));
    }
    found
}

/// The text with characters repeated or removed in the middle or at the end: most patterns still match one of the results.
pub(super) fn resized(text: &str, length: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    if length <= characters.len() {
        let start: String = characters.iter().take(length).collect();
        let end: String = characters.iter().skip(characters.len() - length).collect();
        return vec![start, end];
    }
    let missing = length - characters.len();
    let mut found = Vec::new();
    let last = characters.len();
    for position in [last, last.saturating_sub(1), last / 2, 1.min(last), 0] {
        let near = position.checked_sub(1).and_then(|before| characters.get(before)).or(characters.get(position));
        for filler in near.copied().into_iter().filter(char::is_ascii_alphanumeric).chain(['a', '1']) {
            let mut longer: Vec<char> = characters.clone();
            longer.splice(position..position, std::iter::repeat_n(filler, missing));
            found.push(longer.into_iter().collect());
        }
    }
    found
}

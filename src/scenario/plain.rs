//! Text from outside, made fit to be shown: nothing unseen, nothing that turns its neighbours round, and no longer than
//! its place. What is kept, shared and exported is the text as it came.

/// The longest name that is shown, in characters.
const NAME_SHOWN: usize = 16;

/// Whether a character is not seen, or turns round those after it. What joins the parts of an emoji stays.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}')
        || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffe}'..='\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether a character is written from right to left.
const fn is_leftward(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Whether a character belongs to the one before it.
const fn is_joined(letter: char) -> bool {
    matches!(letter, '\u{200d}' | '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// A text in one line of at most so many characters; what is cut ends in an ellipsis. Text that is written from right to
/// left stands by itself, so that it does not move what is around it.
#[must_use]
pub fn plain(text: &str, most: usize) -> String {
    let seen = text.chars().map(|letter| if letter.is_whitespace() { ' ' } else { letter });
    let mut letters: Vec<char> = seen.filter(|&letter| !is_unseen(letter)).take(most + 1).collect();
    if letters.len() > most {
        letters.truncate(most);
        // Nothing that is drawn as one is cut in two.
        while letters.last().is_some_and(|&last| is_joined(last)) {
            letters.pop();
        }
        letters.pop();
        letters.push('…');
    }
    let text: String = letters.iter().collect();
    let text = text.trim();
    if text.chars().any(is_leftward) { format!("\u{2068}{text}\u{2069}") } else { text.to_owned() }
}

/// The names of nodes as they are shown; empty where a node has only its number.
#[must_use]
pub fn plain_names(names: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let mut name = plain(name, NAME_SHOWN);
        // Two that are cut to the same are told apart.
        if !name.is_empty() && shown.contains(&name) {
            name = format!("{name} ({})", index + 1);
        }
        shown.push(name);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b03_honest_names_stay_as_they_are() {
        for name in ["50% & up", "a+b=c?#/", "节点 ①", "👩‍👩‍👧‍👦", "__proto__", "hasOwnProperty", "NaN", ""]
        {
            assert_eq!(plain(name, NAME_SHOWN), name);
        }
    }

    #[test]
    fn b09_hostile_text_is_short_and_turns_nothing_round() {
        assert_eq!(plain(&"x".repeat(100_000), 16), "xxxxxxxxxxxxxxx…");
        assert_eq!(plain("a\u{202e}b\u{2066}c\nd", 16), "abc d");
        assert_eq!(plain("שלום", 16), "\u{2068}שלום\u{2069}");
        assert_eq!(plain("<img src=x onerror=alert(1)>", 16), "<img src=x oner…");
        // An emoji of several code points goes whole.
        assert_eq!(plain("123456👩‍👩‍👧‍👦", 8), "123456…");
    }

    #[test]
    fn names_that_are_cut_alike_are_told_apart() {
        let names: Vec<String> = (0..2).map(|i| format!("{}{i}", "n".repeat(20))).collect();
        assert_eq!(plain_names(&names), ["nnnnnnnnnnnnnnn…", "nnnnnnnnnnnnnnn… (2)"]);
    }
}

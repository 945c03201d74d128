//! What can be wrong with a pattern, as users read it. `{}` is the invalid part as it is written.

/// `\y`: an escape that RE2 does not know, at least not in this place. The advice follows.
pub(super) const BAD_ESCAPE: &str = "`{}` is not an escape here; ";
/// `\x4`, `\x{110000}`: not two hexadecimal digits, or not a code point in braces.
pub(super) const BAD_CODE_POINT: &str =
    r"`{}` is not a character; write exactly two hexadecimal digits (`\x7F`) or a code point in braces (`\x{10FFFF}`)";
/// `\1`, `\k<name>`, `(?P=name)`: matching what a group matched before.
pub(super) const BACKREFERENCE: &str =
    "backreference `{}` is not part of RE2; repeat the expression, or compare with a CEL rule";
pub(super) const TRAILING_BACKSLASH: &str = r"trailing `\`; write `\\` to match a backslash";
/// `\p{Foo}`: no such category or script.
pub(super) const UNKNOWN_UNICODE_CLASS: &str =
    r"`{}` names no Unicode category or script; examples that exist are `\pL`, `\p{Lu}` and `\p{Greek}`";
/// `\p{Old_Italic}`: a script that exists, under a name that Go 1.25 and 1.26 fail to look up.
pub(super) const UNREACHABLE_SCRIPT: &str = r"`{}`: Go 1.25 and 1.26 fail to find scripts whose names have several words; write its characters as ranges (`\x{…}-\x{…}`)";
/// `\p{Greek` or a final `\p`.
pub(super) const UNCLOSED_UNICODE_CLASS: &str = r"unfinished Unicode class; write `\pL` or `\p{Greek}`";
/// `[[:foo:]]`: no such class of ASCII characters.
pub(super) const UNKNOWN_POSIX_CLASS: &str = "`{}` is not a class; known are alnum, alpha, ascii, blank, cntrl, digit, graph, lower, print, punct, space, upper, word, xdigit";
/// `[z-a]`
pub(super) const BAD_RANGE: &str = r"bad range `{}`: it runs backwards; swap its ends, or escape the `-` as `\-`";
/// `[a-\d]`: the range ends in something that is not one character.
pub(super) const BAD_RANGE_END: &str =
    r"bad range `{}`: it must end in one character; put the `-` first or escape it as `\-` to match it";
pub(super) const UNCLOSED_CLASS: &str = r"missing closing `]`; close the class, or write `\[` to match a bracket";
pub(super) const UNCLOSED_GROUP: &str = r"missing closing `)`; close the group, or write `\(` to match a parenthesis";
pub(super) const UNEXPECTED_PARENTHESIS: &str =
    r"unexpected `)`: no group is open; remove it, or write `\)` to match a parenthesis";
/// `(?=…)`, `(?!…)`
pub(super) const LOOKAHEAD: &str =
    "lookahead `{}` is not part of RE2; state the condition as a second pattern (`allOf`) or a CEL rule";
/// `(?<=…)`, `(?<!…)`
pub(super) const LOOKBEHIND: &str =
    "lookbehind `{}` is not part of RE2; state the condition as a second pattern (`allOf`) or a CEL rule";
/// `(?>…)`, `(?#…)` and other groups of Perl.
pub(super) const UNSUPPORTED_GROUP: &str = "`{}` is not part of RE2; use a plain group, `(…)` or `(?:…)`";
/// `(?x)`, `(?-)`: letters after `(?` that are not flags, or a `-` without any flag after it.
pub(super) const BAD_FLAGS: &str = "`{}`: not a group of RE2; flags are `i`, `m`, `s`, `U`, as in `(?i)` or `(?s-i:…)`";
/// `(?P<a b>…)`
pub(super) const BAD_GROUP_NAME: &str = "invalid group name in `{}`; use ASCII letters, digits and `_`";
pub(super) const UNCLOSED_GROUP_NAME: &str = "group name without closing `>`; write `(?P<name>…)`";
/// `*` and similar operators with nothing before them.
pub(super) const NOTHING_TO_REPEAT: &str =
    r"nothing to repeat before `{}`; put an expression there, or write `\{}` to match it";
/// `a**`, `a{2}{3}`, `a++`
pub(super) const NESTED_REPETITION: &str =
    "`{}`: a repetition of a repetition; RE2 has no possessive forms, so put the inner one in `(?:…)` or remove it";
/// `{1001}`
pub(super) const REPEAT_TOO_LARGE: &str =
    "repeat count above 1000 in `{}`; use `maxLength` or `minLength` for longer texts";
/// `{2,1}`
pub(super) const REPEAT_REVERSED: &str = "repeat count `{}` asks for more at least than at most; swap the numbers";
/// `(a{100}){11}`
pub(super) const REPEAT_PRODUCT_TOO_LARGE: &str =
    "`{}` around another counted repetition makes more than 1000 in all; lower one of the counts";
pub(super) const TOO_DEEP: &str = "the expression nests more than 1000 deep; flatten it";
pub(super) const TOO_LARGE: &str =
    "the expression is too large for Go once its counted repetitions are written out; lower the counts";

/// What to write instead of an escape that RE2 does not know.
pub(super) fn escape_advice(letter: char) -> &'static str {
    match letter {
        'Z' => r"the end of the text is `\z` or `$`",
        'A' | 'B' | 'b' | 'z' => r"inside brackets there are only characters; a backspace is `\x08`",
        'Q' => r"inside brackets escape each character by itself",
        'E' => r"it only ends a quotation that `\Q` began",
        'u' | 'U' => r"a code point is written `\x{2026}`",
        'c' => r"a control character is written `\x01`",
        'e' => r"the escape character is written `\x1B`",
        'h' => r"horizontal space is written `[\t ]`",
        'N' => r"anything but a line end is written `[^\n]`",
        'C' | 'G' | 'H' | 'K' | 'R' | 'V' | 'X' => "it is not part of RE2; write the characters that are meant",
        _ => r"remove the backslash to match the character, or write `\\` to match a backslash",
    }
}

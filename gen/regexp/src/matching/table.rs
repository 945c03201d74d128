//! Go's answers for patterns and texts, recorded so that the test needs neither Go nor this crate's code.
//!
//! Made with go1.26.8 (Unicode 15.0.0) by a program of a dozen lines: for each text, what `MatchString` returns. Patterns and
//! texts were chosen by hand; no verdict was edited.

/// A pattern, texts in which Go finds it, and texts in which it does not.
pub(super) const TABLE: &[(&str, &[&str], &[&str])] = &[
    // Anchors and places.
    ("^a", &["ab"], &["ba", "\na"]),
    ("a$", &["ba"], &["ab", "a\n"]),
    ("(?m)^a$", &["b\na\nc", "a\n"], &["ba"]),
    (r"\Aa\z", &["a"], &["a\n"]),
    ("^$", &[""], &["a", "\n"]),
    ("(?m)^$", &["", "a\n", "a\n\nb"], &["a\nb"]),
    ("a^b", &[], &["ab", "a^b"]),
    (r"(?m)a$\n^b", &["a\nb"], &["ab"]),
    ("$^", &[""], &["a"]),
    (r"\bfoo\b", &["a foo.", "foo", "éfooé"], &["xfoo", "foo_"]),
    (r"\B", &["", "ab", "."], &["a"]),
    (r"\b", &["a"], &["", "é", " "]),
    (r"^(?:\b|a)*$", &["", "aa"], &["ab"]),
    ("(?:$|x)+y", &["xy"], &["y"]),
    // Sets and folding.
    (".", &["a", "é", "\u{FFFD}"], &["", "\n"]),
    ("(?s).", &["\n"], &[""]),
    ("[^a]", &["b", "\n", "é"], &["a"]),
    ("(?i)straSSe", &["STRASSE", "\u{17F}tra\u{17F}\u{17F}E"], &["straße"]),
    ("(?i)k", &["K", "\u{212A}"], &["κ"]),
    ("(?i)[^k]", &["x"], &["K", "\u{212A}"]),
    (r"(?i)\W", &["-"], &["k", "\u{212A}"]),
    (r"\w", &["_"], &["é"]),
    ("[[:^alpha:]]", &["1"], &["a"]),
    ("[à-ÿ]", &["é"], &["É", "e", "Ā"]),
    ("(?i)[à-ÿ]", &["é"], &["e", "漢"]),
    (r"[\x{10000}-\x{10FFFF}]", &["😀"], &["漢"]),
    (r"\x{D800}", &[], &["", "\u{FFFD}"]),
    (r"[^\x00-\x{10FFFF}]", &[], &["", "a"]),
    ("(?i)[a-c]é|x", &["Aé", "X"], &["dé"]),
    (r"\pL", &["a", "\u{17F}"], &["1"]),
    (r"\PL", &["1"], &["a", "\u{212A}"]),
    (r"^[\p{Lu}\p{Nd}]+$", &["A1"], &["a1"]),
    (r"(?i)^\p{Lu}+$", &["Ab", "\u{17F}K"], &["A1"]),
    (r"\p{Greek}", &[], &["a", "\u{212A}"]),
    (r"\p{Latin}|\p{Sc}", &["$", "z"], &["7"]),
    (r"[^\p{Common}]", &["a"], &["1"]),
    (r"[\pL\PL]", &["a", "é"], &[]),
    (r"\p{LC}\pZ\pS\pP\pC", &["a +!\u{0}"], &["a +!a"]),
    (r"^\p{ASCII}*$", &["abc"], &["é"]),
    (r"\pLx", &[], &["1x", "é"]),
    (r"é\pL|y", &["éy"], &["é1"]),
    // Repetition and choice.
    ("^(a|ab)(c|bcd)$", &["abcd", "abc", "abbcd", "ac"], &["ab"]),
    ("^a{2,3}$", &["aa", "aaa"], &["a", "aaaa"]),
    ("^(?:a{2}){2,}$", &["aaaa", "aaaaaa"], &["aaa", "aaaaa"]),
    ("^(?:a*)*b$", &["aaab"], &["aaa"]),
    ("^(?:a?b??)+c$", &["abc", "c", "bac"], &["ca"]),
    ("^(?:|a)+$", &["", "aa"], &["b"]),
    ("x{0}y", &["y"], &["x"]),
    ("^(?:a{0,2}b){2}$", &["bb", "aabab"], &["aaabb", "b"]),
    ("a||b", &["", "c"], &[]),
    ("^(?:a|b|)c$", &["ac", "bc", "c"], &["abc"]),
    ("^(?:ab+?){2,}?$", &["abab", "abbbab"], &["ab"]),
    ("()", &["", "a"], &[]),
];

/// A pattern with counts, and whether Go finds it in the given number of `a`s.
pub(super) const COUNTS: &[(&str, &[(usize, bool)])] = &[
    ("^[a-z]{1000}$", &[(999, false), (1000, true), (1001, false)]),
    ("^(?:a{10}){100}$", &[(990, false), (1000, true), (1001, false)]),
    ("^(?:a?){500}a{500}$", &[(499, false), (500, true), (1000, true), (1001, false)]),
    ("^(?:a{0,31}b?){32}$", &[(991, true), (992, true), (993, false)]),
    ("a{1000}b?$", &[(999, false), (1000, true), (5000, true)]),
];

/// Texts for the patterns of Gateway API 1.6.1.
pub(super) const GATEWAY_TEXTS: &[&str] = &[
    "",
    "*",
    "a",
    "A-b",
    "-a",
    "a-",
    "a.b",
    "a..b",
    "*.example.com",
    "example.com/p",
    "http://*.example.com:8080",
    "https://a:123456",
    "1h30m",
    "1h30m5s7ms9h",
    "/a%2Fb",
    "/a%2",
    "a b",
    "a\tb",
    "x-y_z",
    "é",
    "System",
    "Hostname",
    "no Hostname here",
    "a:b//c?d#e",
    "Foo,Bar",
];

/// These patterns, and for each of the texts a `1` where Go finds it.
pub(super) const GATEWAY: &[(&str, &str)] = &[
    (
        r"(^\*$)|(^(http(s)?):\/\/(((\*\.)?([a-zA-Z0-9\-]+\.)*[a-zA-Z0-9-]+|\*)(:([0-9]{1,5}))?)$)",
        "0100000000100000000000000",
    ),
    (r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", "1010001000001100000000000"),
    ("^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$", "1011001100001100001011000"),
    (r"^(([^:/?#]+):)(//([^/?#]*))([^?#]*)(\?([^#]*))?(#(.*))?", "0000000000110000000000000"),
    ("^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$", "0111111111111110001011001"),
    (
        r"^(System|([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]))$",
        "0000000001000000000010000",
    ),
    ("^([0-9]{1,5}(h|m|s|ms)){1,4}$", "0000000000001000000000000"),
    (
        r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
        "0011001101001100001011000",
    ),
    (r"^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", "0010001010001100000000000"),
    (
        r"^Hostname|IPAddress|NamedAddress|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$",
        "0000000001000000000001000",
    ),
    (r"^[!-~]+([\t ]?[!-~]+)*$", "0111111111111111111011111"),
    (r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$", "0111111110001100001011000"),
    ("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$", "0010000000000000000011001"),
    ("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "0010000000001100000000000"),
    (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", "0010001000001100000000000"),
    (
        r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$",
        "0000000001000000000000000",
    ),
    (
        r"^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9]+$",
        "0011000001001100000011000",
    ),
    ("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$", "0011000000000000000011000"),
];

/// Named sets with all that they have of ASCII and of the two signs that fold to it.
pub(super) const NAMES: &[(&str, &str)] = &[
    (
        "C",
        "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{9}\u{A}\u{B}\u{C}\u{D}\u{E}\u{F}\u{10}\u{11}\u{12}\u{13}\u{14}\u{15}\u{16}\u{17}\u{18}\u{19}\u{1A}\u{1B}\u{1C}\u{1D}\u{1E}\u{1F}\u{7F}",
    ),
    (
        "Cc",
        "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{9}\u{A}\u{B}\u{C}\u{D}\u{E}\u{F}\u{10}\u{11}\u{12}\u{13}\u{14}\u{15}\u{16}\u{17}\u{18}\u{19}\u{1A}\u{1B}\u{1C}\u{1D}\u{1E}\u{1F}\u{7F}",
    ),
    ("Cn", ""),
    (
        "Common",
        "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{9}\u{A}\u{B}\u{C}\u{D}\u{E}\u{F}\u{10}\u{11}\u{12}\u{13}\u{14}\u{15}\u{16}\u{17}\u{18}\u{19}\u{1A}\u{1B}\u{1C}\u{1D}\u{1E}\u{1F} !\"#$%&'()*+,-./0123456789:;<=>?@[\\]^_`{|}~\u{7F}",
    ),
    ("Greek", ""),
    ("L", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\u{17F}\u{212A}"),
    ("LC", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\u{17F}\u{212A}"),
    ("Latin", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\u{17F}\u{212A}"),
    ("Ll", "abcdefghijklmnopqrstuvwxyz\u{17F}"),
    ("Lt", ""),
    ("Lu", "ABCDEFGHIJKLMNOPQRSTUVWXYZ\u{212A}"),
    ("M", ""),
    ("N", "0123456789"),
    ("Nd", "0123456789"),
    ("P", "!\"#%&'()*,-./:;?@[\\]_{}"),
    ("Pc", "_"),
    ("Pd", "-"),
    ("Pe", ")]}"),
    ("Po", "!\"#%&'*,./:;?@\\"),
    ("Ps", "([{"),
    ("S", "$+<=>^`|~"),
    ("Sc", "$"),
    ("Sk", "^`"),
    ("Sm", "+<=>|~"),
    ("Yi", ""),
    ("Z", " "),
    ("Zs", " "),
];

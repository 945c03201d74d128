//! The names that Go accepts after `\p`.
//!
//! `parse` asks for a name as written. The lists are those of `unicode.Categories`, `unicode.CategoryAliases` and
//! `unicode.Scripts` in Go 1.26 (Unicode 15). Go ignores case, spaces, `_` and `-`; it then capitalises the name and
//! looks for that, so it never finds a script whose own name has a second capital or a `_`.

/// The meaning of a name after `\p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnicodeName {
    Any,
    /// The code points below 128.
    Ascii,
    /// The code points outside the category `Cn`.
    Assigned,
    /// A category or script, by Go's name for it.
    Table(&'static str),
}

/// How looking for a name ended.
pub(super) enum Lookup {
    Found(UnicodeName),
    /// A script that Go has and does not find.
    Unreachable,
    Unknown,
}

const CATEGORIES: &str =
    "C Cc Cf Cn Co Cs L LC Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs";

const ALIASES: &str = "CasedLetter=LC ClosePunctuation=Pe CombiningMark=M ConnectorPunctuation=Pc Control=Cc CurrencySymbol=Sc \
    DashPunctuation=Pd DecimalNumber=Nd EnclosingMark=Me FinalPunctuation=Pf Format=Cf InitialPunctuation=Pi Letter=L LetterNumber=Nl \
    LineSeparator=Zl LowercaseLetter=Ll Mark=M MathSymbol=Sm ModifierLetter=Lm ModifierSymbol=Sk NonspacingMark=Mn Number=N \
    OpenPunctuation=Ps Other=C OtherLetter=Lo OtherNumber=No OtherPunctuation=Po OtherSymbol=So ParagraphSeparator=Zp PrivateUse=Co \
    Punctuation=P Separator=Z SpaceSeparator=Zs SpacingMark=Mc Surrogate=Cs Symbol=S TitlecaseLetter=Lt Unassigned=Cn \
    UppercaseLetter=Lu cntrl=Cc digit=Nd punct=P";

const SCRIPTS: &str = "Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki \
    Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common Coptic \
    Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic \
    Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana \
    Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi \
    Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam \
    Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi \
    Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki \
    Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage \
    Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian \
    Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet \
    Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi \
    Zanabazar_Square";

/// Looks up a name after `\p`, without braces and without a leading `^`.
pub(super) fn look_up(name: &str) -> Lookup {
    let same = |known: &str| letters(name).eq(letters(known));
    for (special, found) in
        [("any", UnicodeName::Any), ("ascii", UnicodeName::Ascii), ("assigned", UnicodeName::Assigned)]
    {
        if same(special) {
            return Lookup::Found(found);
        }
    }
    if let Some(category) = CATEGORIES.split_ascii_whitespace().find(|category| same(category)) {
        return Lookup::Found(UnicodeName::Table(category));
    }
    if let Some(script) = SCRIPTS.split_ascii_whitespace().find(|script| same(script)) {
        let capitals = script.bytes().filter(u8::is_ascii_uppercase).count();
        return if capitals == 1 && !script.contains('_') {
            Lookup::Found(UnicodeName::Table(script))
        } else {
            Lookup::Unreachable
        };
    }
    let aliases = ALIASES.split_ascii_whitespace().filter_map(|alias| alias.split_once('='));
    match aliases.into_iter().find(|(alias, _)| same(alias)) {
        Some((_, category)) => Lookup::Found(UnicodeName::Table(category)),
        None => Lookup::Unknown,
    }
}

/// A name as Go compares it.
fn letters(name: &str) -> impl Iterator<Item = u8> + '_ {
    name.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b' ')).map(|byte| byte.to_ascii_lowercase())
}

//! The table of rules in docs/webhook.md is the one of the program.

use std::collections::BTreeMap;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/webhook.md");
const BEGIN: &str = "<!-- rules -->\n";
const END: &str = "<!-- end of rules -->";

#[test]
fn the_page_lists_the_rules() {
    let webhook = gateway_api_webhook::webhook().unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut rules: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for rule in webhook.described() {
        rules.entry((rule.name, rule.about, rule.why)).or_default().push(rule.kind);
    }
    let row = |((name, about, why), kinds): (&(&str, &str, &str), &Vec<&str>)| {
        format!("| `{name}` | {} | {} | {} |\n", kinds.join(", "), sentence(about), sentence(why))
    };
    let head = "| rule | kinds | checks | why it needs a webhook |\n|---|---|---|---|\n";
    let expected = head.to_owned() + &rules.iter().map(row).collect::<String>();
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the begin of the table");
    let (table, after) = rest.split_once(END).expect("the end of the table");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(PAGE, [before, BEGIN, &expected, END, after].concat()).expect("written");
        return;
    }
    assert_eq!(table, expected, "write it again: UPDATE_SNAPSHOTS=1 cargo test -p gateway-api-webhook page");
}

/// A sentence in a cell.
fn sentence(text: &str) -> &str {
    text.trim_end_matches('.')
}

//! Words of field names: `sourceURL`, not `srcUrl`.

use crate::words::words;

pub(super) const RULE: super::Convention = super::Convention {
    name: "field-words",
    summary: "Words in a field name are written out, and all letters of an acronym have the same case.",
    reason: "Users guess names, which works if all authors write `address` and `baseURL`; `id`, `args`, `stdin` and the like are words.",
    source: "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#naming-conventions",
    linters: &["jsontags"],
    is_default: true,
    firing: "properties: {srcURL: {type: string}}",
    silent: "properties: {sourceURLs: {type: string}}",
    check: |node, problems| {
        for (index, word) in words(node.name.unwrap_or_default()).into_iter().enumerate() {
            let stem = word.strip_suffix('s').unwrap_or(word);
            if ABBREVIATIONS.contains(&&*word.to_lowercase()) {
                problems.push(super::Problem::new(format!("`{word}` is an abbreviation"), "write the word out"));
            } else if index > 0 && stem != stem.to_uppercase() && ACRONYMS.contains(&&*stem.to_lowercase()) {
                let help = format!("write `{}{}`", stem.to_uppercase(), &word[stem.len()..]);
                problems
                    .push(super::Problem::new(format!("`{word}` is an acronym, whose letters have one case"), help));
            }
        }
    },
};

#[rustfmt::skip]
const ABBREVIATIONS: &[&str] = &[
    "addr", "attr", "attrs", "cfg", "cmd", "cnt", "conf", "conn", "ctx", "desc", "dst", "err", "fmt", "img", "impl", "len", "mgmt", "msg", "num",
    "obj", "pkg", "prev", "pwd", "qty", "req", "resp", "src", "svc", "tmp", "usr", "val", "vol",
];
#[rustfmt::skip]
const ACRONYMS: &[&str] = &[
    "acl", "api", "arn", "cidr", "cpu", "crd", "dns", "gpu", "grpc", "http", "https", "id", "ip", "json", "jwt", "oidc", "sni", "ssh", "ssl",
    "tcp", "tls", "ttl", "udp", "uid", "uri", "url", "uuid", "vpc", "yaml",
];

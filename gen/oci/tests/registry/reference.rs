//! The form of references.

use crd_oci::registry::Reference;

#[test]
fn references_are_read_and_written() {
    let digest = format!("sha256:{}", "a".repeat(64));
    let with_digest = format!("ghcr.io/my-org/my-api@{digest}");
    for (text, host, repository, name) in [
        ("oci://ghcr.io/my-org/my-api/standard:v1.7.0", "ghcr.io", "my-org/my-api/standard", Some("v1.7.0")),
        ("localhost:5000/a", "localhost:5000", "a", None),
        ("[::1]:5000/a__b/c-d:latest", "[::1]:5000", "a__b/c-d", Some("latest")),
        (&with_digest, "ghcr.io", "my-org/my-api", Some(&*digest)),
    ] {
        let reference = text.parse::<Reference>().unwrap();
        let parts = (&*reference.host, &*reference.repository, reference.name.as_deref());
        assert_eq!(parts, (host, repository, name), "{text}");
        assert_eq!(reference.to_string(), text.trim_start_matches("oci://"));
    }
    let long = format!("h/a:{}", "a".repeat(129));
    for (text, reason) in [
        ("oci://", "the host is malformed"),
        ("oci://ghcr.io", "the repository is missing"),
        ("oci://me:secret@ghcr.io/a", "the repository is missing"),
        ("oci://ghcr.io?x/a", "the host is malformed"),
        ("https://ghcr.io/a", "only `oci://` can precede the host"),
        ("oci://ghcr.io/My/a", "a repository has lower-case letters only"),
        ("oci://ghcr.io/../a", "the repository is malformed"),
        ("oci://ghcr.io/a//b", "the repository is malformed"),
        ("oci://ghcr.io/a%2fb:v1", "the repository is malformed"),
        ("oci://ghcr.io/a:../b", "the repository is malformed"),
        ("oci://ghcr.io/a:.b", "the tag is malformed"),
        (&long, "the tag is malformed"),
        ("oci://ghcr.io/a@sha256:../../x", "the digest is not SHA-256"),
        ("oci://ghcr.io/a@sha512:aa", "the digest is not SHA-256"),
    ] {
        let error = text.parse::<Reference>().unwrap_err();
        assert_eq!(error.code, "registry::reference");
        assert!(error.message.ends_with(reason), "{text}: {error}");
    }
}

//! Keys and signed bundles.

mod bundles;
mod keys;

/// The key of RFC 6979, appendix A.2.5, in PKCS#8 as openssl writes it.
const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
+mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
-----END PRIVATE KEY-----
";
/// Its public key.
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7
Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
-----END PUBLIC KEY-----
";

/// Runs a line of shell in a folder; its output, if it succeeds.
fn shell(folder: &std::path::Path, line: &str) -> Option<Vec<u8>> {
    let output = std::process::Command::new("sh").args(["-c", line]).current_dir(folder).output().unwrap();
    output.status.success().then_some(output.stdout)
}

/// Whether openssl is missing; prints that then.
fn without_openssl() -> bool {
    let missing = shell(std::path::Path::new("."), "openssl version").is_none();
    if missing {
        println!("skipped: `openssl` is missing");
    }
    missing
}

//! What a step writes: keys, certificates and times.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crd_diagnostics::Diagnostic;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PKCS_ECDSA_P256_SHA256,
};

use super::cluster::Write;
use super::state::{Authority, CA_CERTIFICATE, CA_KEY, CA_PUBLISHED, CA_PUBLISHED_IN, LEAF_ISSUED, State, authorities};
use super::{Action, Settings};
use crate::certificate::{CERTIFICATE, KEY, earlier, later, rfc3339};
use crate::codes;

/// How much earlier than now a certificate becomes valid: clocks of other machines may be behind.
pub(crate) const BACKDATED: Duration = Duration::from_secs(5 * 60);

/// What an action writes.
///
/// # Errors
/// A diagnostic if a certificate cannot be issued.
pub(crate) fn write(action: Action, state: &State, settings: &Settings, now: SystemTime) -> Result<Write, Diagnostic> {
    let pem = |authorities: &[Authority]| authorities.iter().map(|authority| &*authority.pem).collect::<String>();
    let all = || pem(&state.authorities) + &pem(&state.others);
    let signer = || match &state.signer {
        Ok(signer) => Ok((&signer.authority, &*signer.key)),
        Err(why) => Err(codes::CERTS_ISSUE.finding(why)),
    };
    let refused = |error: rcgen::Error| {
        let help = "delete the Secret to start again; the old CA remains in the `caBundle` until then";
        let finding = codes::CERTS_ISSUE.finding(format!("cannot issue a certificate: {error}"));
        finding.of_object(settings.secret_name()).help(help)
    };
    let (mut data, mut times) = (BTreeMap::new(), BTreeMap::new());
    let mut record = |name: &str, value: String| times.insert(format!("{}/{name}", settings.prefix), value);
    // Not in seconds: the overlap would be too short.
    let time = || jiff::Timestamp::try_from(now).map_or_else(|_| rfc3339(now), |now| now.to_string());
    match action {
        Action::NewCa | Action::NewCaAndLeaf => {
            let (certificate, key) = authority(settings, now).map_err(refused)?;
            if action == Action::NewCaAndLeaf
                && let Some(authority) = authorities(&certificate, now).first()
            {
                data.extend(leaf(authority, &key, settings, now).map_err(refused)?);
                record(LEAF_ISSUED, time());
            }
            data.insert(CA_CERTIFICATE, certificate + &all());
            data.insert(CA_KEY, key);
        }
        Action::NewLeaf => {
            let (authority, key) = signer()?;
            data.extend(leaf(authority, key, settings, now).map_err(refused)?);
            record(LEAF_ISSUED, time());
        }
        Action::RecordLeaf => drop(record(LEAF_ISSUED, time())),
        Action::RecordCaBundle => {
            record(CA_PUBLISHED, time());
            record(CA_PUBLISHED_IN, state.generation.clone());
        }
        Action::DropOldCa => drop(data.insert(CA_CERTIFICATE, signer()?.0.pem.clone())),
        Action::ExtendCaBundle => return Ok(Write::CaBundle(all())),
        Action::ShrinkCaBundle => return Ok(Write::CaBundle(signer()?.0.pem.clone())),
        Action::Wait => {}
    }
    Ok(Write::Secret(data, times))
}

/// A new CA and its key, in PEM form. Its name has the time, so that people can distinguish CAs.
fn authority(settings: &Settings, now: SystemTime) -> Result<(String, String), rcgen::Error> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    let mut params = CertificateParams::default();
    params.distinguished_name = named(&format!("CA of a webhook, {}", rfc3339(now)));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    (params.not_before, params.not_after) = (earlier(now, BACKDATED).into(), later(now, settings.ca_lifetime).into());
    Ok((params.self_signed(&key)?.pem(), key.serialize_pem()))
}

/// A new certificate and its key, as keys of the Secret. It does not outlive its CA.
fn leaf(
    authority: &Authority,
    key: &str,
    settings: &Settings,
    now: SystemTime,
) -> Result<[(&'static str, String); 2], rcgen::Error> {
    let issuer = Issuer::from_ca_cert_der(&authority.certificate, KeyPair::from_pem(key)?)?;
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    let mut params = CertificateParams::new(settings.names())?;
    params.distinguished_name = named(&format!("certificate of a webhook, {}", rfc3339(now)));
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    let not_after = later(now, settings.leaf_lifetime).min(authority.facts.not_after);
    (params.not_before, params.not_after) = (earlier(now, BACKDATED).into(), not_after.into());
    Ok([(CERTIFICATE, params.signed_by(&key, &issuer)?.pem()), (KEY, key.serialize_pem())])
}

fn named(common_name: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, common_name);
    name
}

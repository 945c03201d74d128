//! Sites that tests make, and the data of their pages.
//!
//! Invariant: the data is unpacked without the code of this crate.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crd_bundle::{BundleVersion, Release};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_site::{Page, Site, SiteRelease, channels};
use flate2::read::GzDecoder;
use serde_json::Value;

/// A site of releases with these CRDs by channel.
pub(crate) fn site(name: &str, releases: &[BTreeMap<Channel, Vec<Value>>]) -> Site {
    let releases = releases.iter().enumerate().map(|(minor, crds)| {
        let of_channel = |(channel, crds): (&Channel, &Vec<Value>)| {
            let crds = crds.iter().map(|crd| {
                let crd = CustomResourceDefinition::from_value(crd).unwrap_or_else(|errors| panic!("{errors:?}"));
                Arc::new(crd)
            });
            (*channel, crds.collect())
        };
        let version = BundleVersion::new(1, u64::try_from(minor).unwrap(), 0);
        let release = Release::new(version.to_string(), Some(version), crds.iter().map(of_channel).collect());
        SiteRelease::new(release, version.to_string(), false)
    });
    let releases = releases.collect::<Vec<_>>();
    let channels = channels(&releases);
    Site { name: name.to_owned(), releases, channels, ..Site::default() }
}

/// The page of a site.
pub(crate) fn page(site: &Site) -> Page {
    crd_site::page(site).unwrap_or_else(|error| panic!("{error}"))
}

/// The data of a page.
pub(crate) fn data(html: &str) -> Value {
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    let (packed, _) = rest.split_once('<').unwrap();
    let mut text = String::new();
    GzDecoder::new(&*STANDARD.decode(packed).unwrap()).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

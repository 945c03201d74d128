//! What is compared: the client that the user names, the known bundles, and those that are shown.

use std::path::Path;
use std::{fs, io};

use crd_diagnostics::Diagnostic;
use crd_generator::file;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_model::parallel;
use crd_stamps::skew::{Bundle, Bundles, Client};
use crd_upgrade::inspect::KnownBundles;

use super::Row;

/// Reads the file of a client. Mounted files of Kubernetes are symlinks, so links are followed.
pub(crate) fn client(path: &Path, session: &Session<'_>) -> Result<Client, Vec<Diagnostic>> {
    let shown = session.shown(path).to_owned();
    let path = session.start().join(path);
    let bytes = file::read_regular(&shown, fs::metadata(&path), |_| fs::read(&path))?;
    let missing = || file::error("file::io", &shown, "does not exist");
    let text = String::from_utf8(bytes.ok_or_else(missing)?);
    let text =
        text.map_err(|error| file::cannot(&shown, "read", &io::Error::new(io::ErrorKind::InvalidData, error)))?;
    Client::read(&text, &shown)
}

/// The known bundles with what they offer.
pub(crate) fn bundles(known: &KnownBundles) -> Bundles {
    let mut bundles = Bundles::default();
    for version in known.versions() {
        let of = |channel: Channel| Some((channel, known.crds((version, channel))?.to_vec()));
        let channels = Channel::ALL.into_iter().filter_map(of);
        bundles.add(version, &channels.filter(|(_, crds)| !crds.is_empty()).collect());
    }
    bundles
}

/// The client, or those of all bundles, on the bundles of this version and channel.
pub(crate) fn rows(
    client: Option<&Client>,
    bundles: &Bundles,
    version: Option<&str>,
    channel: Option<Channel>,
    session: &Session<'_>,
) -> Result<Vec<Row>, Diagnostic> {
    let is_chosen = |(of, part): Bundle| {
        version.is_none_or(|version| of.to_string() == version) && channel.is_none_or(|channel| channel == part)
    };
    let (Some((first, _)), Some((last, _))) = (bundles.bundles().next(), bundles.bundles().last()) else {
        let error = Diagnostic::error("skew::no-releases", "no release is known");
        return Err(error.help("name a folder or an archive with releases: `--releases PATH`"));
    };
    if !bundles.bundles().any(is_chosen) {
        let channel = channel.map(Channel::name).unwrap_or_default();
        let message = format!("the bundle {} {channel} is not known", version.unwrap_or("of the channel"));
        let error = Diagnostic::error("skew::unknown-bundle", message.replace("  ", " "));
        return Err(error.help(format!("the known releases are {first} to {last}")));
    }
    session.begin("comparing clients and bundles");
    let clients = client.map_or_else(|| bundles.clients().collect(), |client| vec![client.clone()]);
    Ok(parallel::each(&clients, |client| {
        let cells = bundles.row(client).into_iter().filter(|cell| cell.bundle.is_some_and(is_chosen));
        Row { client: client.clone(), cells: cells.collect() }
    }))
}

/// Reports that the fields of a client are not compared, because its bundle is not known.
pub(crate) fn note_unknown(client: &Client, bundles: &Bundles, session: &mut Session<'_>) {
    let is_known = |bundle: Bundle| bundles.bundles().any(|known| known == bundle);
    match client.built_for {
        Some(bundle) if is_known(bundle) => {}
        _ if client.kinds.iter().all(|kind| kind.fields.is_some()) => {}
        Some((version, channel)) => {
            session.note(format_args!(
                "{version} {channel} is not known: only API versions are compared, and listed fields"
            ));
        }
        None => session.note("the client has no `builtFor`: only API versions are compared, and listed fields"),
    }
}

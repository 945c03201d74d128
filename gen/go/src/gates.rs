//! Kubernetes' markers of feature gates: `+k8s:featureGate=GATE`, `+k8s:ifEnabled(GATE)=+MARKER` and `+k8s:ifDisabled(GATE)=+MARKER`; and
//! `+featureGate=GATE`, which is documentation of Kubernetes while the setting `gates` is empty.
//!
//! Invariants: a gate is enabled in its channel and in the less stable ones; only the setting `gates` maps a gate to a channel.

use std::collections::BTreeMap;

use crd_names::channel::{Channel, ChannelSet};
use crd_names::shortened;

use crate::names::{DOCUMENTED, head};
use crate::problem::{Fault, GATE};

/// A marker with a gate, and where its parts are from the plus on.
pub(crate) struct Gated<'t> {
    /// The gates, the outermost first.
    pub(crate) gates: Vec<&'t str>,
    pub(crate) channels: ChannelSet,
    /// The marker that it limits. `None`: the element exists only there.
    pub(crate) marker: Option<&'t str>,
    /// The byte of that marker.
    pub(crate) at: usize,
}

/// The marker of a gate that has a stage of its own in Kubernetes.
pub(crate) fn behind_stage(text: &str) -> Option<&str> {
    let is_staged = text.starts_with("k8s:alpha(") || text.starts_with("k8s:beta(");
    let (_, marker) = is_staged.then(|| text.split_once(")=+")).flatten()?;
    is_gate(head(marker)).then_some(marker)
}

/// The error of a gate behind a marker of Kubernetes that is not read, such as `+k8s:eachVal=+k8s:ifEnabled(GATE)=+MARKER`.
pub(crate) fn nested(text: &str, plus: usize) -> Option<Fault> {
    let (outer, marker) = text.strip_prefix("k8s:").and_then(|text| text.split_once("=+"))?;
    let behind = marker.split("=+").map(head).find(|name| is_gate(name))?;
    let message = format!("`+{behind}` behind `+k8s:{}` is not read", shortened(head(outer)));
    let help = format!("begin the marker with the gate: `+{behind}(GATE)=+MARKER`");
    Some(Fault::new(plus, &GATE, message).help(help))
}

/// Whether the marker of this name is one of a gate.
pub(crate) fn is_gate(name: &str) -> bool {
    matches!(name, DOCUMENTED | "k8s:featureGate" | "kubebuilder:feature-gate" | "k8s:ifEnabled" | "k8s:ifDisabled")
}

/// Reads the marker whose plus is at a byte of the file; `text` is behind the plus.
pub(crate) fn read<'t>(text: &'t str, plus: usize, gates: &BTreeMap<String, Channel>) -> Result<Gated<'t>, Fault> {
    let mut read = Gated { gates: Vec::new(), channels: ChannelSet::ALL, marker: Some(text), at: plus };
    while let Some(marker) = read.marker.filter(|marker| is_gate(head(marker))) {
        let name = head(marker);
        let start = read.at + 1;
        let rest = &marker[name.len()..];
        let malformed =
            |form: &str| Fault::new(read.at, &GATE, format!("`+{}` needs a gate: write `{form}`", shortened(name)));
        let (gate, payload) = if name.starts_with("k8s:if") {
            let form = format!("+{name}(GATE)=+MARKER");
            let (gate, behind) =
                rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).ok_or_else(|| malformed(&form))?;
            let payload =
                behind.trim_start().strip_prefix('=').map(str::trim_start).filter(|payload| !payload.is_empty());
            let payload = payload.ok_or_else(|| malformed(&form))?;
            (gate, Some(payload.strip_prefix('+').unwrap_or(payload)))
        } else {
            let value = rest.trim_start().strip_prefix('=').ok_or_else(|| malformed(&format!("+{name}=GATE")))?;
            (value.split('#').next().unwrap_or_default(), None)
        };
        let mut at = start + name.len() + rest.find(gate).unwrap_or_default();
        for written in gate.split(|next| next == ',' && name == DOCUMENTED) {
            let gate = written.trim().trim_matches(['"', '`']).trim();
            let is_of_name =
                |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/');
            if gate.is_empty() || !gate.chars().all(is_of_name) {
                let message = format!("`{}` in `+{name}` is not the name of a gate", shortened(gate));
                return Err(Fault::new(read.at, &GATE, message));
            }
            let Some(channel) = gates.get(gate) else {
                let message = format!("`{}` is a feature gate without a channel", shortened(gate));
                let help = format!("add `{gate}: experimental` to `gates` in `crd-channels.yaml`");
                let at = at + written.find(gate).unwrap_or_default();
                return Err(Fault::new(at, &GATE, message).help(help));
            };
            let enabled = ChannelSet::from(*channel);
            let disabled = match channel {
                Channel::Standard => ChannelSet::only(Channel::Standard).and(ChannelSet::only(Channel::Experimental)),
                Channel::Experimental => ChannelSet::only(Channel::Standard),
            };
            read.channels = read.channels.and(if name == "k8s:ifDisabled" { disabled } else { enabled });
            read.gates.push(gate);
            at += written.len() + 1;
        }
        read.at = payload.map_or(read.at, |payload| (start + marker.len() - payload.len()).saturating_sub(1));
        read.marker = payload;
    }
    Ok(read)
}

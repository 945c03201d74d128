//! CRDs that preserve all unknown fields (`spec.preserveUnknownFields`, the default of `apiextensions.k8s.io/v1beta1`): each node preserves them.
//!
//! Invariant: servers prune and validate objects by the result as by the CRD itself.

use std::borrow::Cow;
use std::sync::Arc;

use crd_model::{Channels, Schema};

/// The same CRDs, with the keyword at each node that preserves unknown fields.
pub(crate) fn with_preserving_nodes(channels: &Channels) -> Cow<'_, Channels> {
    let mut channels = Cow::Borrowed(channels);
    if channels.values().flatten().any(|crd| crd.preserve_unknown_fields == Some(true)) {
        let crds = channels.to_mut().values_mut().flatten();
        for crd in crds.filter(|crd| crd.preserve_unknown_fields == Some(true)) {
            Arc::make_mut(crd).versions.iter_mut().for_each(|version| preserve(&mut version.schema));
        }
    }
    channels
}

fn preserve(node: &mut Schema) {
    let is_open = match node.kind.as_deref() {
        // An int-or-string is not an object, also where it is written as two branches.
        None | Some("") => !node.int_or_string && node.any_of.is_empty(),
        kind => kind == Some("object"),
    };
    if is_open {
        node.preserve_unknown_fields = Some(true);
    }
    node.below_mut().for_each(preserve);
}

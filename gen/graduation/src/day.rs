//! Dates in documents: days in UTC.

use crd_bundle::Released;
use serde::{Serialize, Serializer};

pub(crate) fn day<S: Serializer>(date: &Released, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&date.date())
}

pub(crate) fn day_if_known<S: Serializer>(date: &Option<Released>, serializer: S) -> Result<S::Ok, S::Error> {
    date.map(Released::date).serialize(serializer)
}

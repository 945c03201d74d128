//! Validation of objects as an API server does it, in the process of a controller (feature `validation`): the shared validation package of
//! GEP-922.
//!
//! ```
//! use crd_channels::validation::Validate;
//! use crd_channels::{Channel, ObjectMeta, api};
//!
//! /// A cache.
//! #[api(group = "cache.example.com", version = "v1", kind = "Cache")]
//! pub struct Cache {
//!     /// Standard object metadata.
//!     pub metadata: ObjectMeta,
//!     /// The wanted state.
//!     pub spec: CacheSpec,
//! }
//!
//! /// The wanted state of a cache.
//! ///
//! /// +kubebuilder:validation:XValidation:rule="self.replicas >= oldSelf.replicas",message="a cache does not shrink"
//! #[api]
//! pub struct CacheSpec {
//!     /// The number of replicas.
//!     ///
//!     /// +kubebuilder:validation:Maximum=9
//!     pub replicas: i32,
//! }
//!
//! # fn main() {
//! let metadata = ObjectMeta { name: Some("a".into()), namespace: Some("b".into()), ..ObjectMeta::default() };
//! let mut cache = Cache { metadata, spec: CacheSpec { replicas: 3 } };
//! assert!(cache.validate(Channel::Standard).is_ok());
//!
//! let stored = cache.clone();
//! cache.spec.replicas = 1;
//! let error = cache.validate_update(&stored, Channel::Standard).unwrap_err();
//! assert_eq!(error.to_string(), "spec: Invalid value: a cache does not shrink");
//! # }
//! ```
//!
//! The first call for a type and channel compiles its schema, patterns and rules; later calls take microseconds. `cargo bench -p
//! crd-benches --bench objects` measures both.
//!
//! # What it is not
//!
//! It is not a security boundary. A server decides what is stored: an implementation that validates again finds objects that were stored under
//! an older CRD, or without one, but nothing keeps a client from the server's own mistakes. GEP-922 asks implementations not to rely on
//! the validation of a CRD or of a webhook alone; this module lets them share one answer. Status is not part of a creation: a server drops
//! it there.
//!
//! Invariants: an object that a server refuses is never accepted. An object that this module cannot decide is refused:
//! [`Invalid::undecided`].

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

pub use crd_apiserver::objects::{Answer, ErrorKind, FieldError, FieldValidation, Request, Step, Warning};
use serde::Serialize;
use serde_json::{Value, json};

use crate::definition::{DefinitionError, model};
use crate::{Channel, Resource};

/// A resource that is prepared for many objects.
pub type Prepared = crd_apiserver::objects::Resource;

/// The Kubernetes minor (1.x) whose answer [`Validate`] gives: the newest one. [`prepared`] takes any other.
pub const MINOR: u32 = crd_apiserver::objects::MINORS.1;

/// Why a server refuses an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invalid {
    /// The errors in the server's order, with its paths and texts.
    pub errors: Vec<FieldError>,
    /// What cannot be decided here, such as a pattern with Unicode classes on a text beyond ASCII.
    pub undecided: Vec<FieldError>,
}

impl fmt::Display for Invalid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().chain(&self.undecided).enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            write!(formatter, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}

impl Invalid {
    fn because(message: String) -> Self {
        let error = FieldError {
            kind: ErrorKind::Malformed,
            field: String::new(),
            message,
            steps: Vec::new(),
            origins: Vec::new(),
        };
        Self { errors: vec![error], undecided: Vec::new() }
    }

    fn of(answer: Answer) -> Result<(), Self> {
        let is_accepted = answer.is_accepted();
        let Answer { errors, undecided, .. } = answer;
        if is_accepted { Ok(()) } else { Err(Self { errors, undecided }) }
    }
}

/// Validation of a resource. Every root type has it.
pub trait Validate: Resource + Serialize + Sized + 'static {
    /// Whether a server with the CRD of the channel accepts the creation of the object.
    ///
    /// # Errors
    ///
    /// Why not. A field that the channel does not have is one of the reasons.
    fn validate(&self, channel: Channel) -> Result<(), Invalid> {
        ask::<Self>(channel, |resource| Ok(resource.answer(Request::create(value(self)?))))
    }

    /// Whether a server with the CRD of the channel accepts the object in place of the stored one.
    ///
    /// # Errors
    ///
    /// Why not.
    fn validate_update(&self, stored: &Self, channel: Channel) -> Result<(), Invalid> {
        ask::<Self>(channel, |resource| {
            let (stored, object) = versions(stored, self)?;
            Ok(resource.answer(Request::update(&stored, object)))
        })
    }

    /// Whether a server with the CRD of the channel accepts the status of the object for the stored one.
    ///
    /// # Errors
    ///
    /// Why not.
    fn validate_status(&self, stored: &Self, channel: Channel) -> Result<(), Invalid> {
        ask::<Self>(channel, |resource| {
            let (stored, object) = versions(stored, self)?;
            Ok(resource.answer(Request::update_status(&stored, object)))
        })
    }
}

impl<T: Resource + Serialize + 'static> Validate for T {}

fn value<T: Serialize>(object: &T) -> Result<Value, Invalid> {
    serde_json::to_value(object).map_err(|error| Invalid::because(format!("the object cannot be written: {error}")))
}

/// Both objects, with the resource version that a server demands of an update.
fn versions<T: Serialize>(stored: &T, object: &T) -> Result<(Value, Value), Invalid> {
    let with_version = |object: &T| {
        let mut object = value(object)?;
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.entry("resourceVersion").or_insert_with(|| json!("1"));
        }
        Ok(object)
    };
    Ok((with_version(stored)?, with_version(object)?))
}

fn ask<T: Resource + 'static>(
    channel: Channel,
    question: impl FnOnce(&Prepared) -> Result<Answer, Invalid>,
) -> Result<(), Invalid> {
    let resource = prepared::<T>(channel, MINOR).map_err(|error| Invalid::because(error.to_string()))?;
    let Some(resource) = resource else {
        return Err(Invalid::because(format!(
            "the {channel} channel does not have {} {}",
            T::API_VERSION,
            <T as Resource>::KIND
        )));
    };
    Invalid::of(question(&resource)?)
}

type Key = (TypeId, Channel, u32);

/// The resource of a root type in a channel, prepared for a Kubernetes minor (1.x). Nothing if the channel does not have it. Later calls
/// return the same resource.
///
/// # Errors
///
/// Everything that `cargo xtask generate` reports about the type.
pub fn prepared<T: Resource + 'static>(channel: Channel, minor: u32) -> Result<Option<Arc<Prepared>>, DefinitionError> {
    static PREPARED: OnceLock<RwLock<HashMap<Key, Option<Arc<Prepared>>>>> = OnceLock::new();
    let known = PREPARED.get_or_init(RwLock::default);
    let key = (TypeId::of::<T>(), channel, minor);
    if let Some(resource) = known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(resource.clone());
    }
    let resource = match model::<T>(channel)? {
        None => None,
        Some(crd) => match Prepared::prepare(&crd, T::VERSION, minor) {
            None => None,
            Some(Ok(resource)) => Some(Arc::new(resource)),
            Some(Err(problems)) => {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                return Err(DefinitionError::new(problems.join("\n")));
            }
        },
    };
    let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
    Ok(known.entry(key).or_insert(resource).clone())
}

//! What a server would do to an object after the CRDs of a target were installed.

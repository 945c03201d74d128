//! Tests of the rules of Gateway API's webhook.

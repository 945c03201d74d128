//! Tests of the webhook.

//! Tests of the site in Chromium. Without Chromium they are skipped and print the reason; with `CRD_BROWSER=require` they fail instead.

mod harness;

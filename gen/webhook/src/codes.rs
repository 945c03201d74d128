//! The kinds of diagnostics of a webhook, and their pages for `explain`.

crd_diagnostics::codes! {
    "webhook"
    VERSION "version" Error
        "The version of the bundle is not a bundle version."
        "A bundle version is a semantic version with a leading `v`, such as `v1.6.1`."
        "Catalogue::new(\"gateway.example.com\", \"1.6\")"
    LENSES "lenses" Error
        "The lenses of the bundle cannot be used."
        "`conversions.json` is invalid, or was written for another program. Use the file that is published with the bundle."
        "{\"lenses\": [{\"operation\": \"unknown\"}]}"
    CHANNEL "channel" Error
        "The bundle does not have the channel."
        "A bundle has the channel standard, and often experimental. `serve` validates with the CRDs of one of them, which must be the installed one."
        "gateway-api-webhook serve --channel experimental     # of an API with one channel"
    CRD "crd" Error
        "A CRD of the bundle cannot be evaluated."
        "No server would accept it. `cargo xtask generate` reports the same rule."
        "/// +kubebuilder:validation:XValidation:rule=\"self.missing > 1\""
    ADDRESS "address" Error
        "The server cannot listen on an address."
        "Another process uses the port, or the address does not belong to this machine. Name another one with `--listen` or `--probes`."
        "gateway-api-webhook serve --listen 127.0.0.1:9443     # twice"
    SIGNALS "signals" Error
        "The process cannot receive signals."
        "The system refuses to register a handler, so the server could not end without failing requests."
        "ulimit -n 3"
    UNKNOWN_CODE "unknown-code" Error
        "`explain` does not know the code."
        "Codes of this program begin with `webhook::`. `crd-channels explain` has those of the command line."
        "gateway-api-webhook explain webhook::missing"
}

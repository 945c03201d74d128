//! The kinds of diagnostics of a webhook, and their pages for `explain`.

crd_diagnostics::codes! {
    "webhook"
    VERSION "version" Error
        "The version of the bundle is not a bundle version."
        "A bundle version is a semantic version with a leading `v`, such as `v1.6.1`."
        "Bundle::of_crds(\"gateway-api\", \"gateway.example.com\", \"1.6\", …)"
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
        "`explain` does not have the code."
        "Codes of this program begin with `webhook::` or `cluster::`. `crd-channels explain` has those of the command line."
        "gateway-api-webhook explain webhook::missing"
    MISSING "certificate-missing" Error
        "A file of the server's certificate does not exist."
        "The server reads `tls.crt` and `tls.key` in the folder `--certificate`, once a second. It is not ready without them. Mount a Secret with both keys."
        "serve --certificate /missing"
    UNREADABLE "certificate-unreadable" Error
        "A file of the server's certificate cannot be used."
        "Both files must be readable PEM files of at most 1 MiB. New connections get the last good certificate; after three failing reads the server is not ready."
        "echo garbage > tls.crt"
    MISMATCH "certificate-mismatch" Error
        "The key is not that of the certificate."
        "`tls.key` must be the key of the first certificate in `tls.crt`. Replace both files together. One or two reads between both replacements are tolerated."
        "cp other.key tls.key"
    CLIENTS "client-ca" Error
        "The CA of clients cannot be used."
        "With `--client-ca`, the server accepts only clients with a certificate of this CA. The file must have CA certificates in PEM form. It is read once a second, and the last good one counts."
        "serve --client-ca /missing.crt"
    EXPIRED "certificate-expired" Error
        "The certificate of the server expired."
        "API servers refuse the connection, so the webhook is not called. Renew the certificate: run `certs` as a CronJob, or use cert-manager."
        "openssl x509 -in tls.crt -noout -enddate     # notAfter is in the past"
    NOT_YET_VALID "certificate-not-yet-valid" Error
        "The certificate of the server is not valid yet."
        "The clock of this machine is behind, or that of the machine that issued the certificate is ahead. API servers refuse the connection until then."
        "openssl x509 -in tls.crt -noout -startdate     # notBefore is in the future"
    CERTS_SETTINGS "certs-settings" Error
        "The settings of `certs` cannot be used."
        "Names must be DNS names or IP addresses. A lifetime is at least 10 minutes, at least nine times the overlap, and at most 100 years, so that each certificate is replaced in time."
        "certs --overlap 864000     # 10 days, and the certificate lives for 90"
    CERTS_MANAGED "certs-managed-elsewhere" Error
        "The Secret or the configuration is managed by cert-manager."
        "Two programs would overwrite each other's certificates. Nothing was written. Use one of them: do not run `certs`, or remove the annotations of cert-manager."
        "metadata: {annotations: {cert-manager.io/certificate-name: webhook}}"
    CERTS_CONFIGURATION "certs-configuration-missing" Error
        "The ValidatingWebhookConfiguration does not exist, or has no webhooks."
        "`certs` writes the CA to the `caBundle` of each webhook in it. Install the manifests of the webhook first."
        "certs --configuration webhook.example.com     # before `standard-webhook-install.yaml` is applied"
    CERTS_NAMESPACE "certs-namespace-missing" Error
        "The namespace of the Secret does not exist."
        "`certs` creates the Secret, but not its namespace. Install the manifests of the webhook first."
        "certs --secret missing/webhook-certificate"
    CERTS_FORBIDDEN "certs-forbidden" Error
        "The API server does not permit a request of `certs`."
        "`certs` needs `get`, `create` and `patch` on Secrets in the namespace, and `get` and `patch` on the ValidatingWebhookConfiguration. The manifests of the webhook grant both to its ServiceAccount."
        "kubectl auth can-i patch secrets --as system:serviceaccount:gateway-api-webhook:webhook-certs"
    CERTS_REQUEST "certs-request-failed" Error
        "A request of `certs` failed."
        "The server could not be reached, or refused the write. Every write leaves usable certificates, so nothing is lost: run `certs` again."
        "kind: Secret\nimmutable: true"
    CERTS_CONFLICT "certs-conflict" Error
        "The Secret or the configuration changes all the time."
        "Another program overwrites what `certs` writes, or removes its annotations. Find it in `metadata.managedFields`."
        "A GitOps controller applies a Secret with other keys every second."
    CERTS_ISSUE "certs-issue" Error
        "A certificate could not be issued."
        "The library for certificates refused the key of the CA or a name. Delete the Secret to start again; the old CA remains in the `caBundle` until the new one is in use."
        "The system has no source of random numbers."
}

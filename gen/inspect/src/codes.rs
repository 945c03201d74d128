//! The kinds of findings, and their pages for `explain`.

crd_diagnostics::codes! {
    "inspect"
    NO_PREFIX "no-prefix" Error
        "It is not clear which API is meant."
        "Bundle versions are annotations with the prefix of an API. Name it with `--prefix`."
        "crd-channels inspect --prefix gateway.networking.k8s.io"
    UNKNOWN_TARGET "unknown-target" Error
        "The bundle of `--channel` is not known."
        "Without `--target`, the target is the installed bundle in another channel, whose CRDs must be known."
        "crd-channels inspect --channel standard --releases releases"
    NOTHING "nothing-installed" Error
        "The cluster has no CRD with a bundle version and a channel."
        "Install a bundle, or name another prefix."
        "crd-channels inspect --prefix gateway.example.com"
    MISSING_CRD "missing-crd" Error
        "The bundle has a CRD that the cluster does not have."
        "A bundle is installed as a whole (GEP-922): controllers expect all of its resources. Apply the CRDs of the bundle again."
        "kubectl delete crd grpcroutes.gateway.networking.k8s.io"
    MIXED_VERSIONS "mixed-versions" Error
        "The CRDs are of several bundle versions."
        "An update was incomplete, or two programs install CRDs. Install all CRDs of one bundle, and let one program manage them."
        "gateway.networking.k8s.io/bundle-version: v1.5.1     # and v1.6.1 on the other CRDs"
    MIXED_CHANNELS "mixed-channels" Warning
        "The CRDs are of both channels."
        "A controller reads the channel of one CRD, and expects it of the rest. Install all CRDs of one channel."
        "gateway.networking.k8s.io/channel: standard     # and experimental on other CRDs"
    UNSTAMPED "unstamped" Error
        "A CRD of the bundle has no bundle version or no channel."
        "Controllers cannot read what is installed (GEP-922). Apply the published CRD, whose annotations have both."
        "kubectl annotate crd gateways.gateway.networking.k8s.io gateway.networking.k8s.io/channel-"
    UNREADABLE_STAMP "unreadable-stamp" Error
        "The bundle version or the channel of a CRD cannot be read."
        "A bundle version is written as `v1.6.1`, a channel is `standard` or `experimental`. Apply the published CRD."
        "gateway.networking.k8s.io/bundle-version: latest"
    WRONG_VERSION "wrong-version" Error
        "A CRD has the content of one bundle and the version of another."
        "Controllers rely on the annotation. Apply the published CRD of the version that you want."
        "gateway.networking.k8s.io/bundle-version: v1.6.1     # with the schema of v1.5.0"
    WRONG_CHANNEL "wrong-channel" Error
        "A CRD has the content of one channel and the name of the other."
        "Controllers rely on the annotation. Apply the published CRD of the channel that you want."
        "gateway.networking.k8s.io/channel: standard     # with experimental fields in the schema"
    EDITED "edited" Error
        "The content of a CRD is not that of its bundle, nor of another known one."
        "It was edited, or comes from an unpublished build: objects that it accepts may be refused elsewhere. Apply the published CRD."
        "kubectl edit crd httproutes.gateway.networking.k8s.io"
    UNKNOWN_BUNDLE "unknown-bundle" Note
        "The bundle of a CRD is not known, so its content is not compared."
        "Name a folder or an archive that has the release: `--releases DIR`."
        "gateway.networking.k8s.io/bundle-version: v9.0.0"
    LEFT_OVER "left-over-crd" Warning
        "A CRD belongs to another bundle: the installed one does not have it."
        "An update never deletes CRDs. Delete it once its objects are not needed: deleting it deletes them."
        "backendlbpolicies.gateway.networking.k8s.io after an update to v1.6.1"
    FOREIGN "foreign-crd" Warning
        "A CRD has a group of the API, and no known bundle has it."
        "The group belongs to the API: a later bundle may add a resource of this name. Ask the owner of the CRD to choose another group."
        "kubectl apply --filename myroutes.gateway.networking.k8s.io.yaml"
    STORED_MISSING "stored-version-missing" Error
        "Objects may be stored in a version that the CRD does not have."
        "The server cannot read such objects: requests for them fail. Add the version again, unserved, and migrate the objects."
        "storedVersions: [v1alpha2, v1]     # and versions: [v1]"
    STORED_UNSERVED "stored-version-unserved" Warning
        "Objects may be stored in a version that is not served any more."
        "A later bundle cannot remove the version. Write all objects once, so that they are stored in the storage version; then remove the old version from `status.storedVersions`."
        "storedVersions: [v1alpha2, v1]     # and v1alpha2 has `served: false`"
    STORED_UNPRUNED "stored-version-unpruned" Warning
        "Objects may be stored in a version that is not the storage version."
        "A later bundle cannot remove the version. Write all objects once; then remove the old version from `status.storedVersions`."
        "storedVersions: [v1beta1, v1]     # and v1 is the storage version"
    NOT_ESTABLISHED "not-established" Error
        "The server does not serve a CRD."
        "The condition `Established` is not true. `kubectl describe crd` shows the reason."
        "conditions: [{type: Established, status: \"False\", …}]"
    NAMES "names-not-accepted" Error
        "The names of a CRD conflict with those of another one."
        "Two resources of a group have the same plural, kind or short name. Delete one of the two CRDs."
        "conditions: [{type: NamesAccepted, status: \"False\", reason: MultipleNamesNotAllowed, …}]"
    NON_STRUCTURAL "non-structural" Error
        "The schema of a CRD is not structural."
        "Such a CRD is neither pruned nor defaulted. Apply the published CRD."
        "conditions: [{type: NonStructuralSchema, status: \"True\", …}]"
    NOT_APPROVED "not-approved" Warning
        "A CRD of a protected group is not approved."
        "Groups below `k8s.io` and `kubernetes.io` need the annotation `api-approved.kubernetes.io`, which published CRDs have."
        "kubectl annotate crd gateways.gateway.networking.k8s.io api-approved.kubernetes.io-"
    TERMINATING "terminating" Error
        "A CRD is being deleted, with all of its objects."
        "The deletion cannot be undone. If it waits for a finalizer, keep a copy of the objects before you remove the finalizer."
        "kubectl delete crd gateways.gateway.networking.k8s.io --wait=false"
    WEBHOOK "conversion-webhook" Warning
        "A CRD converts its versions with a webhook."
        "While the webhook does not answer, no object of the CRD can be read in another version than its stored one. The bundle needs none: apply its CRD."
        "conversion: {strategy: Webhook, …}"
    MANAGERS "several-managers" Warning
        "Several programs write a CRD."
        "They can install different bundles in turn. Let one program manage all CRDs of the bundle."
        "managedFields: [{manager: helm, …}, {manager: argocd-controller, …}]"
    OWNERS "several-owners" Warning
        "CRDs of one bundle belong to different releases of Helm, or only some of them to one."
        "An upgrade or `helm uninstall` of one release changes a part of the bundle, and with it all of its objects."
        "meta.helm.sh/release-name: gateway-crds     # and `mesh` on another CRD"
    SIZE "annotations-size" Warning
        "The annotations of a CRD are near the limit of 262,144 bytes."
        "`kubectl apply` keeps a copy of the object in an annotation. Use `kubectl apply --server-side`, and remove the copy."
        "kubectl.kubernetes.io/last-applied-configuration: …     # 250,000 bytes"
    POLICY_MISSING "policy-missing" Warning
        "The policy that refuses downgrades of the bundle is not installed."
        "Without it, an older installer replaces newer CRDs without an error. Apply the policy from the install files of the bundle."
        "kubectl delete validatingadmissionpolicy safe-upgrades.gateway.networking.k8s.io"
    POLICY_UNBOUND "policy-unbound" Error
        "An admission policy of the bundle has no binding, so it does nothing."
        "Apply the binding from the install files of the bundle."
        "kubectl delete validatingadmissionpolicybinding safe-upgrades.gateway.networking.k8s.io"
    POLICY_LENIENT "policy-lenient" Warning
        "An admission policy of the bundle refuses nothing: its bindings do not have the action `Deny`."
        "`Warn` and `Audit` let every request through. Use them only to try a policy, and give a binding the action `Deny`."
        "validationActions: [Audit]"
    POLICY_VERSION "policy-version" Warning
        "An admission policy is of another bundle version than the CRDs, or the version of a webhook cannot be read."
        "A policy guards fields of its bundle. Apply the policies and the webhook of the installed bundle."
        "gateway.networking.k8s.io/bundle-version: v1.5.1     # on the policy"
    POLICY_WARNINGS "policy-warnings" Warning
        "The type check of the server warns of an expression of an admission policy."
        "The expression may fail for some objects, and then every request is refused."
        "status: {typeChecking: {expressionWarnings: […]}}"
    WEBHOOK_OLDER "webhook-older" Error
        "The validating webhook is of an older bundle than the CRDs."
        "It does not have their schemas, so it is not ready: objects are written without its checks, or refused with `failurePolicy: Fail`. Install the webhook of the installed bundle."
        "gateway.networking.k8s.io/bundle-version: v1.5.1     # on the configuration, where the CRDs have v1.6.1"
    WEBHOOK_NEWER "webhook-newer" Warning
        "The validating webhook is of a newer bundle than the CRDs."
        "It checks objects by rules of the newer bundle. Install the CRDs of its bundle."
        "gateway.networking.k8s.io/bundle-version: v1.7.0     # on the configuration, where the CRDs have v1.6.1"
    WEBHOOK_CHANNEL "webhook-channel" Error
        "The validating webhook is for another channel than that of the CRDs."
        "It is not ready: objects are written without its checks, or refused with `failurePolicy: Fail`. Install the webhook of the installed channel."
        "gateway.networking.k8s.io/channel: standard     # on the configuration, where the CRDs have experimental"
    WEBHOOK_WITHOUT_CA "webhook-without-ca" Error
        "The configuration of the validating webhook has no `caBundle`, so every call fails."
        "The Job that makes the certificate has not run, or failed. Its log has the reason. With cert-manager, the annotation `cert-manager.io/inject-ca-from` is missing or wrong."
        "clientConfig: {service: {namespace: gateway-api-webhook, name: webhook, path: /validate, port: 443}}"
    WEBHOOK_FAIL "webhook-fails-closed" Note
        "Objects of the API are refused while the validating webhook does not answer."
        "The published configuration has `failurePolicy: Ignore`. `Fail` makes the webhook a part of every change of a spec, also while it is updated."
        "failurePolicy: Fail"
    EXPERIMENTAL "experimental-use" Note
        "Objects use a field, value or resource that only experimental has."
        "It may change or be removed in a later bundle. `--channel standard` shows what a switch to standard would do."
        "spec: {rules: [{retry: {attempts: 3}}]}     # HTTPRoute of v1.6.1"
    OLD_FORM "old-form" Warning
        "Objects have an old form, which a lens of the API converts."
        "Controllers of newer bundles expect the new form. `convert` writes it into manifests."
        "spec: {targetRef: …}     # where `targetRefs` is the new form"
    CLIENT_VERSION "client-version" Warning
        "A client writes through an API version that is deprecated or not served."
        "Its requests fail as soon as the version is not served. Update the client."
        "managedFields: [{manager: old-operator, apiVersion: gateway.networking.k8s.io/v1alpha2, …}]"
    NOT_READ "objects-not-read" Warning
        "The CRD serves no version, so its objects are not read."
        "The report has no count and no findings for them. Serve a version to read them."
        "versions: [{name: v1, served: false, …}]"
    INCOMPLETE "inconsistent-listing" Note
        "A listing was so long that it expired, and went on with newer objects."
        "An object that was created after the first page can be missing from the report. Run `inspect` again."
        "The compact revision of etcd is newer than the first page."
    UNCOUNTED "uncounted" Note
        "A CRD has too many different findings about objects to count each of them."
        "A report counts at most 1,000 different findings about the objects of a CRD. `--verbose` and `--format json` list each object."
        "Every key of a map is another path: spec.labels.key0, spec.labels.key1, …"
    TARGET_WITHOUT "target-without-crd" Warning
        "The target does not have a CRD that is installed."
        "The CRD and its objects stay until they are deleted, and no controller of the target reads them."
        "crd-channels inspect --channel standard     # with xbackendtrafficpolicies.gateway.networking.x-k8s.io"
    TARGET_REFUSED "target-refused" Error
        "The server refuses the CRD of the target."
        "`status.storedVersions` has a version that the target does not have: migrate the objects first. If the scope or the kind differs, the CRD must be deleted first."
        "status.storedVersions[0]: Invalid value: \"v1alpha2\": must appear in spec.versions"
    TARGET_UNSERVED "target-version-unserved" Warning
        "A client writes through an API version that the target does not serve."
        "Its requests fail after the installation of the target. Update the client first."
        "managedFields: [{manager: old-operator, apiVersion: gateway.networking.k8s.io/v1beta1, …}]"
    REFUSED_UPDATE "refused-update" Error
        "The server refuses every update of an object after the installation of the target."
        "Controllers can then no longer write it, not even its labels. Change the object first."
        "spec.listeners: Too many: 65: must have at most 64 items"
    REFUSED_CREATE "refused-creation" Warning
        "The server keeps an object after the installation of the target, and refuses to create it again."
        "The object was accepted by older rules. A restored backup, or a new cluster, does not get it. Change the object."
        "spec.listeners: Too many: 65: must have at most 64 items"
    LOST "lost-values" Error
        "Objects have values that the target's schema does not have."
        "The values are not shown after the installation, and are gone after the next write of an object. Convert the objects first, or keep a copy."
        "spec: {rules: [{retry: {attempts: 3}}]}     # switching HTTPRoute of v1.6.1 to standard"
    DEFAULTED "new-defaults" Note
        "Objects get values from defaults of the target."
        "They behave as if their authors had written the value."
        "spec: {mode: Gateway}     # where the target has `default: Gateway`"
    CONVERTED "converted" Note
        "A lens of the API converts objects to their form in the target."
        "`convert` writes the new form into manifests."
        "tls-to-validation: BackendTLSPolicy of v1.0.0"
    UNDECIDED "undecided" Warning
        "Whether the server accepts an object after the installation of the target could not be decided."
        "Try it on a copy of the cluster."
        "A pattern with classes of Unicode on a text beyond ASCII."
    UNPREPARED "target-unusable" Error
        "A CRD of the target cannot be evaluated."
        "A rule of it does not compile, so no server accepts it. `validate` shows the rule."
        "rule: self.x =="
}

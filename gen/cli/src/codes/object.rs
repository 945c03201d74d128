//! The codes of `validate`: findings about objects.

use super::command_line::Code;

/// Every code, in the order in which a reader meets them.
pub(crate) const CODES: &[Code] = &[
    (
        "object::required",
        "A field is missing.",
        "The server answers `Required value`. The line is that of the nearest field around the missing one.",
        "spec: {}     # `spec.parentRefs` is required",
    ),
    (
        "object::invalid",
        "A value is not valid.",
        "The server answers `Invalid value`: a bound, a pattern, a format, a name, a CEL rule, or a change of an immutable field.",
        "port: 99999     # `maximum: 65535`",
    ),
    ("object::type", "A value has another type.", "The server answers `Invalid value` with the type.", "port: \"80\""),
    (
        "object::unsupported",
        "A value is not one of the `enum`.",
        "The server answers `Unsupported value` and lists the values.",
        "protocol: http     # `HTTP`",
    ),
    (
        "object::duplicate",
        "A list contains an item twice.",
        "The server answers `Duplicate value`. The items of a set are unique, and those of a list map have unique keys.",
        "listeners: [{name: http}, {name: http}]",
    ),
    (
        "object::forbidden",
        "A field must not be set.",
        "The server answers `Forbidden`.",
        "metadata: {generateName: a-, namespace: default}     # an object without namespaces",
    ),
    ("object::too-long", "A text is too long.", "The server answers `Too long`.", "name: aaaa…     # `maxLength: 253`"),
    (
        "object::too-many",
        "A list or map has too many items.",
        "The server answers `Too many`.",
        "rules: […]     # `maxItems: 16`",
    ),
    (
        "object::malformed",
        "The server cannot read the object.",
        "The server answers 400, and checks nothing else: metadata has a value of another type.",
        "metadata: {labels: {tier: 1}}",
    ),
    (
        "object::too-large",
        "The object is larger than a request.",
        "The server answers 413: it reads 3,145,728 bytes. The size is that of the JSON that `kubectl` sends, without spaces and comments.",
        "data: aaaa…     # 3 MiB",
    ),
    (
        "object::large",
        "The object is larger than etcd stores by default.",
        "This is a warning: a server reads 3,145,728 bytes, but etcd stores 1,572,864 unless `--max-request-bytes` is set.",
        "data: aaaa…     # 2 MiB",
    ),
    (
        "object::more",
        "An object has more findings than are listed.",
        "Of each object, 10,000 errors are listed. Fix those, and validate again.",
        "ports: [a, a, a, …]     # 20,000 items",
    ),
    (
        "object::unknown-field",
        "A field is not in the schema.",
        "A server drops the field. `kubectl` asks the server to refuse it instead; `--fields warn` and `--fields ignore` do not.",
        "spec: {listners: []}",
    ),
    (
        "object::duplicate-field",
        "A map has a key twice.",
        "The last one counts. `--fields warn` and `--fields ignore` accept it.",
        "spec: {size: 1, size: 2}",
    ),
    (
        "object::warning",
        "The server accepts the object with a warning.",
        "`kubectl` prints it: the API version is deprecated, a finalizer has no domain, or a rule was not checked again.",
        "apiVersion: example.com/v1alpha1     # `deprecated: true`",
    ),
    (
        "object::rules-not-checked",
        "CEL rules were not checked, because the object has other errors.",
        "The server adds this to the other errors. Fix those, and validate again.",
        "spec: {size: text}     # and a rule of `spec`",
    ),
    (
        "object::undecided",
        "This program cannot decide what a server answers.",
        "The object counts as refused. Examples are a pattern with Unicode classes on a text beyond ASCII, and a stored object that a webhook \
         converts.",
        "name: größe     # `pattern: ^\\p{L}+$`",
    ),
    (
        "object::unknown-kind",
        "No CRD has the kind of the object.",
        "Objects of API groups that no CRD has are skipped, unless the group is nearly that of a CRD; `--unknown-kinds error` reports them too, and \
         `--unknown-kinds skip` skips all.",
        "apiVersion: gateway.networkng.k8s.io/v1     # `networking`",
    ),
    (
        "object::unknown-version",
        "The CRD does not serve the API version of the object.",
        "The diagnostic lists the versions that it serves.",
        "apiVersion: gateway.networking.k8s.io/v2",
    ),
    (
        "object::twice",
        "A file contains the same object twice.",
        "This is a warning: `kubectl apply` creates the first one and updates it with the second. Each one is checked as if it were alone. \
         Objects in different files may have the same name: they may be alternatives. Among the stored objects of `--old`, it is an error.",
        "two documents of one kind, namespace and name",
    ),
    (
        "object::ignored",
        "A request ignores a part of the object.",
        "This is a warning. With a status subresource, the status changes only with `--subresource status`, and then nothing else does. Only what the \
         new object sets outside its metadata is compared with the stored one.",
        "status: {ready: true}     # without `--subresource status`",
    ),
    (
        "object::not-stored",
        "`--old` does not contain an object whose status is updated.",
        "An update of the status keeps everything else, so it needs the stored object.",
        "crd-channels validate new.yaml --subresource status --old other.yaml --crds crds/",
    ),
    (
        "object::no-status",
        "The CRD has no status subresource.",
        "A server answers 404 to an update of the status.",
        "crd-channels validate grant.yaml --subresource status --old grant.yaml --crds crds/",
    ),
    (
        "object::unmatched",
        "No input updates an object of `--old`.",
        "Objects are matched by API group, kind, namespace and name. This is a warning, because `--old` may be all objects of a cluster.",
        "crd-channels validate new.yaml --old other.yaml --crds crds/",
    ),
    (
        "object::not-an-object",
        "A document is not a Kubernetes object.",
        "An object is a map with `apiVersion` and `kind`, and a `List` has `items`.",
        "replicas: 3     # the values of a chart",
    ),
    (
        "object::none",
        "The inputs, standard input or `--old` contain no objects.",
        "In CI, an empty input is usually the result of a command that failed. For `--old`, an empty list means that nothing is stored.",
        "true | crd-channels validate - --crds crds/",
    ),
    (
        "object::crd-rule",
        "A CEL rule of the CRD does not compile.",
        "A server of this Kubernetes minor refuses the CRD, so its objects are not checked.",
        "x-kubernetes-validations: [{rule: self.size >}]",
    ),
];

//! The codes of this crate's diagnostics, and their pages for `explain`.

crd_diagnostics::codes! {
    "migrate"
    NOT_INSTALLED "not-installed" Error
        "The cluster does not have the CRD."
        "Its name is PLURAL.GROUP; `kubectl get crds` lists the installed ones."
        "crd-channels migrate gatewys.gateway.networking.k8s.io"
    UNREADY "unready" Error
        "The server does not serve the CRD, or deletes it."
        "A CRD that is not established, that serves no version, or that is being deleted has objects that cannot be written. `inspect` shows what is wrong."
        "kubectl delete crd gateways.gateway.networking.k8s.io --wait=false"
    WEBHOOK "conversion-webhook" Error
        "The CRD converts its versions with a webhook."
        "The webhook decides what is stored, so what a migration would lose cannot be foreseen. Apply a CRD with the conversion strategy `None`, and migrate then."
        "conversion: {strategy: Webhook, …}"
    MISSING_VERSION "missing-version" Error
        "Objects may be stored in a version that the CRD does not have."
        "The server cannot read such objects. Add the version to the CRD again, with `served: false`, and migrate then."
        "storedVersions: [v1alpha2, v1]     # and versions: [v1]"
    HIDDEN_FIELDS "hidden-fields" Error
        "Objects may have values in a stored version that the storage version does not have."
        "A write in the storage version drops them. Serve the stored version so that they can be read, or migrate with lenses to a bundle: `--to`."
        "versions: [{name: v1, storage: true, …}, {name: v1alpha2, served: false, …}]     # v1alpha2 has more fields"
    LOST "lost-values" Error
        "An object has values that the storage version does not have."
        "A write in the storage version drops them. Remove them from the object, or migrate with lenses to a bundle: `--to`."
        "spec: {targetRef: …}     # a field of v1alpha2, and v1 is the storage version"
    CHANGED "crd-changed" Error
        "The CRD was changed during the migration."
        "What is known about its versions is no longer true, so the migration ended. Nothing is lost: run it again, and let one program manage the CRDs."
        "kubectl apply --filename other.yaml     # while `migrate` runs"
    HELD "held" Error
        "Another run holds the lease of the migration."
        "Two runs do not harm each other, but one of them would end early. Wait for its end. A lease that its holder does not renew is taken over after 15 s."
        "crd-channels migrate & crd-channels migrate"
    LEASE_LOST "lease-lost" Error
        "The lease of the migration was taken over by another run."
        "This run did not renew it in time, so it ended. Nothing is lost: run it again."
        "A laptop was suspended during the migration."
    UNKNOWN_VERSION "unknown-version" Error
        "The CRD does not have the version."
        "`inspect` lists the versions of each CRD."
        "crd-channels migrate gateways.gateway.networking.k8s.io --unserve v1alpha9"
    LAST_VERSION "last-version" Error
        "The CRD would serve no version."
        "Its objects could then not be read by any client. Serve another version first."
        "crd-channels migrate gateways.gateway.networking.k8s.io --unserve v1     # the only one"
    NOT_USED "crd-not-used" Error
        "The server accepted a CRD and does not use it."
        "A server uses a new CRD after moments. Until then it reads objects by the earlier CRD, so the migration does not go on. Run it again."
        "kubectl describe crd gateways.gateway.networking.k8s.io     # shows why"
    TARGET_REFUSED "target-refused" Error
        "No server accepts the target as a change of the CRD."
        "The kind and the scope of a CRD cannot change, and its rules must compile. Keep a copy of the objects, delete the CRD, and install the new one."
        "scope: Cluster     # and the target has `scope: Namespaced`"
    OTHER_MIGRATION "other-migration" Error
        "The CRD is on the way to another target."
        "A migration that was begun is completed, or taken back with `--rollback`, before another one begins."
        "crd-channels migrate --to v1.6.1     # stopped; and then: crd-channels migrate --to v1.7.0"
    NO_MIGRATION "no-migration" Error
        "The CRD is not on the way to a target, so nothing can be taken back."
        "A rollback is possible from the first change of the CRD to the installation of the target. Later, migrate to the old bundle."
        "crd-channels migrate --rollback     # after a complete migration"
    UNKNOWN_FORM "unknown-form" Error
        "It is not known which bundle the CRD had before the migration, so its objects cannot be converted back."
        "The bundle is in an annotation of the CRD, which is missing or cannot be read. Add it, and run the rollback again."
        "metadata: {annotations: {}}     # without PREFIX/bundle-version"
    BLOCKED "blocked-object" Error
        "An object does not have a form that the target accepts."
        "The message has the reason: a value that would be lost, or a rule that refuses the object. Change the object, or permit the loss with `--drop PATH`, and run the migration again."
        "spec: {hostname: \"UPPER CASE\"}     # and the target has a stricter pattern"
    NO_CONTROLLER "no-controller" Error
        "The server does not migrate stored versions itself."
        "`--with server` needs the API `storagemigration.k8s.io` (1.35 and 1.36 as a beta, 1.37 by default) and kube-controller-manager. Migrate without the option."
        "crd-channels migrate --with server     # on Kubernetes 1.33"
    SERVER_FAILED "server-failed" Error
        "The server could not migrate all objects."
        "A controller of the server removes entries of `status.storedVersions` also after a failure, so they were put back. Remove the reason, and migrate again."
        "crd-channels migrate --with server     # and a webhook refuses an object"
    EXISTS "successor-exists" Error
        "The successor of an object exists, and was not made from it."
        "An object of the new kind has the same name, and does not have the mark of the migration. Rename one of them, or delete one of them."
        "kubectl get listenersets,xlistenersets     # both have the name `shop`"
    DIFFERS "successor-differs" Error
        "An object and its successor differ, so the object is not deleted."
        "One of them was changed after the successor was made. Make them alike, or delete the old object yourself."
        "crd-channels migrate --to v1.6.1 --delete-replaced"
}

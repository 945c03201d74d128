//! API groups that are written nearly as a known one: by mistake, so that the object would be skipped.
//!
//! Invariants: only what cannot be the name of another group counts. A project has groups that differ in a short first label, such as `ecs.` and
//! `eks.`, or in the number of their labels.

use crd_names::distance;

/// Whether `written` is another spelling of `known`. `has_kind` is whether the known group has the kind of the object.
pub(super) fn is_nearly(written: &str, known: &str, has_kind: bool) -> bool {
    let written = written.trim_matches(['.', ' ']).to_ascii_lowercase();
    let [of_written, of_known] = [&*written, known].map(|group| group.split('.').collect::<Vec<_>>());
    if of_written.concat().replace('-', "") == known.replace(['.', '-'], "") || sorted(&of_written) == sorted(&of_known)
    {
        return true;
    }
    if of_written.len() != of_known.len() {
        // The last label is missing.
        return of_written.len() > 1 && known.rsplit_once('.').is_some_and(|(rest, _)| rest == written);
    }
    let mut differing = of_written.iter().zip(&of_known).enumerate().filter(|(_, (written, known))| written != known);
    match (differing.next(), differing.next()) {
        (Some((0, (written, known))), None) => {
            variant(written) == variant(known) && is_slip(written, known, if has_kind { 4 } else { 5 })
        }
        (Some((_, (written, known))), None) => is_slip(written, known, 3),
        _ => false,
    }
}

/// Whether a label differs in one letter, a long one in two. A label shorter than `least` has its letters in another order.
fn is_slip(written: &str, known: &str, least: usize) -> bool {
    let limit = if known.len() < 10 { 1 } else { 2 };
    let is_long = written.len().max(known.len()) >= least;
    let is_reordered = || sorted(written.as_bytes()) == sorted(known.as_bytes());
    (is_long || is_reordered()) && distance(written, known, limit) <= limit
}

fn sorted<T: Ord + Clone>(parts: &[T]) -> Vec<T> {
    let mut parts = parts.to_vec();
    parts.sort_unstable();
    parts
}

/// What sets the names of a series apart: digits, and single letters between hyphens.
fn variant(label: &str) -> String {
    let letters = label.split('-').filter(|part| part.len() == 1);
    label.matches(|character: char| character.is_ascii_digit()).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::is_nearly;

    #[test]
    fn misspelled_groups_are_near() {
        for (written, known) in [
            ("gateway.networkng.k8s.io", "gateway.networking.k8s.io"),
            ("gateway.netwroking.k8s.io", "gateway.networking.k8s.io"),
            ("gatway.networking.k8s.io", "gateway.networking.k8s.io"),
            ("gateway.networking.k8s.oi", "gateway.networking.k8s.io"),
            ("gateway.networking.ks8.io", "gateway.networking.k8s.io"),
            ("gateway.networking.k8s", "gateway.networking.k8s.io"),
            ("Gateway.Networking.k8s.io", "gateway.networking.k8s.io"),
            ("gateway-networking.k8s.io", "gateway.networking.k8s.io"),
            ("networking.gateway.k8s.io", "gateway.networking.k8s.io"),
            ("cert-manger.io", "cert-manager.io"),
            ("certmanager.io", "cert-manager.io"),
            ("kafka.strmzi.io", "kafka.strimzi.io"),
            ("shop.example.co", "shop.example.com"),
            ("shop.example.con", "shop.example.com"),
            ("shop.exampel.com.", "shop.example.com"),
            ("monitorinq.coreos.com", "monitoring.coreos.com"),
            ("cluster.xk8s.io", "cluster.x-k8s.io"),
        ] {
            assert!(is_nearly(written, known, false), "{written} {known}");
        }
        // A short first label is another group, unless the known one has the kind.
        assert!(is_nearly("shp.example.com", "shop.example.com", true));
        assert!(!is_nearly("shp.example.com", "shop.example.com", false));
    }

    /// Groups of published projects: each pair is two groups, also where both have the same kind.
    #[test]
    fn groups_of_projects_are_not_near() {
        let groups = "acid.zalan.do acme.cert-manager.io addons.cluster.x-k8s.io apiextensions.crossplane.io apigateway.aws.upbound.io \
            apigatewayv2.aws.upbound.io apps.kruise.io apps.openshift.io argoproj.io autoscaling.k8s.elastic.co autoscaling.k8s.io \
            beat.k8s.elastic.co bootstrap.cluster.x-k8s.io cert-manager.io cilium.io cluster.open-cluster-management.io cluster.x-k8s.io \
            config.gatekeeper.sh config.openshift.io controlplane.cluster.x-k8s.io core.oam.dev core.strimzi.io ds.aws.upbound.io \
            dms.aws.upbound.io ec2.aws.m.upbound.io ec2.aws.upbound.io ecr.aws.upbound.io ecs.aws.upbound.io eks.aws.upbound.io \
            elasticsearch.k8s.elastic.co eventing.keda.sh eventing.knative.dev extensions.istio.io external-secrets.io externaldns.k8s.io \
            flows.knative.dev gateway.networking.k8s.io gateway.networking.x-k8s.io generators.external-secrets.io helm.toolkit.fluxcd.io \
            image.openshift.io image.toolkit.fluxcd.io imageregistry.operator.openshift.io infrastructure.cluster.x-k8s.io inspector.aws.upbound.io \
            inspector2.aws.upbound.io ipam.cluster.x-k8s.io kafka.strimzi.io karpenter.k8s.aws karpenter.sh keda.sh kibana.k8s.elastic.co \
            kms.aws.upbound.io kustomize.toolkit.fluxcd.io kyverno.io longhorn.io metallb.io messaging.knative.dev monitoring.coreos.com \
            monitoring.grafana.com mutations.gatekeeper.sh network.openshift.io network.operator.openshift.io networking.internal.knative.dev \
            networking.istio.io networking.k8s.io notification.toolkit.fluxcd.io operator.openshift.io operator.tekton.dev operators.coreos.com \
            opentelemetry.io pkg.crossplane.io policies.kyverno.io policy.karmada.io policy.networking.k8s.io policy.open-cluster-management.io \
            postgresql.cnpg.io ram.aws.upbound.io rds.aws.upbound.io reports.kyverno.io resource.k8s.io route.openshift.io runtime.cluster.x-k8s.io \
            s3.aws.crossplane.io s3.aws.upbound.io s3.services.k8s.aws ec2.services.k8s.aws ecr.services.k8s.aws security.istio.io \
            security.openshift.io serving.knative.dev snapshot.storage.k8s.io sns.aws.upbound.io source.toolkit.fluxcd.io sources.knative.dev \
            sqs.aws.upbound.io status.gatekeeper.sh storage.k8s.io telemetry.istio.io templates.gatekeeper.sh tekton.dev traefik.containo.us \
            traefik.io triggers.tekton.dev velero.io wafv2.aws.upbound.io waf.aws.upbound.io work.karmada.io work.open-cluster-management.io \
            clouddms.cnrm.cloud.google.com cloudids.cnrm.cloud.google.com dataflow.cnrm.cloud.google.com dataform.cnrm.cloud.google.com \
            dataplex.cnrm.cloud.google.com dataproc.cnrm.cloud.google.com scheduling.k8s.io scheduling.x-k8s.io team-a.example.com \
            team-b.example.com a.example.com b.example.com v1.example.com v2.example.com test1.example.com test2.example.com example.com example.io apps batch";
        let groups = groups.split_whitespace().collect::<Vec<_>>();
        for known in &groups {
            let near = groups.iter().filter(|group| group != &known && is_nearly(group, known, true));
            assert_eq!(near.collect::<Vec<_>>(), Vec::<&&str>::new(), "near {known}");
        }
    }
}

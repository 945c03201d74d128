// Command gitops applies one CRD as the controllers of Argo CD and Flux do, with their own libraries:
//
//	gitops argo FILE [Replace=true|ServerSideApply=true]    one sync of an application, with this sync option
//	gitops flux FILE                                        one reconciliation of a Kustomization
//
// It uses the cluster of KUBECONFIG and fails if the sync fails.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/common"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/tracing"
	"github.com/fluxcd/pkg/ssa"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"
)

func main() {
	log.SetLogger(logr.Discard())
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) < 2 {
		return fmt.Errorf("usage: gitops argo FILE [Replace=true|ServerSideApply=true], gitops flux FILE")
	}
	text, err := os.ReadFile(arguments[1])
	if err != nil {
		return err
	}
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &crd.Object); err != nil {
		return err
	}
	// The name of the controller's program, from which client-go makes the user agent, and the server the manager of a write without one.
	os.Args[0] = map[string]string{"argo": "argocd-application-controller", "flux": "kustomize-controller"}[arguments[0]]
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	switch arguments[0] {
	case "argo":
		return argo(config, crd, arguments[2:])
	case "flux":
		return flux(config, crd)
	}
	return fmt.Errorf("unknown controller %s", arguments[0])
}

// argo does what the application controller does with a CRD: controller/sync.go of Argo CD sets this manager.
func argo(config *rest.Config, crd *unstructured.Unstructured, options []string) error {
	kubectl := &kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}
	live, err := kubectl.GetResource(context.Background(), config, crd.GroupVersionKind(), crd.GetName(), "")
	if apierrors.IsNotFound(err) {
		live, err = nil, nil
	}
	if err != nil {
		return err
	}
	has := func(option string) bool { return len(options) == 1 && options[0] == option }
	objects := sync.ReconciliationResult{Target: []*unstructured.Unstructured{crd}, Live: []*unstructured.Unstructured{live}}
	syncing, cleanup, err := sync.NewSyncContext("revision", objects, config, config, kubectl, "default",
		sync.WithLogr(logr.Discard()),
		sync.WithServerSideApplyManager("argocd-controller"),
		sync.WithReplace(has(common.SyncOptionReplace)),
		sync.WithServerSideApply(has(common.SyncOptionServerSideApply)))
	if err != nil {
		return err
	}
	defer cleanup()
	for {
		syncing.Sync()
		phase, message, results := syncing.GetState()
		if phase.Successful() {
			return nil
		}
		if phase.Completed() {
			return fmt.Errorf("%s: %v", message, results)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// flux does what kustomize-controller does with a CRD: `apply` of internal/controller/kustomization_controller.go sets these options.
func flux(config *rest.Config, crd *unstructured.Unstructured) error {
	connection, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	const name = "kustomize-controller"
	manager := ssa.NewResourceManager(connection, nil, ssa.Owner{Field: name, Group: "kustomize.toolkit.fluxcd.io"})
	objects := []*unstructured.Unstructured{crd}
	manager.SetOwnerLabels(objects, "widgets", "default")
	options := ssa.DefaultApplyOptions()
	options.Cleanup = ssa.ApplyCleanupOptions{
		Annotations: []string{corev1.LastAppliedConfigAnnotation},
		FieldManagers: []ssa.FieldManager{
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationApply},
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "before-first-apply", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: name, OperationType: metav1.ManagedFieldsOperationUpdate},
		},
	}
	_, err = manager.ApplyAll(context.Background(), objects, options)
	return err
}

// Package v1 contains the types of the API group shop.example.com/v1.
// +kubebuilder:object:generate=true
// +groupName=shop.example.com
package v1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	// GroupVersion is the group and version of these types.
	GroupVersion = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}

	// SchemeBuilder adds Go types to the scheme of the group and version.
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}

	// AddToScheme adds the types of the group and version to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

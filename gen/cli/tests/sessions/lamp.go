// Package v1 has the types of lamps.
//
// +kubebuilder:object:generate=true
// +groupName=example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LampSpec is what a lamp should be.
type LampSpec struct {
	// size is the height in millimetres.
	// +required
	// +experimental:kubebuilder:validation:Minimum=2
	Size int32 `json:"size"`

	// colour is what the light looks like.
	//
	// +experimental
	Colour string `json:"colour,omitempty"`

	// bulbs are what gives light.
	// +optional
	// +k8s:ifEnabled(Bulbs)=+kubebuilder:validation:MaxItems=8
	Bulbs []Bulb `json:"bulbs,omitempty"`

	// resources are those of the program in the lamp.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitempty"`
}

// Bulb gives light.
type Bulb struct {
	// +k8s:featureGate=Bulbs
	// +kubebuilder:validation:Maximum=60
	Watts int32 `json:"watts,omitempty"`

	// +optional
	Kind BulbKind `json:"kind,omitempty"`
}

// BulbKind is how a bulb makes light.
// +kubebuilder:validation:Enum=Led;Halogen
type BulbKind string

const (
	BulbLed BulbKind = "Led"
	// +experimental
	BulbHalogen BulbKind = "Halogen"
)

// Lamp gives light.
// +kubebuilder:object:root=true
type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec LampSpec `json:"spec,omitempty"`
}

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Finish is how the surface of a widget is treated.
// +kubebuilder:validation:Enum=Plain;Polished
type Finish string

const (
	// FinishPlain leaves the surface as it is.
	FinishPlain Finish = "Plain"
	// FinishPolished makes the surface smooth.
	FinishPolished Finish = "Polished"
)

// Part is one of the things that a widget is made of.
type Part struct {
	// name is unique in a widget.
	// +required
	Name string `json:"name"`

	// count is the number of these parts in a widget.
	// +optional
	Count int32 `json:"count,omitempty"`

	// note is read by the workers who make the part.
	// +optional
	Note *string `json:"note,omitempty"`
}

// WidgetSpec is what a widget should be.
type WidgetSpec struct {
	// finish is how the surface is treated.
	// +optional
	Finish Finish `json:"finish,omitempty"`

	// parts are what the widget is made of.
	// +optional
	// +listType=map
	// +listMapKey=name
	Parts []Part `json:"parts,omitempty"`

	// spares are parts that are sent with the widget, by their use.
	// +optional
	Spares map[string]Part `json:"spares,omitempty"`

	// resources are what the program of the bench may use.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`

	// replicas is the number of widgets to make.
	// +required
	Replicas int32 `json:"replicas"`
}

// WidgetStatus is what a widget is.
type WidgetStatus struct {
	// conditions are the state of the widget.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// progress is the part of the work that is done, in percent.
	// +optional
	Progress *int32 `json:"progress,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=wid

// Widget is a thing that the shop makes.
type Widget struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is that of every object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what the widget should be.
	// +required
	Spec WidgetSpec `json:"spec"`

	// status is what the widget is.
	// +optional
	Status WidgetStatus `json:"status,omitzero"`
}

// +kubebuilder:object:root=true

// WidgetList contains widgets.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Widget `json:"items"`
}

func init() {
	SchemeBuilder.Register(&Widget{}, &WidgetList{})
}

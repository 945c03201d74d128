package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Finish is how the surface of a widget is treated.
// +kubebuilder:validation:Enum=Plain;Polished;Painted
type Finish string

const (
	// FinishPlain leaves the surface as it is.
	FinishPlain Finish = "Plain"
	// FinishPolished makes the surface smooth.
	FinishPolished Finish = "Polished"
	// FinishPainted covers the surface with a colour.
	FinishPainted Finish = "Painted"
)

// Colour is a name of a colour, such as `dark-red`.
// +kubebuilder:validation:MaxLength=40
// +kubebuilder:validation:Pattern=`^[a-z]+(-[a-z]+)*$`
type Colour string

// Placement is where a widget is made. Its fields are inlined into the specification.
type Placement struct {
	// zone is the part of the shop.
	// +optional
	Zone string `json:"zone,omitempty"`

	// bench is the number of the bench, or its name.
	// +optional
	Bench *intstr.IntOrString `json:"bench,omitempty"`
}

// Size is the extent of something in millimetres.
// +kubebuilder:validation:XValidation:rule="self.width <= 2000 || self.height <= 2000",message="one side has at most two metres"
type Size struct {
	// width is the extent from left to right.
	// +required
	// +kubebuilder:validation:Minimum=1
	Width int32 `json:"width"`

	// height is the extent from bottom to top.
	// +required
	// +kubebuilder:validation:Minimum=1
	Height int32 `json:"height"`

	// depth is the extent from front to back.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Depth *int32 `json:"depth,omitempty"`
}

// Box is another name of a size.
type Box = Size

// Part is one of the things that a widget is made of.
type Part struct {
	// name is unique in a widget.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// count is the number of these parts in a widget.
	// +optional
	// +kubebuilder:default=1
	Count int32 `json:"count,omitempty"`

	// size is the extent of the part.
	// +optional
	Size *Size `json:"size,omitempty"`

	// colours may be chosen by the buyer.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	Colours []Colour `json:"colours,omitempty"`

	// supplier is who delivers the part.
	// +required
	Supplier string `json:"supplier"`
}

// Schedule is when widgets are made.
type Schedule struct {
	// every is the time between two widgets.
	// +optional
	Every *metav1.Duration `json:"every,omitempty"`

	// until is when the last widget is made.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
}

// WidgetSpec is what a widget should be.
type WidgetSpec struct {
	Placement `json:",inline"`

	// finish is how the surface is treated.
	// +optional
	// +kubebuilder:default=Plain
	Finish Finish `json:"finish,omitempty"`

	// size is the extent of the widget.
	// +required
	Size Size `json:"size"`

	// box is the extent of the box in which the widget is sent.
	// +optional
	Box *Box `json:"box,omitempty"`

	// parts are what the widget is made of.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Parts []Part `json:"parts,omitempty"`

	// schedule is when widgets are made.
	// +optional
	Schedule *Schedule `json:"schedule,omitempty"`

	// labels are printed on the box.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	// resources are what the program of the bench may use.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitempty,omitzero"`

	// replicas is the number of widgets to make.
	// +required
	// +kubebuilder:validation:Minimum=0
	Replicas int32 `json:"replicas"`

	// paused stops the work.
	// +optional
	Paused *bool `json:"paused,omitempty"`

	// engraving is written on the widget, as bytes.
	// +optional
	Engraving []byte `json:"engraving,omitempty"`
}

// PartStatus is how far a part is.
type PartStatus struct {
	// name is the part.
	// +required
	Name string `json:"name"`

	// ready is the number of these parts that exist.
	// +optional
	Ready int32 `json:"ready,omitempty"`

	// delivered is when the supplier delivered the last one.
	// +optional
	Delivered *metav1.Time `json:"delivered,omitempty"`
}

// WidgetStatus is what a widget is.
type WidgetStatus struct {
	// conditions are the state of the widget.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// replicas is the number of finished widgets.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

	// parts are how far the parts are.
	// +optional
	// +listType=map
	// +listMapKey=name
	Parts []PartStatus `json:"parts,omitempty"`

	// bench is where the widget is made.
	// +optional
	Bench *Placement `json:"bench,omitempty"`

	// observedGeneration is the generation that the status is of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=wid
// +kubebuilder:printcolumn:name="Finish",type=string,JSONPath=`.spec.finish`

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

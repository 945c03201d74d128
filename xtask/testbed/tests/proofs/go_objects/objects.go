// Reads an object of Gateway API in each line of a file, and writes its deep copy, which is equal. Unknown and repeated fields are errors.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	v1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/gateway-api/apis/v1alpha2"
	"sigs.k8s.io/gateway-api/apis/v1alpha3"
	"sigs.k8s.io/gateway-api/apis/v1beta1"
	"sigs.k8s.io/gateway-api/apisx/v1alpha1"
	kjson "sigs.k8s.io/json"
)

func main() {
	scheme := runtime.NewScheme()
	builders := []runtime.SchemeBuilder{
		v1.SchemeBuilder, v1alpha1.SchemeBuilder, v1alpha2.SchemeBuilder, v1alpha3.SchemeBuilder, v1beta1.SchemeBuilder,
	}
	for _, builder := range builders {
		must(scheme, builder.AddToScheme(scheme))
	}
	for line := range bytes.Lines(must(os.ReadFile(os.Args[1]))) {
		log.SetPrefix(string(line))
		var identity runtime.TypeMeta
		must(identity, json.Unmarshal(line, &identity))
		object := must(scheme.New(schema.FromAPIVersionAndKind(identity.APIVersion, identity.Kind)))
		unknown := must(kjson.UnmarshalStrict(line, object))
		copied := object.DeepCopyObject()
		if len(unknown) > 0 || !reflect.DeepEqual(object, copied) {
			log.Fatal("the deep copy differs, or fields are unknown: ", unknown)
		}
		fmt.Println(string(must(json.Marshal(copied))))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

package PACKAGE

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// Values that the filler cannot make of the fields alone.
func filler(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).Funcs(
		func(out *metav1.Time, c randfill.Continue) { out.Time = time.Unix(c.Int63n(1<<32), 0) },
		func(out *metav1.MicroTime, c randfill.Continue) { out.Time = time.Unix(c.Int63n(1<<32), 0) },
		func(out *resource.Quantity, c randfill.Continue) { *out = resource.MustParse("12345678901234567890123m") },
		func(out *intstr.IntOrString, c randfill.Continue) { *out = intstr.FromString(c.String(5)) },
		func(out *runtime.RawExtension, c randfill.Continue) { out.Raw = []byte(`{"a":1}`) },
		func(out *json.RawMessage, c randfill.Continue) { *out = json.RawMessage(`{"a":1}`) },
	)
}

// The addresses that a value refers to.
func addresses(value reflect.Value, found map[uintptr]string, path string) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			if value.Type().Elem().Size() > 0 {
				found[value.Pointer()] = path
			}
			addresses(value.Elem(), found, path)
		}
	case reflect.Slice:
		if value.Len() > 0 && value.Type().Elem().Size() > 0 {
			found[value.Pointer()] = path
		}
		for i := range value.Len() {
			addresses(value.Index(i), found, path+"[]")
		}
	case reflect.Map:
		if !value.IsNil() {
			found[value.Pointer()] = path
		}
		for entry := value.MapRange(); entry.Next(); {
			addresses(entry.Value(), found, path+"{}")
		}
	case reflect.Struct:
		// Time zones are shared: they do not change.
		if value.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range value.NumField() {
			addresses(value.Field(i), found, path+"."+value.Type().Field(i).Name)
		}
	}
}

// A copy is equal to its original, and the two share no memory.
func check[T any](t *testing.T, deepCopy func(T) T) {
	count := 0
	for seed := range int64(200) {
		var original T
		filler(seed).Fill(&original)
		theCopy := deepCopy(original)
		if !reflect.DeepEqual(original, theCopy) {
			t.Errorf("%T: the copy differs: %v, %v", original, original, theCopy)
		}
		ours, theirs := map[uintptr]string{}, map[uintptr]string{}
		addresses(reflect.ValueOf(original), ours, "")
		addresses(reflect.ValueOf(theCopy), theirs, "")
		count += len(ours)
		if len(ours) != len(theirs) {
			t.Errorf("%T: %d addresses, %d in the copy", original, len(ours), len(theirs))
		}
		for address, path := range theirs {
			if _, isShared := ours[address]; isShared {
				t.Errorf("%T%s is shared", original, path)
			}
		}
	}
	t.Logf("%s: %d addresses", reflect.TypeFor[T](), count)
}

func TestCopies(t *testing.T) {
CHECKS}

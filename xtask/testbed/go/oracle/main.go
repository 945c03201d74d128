// The oracle: what the API server's own libraries answer, for many CRDs and objects in one process.
//
// It reads JSON lines from standard input and writes one JSON line for each. A line defines a CRD, or asks about one object of a defined CRD:
//
//	{"define": "a", "crd": {…}}
//	  → {"errors": […], "rules": [{"version", "path", "index", "cost", "messageCost"}]}
//	{"crd": "a", "version": "v1", "new": {…}, "old": {…}, "status": false}
//	  → {"stored": {…}, "unknown": ["spec.a"], "warnings": […], "errors": [{"type", "field", "message"}], "refused": "…"}
//	{"convert": {…}}
//	  → {"stored": {…}}, the CRD of v1beta1 or v1 in v1, with the defaults of its version
//	{"read": "a: 1.5\n---\n…"}
//	  → {"documents": [{"a": {"float": "3ff8000000000000"}}]}, what kubectl reads from a file, with the bits of each float
//
// `errors` of a definition are those of creating the CRD. `old` is an object as it is stored; without it, `new` is created. `refused` is an
// error before validation, such as metadata of another type. `stored` is the object as it is read after the request. Fields appear only with values.
//
// The steps are those of a server for one request: decode, prune, drop nulls, default, prepare, validate. What storage and admission make up
// (names, UIDs, times of creation, resource versions) is not part of an answer.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/klog/v2"
	kjson "sigs.k8s.io/json"
)

type question struct {
	Define  string          `json:"define"`
	Convert json.RawMessage `json:"convert"`
	Read    *string         `json:"read"`
	CRD     json.RawMessage `json:"crd"`
	Version string          `json:"version"`
	Old     json.RawMessage `json:"old"`
	New     json.RawMessage `json:"new"`
	Status  bool            `json:"status"`
}

type problem struct {
	Type    string `json:"type"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

type rule struct {
	Version     string `json:"version"`
	Path        string `json:"path"`
	Index       int    `json:"index"`
	Cost        uint64 `json:"cost"`
	MessageCost uint64 `json:"messageCost,omitempty"`
}

type answer struct {
	Errors   []problem      `json:"errors,omitempty"`
	Rules    []rule         `json:"rules,omitempty"`
	Stored   map[string]any `json:"stored,omitempty"`
	Unknown  []string       `json:"unknown,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Refused  string         `json:"refused,omitempty"`

	Documents []any `json:"documents,omitempty"`
}

// version is everything that the requests of one API version need.
type version struct {
	kind       schema.GroupVersionKind
	structural *structuralschema.Structural
	main       rest.RESTCreateUpdateStrategy
	status     rest.RESTUpdateStrategy
}

var scheme = runtime.NewScheme()

func main() {
	install.Install(scheme)
	// Libraries log errors of requests.
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	defined := map[string]map[string]*version{}
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := bufio.NewWriterSize(os.Stdout, 1<<20)
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	for {
		line, err := input.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if failure := encoder.Encode(answerTo(line, defined)); failure != nil {
				panic(failure)
			}
			// A caller that waits for each answer gets it; one that sends many lines at once gets them in blocks.
			if input.Buffered() == 0 {
				output.Flush()
			}
		}
		if err != nil {
			output.Flush()
			return
		}
	}
}

func answerTo(line []byte, defined map[string]map[string]*version) (result answer) {
	defer func() {
		if reason := recover(); reason != nil {
			result = answer{Refused: fmt.Sprintf("panic: %v", reason)}
		}
	}()
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Refused: err.Error()}
	}
	if asked.Define != "" {
		versions, result := define(asked.CRD)
		defined[asked.Define] = versions
		return result
	}
	if len(asked.Convert) > 0 {
		return convert(asked.Convert)
	}
	if asked.Read != nil {
		return read(*asked.Read)
	}
	var id string
	if err := json.Unmarshal(asked.CRD, &id); err != nil {
		return answer{Refused: err.Error()}
	}
	found := defined[id][asked.Version]
	if found == nil {
		return answer{Refused: "this version is not defined"}
	}
	return found.answer(asked)
}

// read reads a file as kubectl does (`StreamVisitor` of k8s.io/cli-runtime).
func read(text string) (result answer) {
	decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		var raw runtime.RawExtension
		if err := decoder.Decode(&raw); err == io.EOF {
			return result
		} else if err != nil {
			return answer{Refused: err.Error()}
		}
		raw.Raw = bytes.TrimSpace(raw.Raw)
		if len(raw.Raw) == 0 || bytes.Equal(raw.Raw, []byte("null")) {
			continue
		}
		var document any
		numbers := json.NewDecoder(bytes.NewReader(raw.Raw))
		numbers.UseNumber()
		if err := numbers.Decode(&document); err != nil {
			return answer{Refused: err.Error()}
		}
		exact, err := withBits(document)
		if err != nil {
			return answer{Refused: err.Error()}
		}
		result.Documents = append(result.Documents, exact)
	}
}

// withBits shows floats by their bits: a decimal form could be read back as another float.
func withBits(value any) (exact any, err error) {
	switch value := value.(type) {
	case json.Number:
		if integer, err := strconv.ParseInt(value.String(), 10, 64); err == nil {
			return integer, nil
		}
		if _, err := strconv.ParseUint(value.String(), 10, 64); err == nil {
			return value, nil
		}
		float, err := value.Float64()
		return map[string]any{"float": fmt.Sprintf("%016x", math.Float64bits(float))}, err
	case []any:
		for index := range value {
			if value[index], err = withBits(value[index]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range value {
			if value[key], err = withBits(value[key]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// convert reads a CRD as its version, with the defaults of that version, and converts it to v1.
func convert(text []byte) answer {
	var kind metav1.TypeMeta
	if err := json.Unmarshal(text, &kind); err != nil {
		return answer{Refused: err.Error()}
	}
	written, err := scheme.New(schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind))
	if err != nil {
		return answer{Refused: err.Error()}
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, written); err != nil {
		return answer{Refused: err.Error()}
	}
	scheme.Default(written)
	var internal apiextensions.CustomResourceDefinition
	if err := scheme.Convert(written, &internal, nil); err != nil {
		return answer{Refused: err.Error()}
	}
	var published apiextensionsv1.CustomResourceDefinition
	if err := scheme.Convert(&internal, &published, nil); err != nil {
		return answer{Refused: err.Error()}
	}
	stored, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&published)
	if err != nil {
		return answer{Refused: err.Error()}
	}
	return answer{Stored: stored}
}

// define validates a CRD as on its creation, estimates the cost of its rules, and prepares its versions.
func define(text []byte) (map[string]*version, answer) {
	var published apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(text, &published); err != nil {
		return nil, answer{Refused: err.Error()}
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&published)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&published.Spec)
	var internal apiextensions.CustomResourceDefinition
	if err := scheme.Convert(&published, &internal, nil); err != nil {
		return nil, answer{Refused: err.Error()}
	}
	for _, stored := range internal.Spec.Versions {
		if stored.Storage {
			internal.Status.StoredVersions = []string{stored.Name}
		}
	}
	result := answer{Errors: problems(crdvalidation.ValidateCustomResourceDefinition(context.Background(), &internal))}
	versions := map[string]*version{}
	for _, listed := range internal.Spec.Versions {
		prepared, rules, err := prepare(&internal, listed.Name)
		if err != nil {
			// The errors above contain the reason.
			continue
		}
		versions[listed.Name] = prepared
		result.Rules = append(result.Rules, rules...)
	}
	return versions, result
}

func prepare(crd *apiextensions.CustomResourceDefinition, name string) (*version, []rule, error) {
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: name, Kind: crd.Spec.Names.Kind}
	published, err := apiextensions.GetSchemaForVersion(crd, name)
	if err != nil || published == nil || published.OpenAPIV3Schema == nil {
		return nil, nil, fmt.Errorf("no schema: %v", err)
	}
	structural, err := structuralschema.NewStructural(published.OpenAPIV3Schema)
	if err != nil {
		return nil, nil, err
	}
	validator, _, err := validation.NewSchemaValidator(published.OpenAPIV3Schema)
	if err != nil {
		return nil, nil, err
	}
	subresources, err := apiextensions.GetSubresourcesForVersion(crd, name)
	if err != nil {
		return nil, nil, err
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var statusValidator validation.SchemaValidator
	var scale *apiextensions.CustomResourceSubresourceScale
	if subresources != nil {
		status, scale = subresources.Status, subresources.Scale
	}
	if status != nil {
		if properties, found := published.OpenAPIV3Schema.Properties["status"]; found {
			if statusValidator, _, err = validation.NewSchemaValidator(&properties); err != nil {
				return nil, nil, err
			}
		}
	}
	namespaced := crd.Spec.Scope == apiextensions.NamespaceScoped
	main := customresource.NewStrategy(scheme, namespaced, kind, validator, statusValidator, structural, status, scale, nil)
	rules := costs(name, published.OpenAPIV3Schema, field.NewPath("schema", "openAPIV3Schema"), crdvalidation.RootCELContext(published.OpenAPIV3Schema))
	return &version{kind: kind, structural: structural, main: main, status: customresource.NewStatusStrategy(main)}, rules, nil
}

// costs estimates every rule below a schema.
func costs(name string, props *apiextensions.JSONSchemaProps, path *field.Path, celContext *crdvalidation.CELSchemaContext) []rule {
	var rules []rule
	if celContext == nil {
		return nil
	}
	if info, err := celContext.TypeInfo(); len(props.XValidations) > 0 && err == nil && info != nil {
		compiled, err := cel.Compile(info.Schema, info.DeclType, celconfig.PerCallLimit, environments(), cel.NewExpressionsEnvLoader())
		if err == nil {
			for index, result := range compiled {
				if result.Error != nil {
					continue
				}
				rules = append(rules, rule{
					Version: name, Path: path.String(), Index: index,
					Cost: times(result, celContext), MessageCost: result.MessageExpressionMaxCost,
				})
			}
		}
	}
	for property := range props.Properties {
		child := props.Properties[property]
		rules = append(rules, costs(name, &child, path.Child("properties").Key(property), celContext.ChildPropertyContext(&child, property))...)
	}
	if props.Items != nil && props.Items.Schema != nil {
		rules = append(rules, costs(name, props.Items.Schema, path.Child("items"), celContext.ChildItemsContext(props.Items.Schema))...)
	}
	if props.AdditionalProperties != nil && props.AdditionalProperties.Schema != nil {
		child := props.AdditionalProperties.Schema
		rules = append(rules, costs(name, child, path.Child("additionalProperties"), celContext.ChildAdditionalPropertiesContext(child))...)
	}
	return rules
}

// environments has the functions of CEL. Older minors ask whether costs are strict; for CRDs they are.
func environments() *environment.EnvSet {
	create := reflect.ValueOf(environment.MustBaseEnvSet)
	arguments := []reflect.Value{reflect.ValueOf(environment.DefaultCompatibilityVersion())}
	if create.Type().NumIn() == 2 {
		arguments = append(arguments, reflect.ValueOf(true))
	}
	return create.Call(arguments)[0].Interface().(*environment.EnvSet)
}

// times is the cost of one evaluation for each of the objects that the schema can hold.
func times(result cel.CompilationResult, celContext *crdvalidation.CELSchemaContext) uint64 {
	count := result.MaxCardinality
	if celContext.MaxCardinality != nil {
		count = *celContext.MaxCardinality
	}
	if product := result.MaxCost * count; result.MaxCost == 0 || product/result.MaxCost == count {
		return product
	}
	return ^uint64(0)
}

func (v *version) answer(asked question) answer {
	object, unknown, err := v.decode(asked.New)
	if err != nil {
		return answer{Refused: err.Error()}
	}
	result := answer{Unknown: unknown}
	recorded := &warnings{}
	ctx := warning.WithWarningRecorder(request.WithNamespace(context.Background(), object.GetNamespace()), recorded)
	generated := object.GetName() == "" && object.GetGenerateName() != ""
	if len(asked.Old) == 0 {
		rest.WipeObjectMetaSystemFields(object)
		rest.FillObjectMetaSystemFields(object)
		if generated {
			object.SetName(v.main.GenerateName(object.GetGenerateName()))
		}
		err = rest.BeforeCreate(v.main, ctx, object)
	} else {
		old, _, failed := v.decode(asked.Old)
		if failed != nil {
			return answer{Refused: "old: " + failed.Error()}
		}
		var strategy rest.RESTUpdateStrategy = v.main
		if asked.Status {
			strategy = v.status
		}
		err = rest.BeforeUpdate(strategy, ctx, object, old)
	}
	if result.Errors, err = causes(err); err != nil {
		return answer{Refused: err.Error()}
	}
	result.Warnings = recorded.texts
	if len(asked.Old) == 0 {
		// What a server makes up is not part of an answer.
		object.SetUID("")
		object.SetCreationTimestamp(metav1.Time{})
		if generated {
			object.SetName("")
		}
	}
	if len(result.Errors) == 0 {
		// A server sets defaults again when it reads what it stored, such as those of a status that it dropped.
		defaulting.Default(object.Object, v.structural)
		result.Stored = object.Object
	}
	return result
}

// decode does what a server does before validation: unknown fields are pruned and reported, nulls are dropped, defaults are set.
func (v *version) decode(text []byte) (*unstructured.Unstructured, []string, error) {
	content := map[string]any{}
	strict, err := kjson.UnmarshalStrict(text, &content)
	if err != nil {
		return nil, nil, err
	}
	var unknown []string
	for _, duplicate := range strict {
		unknown = append(unknown, duplicate.Error())
	}
	object := &unstructured.Unstructured{Object: content}
	meta, hasMeta, paths, err := objectmeta.GetObjectMetaWithOptions(content, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	unknown = append(unknown, paths...)
	unknown = append(unknown, pruning.PruneWithOptions(content, v.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(content, v.structural)
	failed, paths := objectmeta.CoerceWithOptions(nil, content, v.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if failed != nil {
		return nil, nil, failed
	}
	unknown = append(unknown, paths...)
	object.SetGroupVersionKind(v.kind)
	if hasMeta {
		if err := objectmeta.SetObjectMeta(content, meta); err != nil {
			return nil, nil, err
		}
	}
	defaulting.Default(content, v.structural)
	return object, unknown, nil
}

// warnings collects what a server sends as headers.
type warnings struct{ texts []string }

func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }

// causes are the errors of a request that is not valid. Any other error is returned.
func causes(err error) ([]problem, error) {
	var status apierrors.APIStatus
	if err == nil || !errors.As(err, &status) || status.Status().Reason != metav1.StatusReasonInvalid {
		return nil, err
	}
	var found []problem
	for _, cause := range status.Status().Details.Causes {
		found = append(found, problem{Type: string(cause.Type), Field: cause.Field, Message: cause.Message})
	}
	return found, nil
}

func problems(list field.ErrorList) []problem {
	var found []problem
	for _, one := range list {
		found = append(found, problem{Type: string(one.Type), Field: one.Field, Message: one.ErrorBody()})
	}
	return found
}

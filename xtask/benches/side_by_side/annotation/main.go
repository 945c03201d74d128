// Prints how many bytes the CRD in a YAML file has as compact JSON, which is what `kubectl apply` writes into an annotation.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"sigs.k8s.io/yaml"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var crd any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		log.Fatal(err)
	}
	compact, err := json.Marshal(crd)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(compact))
}

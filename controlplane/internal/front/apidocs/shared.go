package apidocs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// share keeps each refusal once, among the components, where operations would repeat it word for word: a browser that
// shows the description has a third to read.
func share(doc *huma.OpenAPI) {
	if doc.Components.Responses == nil {
		doc.Components.Responses = map[string]*huma.Response{}
	}
	names, variants := map[string]string{}, map[string]int{}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		ops := operations(doc.Paths[path])
		for _, method := range slices.Sorted(maps.Keys(ops)) {
			for _, status := range slices.Sorted(maps.Keys(ops[method].Responses)) {
				r := ops[method].Responses[status]
				if status < "400" || r.Ref != "" {
					continue
				}
				text, err := json.Marshal(r)
				if err != nil {
					continue // it stays where it is, and the writer of the whole description reports it
				}
				name, known := names[status+string(text)]
				if !known {
					if variants[status]++; variants[status] == 1 {
						name = "Refused" + status
					} else {
						name = fmt.Sprintf("Refused%s_%d", status, variants[status])
					}
					names[status+string(text)], doc.Components.Responses[name] = name, r
				}
				ops[method].Responses[status] = &huma.Response{Ref: "#/components/responses/" + name}
			}
		}
	}
}

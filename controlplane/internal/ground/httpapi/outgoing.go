package httpapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/openapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
)

// WithOutgoing says which requests follow from the operation: a callback if it has a place for its address, otherwise a
// webhook.
func (r Route) WithOutgoing(requests ...openapi.Outgoing) Route { r.sends = requests; return r }

// describeSends adds what the route sends to the description.
func (r Route) describeSends(a *API, op *huma.Operation) {
	doc := a.Huma.OpenAPI()
	for _, o := range r.sends {
		item := &huma.PathItem{Post: o.Operation(doc.Components.Schemas, r.group(), reflect.TypeFor[problem.Problem]())}
		if o.To == "" {
			if doc.Webhooks == nil {
				doc.Webhooks = map[string]*huma.PathItem{}
			}
			doc.Webhooks[o.Name] = item
			continue
		}
		if op.Callbacks == nil {
			op.Callbacks = map[string]map[string]*huma.PathItem{}
		}
		op.Callbacks[o.Name] = map[string]*huma.PathItem{o.To: item}
	}
}

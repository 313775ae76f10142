package openapi

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Outgoing describes a request that the service sends to a receiver of the caller's choice: a webhook, or a callback of
// an operation. The request is signed by Standard Webhooks.
type Outgoing struct {
	Name        string // event of a webhook, or a name for the callback
	To          string // of a callback: where the address stands, such as {$request.body#/callback_url}
	Summary     string
	Description string
	Bodies      map[string]reflect.Type // by media type
}

// Operation describes the request under a tag. problem is the type of the document by which a receiver may refuse it.
func (o Outgoing) Operation(schemas huma.Registry, tag string, problem reflect.Type) *huma.Operation {
	content := map[string]*huma.MediaType{}
	for media, body := range o.Bodies {
		content[media] = &huma.MediaType{Schema: schemas.Schema(body, true, "")}
	}
	return &huma.Operation{
		OperationID: OperationID("send", o.Name), Summary: o.Summary, Description: o.Description, Tags: []string{tag},
		Security:    []map[string][]string{},
		Parameters:  signatureHeaders(),
		RequestBody: &huma.RequestBody{Required: true, Content: content},
		Responses: map[string]*huma.Response{
			"2XX": {Description: "The receiver accepted the message."},
			"4XX": {
				Description: "The receiver refused the message. The body of the response is not used.",
				Content:     refusal(schemas, problem),
			},
		},
	}
}

// refusal is a problem document, as this service would answer.
func refusal(schemas huma.Registry, problem reflect.Type) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/problem+json": {
		Schema: schemas.Schema(problem, true, ""),
		Example: map[string]any{
			"type":       "about:blank",
			"title":      "Gone",
			"status":     http.StatusGone,
			"code":       "gone",
			"request_id": "r-1",
		},
	}}
}

// signatureHeaders are the headers of Standard Webhooks.
func signatureHeaders() []*huma.Param {
	header := func(name, words string) *huma.Param {
		return &huma.Param{
			Name:        name,
			In:          "header",
			Required:    true,
			Description: words,
			Schema:      &huma.Schema{Type: huma.TypeString},
		}
	}
	return []*huma.Param{
		header("webhook-id", "Id of the message. Repeated deliveries have the same id."),
		header("webhook-timestamp", "Time of the attempt, in seconds since 1970."),
		header("webhook-signature", "Signature of id, timestamp and body, by Standard Webhooks."),
	}
}

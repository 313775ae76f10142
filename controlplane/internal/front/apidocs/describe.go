package apidocs

import (
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

// complete adds to the description what no single route can say: what the service is, who may present which token, the
// headers that every request or answer may have, words for parameters whose name says it all, and an example of every
// body.
func complete(doc *huma.OpenAPI) {
	doc.Info.Description = overview
	doc.Info.License = &huma.License{Name: "Apache 2.0", Identifier: "Apache-2.0"}
	doc.Servers = []*huma.Server{{URL: "/", Description: "The address that this description came from."}}
	doc.Components.SecuritySchemes = schemes
	examples := exampler{schemas: doc.Components.Schemas.Map()}
	tags := map[string]bool{}
	for path, item := range doc.Paths {
		for method, op := range operations(item) {
			describe(op, method, path)
			examples.addTo(op)
			for _, t := range op.Tags {
				tags[t] = true
			}
		}
	}
	for _, op := range outgoing(doc) {
		examples.addTo(op)
	}
	doc.Tags = describedTags(tags)
	share(doc)
}

// outgoing are the requests that the service sends: webhooks, and callbacks of operations.
func outgoing(doc *huma.OpenAPI) (all []*huma.Operation) {
	for _, item := range doc.Webhooks {
		all = append(all, item.Post)
	}
	for _, path := range doc.Paths {
		for _, op := range operations(path) {
			for _, callback := range op.Callbacks {
				for _, item := range callback {
					all = append(all, item.Post)
				}
			}
		}
	}
	return all
}

// operations are those of a path, by method.
func operations(item *huma.PathItem) map[string]*huma.Operation {
	all := map[string]*huma.Operation{
		http.MethodGet:    item.Get,
		http.MethodPut:    item.Put,
		http.MethodPost:   item.Post,
		http.MethodDelete: item.Delete,
		http.MethodPatch:  item.Patch,
	}
	for method, op := range all {
		if op == nil {
			delete(all, method)
		}
	}
	return all
}

func describe(op *huma.Operation, method, path string) {
	op.Security = security(op, path)
	if op.Description == "" {
		op.Description = op.Summary + "."
	}
	for _, p := range op.Parameters {
		if p.Description == "" {
			p.Description = parameterWords(p)
		}
	}
	auth, agent := within(path, "/auth"), within(path, "/agent")
	if method != http.MethodGet && !auth && !agent {
		add(op, &huma.Param{
			Name:   "Idempotency-Key",
			In:     "header",
			Schema: &huma.Schema{Type: "string", Format: "uuid"},
			Description: "A UUID of your choice. The same request with the same key within 24 hours is answered as " +
				"the first one was, with the header Idempotent-Replayed, and done once.",
		})
	}
	if !auth && !agent {
		add(op, &huma.Param{
			Name:   "X-Tenant-Id",
			In:     "header",
			Schema: &huma.Schema{Type: "string", Format: "uuid"},
			Description: "For control-plane administrators: the tenant to act in. Audited in both tenants. Other " +
				"callers receive 403.",
		})
	}
	delete(mediaTypes(op), "application/octet-stream") // the bytes are looked at besides; what is sent is JSON
	for status, r := range op.Responses {
		answerHeaders(r, status, len(op.Security) > 0)
	}
	addAnswer(op, "429", "Too Many Requests")
	addAnswer(op, "503", "Service Unavailable")
}

func within(path, group string) bool {
	prefix := httpapi.Prefix + group
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

// security says which token an operation wants. What looks at the token itself is named here.
func security(op *huma.Operation, path string) []map[string][]string {
	switch path {
	case httpapi.Prefix + "/auth/refresh":
		return []map[string][]string{{"refresh": {}}}
	case httpapi.Prefix + "/agent/register":
		return []map[string][]string{{"enrollment": {}}}
	}
	switch {
	case within(path, "/agent"):
		return []map[string][]string{{"agent": {}}}
	case op.Security == nil:
		return []map[string][]string{}
	}
	return op.Security
}

var schemes = map[string]*huma.SecurityScheme{
	"bearer": {
		Type:         "http",
		Scheme:       "bearer",
		BearerFormat: "JWT",
		Description:  "A user's access token from POST /auth/login, or a service token from POST /settings/api-tokens.",
	},
	"refresh": {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "The refresh token of a sign-in."},
	"agent": {
		Type:         "http",
		Scheme:       "bearer",
		BearerFormat: "JWT",
		Description:  "An agent's token. It opens /api/v1/agent/* and nothing else.",
	},
	"enrollment": {
		Type:         "http",
		Scheme:       "bearer",
		BearerFormat: "JWT",
		Description:  "The token that an administrator got for a new agent. It works once, for an hour.",
	},
}

func add(op *huma.Operation, p *huma.Param) {
	there := slices.ContainsFunc(
		op.Parameters,
		func(o *huma.Param) bool { return o.In == p.In && strings.EqualFold(o.Name, p.Name) },
	)
	if !there {
		op.Parameters = append(op.Parameters, p)
	}
}

func mediaTypes(op *huma.Operation) map[string]*huma.MediaType {
	if op.RequestBody == nil {
		return nil
	}
	return op.RequestBody.Content
}

// answerHeaders are on every answer, and those of the rate on every one that needed a token.
func answerHeaders(r *huma.Response, status string, token bool) {
	set := func(name, words string) {
		if r.Headers == nil {
			r.Headers = map[string]*huma.Param{}
		}
		if r.Headers[name] == nil {
			r.Headers[name] = &huma.Header{Description: words, Schema: &huma.Schema{Type: "string"}}
		}
	}
	set("X-Request-Id", "The id of this request. It is also in the log and in problem documents.")
	if token {
		set("RateLimit-Policy", `The rate that applies, e.g. "default";q=100;w=1;grantwright-burst=200.`)
		set("RateLimit", `What is left of it, e.g. "default";r=199;t=0.`)
	}
	if status == "429" || status == "503" {
		set("Retry-After", "Seconds to wait.")
	}
}

// addAnswer adds a refusal that any operation may meet.
func addAnswer(op *huma.Operation, status, words string) {
	if op.Responses[status] != nil {
		return
	}
	like := op.Responses["500"]
	if like == nil {
		return
	}
	r := &huma.Response{Description: words, Content: map[string]*huma.MediaType{}}
	for name, m := range like.Content {
		r.Content[name] = &huma.MediaType{Schema: m.Schema}
	}
	op.Responses[status] = r
	answerHeaders(r, status, len(op.Security) > 0)
}

func describedTags(used map[string]bool) []*huma.Tag {
	var tags []*huma.Tag
	for name := range used {
		tags = append(tags, &huma.Tag{Name: name, Description: tagWords[name]})
	}
	slices.SortFunc(tags, func(a, b *huma.Tag) int { return strings.Compare(a.Name, b.Name) })
	return tags
}

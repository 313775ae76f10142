package webhook

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/net/http/httpguts"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// settings are what an administrator chooses.
type settings struct {
	Name              string
	URL               string
	Events            []string
	Filter            *Filter
	Headers           map[string]string
	MaxRPS            *int
	OrderedPerSubject bool
	Format            string
	OwnerIDs          []string
}

// newWebhook is the creation payload.
type newWebhook struct {
	Name              string            `json:"name" minLength:"1" maxLength:"200"`
	URL               string            `json:"url" minLength:"1" maxLength:"2048" doc:"https, and a public address. Plain http and private addresses only where the operator opened them."`
	Enabled           *bool             `json:"enabled,omitempty" doc:"true when absent"`
	Events            []string          `json:"events" minItems:"1" maxItems:"100" nullable:"false" doc:"Exact names; see /settings/webhooks/event-types."`
	Filter            *Filter           `json:"filter,omitempty"`
	Headers           map[string]string `json:"headers,omitempty" doc:"Sent along with each delivery. Write-only."`
	MaxRPS            *int              `json:"max_rps,omitempty" minimum:"1" maximum:"1000"`
	OrderedPerSubject bool              `json:"ordered_per_subject,omitempty"`
	Format            string            `json:"format,omitempty" enum:"standard,cloudevents" default:"standard"`
	OwnerIDs          []string          `json:"owner_ids,omitempty" format:"uuid" maxItems:"20" nullable:"false"`
}

func (n newWebhook) settings() settings {
	return settings{
		Name:              strings.TrimSpace(n.Name),
		URL:               n.URL,
		Events:            n.Events,
		Filter:            n.Filter,
		Headers:           n.Headers,
		MaxRPS:            n.MaxRPS,
		OrderedPerSubject: n.OrderedPerSubject,
		Format:            n.Format,
		OwnerIDs:          n.OwnerIDs,
	}
}

// webhookPatch is what a merge patch may hold.
type webhookPatch struct {
	Name              *string            `json:"name,omitempty" minLength:"1" maxLength:"200" nullable:"false"`
	URL               *string            `json:"url,omitempty" minLength:"1" maxLength:"2048" nullable:"false"`
	Enabled           *bool              `json:"enabled,omitempty" nullable:"false"`
	Events            *[]string          `json:"events,omitempty" minItems:"1" maxItems:"100" nullable:"false"`
	Filter            *filterPatch       `json:"filter,omitempty" doc:"null: no filter."`
	Headers           map[string]*string `json:"headers,omitempty" doc:"null takes a header away. When the URL leads elsewhere, all that stay must be given again."`
	MaxRPS            *int               `json:"max_rps,omitempty" minimum:"1" maximum:"1000" nullable:"true"`
	OrderedPerSubject *bool              `json:"ordered_per_subject,omitempty" nullable:"false"`
	Format            *string            `json:"format,omitempty" enum:"standard,cloudevents" nullable:"false"`
	OwnerIDs          *[]string          `json:"owner_ids,omitempty" format:"uuid" maxItems:"20" nullable:"false"`
}

// filterPatch is a filter that may be null.
type filterPatch Filter

// Schema is that of a filter, or null.
func (filterPatch) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[Filter]())
	s.Nullable = true
	return &s
}

// apply gives the settings under the patch. raw is its text, which tells null from absent.
func (p webhookPatch) apply(s settings, raw []byte) (settings, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return s, fault.Coded(fault.Malformed, "malformed_json", "the body must be a JSON object")
	}
	if err := p.headersFor(s); err != nil {
		return s, err
	}
	if p.Name != nil {
		s.Name = strings.TrimSpace(*p.Name)
	}
	set(&s.URL, p.URL)
	set(&s.Events, p.Events)
	set(&s.OrderedPerSubject, p.OrderedPerSubject)
	set(&s.Format, p.Format)
	set(&s.OwnerIDs, p.OwnerIDs)
	if _, given := members["filter"]; given {
		s.Filter = (*Filter)(p.Filter)
	}
	if _, given := members["max_rps"]; given {
		s.MaxRPS = p.MaxRPS
	}
	s.Headers = mergeHeaders(s.Headers, p.Headers)
	return s, nil
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

func mergeHeaders(old map[string]string, patch map[string]*string) map[string]string {
	merged := maps.Clone(old)
	if merged == nil {
		merged = map[string]string{}
	}
	for name, value := range patch {
		for known := range merged {
			if strings.EqualFold(known, name) {
				delete(merged, known)
			}
		}
		if value != nil {
			merged[name] = *value
		}
	}
	return merged
}

// headersFor refuses to send the headers' values, which may be keys to one endpoint, to another that somebody names
// later.
func (p webhookPatch) headersFor(s settings) error {
	if p.URL == nil || sameOrigin(s.URL, *p.URL) {
		return nil
	}
	for name := range s.Headers {
		given := slices.ContainsFunc(
			slices.Collect(maps.Keys(p.Headers)),
			func(n string) bool { return strings.EqualFold(n, name) },
		)
		if !given {
			return fault.Coded(fault.Invalid, "credentials_required", "the URL leads elsewhere, so the header %s "+
				"must be given again, or taken away by null", name).
				With(fault.Field{Pointer: "#/headers/" + name, Code: "required",
					Detail: "its value belongs to the old address"})
		}
	}
	return nil
}

func sameOrigin(a, b string) bool {
	x, err := url.Parse(a)
	y, err2 := url.Parse(b)
	return err == nil && err2 == nil && x.Scheme == y.Scheme && strings.EqualFold(x.Host, y.Host)
}

// check refuses what cannot be used. The URL is judged by the guard.
func (s settings) check() error {
	var wrong []fault.Field
	if s.Name == "" {
		wrong = append(wrong, fault.Field{Pointer: "#/name", Code: "required", Detail: "a webhook needs a name"})
	}
	for i, e := range s.Events {
		pointer := fmt.Sprintf("#/events/%d", i)
		if !event.Known(event.Kind(e)) {
			wrong = append(
				wrong,
				fault.Field{Pointer: pointer, Code: "unknown_event", Detail: fmt.Sprintf("there is no event %q", e)},
			)
		} else if slices.Contains(s.Events[:i], e) {
			wrong = append(wrong, fault.Field{Pointer: pointer, Code: "duplicate", Detail: "it is named twice"})
		}
	}
	wrong = append(wrong, wrongHeaders(s.Headers)...)
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "the webhook cannot be stored like this: %s", wrong[0].Detail).With(wrong...)
	}
	return s.Filter.check()
}

// ours are headers that deliveries set themselves, or that would change what is sent.
var ours = []string{
	"Host",
	"Content-Length",
	"Content-Type",
	"Content-Encoding",
	"Transfer-Encoding",
	"Connection",
	"Keep-Alive",
	"Upgrade",
	"Te",
	"Trailer",
	"Expect",
	"User-Agent",
	"Cookie",
	"Proxy-Authorization",
	"Proxy-Connection",
	"Accept-Encoding",
}

func wrongHeaders(headers map[string]string) (wrong []fault.Field) {
	refuse := func(name, why string) {
		wrong = append(wrong, fault.Field{Pointer: "#/headers/" + name, Code: "invalid", Detail: why})
	}
	if len(headers) > 20 {
		refuse("", "there may be 20 headers at most")
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value, canonical := headers[name], http.CanonicalHeaderKey(name)
		switch {
		case len(name) > 100 || !httpguts.ValidHeaderFieldName(name):
			refuse(name, "this is not the name of a header")
		case slices.Contains(ours, canonical),
			strings.HasPrefix(canonical, "Webhook-"),
			strings.HasPrefix(canonical, "Grantwright-"),
			strings.HasPrefix(canonical, "Sec-"),
			strings.HasPrefix(canonical, "X-Forwarded-"):
			refuse(name, "this header cannot be chosen")
		case value == "" || len(value) > 4096 || !httpguts.ValidHeaderFieldValue(value):
			refuse(name, "this value cannot be sent in a header")
		}
	}
	return wrong
}

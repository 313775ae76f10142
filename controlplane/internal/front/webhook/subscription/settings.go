package subscription

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/filter"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Settings are what an administrator chooses.
type Settings struct {
	Name              string
	URL               string
	Events            []string
	Filter            *filter.Filter
	Headers           map[string]string
	MaxRPS            *int
	OrderedPerSubject bool
	Format            string
	OwnerIDs          []string
}

// NewWebhook is the payload that creates a webhook.
type NewWebhook struct {
	// Display name of the webhook.
	Name string `json:"name" minLength:"1" maxLength:"200"`
	// URL with https and a public address. Plain http and private addresses are only accepted where the operator
	// allowed them.
	URL string `json:"url" minLength:"1" maxLength:"2048"`
	// Whether events are delivered. The default is true.
	Enabled *bool `json:"enabled,omitempty"`
	// Exact names; see /settings/webhooks/event-types.
	Events []string `json:"events" minItems:"1" maxItems:"100" nullable:"false"`
	// Rules that an event must meet to be delivered; without it, every event of the chosen types is.
	Filter *filter.Filter `json:"filter,omitempty"`
	// Sent along with each delivery. Write-only.
	Headers map[string]string `json:"headers,omitempty"`
	// Highest number of deliveries that begin in one second; without it, there is no fixed limit.
	MaxRPS *int `json:"max_rps,omitempty" minimum:"1" maximum:"1000"`
	// Whether a delivery waits until those before it about the same resource have ended.
	OrderedPerSubject bool `json:"ordered_per_subject,omitempty"`
	// Format of the body. standard: that of this API. cloudevents: CloudEvents 1.0 in structured mode. teams: an
	// Adaptive Card for a workflow of Microsoft Teams. slack: a message for an incoming webhook of Slack.
	Format string `json:"format,omitempty" enum:"standard,cloudevents,teams,slack" default:"standard"`
	// IDs of the users who are responsible for the webhook.
	OwnerIDs []string `json:"owner_ids,omitempty" format:"uuid" maxItems:"20" nullable:"false"`
}

// Settings are those of the payload.
func (n NewWebhook) Settings() Settings {
	return Settings{
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

// WebhookPatch is what a merge patch may hold.
type WebhookPatch struct {
	// Display name of the webhook.
	Name *string `json:"name,omitempty" minLength:"1" maxLength:"200" nullable:"false"`
	// URL that events are delivered to, under the same rules as at creation.
	URL *string `json:"url,omitempty" minLength:"1" maxLength:"2048" nullable:"false"`
	// Whether events are delivered.
	Enabled *bool `json:"enabled,omitempty" nullable:"false"`
	// Exact names of the event types to deliver; see /settings/webhooks/event-types.
	Events *[]string `json:"events,omitempty" minItems:"1" maxItems:"100" nullable:"false"`
	// Rules that an event must meet to be delivered; null removes the filter.
	Filter *filterPatch `json:"filter,omitempty"`
	// Headers sent along with each delivery; null removes one. When the URL changes its scheme or host, all that remain
	// must be given again.
	Headers map[string]*string `json:"headers,omitempty"`
	// Highest number of deliveries that begin in one second; null removes the limit.
	MaxRPS *int `json:"max_rps,omitempty" minimum:"1" maximum:"1000" nullable:"true"`
	// Whether a delivery waits until those before it about the same resource have ended.
	OrderedPerSubject *bool `json:"ordered_per_subject,omitempty" nullable:"false"`
	// Format of the body: standard, cloudevents, teams or slack. To change teams or slack to another format, give the
	// URL again.
	Format *string `json:"format,omitempty" enum:"standard,cloudevents,teams,slack" nullable:"false"`
	// IDs of the users who are responsible for the webhook.
	OwnerIDs *[]string `json:"owner_ids,omitempty" format:"uuid" maxItems:"20" nullable:"false"`
}

// filterPatch is a filter that may be null.
type filterPatch filter.Filter

// Schema is that of a filter, or null.
func (filterPatch) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[filter.Filter]())
	s.Nullable = true
	return &s
}

// Apply gives the settings under the patch. raw is its text, which distinguishes null from absent.
func (p WebhookPatch) Apply(s Settings, raw []byte) (Settings, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return s, fault.Coded(fault.Malformed, "malformed_json", "the body must be a JSON object")
	}
	if err := p.headersFor(s); err != nil {
		return s, err
	}
	if p.Format != nil && IsChat(s.Format) && !IsChat(*p.Format) && p.URL == nil {
		return s, fault.Coded(fault.Invalid, "credentials_required", "The URL of a chat service is a credential. To "+
			"change the format, give the URL again.").
			With(fault.Field{Pointer: "#/url", Code: "required", Detail: "it would be shown in the new format"})
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
		s.Filter = (*filter.Filter)(p.Filter)
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

// Check is a fault of kind Invalid for what cannot be used. The guard judges the URL.
func (s Settings) Check() error {
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
		return fault.New(fault.Invalid, "The webhook is invalid: %s", wrong[0].Detail).With(wrong...)
	}
	return s.Filter.Check()
}

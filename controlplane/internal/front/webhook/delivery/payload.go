package delivery

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
)

// Formats of what is posted.
const (
	Standard    = "standard"
	CloudEvents = "cloudevents"
	Teams       = subscription.Teams
	Slack       = subscription.Slack
)

// Message is the body of a delivery in the format standard.
type Message struct {
	// ID of the event, equal to the header webhook-id.
	ID string `json:"id"`
	// Type of the event.
	Type event.Kind `json:"type"`
	// Time of the event.
	Timestamp string `json:"timestamp"`
	// ID of the tenant in which the event occurred.
	TenantID string `json:"tenant_id"`
	// Sequence number of the event.
	Sequence int64 `json:"sequence"`
	// Data of the event, with the resource's id, its version if it has one, and the names of the changed fields.
	Data map[string]any `json:"data"`
}

// CloudEvent is the body of a delivery in structured mode of CloudEvents 1.0. sequence is an extension, as text.
type CloudEvent struct {
	// Version of the CloudEvents specification, always 1.0.
	SpecVersion string `json:"specversion"`
	// ID of the event, equal to the header webhook-id.
	ID string `json:"id"`
	// Tenant in which the event occurred, as /tenants/ and its ID.
	Source string `json:"source"`
	// Type of the event.
	Type event.Kind `json:"type"`
	// ID of the resource that the event is about.
	Subject string `json:"subject"`
	// Time of the event.
	Time string `json:"time"`
	// Media type of data, always application/json.
	DataContentType string `json:"datacontenttype"`
	// Sequence number of the event, as text.
	Sequence string `json:"sequence"`
	// Data of the event, with the resource's id, its version if it has one, and the names of the changed fields.
	Data map[string]any `json:"data"`
}

// Origin is where an event comes from.
type Origin struct {
	Tenant  string // ID of the tenant
	Console string // address of the tenant's console; needed for chat services
}

// dataOf is the data of an event as it is sent and filtered: that of its publisher, with id, version and changed.
func dataOf(e event.Stored) (map[string]any, error) {
	data := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(e.Data))
	d.UseNumber() // as it was written
	if err := d.Decode(&data); err != nil {
		return nil, fmt.Errorf("read data of event %s: %w", e.ID, err)
	}
	all := maps.Clone(data)
	all["id"] = e.ResourceID
	if e.Version != nil {
		all["version"] = json.Number(strconv.Itoa(*e.Version))
	}
	changed := make([]any, len(e.Changed))
	for i, name := range e.Changed {
		changed[i] = name
	}
	all["changed"] = changed
	return all, nil
}

// Body is what is posted of an event, and its media type. The same event and format give the same bytes at every
// attempt.
func Body(from Origin, format string, e event.Stored) (raw []byte, contentType string, err error) {
	data, err := dataOf(e)
	if err != nil {
		return nil, "", err
	}
	at := e.At.UTC().Format(time.RFC3339Nano)
	var out any
	contentType = "application/json"
	switch format {
	case Teams:
		out = cardOf(newNotice(from, e, data))
	case Slack:
		out = blocksOf(newNotice(from, e, data))
	case CloudEvents:
		contentType = "application/cloudevents+json"
		out = CloudEvent{
			SpecVersion: "1.0", ID: e.ID, Source: "/tenants/" + from.Tenant, Type: e.Kind, Subject: e.ResourceID,
			Time: at, DataContentType: "application/json", Sequence: strconv.FormatInt(e.Sequence, 10), Data: data,
		}
	default:
		out = Message{ID: e.ID, Type: e.Kind, Timestamp: at, TenantID: from.Tenant, Sequence: e.Sequence, Data: data}
	}
	raw, err = json.Marshal(out)
	if err != nil {
		return nil, "", fmt.Errorf("encode event %s: %w", e.ID, err)
	}
	return raw, contentType, nil
}

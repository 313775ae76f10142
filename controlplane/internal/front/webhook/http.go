package webhook

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/delivery"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/openapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	base = "/settings/webhooks"

	aboutWebhooks = "The service posts the selected events to the webhook, as JSON signed according to Standard " +
		"Webhooks, with the headers webhook-id, webhook-timestamp, webhook-signature and grantwright-attempt. A 2xx " +
		"response is a success, a redirect is a failure, and 410 disables the webhook. Each delivery is attempted " +
		"five times within six hours. Receivers detect repeated deliveries by webhook-id, and late ones by sequence, " +
		"which counts the events of a resource."
	aboutEnable = "A webhook that was disabled after repeated failures requires a successful test first; otherwise " +
		"the response is 409 test_required."
	aboutTest = "Posts the event webhook.ping once, immediately, and returns the response. It works on a disabled " +
		"webhook too."
	aboutRotate = "The previous secret also signs until the overlap ends, so that the receiver can change over. At " +
		"most two previous secrets sign."
	aboutReplay = "Sends the events of the last 30 days that match the webhook's events and filter again, with their " +
		"original webhook-id. ids selects events by ID, events by kind; undelivered_only omits delivered events. " +
		"With dry_run they are only counted."
)

// Routes are the paths under /settings/webhooks. Administrators write; auditors read, and no secrets are ever read.
func (s *Service) Routes() []httpapi.Route {
	log := &delivery.Service{DB: s.DB, Cursors: s.Cursors, Now: s.Now}
	reads := []httpapi.Route{
		httpapi.Handle("GET", base, "List webhooks", s.list).Describe(aboutWebhooks),
		httpapi.Handle("GET", base+"/event-types", "List event types", s.eventTypes),
		httpapi.Handle("GET", base+"/{id}", "Retrieve a webhook", s.one),
		httpapi.Handle("GET", base+"/{id}/deliveries", "List webhook deliveries", log.List).
			Describe("Deliveries are kept for 30 days."),
		httpapi.Handle("GET", base+"/{id}/deliveries/{delivery_id}", "Retrieve a webhook delivery", log.Read),
	}
	writes := []httpapi.Route{
		httpapi.Handle("POST", base, "Create a webhook", s.post).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutWebhooks).
			WithOutgoing(messages()...),
		httpapi.Handle("PATCH", base+"/{id}", "Update a webhook", s.patchOne).Errors(409, 412),
		httpapi.Handle("DELETE", base+"/{id}", "Delete a webhook", s.removeOne).
			Status(http.StatusNoContent).
			Errors(412),
		httpapi.Handle("POST", base+"/{id}/test", "Test a webhook", s.test).LongRunning().Describe(aboutTest),
		httpapi.Handle("POST", base+"/{id}/rotate-secret", "Rotate a webhook secret", s.rotateOne).
			Describe(aboutRotate),
		httpapi.Handle("POST", base+"/{id}/enable", "Enable a webhook", s.enable).Errors(409).Describe(aboutEnable),
		httpapi.Handle("POST", base+"/{id}/disable", "Disable a webhook", s.disable).
			Describe("Pending deliveries are skipped. You can replay them later."),
		httpapi.Handle("POST", base+"/{id}/deliveries/{delivery_id}/redeliver", "Redeliver an event", log.Redeliver).
			Status(http.StatusAccepted).
			Errors(409),
		httpapi.Handle("POST", base+"/{id}/replay", "Replay events to a webhook", log.Replay).
			Status(http.StatusAccepted).
			Errors(409).
			Describe(aboutReplay),
	}
	for i := range reads {
		reads[i] = reads[i].For(viewer.Admin, viewer.Auditor)
	}
	for i := range writes {
		writes[i] = writes[i].For(viewer.Admin)
	}
	all := append(reads, writes...)
	for i := range all {
		all[i] = all[i].Tag("webhooks").Scope("webhooks")
	}
	return all
}

// messages describes what webhooks receive, by event.
func messages() []openapi.Outgoing {
	bodies := map[string]reflect.Type{
		"application/json":             reflect.TypeFor[delivery.Message](),
		"application/cloudevents+json": reflect.TypeFor[delivery.CloudEvent](),
	}
	out := make([]openapi.Outgoing, len(event.Catalog))
	for i, d := range event.Catalog {
		out[i] = openapi.Outgoing{
			Name:        string(d.Kind),
			Summary:     "Event " + string(d.Kind),
			Description: d.Description,
			Bodies:      bodies,
		}
	}
	return out
}

func (s *Service) eventTypes(context.Context, viewer.Viewer, *struct{}) (*httpapi.ListOut[event.Described], error) {
	out := &httpapi.ListOut[event.Described]{}
	out.Body.Items = event.Catalog
	out.Body.Total, out.Body.Limit = int64(len(event.Catalog)), len(event.Catalog)
	return out, nil
}

type idIn struct {
	ID string `path:"id"`
}

func (s *Service) one(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[subscription.Webhook], error) {
	return shownOne(s.read(ctx, v, in.ID))
}

func shownOne(w subscription.Webhook, err error) (*httpapi.One[subscription.Webhook], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[subscription.Webhook]{ETag: httpapi.ETag(w.Version), Body: w}, nil
}

type newIn struct {
	Body subscription.NewWebhook
}

func (s *Service) post(ctx context.Context, v viewer.Viewer, in *newIn) (*httpapi.Created[Made], error) {
	made, err := s.create(ctx, v, in.Body)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[Made]{
		Location: httpapi.Prefix + base + "/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, nil
}

type patchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body    subscription.WebhookPatch
	RawBody []byte
}

func (s *Service) patchOne(
	ctx context.Context,
	v viewer.Viewer,
	in *patchIn,
) (*httpapi.One[subscription.Webhook], error) {
	return shownOne(s.patch(ctx, v, in))
}

type removeIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

func (s *Service) removeOne(ctx context.Context, v viewer.Viewer, in *removeIn) (*httpapi.None, error) {
	return nil, s.remove(ctx, v, in.ID, in.IfMatch)
}

func (s *Service) enable(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[subscription.Webhook], error) {
	return shownOne(s.turnByID(ctx, v, in.ID, true))
}

func (s *Service) disable(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[subscription.Webhook], error) {
	return shownOne(s.turnByID(ctx, v, in.ID, false))
}

type rotateIn struct {
	ID   string `path:"id"`
	Body *struct {
		// ISO 8601, at most seven days; PT24H when absent.
		Overlap string `json:"overlap,omitempty" example:"PT24H"`
	} `required:"false"`
}

func (s *Service) rotateOne(ctx context.Context, v viewer.Viewer, in *rotateIn) (*httpapi.One[Made], error) {
	text := ""
	if in.Body != nil {
		text = in.Body.Overlap
	}
	overlap, err := overlapOf(text)
	if err != nil {
		return nil, err
	}
	made, err := s.rotate(ctx, v, in.ID, overlap)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Made]{ETag: httpapi.ETag(made.Version), Body: made}, nil
}

// encoded is a value's JSON, to compare by.
func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

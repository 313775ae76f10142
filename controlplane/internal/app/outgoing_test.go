package app_test

import (
	"encoding/json"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
)

func TestTheDescriptionHoldsWhatTheServiceSends(t *testing.T) {
	s := newSite(t)
	type sent struct {
		Post struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
					Example map[string]any
				}
			}
		}
	}
	var d struct {
		Webhooks map[string]sent
		Paths    map[string]map[string]struct {
			Callbacks map[string]map[string]sent
		}
	}
	if err := json.Unmarshal([]byte(s.get("/openapi.json", s.token)), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Webhooks) != len(event.Catalog) {
		t.Errorf("%d webhooks are described; want the %d events", len(d.Webhooks), len(event.Catalog))
	}
	for _, kind := range event.Catalog {
		for _, media := range []string{"application/json", "application/cloudevents+json"} {
			if c := d.Webhooks[string(kind.Kind)].Post.RequestBody.Content[media]; c.Schema.Ref == "" ||
				c.Example["type"] == nil {
				t.Errorf("%s as %s has no schema or no example: %+v", kind.Kind, media, c)
			}
		}
	}
	progress := d.Paths["/api/v1/connectors/{id}/sync"]["post"].Callbacks["progress"]["{$request.body#/callback_url}"]
	if c := progress.Post.RequestBody.Content["application/json"]; c.Example["run_id"] == nil {
		t.Errorf("the callback of a sync run is described as %+v", progress)
	}
}

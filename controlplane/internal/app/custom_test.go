package app_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/remote/remotetest"
)

// TestACustomConnectorIsReadAndThenItsChanges goes the way of an author: the type is in the catalog, the connection is
// tested, and the second run brings what has changed alone.
func TestACustomConnectorIsReadAndThenItsChanges(t *testing.T) {
	for name, o := range map[string]remotetest.Options{"pages": {People: 100}, "stream": {People: 100, Stream: true}} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			service := remotetest.Start(t, o)
			if got := s.call(
				"GET",
				"/connectors/types/custom",
				nil,
				200,
			); got["category"] != "custom" ||
				got["engine"] != "custom" {
				t.Errorf("the type is %v", got)
			}
			auth := service.Auth()
			made := map[string]any{
				"name":       "Ours",
				"type":       "custom",
				"connection": map[string]any{"base_url": auth["base_url"], "settings": auth["settings"]},
				"credentials": map[string]any{
					"bearer_token":    auth["bearer_token"],
					"secret_settings": auth["secret_settings"],
				},
			}
			id := s.call("POST", "/connectors", made, 201)["id"].(string)
			if got := s.call("POST", "/connectors/"+id+"/test", nil, 200); got["success"] != true {
				t.Fatalf("the test says %v", got["error"])
			}
			first := s.ran(id, map[string]any{"incremental": false, "chunk_size": 30})
			if first["identities_read"] != 100.0 || first["accounts_discovered"] != 100.0 ||
				first["entitlements_mapped"] != 10.0 ||
				first["grants_recorded"] != 100.0 {
				t.Fatalf("the first run counts %v", first)
			}
			service.Rename(7, "Somebody Else")
			service.Remove(42)
			second := s.ran(id, map[string]any{"incremental": true})
			if second["identities_read"] != 1.0 || second["accounts_discovered"] != 1.0 {
				t.Errorf("the second run counts %v", second)
			}
			people := map[any]any{}
			for _, p := range s.call("GET", "/identities?limit=500", nil, 200)["items"].([]any) {
				people[p.(map[string]any)["external_id"]] = p.(map[string]any)["display_name"]
			}
			if people[remotetest.ID(7)] != "Somebody Else" || people[remotetest.ID(8)] != "Person 8" {
				t.Errorf("%d people, the seventh is %v", len(people), people[remotetest.ID(7)])
			}
		})
	}
}

// ran runs a connector to its end and gives the counters.
func (s *site) ran(connector string, trigger map[string]any) map[string]any {
	s.t.Helper()
	run := s.call("POST", "/connectors/"+connector+"/sync", trigger, 202)["run_id"].(string)
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		got := s.call("GET", "/connectors/"+connector+"/sync-runs/"+run, nil, 200)
		switch status := got["status"]; {
		case status == "succeeded":
			return got["counters"].(map[string]any)
		case status == "failed" || status == "partial" || time.Now().After(deadline):
			s.t.Fatalf("the run is %v: %v", status, got)
		}
	}
}

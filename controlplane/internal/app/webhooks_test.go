package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// TestAPersonMadeThroughTheAPIArrivesAtAWebhook goes the whole way: a change, its event, the delivery, and the log of
// it.
func TestAPersonMadeThroughTheAPIArrivesAtAWebhook(t *testing.T) {
	s := newSite(t)
	type request struct {
		header http.Header
		body   []byte
	}
	got := make(chan request, 10)
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- request{r.Header, b}
	}))
	defer endpoint.Close()
	made := s.call(
		"POST",
		"/settings/webhooks",
		map[string]any{
			"name":   "tickets",
			"url":    endpoint.URL,
			"events": []string{"identity.created", "identity.deactivated"},
		},
		201,
	)
	hook := "/settings/webhooks/" + made["id"].(string)
	person := s.call(
		"POST",
		"/identities",
		map[string]any{"external_id": "E1", "email": "ada@x.test", "first_name": "Ada", "last_name": "Archer"},
		201,
	)
	s.call(
		"PATCH",
		"/identities/"+person["id"].(string),
		map[string]any{"title": "Rep"},
		200,
	) // which nobody wants to hear
	s.call("POST", "/identities/"+person["id"].(string)+"/deactivate", map[string]any{"reason": "left"}, 200)
	receiver, err := standardwebhooks.NewWebhook(made["secret"].(string))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"identity.created", "identity.deactivated"} {
		select {
		case r := <-got:
			if err := receiver.Verify(r.body, r.header); err != nil {
				t.Errorf("the reference library refuses it: %v", err)
			}
			var sent struct {
				Type string         `json:"type"`
				Data map[string]any `json:"data"`
			}
			if err := json.Unmarshal(
				r.body,
				&sent,
			); err != nil || sent.Type != want || sent.Data["id"] != person["id"] ||
				sent.Data["external_id"] != "E1" {
				t.Errorf("got %s (%v); want %s of the person", r.body, err, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s did not arrive", want)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); s.call("GET", hook+"/deliveries?state=succeeded", nil,
		200)["total"] != 2.0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the log does not tell of two deliveries")
		}
	}
}

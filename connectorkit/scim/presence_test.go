package scim

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// shows answers for a user by the last part of its address: 200 with the user, or a status.
func shows(t *testing.T) string {
	t.Helper()
	statuses := map[string]int{"gone": 404, "ended": 410, "hidden": 403}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/scim+json")
		last := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		switch status := statuses[last]; {
		case last == "Users":
			_, _ = io.WriteString(w, `{"totalResults":0,"Resources":[]}`)
		case last == "there":
			_, _ = io.WriteString(w, `{"id":"there","userName":"bo","active":true}`)
		case status != 0:
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"detail":"no"}`)
		default:
			w.WriteHeader(404)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestAReadTellsGoneFromNotShown(t *testing.T) {
	t.Parallel()
	asked := []v1.ProvisionTarget{
		{RemoteID: "gone"},
		{RemoteID: "ended"},
		{RemoteID: "hidden"},
		{RemoteID: "there"},
		{Username: "nobody"},
	}
	got, err := connector().Read(t.Context(), v1.ReadRequest{AuthConfig: bearer(shows(t)), Accounts: asked})
	if err != nil {
		t.Fatal(err)
	}
	want := []v1.Presence{v1.PresenceGone, v1.PresenceGone, v1.PresenceUnknown, v1.PresencePresent, v1.PresenceUnknown}
	for i, a := range got.Accounts {
		if a.Presence != want[i] || (a.Account != nil) != (want[i] == v1.PresencePresent) {
			t.Errorf("%+v is %q with %+v; want %q", asked[i], a.Presence, a.Account, want[i])
		}
	}
}

func TestADeleteEndsOnlyForAUserThatIsProvenGone(t *testing.T) {
	t.Parallel()
	base := shows(t)
	for target, want := range map[v1.ProvisionTarget]v1.Outcome{{RemoteID: "gone"}: v1.OutcomeAlready,
		{Username: "nobody"}: v1.OutcomeUnknown} {
		got, err := connector().Provision(t.Context(),
			v1.ProvisionRequest{AuthConfig: bearer(base), Op: v1.OpAccountDelete, Target: target})
		if err != nil || got.Outcome != want || got.Success != (want == v1.OutcomeAlready) {
			t.Errorf("%+v: %+v, %v; want %s", target, got, err, want)
		}
		if want == v1.OutcomeAlready && got.Presence != v1.PresenceGone ||
			want == v1.OutcomeUnknown && got.ErrorDetail.Code != "account_not_visible" {
			t.Errorf("%+v: presence %q, error %+v", target, got.Presence, got.ErrorDetail)
		}
	}
}

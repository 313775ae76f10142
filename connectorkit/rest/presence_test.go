package rest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// shows answers for an account by the last part of its address: 200 with the account, or a status.
func shows(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		status := map[string]int{"gone": 404, "ended": 410,
			"hidden": 403}[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]
		switch {
		case r.URL.Query().Has("id") || strings.HasSuffix(r.URL.Path, "/list"):
			_, _ = io.WriteString(w, `[]`)
		case status != 0:
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"message":"no"}`)
		default:
			_, _ = io.WriteString(w, `{"id":"there","login":"bo"}`)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

const byAddress = `{"reads":{"account":{"path":"/users/{{target.remote_id}}"},"find":{"path":"/list","record_path":"$[*]"}},
  "ops":{"account.delete":{"method":"DELETE","path":"/users/{{target.remote_id}}"}}}`

const byList = `{"reads":{"account":{"path":"/users","query":{"id":"{{target.remote_id}}"},"record_path":"$[*]"}},
  "ops":{"account.delete":{"method":"DELETE","path":"/users/{{target.remote_id}}"}}}`

func TestAReadTellsGoneFromNotShown(t *testing.T) {
	t.Parallel()
	base := shows(t)
	for _, tt := range []struct {
		writes string
		target v1.ProvisionTarget
		want   v1.Presence
	}{
		{byAddress, v1.ProvisionTarget{RemoteID: "gone"}, v1.PresenceGone},
		{byAddress, v1.ProvisionTarget{RemoteID: "ended"}, v1.PresenceGone},
		{byAddress, v1.ProvisionTarget{RemoteID: "hidden"}, v1.PresenceUnknown},
		{byAddress, v1.ProvisionTarget{RemoteID: "there"}, v1.PresencePresent},
		{byAddress, v1.ProvisionTarget{Username: "nobody"}, v1.PresenceUnknown},
		{byList, v1.ProvisionTarget{RemoteID: "gone"}, v1.PresenceUnknown},
	} {
		got, err := newConnector().Read(t.Context(),
			v1.ReadRequest{AuthConfig: written(base, tt.writes), Accounts: []v1.ProvisionTarget{tt.target}})
		if err != nil || len(got.Accounts) != 1 || got.Accounts[0].Presence != tt.want {
			t.Errorf("%+v: %+v, %v; want %q", tt.target, got.Accounts, err, tt.want)
		}
	}
}

func TestADeleteEndsOnlyForAnAccountThatIsProvenGone(t *testing.T) {
	t.Parallel()
	base := shows(t)
	for writes, want := range map[string]v1.Outcome{byAddress: v1.OutcomeAlready, byList: v1.OutcomeUnknown} {
		got, err := newConnector().Provision(t.Context(), v1.ProvisionRequest{
			AuthConfig: written(base, writes), Op: v1.OpAccountDelete, Target: v1.ProvisionTarget{RemoteID: "gone"},
		})
		if err != nil || got.Outcome != want || got.Success != (want == v1.OutcomeAlready) {
			t.Errorf("%+v, %v; want %s", got, err, want)
		}
		if want == v1.OutcomeUnknown &&
			(got.ErrorDetail.Code != "account_not_visible" || got.Presence != v1.PresenceUnknown) {
			t.Errorf("presence %q, error %+v", got.Presence, got.ErrorDetail)
		}
	}
}

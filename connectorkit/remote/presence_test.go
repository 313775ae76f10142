package remote

import (
	"testing"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestPresenceAgreesWithWhetherAnAccountIsShown(t *testing.T) {
	t.Parallel()
	shown := &v1.RemoteAccount{ExternalID: "u1"}
	for _, tt := range []struct {
		account *v1.RemoteAccount
		said    v1.Presence
		want    v1.Presence
	}{
		{nil, "", v1.PresenceUnknown}, {nil, "lost", v1.PresenceUnknown}, {nil, v1.PresencePresent, v1.PresenceUnknown},
		{nil, v1.PresenceGone, v1.PresenceGone}, {nil, v1.PresenceNotVisible, v1.PresenceNotVisible},
		{nil, v1.PresenceUnknown, v1.PresenceUnknown},
		{shown, "", v1.PresencePresent}, {shown, v1.PresenceGone, v1.PresencePresent},
		{shown, v1.PresenceNotVisible, v1.PresenceNotVisible},
	} {
		if got := presence(v1.ReadAccount{Account: tt.account, Presence: tt.said}); got != tt.want {
			t.Errorf("%q with an account %v is %q; want %q", tt.said, tt.account != nil, got, tt.want)
		}
	}
}

func TestTheServicesWordOnPresenceIsPassedOn(t *testing.T) {
	t.Parallel()
	auth := paths(t, map[string]string{
		"/v1/read":      `{"accounts":[{"target":{"remote_id":"a"},"account":null,"presence":"gone"},{"target":{"remote_id":"b"},"account":null}]}`,
		"/v1/provision": `{"success":false,"outcome":"unknown","presence":"not_visible","error":"moved","error_detail":{"class":"not_found","code":"account_not_visible","message":"moved"}}`,
	})
	auth["writes"] = true
	c := newConnector()
	got, err := c.Read(
		t.Context(),
		v1.ReadRequest{AuthConfig: auth, Accounts: []v1.ProvisionTarget{{RemoteID: "a"}, {RemoteID: "b"}}},
	)
	if err != nil || len(got.Accounts) != 2 || got.Accounts[0].Presence != v1.PresenceGone ||
		got.Accounts[1].Presence != v1.PresenceUnknown {
		t.Errorf("read = %+v, %v", got, err)
	}
	change, err := c.Provision(
		t.Context(),
		v1.ProvisionRequest{AuthConfig: auth, Op: v1.OpAccountDelete, Target: v1.ProvisionTarget{RemoteID: "a"}},
	)
	if err != nil || change.Outcome != v1.OutcomeUnknown || change.Presence != v1.PresenceNotVisible {
		t.Errorf("delete = %+v, %v", change, err)
	}
}

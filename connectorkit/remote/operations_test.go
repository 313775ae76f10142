package remote

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/remote/config"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestOnlyTheChangesThatAServiceHasAreOffered(t *testing.T) {
	t.Parallel()
	auth := paths(t, map[string]string{
		"/v1/manifest": `{"name":"x","operations":["account.create","account.disable","entitlement.grant"]}`,
		"/v1/sync":     whole3,
	})
	auth["writes"] = true
	if got := newConnector().Writes(auth).Ops; len(got) != len(config.Changes) {
		t.Errorf("without the setting: %v; want all", got)
	}
	warned := func() string {
		got, err := newConnector().Test(t.Context(), v1.TestRequest{AuthConfig: auth}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range got.Warnings {
			if w.Code == "operations_differ" {
				return w.Message
			}
		}
		return ""
	}
	if got := warned(); !strings.Contains(got, "does not have") || !strings.Contains(got, "account.unlock") {
		t.Errorf("warned %q; want the changes that the manifest does not list", got)
	}
	auth["operations"] = []any{"entitlement.grant", "account.create", "account.disable"}
	got := newConnector().Writes(auth)
	want := []v1.ProvisionOp{v1.OpAccountCreate, v1.OpAccountDisable, v1.OpEntitlementGrant}
	if !slices.Equal(got.Ops, want) || !strings.Contains(got.Why, "account.unlock") {
		t.Errorf("offered %v, because %q; want %v", got.Ops, got.Why, want)
	}
	if got := warned(); got != "" {
		t.Errorf("warned %q of lists that agree", got)
	}
	_, err := newConnector().Provision(t.Context(),
		v1.ProvisionRequest{AuthConfig: auth, Op: v1.OpAccountUnlock, Target: v1.ProvisionTarget{RemoteID: "a"}})
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Code != "operation_not_supported" {
		t.Errorf("unlock = %v; want a refusal before the service is asked", err)
	}
	auth["operations"] = []any{"account.salute"}
	if err := config.Check(auth); err == nil || !strings.Contains(err.Error(), "account.salute") {
		t.Errorf("Check = %v; want the unknown change named", err)
	}
}

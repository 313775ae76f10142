package app_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/connectortest"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/connectorkit/remote/remotetest"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// called is a connector as the service calls it: through the dispatcher, in either mode. Each read is a run of its own.
type called struct {
	*dispatch.Dispatcher
	target dispatch.Target
}

func (c called) Test(ctx context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	return c.Dispatcher.Test(ctx, c.target, req, report)
}

func (c called) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	return c.Dispatcher.Discover(ctx, c.target, req, report)
}

func (c called) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	t := c.target
	t.Run, t.Attempt = uuid.Must(uuid.NewV7()).String(), 1
	return c.Dispatcher.Sync(ctx, t, req, emit)
}

func TestEveryConnectorIsAcceptedInBothModes(t *testing.T) {
	s := newSite(t)
	agent := s.agent()
	directory := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 90, Groups: 5, PerGroup: 12})
	scim := "http://" + targettest.StartNode(
		t,
		"../../../connectorkit/scim/testdata/scimmy",
		"TOKEN=CANARY-scim",
		"USERS=80",
		"GROUPS=5",
		"MAX=20",
	) + "/scim/v2"
	rest := "http://" + targettest.StartNode(
		t,
		"../../../connectorkit/rest/testdata/jsonserver",
		"PEOPLE=80",
	) + "/header"
	people := map[string]any{
		"name":       "users",
		"object":     "user",
		"request":    map[string]any{"path": "/users"},
		"explode":    map[string]any{"path": "roles", "as": "both"},
		"pagination": map[string]any{"style": "page", "page_param": "_page", "size_param": "_limit", "size": 20},
	}
	custom, stream := remotetest.Start(
		t,
		remotetest.Options{People: 80},
	), remotetest.Start(
		t,
		remotetest.Options{People: 80, Stream: true},
	)
	for _, tt := range []struct {
		kind, secret, wrong string
		auth                map[string]any
		least               int
	}{
		{"ldap", "bind_password", "CANARY-wrong-password", directory.AuthConfig(), 2*90 + 5 + 60},
		{"scim2", "bearer_token", "CANARY-wrong-token",
			map[string]any{"base_url": scim, "auth_method": "bearer", "bearer_token": "CANARY-scim", "count": 20},
			2*80 + 5},
		{"rest", "api_key", "CANARY-wrong-key", map[string]any{
			"base_url": rest, "auth_method": "api_key_header", "api_key_name": "X-API-Key", "api_key": "key-s3cret",
			"streams": []any{people},
		}, 2*80 + 80},
		{"custom", "bearer_token", "CANARY-wrong-token", custom.Auth(), custom.Records()},
		{"custom", "bearer_token", "CANARY-wrong-token", stream.Auth(), stream.Records()},
	} {
		for _, mode := range []string{dispatch.Hosted, dispatch.Agent} {
			t.Run(tt.kind+" "+mode, func(t *testing.T) {
				target := dispatch.Target{
					Tenant:      s.tenant.Tenant,
					ConnectorID: uuid.NewString(),
					Type:        tt.kind,
					Mode:        mode,
				}
				if mode == dispatch.Agent {
					target.AgentID = agent
				}
				bad := map[string]any{}
				for key, value := range tt.auth {
					bad[key] = value
				}
				bad[tt.secret] = tt.wrong
				connectortest.Run(t, connectortest.Subject{
					Connector: called{s.app.Sync.Dispatch, target}, Auth: tt.auth, BadAuth: bad,
					Secrets: []string{tt.auth[tt.secret].(string), tt.wrong}, Least: tt.least,
				})
			})
		}
	}
}

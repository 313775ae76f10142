package provision_test

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/connectors"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// keyed opens connectors with the settings of one directory.
type keyed struct{ auth map[string]any }

func (k keyed) Open(ctx context.Context, tx *pg.Tx, id string) (callable.Connector, error) {
	o, err := opener{}.Open(ctx, tx, id)
	o.Auth = k.auth
	return o, err
}

// groups reads what a directory has: the keys of its groups by their names, and how many hold each.
func groups(
	t *testing.T,
	d *dispatch.Dispatcher,
	target dispatch.Target,
	auth map[string]any,
) (keys map[string]string, names map[string]string) {
	t.Helper()
	keys, names = map[string]string{}, map[string]string{}
	err := d.Sync(
		ctx,
		target,
		v1.SyncRequest{ConnectorBusinessID: "directory", AuthConfig: auth},
		func(_ context.Context, page v1.SyncResponse) error {
			for _, e := range page.Entitlements {
				if e.Name != nil {
					keys[*e.Name] = e.ExternalID
					names[*e.Name] = e.NativeRef
				}
			}
			return nil
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	return keys, names
}

func TestSomebodyJoinsMovesAndLeavesInARealDirectory(t *testing.T) {
	directory := ldaptest.StartSlapd(t, ldaptest.Options{Users: 6, Groups: 3, PerGroup: 2, PPolicy: true})
	auth := directory.AuthConfig()
	auth["bind_dn"], auth["bind_password"] = directory.AdminDN, directory.AdminPass
	env := connectorkit.Env{
		Dial:      (&net.Dialer{}).DialContext,
		Plaintext: func(context.Context, string) (bool, error) { return true, nil },
		Now:       time.Now,
	}
	d := &dispatch.Dispatcher{
		HostedConnector: func(kind string) (connectorkit.Connector, error) { return connectors.Open(env, kind) },
	}
	h := Open(t)
	connection, err := json.Marshal(auth)
	if err != nil {
		t.Fatal(err)
	}
	h.Exec(`update connector set type = 'ldap', connection = $2::jsonb where id = $1`, h.connector, string(connection))
	h.s.Connectors, h.s.Dispatch = keyed{auth}, d
	target := dispatch.Target{Tenant: h.Tenant.Tenant, ConnectorID: h.connector, Type: "ldap", Mode: dispatch.Hosted}
	keys, refs := groups(t, d, target, auth)
	var names []string
	for name := range keys {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) < 2 {
		t.Fatalf("the directory has the groups %q", names)
	}
	enter := func(name string) string {
		id := h.Entitlement(h.connector, name)
		h.Exec(`update entitlement set external_id = $2, native_ref = $3 where id = $1`, id, keys[name], refs[name])
		return id
	}
	first, second := enter(names[0]), enter(names[1])
	nina := h.person("nina.nurse")
	h.give(nina, first)
	h.drain()
	if got := h.accountOf(nina) + " " + h.grantOf(nina, first); got != "active active" {
		t.Fatalf(
			"who joined is %s: %s",
			got,
			strings.Join(
				h.Strings(
					`select operation || ' ' || state || ' ' || coalesce(error::text, '') from provisioning_task
						order by id`,
				),
				"\n",
			),
		)
	}
	held := func(entitlement string) bool {
		t.Helper()
		key := h.text(`select external_id from account where identity_id = $1 and status <> 'deleted'`, nina)
		right := h.text(`select external_id from entitlement where id = $1`, entitlement)
		seen, err := d.Read(
			ctx,
			target,
			v1.ReadRequest{
				ConnectorBusinessID: "directory",
				AuthConfig:          auth,
				Accounts:            []v1.ProvisionTarget{{Kind: "account", RemoteID: key}},
				Entitlements:        []v1.ProvisionTarget{{Kind: "entitlement", RemoteID: right}},
			},
		)
		if err != nil || len(seen.Accounts) != 1 || seen.Accounts[0].Account == nil {
			t.Fatalf("the directory shows %+v, %v", seen, err)
		}
		return len(seen.Grants) == 1 && seen.Grants[0].Held
	}
	if !held(first) || held(second) {
		t.Error("the directory does not show what was granted")
	}
	account := h.text(`select id::text from account where identity_id = $1`, nina)
	dry := h.Must(200, "admin", "POST", "/accounts/"+account+"/disable?dry_run=true", nil)
	if text := pretty(dry.Body); !strings.Contains(text, "nina.nurse") || !strings.Contains(text, "modify") {
		t.Errorf("the dry run is %s", text)
	}
	h.give(nina, second)
	h.take(nina, first)
	h.drain()
	if held(first) || !held(second) {
		t.Error("who moved has not lost the one and got the other")
	}
	h.Exec(`insert into lifecycle_policy (tenant_id, delete_after) values (current_tenant(), '0')`)
	h.Exec(`update identity set status = 'deactivated', status_changed_at = clock_timestamp() where id = $1`, nina)
	h.take(nina)
	h.drain()
	if got := h.Strings(
		`select operation || ' ' || state || ' ' || verified from provisioning_task order by id`,
	); !slices.Equal(
		got[len(got)-2:],
		[]string{"disable done yes", "revoke done yes"},
	) {
		t.Errorf(
			"who left has %q: %s",
			got,
			strings.Join(h.Strings(`select coalesce(error::text, '') from provisioning_task order by id`), "\n"),
		)
	}
	if err := h.s.Keep(ctx); err != nil {
		t.Fatal(err)
	}
	h.drain()
	if got := h.accountOf(nina); got != "deleted" {
		t.Errorf("the account is %s", got)
	}
}

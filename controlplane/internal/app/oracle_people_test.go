package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// organisation is a site whose people are made anew at every turn, but for those who look.
type organisation struct {
	*site
	watchers []*watcher
	admin    *watcher
	fixed    []string // identities of those who look
	turn     int
}

// watcher is somebody who looks: a user, or a service token bound to somebody.
type watcher struct {
	name, user, token, identity, home string // home is the identity they begin a turn with
	roles                             []string
}

var connectors = [2]string{"0197a000-0000-7000-8000-000000000001", "0197a000-0000-7000-8000-000000000002"}

func newOrganisation(t *testing.T) *organisation {
	t.Helper()
	o := &organisation{site: newSite(t)}
	o.run(`update tenant set limits = '{"rps": 10000, "burst": 100000}' where id = current_tenant()`)
	o.admin = &watcher{name: "admin", token: o.token, roles: []string{"admin"}}
	for i, kind := range []struct {
		name  string
		roles []string
		bound bool
	}{
		{"a manager", []string{"manager"}, true}, {"another manager", []string{"manager"}, true},
		{"an owner", []string{"resource_owner"}, true},
		{"an owner who manages", []string{"manager", "resource_owner"}, true}, {"somebody without a role", nil, true},
		{"an auditor", []string{"auditor"}, false}, {"an auditor who manages", []string{"auditor", "manager"}, true},
		{"a manager whom nobody knows", []string{"manager", "resource_owner"}, false},
	} {
		w := &watcher{name: kind.name, roles: kind.roles}
		if kind.bound {
			w.home = o.person(fmt.Sprintf("watcher%d", i), "")
			o.fixed = append(o.fixed, w.home)
		}
		w.identity = w.home
		w.user, w.token = o.user(fmt.Sprintf("watcher%d@acme.test", i), w.home, kind.roles...)
		o.watchers = append(o.watchers, w)
	}
	scopes := []string{"identities:read", "accounts:read", "entitlements:read"}
	_, first := o.integration("manager", scopes, "bound_identity_id", o.fixed[0])
	_, second := o.integration("resource_owner", scopes, "bound_identity_id", o.fixed[2])
	o.watchers = append(
		o.watchers,
		o.admin,
		&watcher{
			name:     "a manager's service token",
			token:    first,
			identity: o.fixed[0],
			home:     o.fixed[0],
			roles:    []string{"manager"},
		},
		&watcher{
			name:     "an owner's service token",
			token:    second,
			identity: o.fixed[2],
			home:     o.fixed[2],
			roles:    []string{"resource_owner"},
		},
	)
	return o
}

// found makes an organisation in the place of the last one.
func (o *organisation) found(rt *rapid.T) {
	o.turn++
	for _, table := range []string{"access_grant", "entitlement_edge", "entitlement", "account"} {
		o.run(`delete from ` + table)
	}
	o.run(`update identity set status = 'active' where id = any($1::text[]::uuid[])`, o.fixed)
	// All leave first: somebody may have taken the identity that another one returns to.
	var away []string
	for _, w := range o.watchers {
		if w.identity != w.home {
			away = append(away, w.user)
		}
	}
	o.run(`update app_user set identity_id = null where id = any($1::text[]::uuid[])`, away)
	for _, w := range o.watchers {
		if w.identity != w.home {
			o.call("PATCH", "/settings/users/"+w.user, map[string]any{"identity_id": w.home}, 200)
			w.identity = w.home
		}
	}
	o.run(`delete from identity where id <> all($1::text[]::uuid[])`, o.fixed)
	people := slices.Clone(o.fixed)
	for range rapid.IntRange(0, 6).Draw(rt, "people") {
		people = append(people, uuid.Must(uuid.NewV7()).String())
	}
	o.employ(rt, people)
	accounts := o.open(rt, people)
	groups := o.gather(rt, people)
	o.give(rt, accounts, groups)
}

// draw picks one of these.
func draw(rt *rapid.T, label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(rt, label)
}

// someone is one of these people, or nobody.
func someone(rt *rapid.T, label string, people []string) *string {
	if at := rapid.IntRange(-1, len(people)-1).Draw(rt, label); at >= 0 {
		return &people[at]
	}
	return nil
}

// employ gives everybody a manager, who may be themselves, somebody beneath them, or somebody who has left.
func (o *organisation) employ(rt *rapid.T, people []string) {
	type row struct {
		ID, Name, Status, Department string
		Manager, Named               *string
	}
	rows := make([]row, len(people))
	for i, id := range people {
		rows[i] = row{
			id,
			fmt.Sprintf("person-%d-%d-", o.turn, i),
			draw(rt, "status", "active", "active", "active", "on_leave", "notice", "deactivated", "archived"),
			draw(rt, "department", "D0", "D1"),
			someone(rt, "manager", people),
			nil,
		}
		if unknown := "nobody"; rows[i].Manager == nil && rapid.Bool().Draw(rt, "names a manager whom nobody knows") {
			rows[i].Named = &unknown
		}
	}
	o.run(
		`insert into identity as i (tenant_id, id, external_id, email, display_name, status, department, manager_id,
	           manager_external_id)
	       select current_tenant(), r."ID", 'x' || r."ID", r."ID" || '@acme.test', r."Name", r."Status", r."Department",
	           r."Manager", r."Named"
	         from jsonb_to_recordset($1) r ("ID" uuid, "Name" text, "Status" text, "Department" text, "Manager" uuid,
	             "Named" text)
	           on conflict (tenant_id, id) do update
	          set external_id = excluded.external_id, display_name = excluded.display_name, first_name = '',
	              last_name = '', email = excluded.email, status = excluded.status, department = excluded.department,
	                  manager_id = excluded.manager_id, manager_external_id = excluded.manager_external_id`,
		rows,
	)
}

// open makes accounts, with and without owners.
func (o *organisation) open(rt *rapid.T, people []string) (ids []string) {
	type row struct {
		ID, Name, Connector, Status, State, Kind, Since string
		Owner                                           *string
	}
	var rows []row
	for i := range rapid.IntRange(0, 8).Draw(rt, "accounts") {
		r := row{
			uuid.Must(uuid.NewV7()).String(),
			fmt.Sprintf("account-%d-%d-", o.turn, i),
			draw(rt, "connector", connectors[:]...),
			draw(
				rt,
				"account's status",
				"active",
				"active",
				"disabled",
				"locked",
				"missing",
				"deleted",
				"disconnected",
			),
			"linked",
			draw(
				rt,
				"kind",
				"person",
				"unknown",
				"service",
			),
			draw(rt, "since", "2020-01-01", "2999-01-01"),
			someone(rt, "owner", people),
		}
		if r.Owner == nil {
			r.State = draw(rt, "state", "uncorrelated", "disputed", "ignored")
		}
		rows, ids = append(rows, r), append(ids, r.ID)
	}
	o.run(
		`insert into account (tenant_id, id, connector_id, external_id, username, status, correlation_state,
	           account_type, identity_id, first_seen_at, row_hash)
	       select current_tenant(), r."ID", r."Connector", r."ID", r."Name", r."Status", r."State", r."Kind", r."Owner",
	           r."Since", ''
	         from jsonb_to_recordset($1) r ("ID" uuid, "Name" text, "Connector" uuid, "Status" text, "State" text,
	             "Kind" text, "Since" timestamptz, "Owner" uuid)`,
		all(rows),
	)
	return ids
}

// all is rows, also when there are none.
func all[T any](rows []T) []T {
	if rows == nil {
		return []T{}
	}
	return rows
}

// gather makes groups, with owners and without, and nests them in each other.
func (o *organisation) gather(rt *rapid.T, people []string) (ids []string) {
	for i := range rapid.IntRange(0, 5).Draw(rt, "groups") {
		id := uuid.Must(uuid.NewV7()).String()
		owners := rapid.SliceOfNDistinct(rapid.SampledFrom(people), 0, 2, rapid.ID[string]).Draw(rt, "owners")
		o.run(
			`insert into entitlement (tenant_id, id, connector_id, external_id, name, display_name, owner_ids, row_hash,
		           removed_at, lifecycle)
		       values (current_tenant(), $1::text::uuid, $2, $1::text, $3, '', $4::text[]::uuid[], '', case
		           when $5 in ('retired', 'disconnected') then now() end, $5)`,
			id,
			connectors[0],
			fmt.Sprintf("group-%d-%d-", o.turn, i),
			owners,
			draw(rt, "lifecycle", "active", "active", "deprecated", "retired", "disconnected"),
		)
		ids = append(ids, id)
	}
	for _, member := range ids {
		if parent := draw(rt, "nested in", ids...); parent != member {
			o.run(
				`insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id) values (current_tenant(),
					$1, $2, $3)`,
				member,
				parent,
				connectors[0],
			)
		}
	}
	return ids
}

// give makes grants of every state.
func (o *organisation) give(rt *rapid.T, accounts, groups []string) {
	type row struct{ Account, Group, Status, Directness string }
	var rows []row
	for _, a := range accounts {
		for _, g := range groups {
			status := draw(
				rt,
				"grant",
				"",
				"active",
				"active",
				"pending",
				"requested",
				"ending",
				"revoking",
				"missing",
				"revoked",
				"failed",
				"disconnected",
			)
			if status != "" {
				rows = append(rows, row{a, g, status, draw(rt, "directness", "direct", "inherited")})
			}
		}
	}
	o.run(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id, status, directness)
	       select current_tenant(), gen_random_uuid(), $2::text::uuid, r."Account", r."Group", r."Status",
	           r."Directness"
	         from jsonb_to_recordset($1) r ("Account" uuid, "Group" uuid, "Status" text,
	             "Directness" text)`, all(rows), connectors[0])
}

// change changes something that somebody's sight depends on, as admins and syncs do. What is refused changes nothing.
func (o *organisation) change(rt *rapid.T, w world) {
	people, accounts, groups, grants := keys(w.people), keys(w.accounts), keys(w.groups), keys(w.grants)
	one, other := pick(rt, "one", people), pick(rt, "other", people)
	patch := func(method, path string, body map[string]any) {
		r, err := o.try(o.token, method, path, body)
		if err != nil || r.status >= 500 {
			rt.Fatalf("%s %s %v = %d %s, %v", method, path, body, r.status, r.raw, err)
		}
	}
	switch draw(
		rt,
		"change",
		"manager",
		"manager",
		"no manager",
		"unknown manager",
		"leaves",
		"returns",
		"archived",
		"owner",
		"link",
		"unlink",
		"reorganised",
		"grants",
		"gone",
		"user",
	) {
	case "manager":
		patch("PATCH", "/identities/"+one, map[string]any{"manager_external_id": "x" + other})
	case "no manager":
		patch("PATCH", "/identities/"+one, map[string]any{"manager_external_id": nil})
	case "unknown manager":
		patch("PATCH", "/identities/"+one, map[string]any{"manager_external_id": "whoever"})
	case "leaves":
		patch("POST", "/identities/"+one+"/deactivate", map[string]any{"reason": "left"})
	case "returns":
		patch("POST", "/identities/"+one+"/reactivate", map[string]any{"reason": "back"})
	case "archived":
		patch(http.MethodDelete, "/identities/"+one+"?force=true", nil)
	case "owner":
		if len(groups) > 0 {
			patch(
				"PATCH",
				"/entitlements/"+draw(rt, "group", groups...),
				map[string]any{"owner_ids": []string{one, other}},
			)
		}
	case "link":
		if len(accounts) > 0 {
			patch(
				"POST",
				"/accounts/"+draw(rt, "account", accounts...)+"/link",
				map[string]any{"identity_id": one, "reason": "theirs"},
			)
		}
	case "unlink":
		if len(accounts) > 0 {
			patch(
				"POST",
				"/accounts/"+draw(rt, "account", accounts...)+"/unlink",
				map[string]any{"reason": "not theirs"},
			)
		}
	case "reorganised":
		o.run(
			`update identity set manager_id = $1 where manager_id is not distinct from $2`,
			other,
			w.people[one].Manager,
		)
	case "grants":
		if len(grants) > 0 {
			o.run(
				`update access_grant set status = $2 where account_id = (select g.account_id from access_grant g
					where g.id = $1)`,
				draw(
					rt,
					"grant",
					grants...),
				draw(rt, "status", "revoked", "active", "missing", "failed", "disconnected"),
			)
		}
	case "gone":
		if !slices.Contains(o.fixed, one) {
			o.run(
				`update account set identity_id = null, correlation_state = 'uncorrelated' where identity_id = $1`,
				one,
			)
			o.run(`update identity set manager_id = null where manager_id = $1`, one)
			o.run(`delete from identity where id = $1`, one)
		}
	case "user":
		x := pick(rt, "user", o.watchers[:4])
		r, err := o.try(o.token, "PATCH", "/settings/users/"+x.user, map[string]any{"identity_id": one})
		if err != nil || r.status >= 500 {
			rt.Fatalf("another identity for %s = %d %s, %v", x.name, r.status, r.raw, err)
		}
		if r.status == http.StatusOK {
			x.identity = one
		}
	}
}

package directory_test

import (
	"context"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/manager"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

func TestAManagerWhoComesLaterIsResolved(t *testing.T) {
	h := open(t)
	worker := hire(h, "worker", map[string]any{"manager_external_id": "boss"})
	if worker.Body["manager_unresolved"] != true || worker.Body["manager_id"] != nil {
		t.Errorf("before: %v %v; want it unresolved", worker.Body["manager_unresolved"], worker.Body["manager_id"])
	}
	boss := hire(h, "boss", map[string]any{"manager_external_id": "worker"}) // a circle is allowed to exist
	at := "/identities/" + worker.Text("id")
	after := h.Must(200, "admin", "GET", at, nil)
	if after.Text("manager_id") != boss.Text("id") || after.Body["manager_unresolved"] != false ||
		after.Body["version"] != 2.0 {
		t.Errorf("after: %v", after.Body)
	}
	if boss.Text("manager_id") != worker.Text("id") {
		t.Errorf("the boss's manager is %v; want the worker", boss.Body["manager_id"])
	}
	if gone := h.Must(
		200,
		"admin",
		"PATCH",
		at,
		`{"manager_external_id":null}`,
	); gone.Body["manager_id"] != nil ||
		gone.Body["manager_unresolved"] != false {
		t.Errorf("cleared: %v", gone.Body)
	}
	if back := h.Must(
		200,
		"admin",
		"PATCH",
		at,
		`{"manager_external_id":"boss"}`,
	); back.Text("manager_id") != boss.Text("id") {
		t.Errorf("named again: %v", back.Body["manager_id"])
	}
}

const hr = "0197a000-0000-7000-8000-000000000002"

// sourced gives a person a record in a source that refers to a manager, and makes that source theirs.
func sourced(h *recordtest.House, id, connector, externalID, native, kind, value string) {
	h.T.Helper()
	h.Exec(
		`insert into identity_source (tenant_id, connector_id, external_id, identity_id, native_ref, manager_ref_kind,
		    manager_ref_value, row_hash, match_rule)
		values (current_tenant(), $1, $2, $3, nullif($4, ''), nullif($5, ''), nullif($6, ''), '', 'new')`,
		connector,
		externalID,
		id,
		native,
		kind,
		value,
	)
	h.Exec(`update identity set source_connector_id = coalesce(source_connector_id, $1) where id = $2`, connector, id)
}

func resolve(t *testing.T, h *recordtest.House) (m manager.Result) {
	t.Helper()
	ctx := context.Background()
	err := h.DB.AsBulk(ctx, h.Tenant, func(tx *pg.Tx) (err error) { m, err = manager.Resolve(ctx, tx); return err })
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestReferencesOfEveryKindAreResolved(t *testing.T) {
	h := open(t)
	boss := h.Person("boss", "")
	h.Exec(`update identity set username = 'Big.Boss', employee_number = '1' where id = $1`, boss)
	sourced(h, boss, ldap, "uuid-1", "uid=boss,dc=example", "", "")
	want := map[string]any{}
	for name, ref := range map[string][2]string{
		"by-external": {"external_id", "uuid-1"}, "by-native": {"native", "uid=boss,dc=example"},
		"by-email":    {"email", "BOSS@example.com"},
		"by-username": {"username", "big.boss"}, "by-number": {"employee_number", "1"},
		"any-native": {"any", "uid=boss,dc=example"},
		"any-number": {"any", "1"}, "tenant-wide": {"external_id", "boss"},
		"nobody": {"email", "who@example.com"}, "wrong-kind": {"native", "1"}, "themselves": {"any", "uuid-themselves"},
		"none": {"", ""},
	} {
		id := h.Person(name, "")
		sourced(h, id, ldap, "uuid-"+name, "uid="+name, ref[0], ref[1])
		want[name] = boss
	}
	want["nobody"], want["wrong-kind"], want["themselves"], want["none"] = nil, nil, nil, nil
	got := resolve(t, h)
	if got != (manager.Result{Resolved: 8, Unresolved: 2, Changed: 10}) {
		t.Errorf("got %+v; want 8 resolved, 2 unresolved, 10 changed", got)
	}
	if again := resolve(t, h); again.Changed != 0 || again.Resolved != 8 {
		t.Errorf("again: %+v; want nothing changed", again)
	}
	for name, manager := range want {
		a := h.Must(200, "admin", "GET", "/identities?external_id="+name, nil).Items()[0]
		if a["manager_id"] != manager {
			t.Errorf("%s: manager %v; want %v", name, a["manager_id"], manager)
		}
		if waits := name == "nobody" || name == "wrong-kind"; a["manager_unresolved"] != waits {
			t.Errorf("%s: manager_unresolved %v; want %v", name, a["manager_unresolved"], waits)
		}
		if manager != nil && a["manager_external_id"] != "boss" {
			t.Errorf("%s: manager_external_id %v; want boss", name, a["manager_external_id"])
		}
	}
}

func TestARunOfChangesResolvesThoseWhomItConcerns(t *testing.T) {
	const run = "0197a000-0000-7000-8000-00000000000a"
	h := open(t)
	boss, other := h.Person("boss", ""), h.Person("other", "")
	sourced(h, boss, ldap, "uuid-1", "uid=boss,dc=example", "", "")
	sourced(h, other, ldap, "uuid-2", "uid=other,dc=example", "", "")
	report, waiting := h.Person("report", ""), h.Person("waiting", "")
	sourced(h, report, ldap, "uuid-3", "uid=report,dc=example", "native", "uid=boss,dc=example")
	sourced(h, waiting, ldap, "uuid-4", "uid=waiting,dc=example", "email", "New@Example.com")
	resolve(t, h)
	// The boss moved, the other took the place, and has the address now that somebody names.
	h.Exec(
		`update identity_source set native_ref = 'uid=boss,ou=away,dc=example',
			changed_run_id = $1 where external_id = 'uuid-1'`,
		run,
	)
	h.Exec(
		`update identity_source set native_ref = 'uid=boss,dc=example',
			changed_run_id = $1 where external_id = 'uuid-2'`,
		run,
	)
	h.Exec(`update identity set email = 'new@example.com' where id = $1`, other)
	var m manager.Result
	err := h.DB.AsBulk(context.Background(), h.Tenant, func(tx *pg.Tx) (err error) {
		m, err = manager.ResolveChanged(context.Background(), tx, run)
		return err
	})
	if err != nil || m.Changed != 2 {
		t.Fatalf("%+v, %v; want 2 changed", m, err)
	}
	for _, id := range []string{report, waiting} {
		if got := h.Must(200, "admin", "GET", "/identities/"+id, nil).Body["manager_id"]; got != other {
			t.Errorf("%s has the manager %v; want %s", id, got, other)
		}
	}
	if all := resolve(t, h); all.Changed != 0 {
		t.Errorf("a look at everybody changes %d more", all.Changed)
	}
}

func TestTheSourceDecidesWhoIsMeantAndForHowLong(t *testing.T) {
	h := open(t)
	inHR, inLDAP := h.Person("7", ""), h.Person("seven", "")
	sourced(h, inHR, hr, "7", "", "", "")
	sourced(h, inLDAP, ldap, "7", "", "", "")
	worker := h.Person("worker", "")
	sourced(h, worker, ldap, "w", "", "external_id", "7")
	sourced(h, worker, hr, "w", "", "external_id", "nobody") // not this person's authoritative source
	read := func() recordtest.Answer { return h.Must(200, "admin", "GET", "/identities/"+worker, nil) }
	resolve(t, h)
	if got := read(); got.Text("manager_id") != inLDAP || got.Body["manager_from_source"] != true {
		t.Errorf("manager %v; want the one of the same source, %s", got.Body["manager_id"], inLDAP)
	}
	h.Refused(409, "managed_by_source", "admin", "PATCH", "/identities/"+worker, `{"manager_external_id":"7"}`)
	h.Exec(`update identity_source set manager_ref_value = null where identity_id = $1`, worker)
	if m := resolve(t, h); m.Changed != 1 {
		t.Errorf("the reference is gone: %+v; want one changed", m)
	}
	if got := read(); got.Body["manager_id"] != nil || got.Body["manager_unresolved"] != false ||
		got.Body["manager_from_source"] != false {
		t.Errorf("the reference is gone, the manager is %v", got.Body["manager_id"])
	}
	h.Must(200, "admin", "PATCH", "/identities/"+worker, `{"manager_external_id":"7"}`)
	if m := resolve(t, h); m.Changed != 0 || read().Text("manager_id") != inLDAP {
		t.Errorf("given through the API: %+v, manager %v; want it to stay %s", m, read().Body["manager_id"], inLDAP)
	}
}

func TestAnAmbiguousManagerStaysUnresolved(t *testing.T) {
	h := open(t)
	for _, connector := range []string{hr, ldap} {
		id := h.Person("person-of-"+connector, "")
		h.Exec(`update identity set external_id = 'twin', source_connector_id = $1 where id = $2`, connector, id)
	}
	worker := hire(h, "worker", map[string]any{"manager_external_id": "twin"})
	if worker.Body["manager_unresolved"] != true {
		t.Errorf("one of two was chosen: %v", worker.Body["manager_id"])
	}
	if m := resolve(t, h); m.Unresolved != 1 || m.Changed != 0 {
		t.Errorf("got %+v; want one unresolved", m)
	}
}

func TestTheSourceOfAManagerIsTheOneThatNamesThem(t *testing.T) {
	h := open(t)
	boss := h.Person("boss", "")
	sourced(h, boss, ldap, "uuid-1", "uid=boss", "", "")
	worker := h.Person("worker", "")
	sourced(h, worker, ldap, "uuid-2", "uid=worker", "native", "uid=boss")
	sourced(h, worker, hr, "uuid-3", "", "", "")
	resolve(t, h)
	sources := h.Must(200, "admin", "GET", "/identities/"+worker, nil).Body["attribute_sources"].(map[string]any)
	for _, field := range []string{"manager", "manager_id", "manager_external_id"} {
		source, _ := sources[field].(map[string]any)
		if source["connector_id"] != ldap || source["kind"] != "hr" {
			t.Errorf("the source of %s is %v; want the connector %s", field, source, ldap)
		}
	}
	byHand := h.Person("by-hand", boss)
	sources = h.Must(200, "admin", "GET", "/identities/"+byHand, nil).Body["attribute_sources"].(map[string]any)
	if source, _ := sources["manager"].(map[string]any); source["kind"] != "manual" {
		t.Errorf("the source of a manager whom a person named is %v", source)
	}
}

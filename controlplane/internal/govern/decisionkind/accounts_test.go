package decisionkind_test

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// fields are those that a look at the target shows, all of one type.
func (h *house) fields(kind string, names ...string) {
	h.target.does(func() {
		h.target.fields = nil
		for _, n := range names {
			h.target.fields = append(
				h.target.fields,
				v1.DiscoveredField{
					Name:        n,
					Path:        n,
					Type:        kind,
					Samples:     []string{"1"},
					Source:      "declared",
					UniqueRatio: 1,
				},
			)
		}
	})
}

// drifted is a mapped connector of which a later look shows other fields.
func (h *house) drifted() (connector string) {
	h.T.Helper()
	h.fields("string", "mail", "dept", "badge")
	connector = h.Must(201, "admin", "POST", "/connectors",
		object{"name": "hr", "type": "rest",
			"connection": object{"base_url": "https://hr.example.com", "auth_method": "none"}}).
		Text("id")
	at := "/connectors/" + connector
	h.Must(200, "admin", "POST", at+"/discover", nil)
	h.Must(200, "admin", "PUT", at+"/mappings", object{"mappings": []object{
		{
			"object":       "identity",
			"source_path":  "mail",
			"target_field": "email",
		},
		{"object": "identity", "source_path": "dept", "target_field": "department"},
	}})
	h.fields("string", "mail", "badge", "givenName", "phone")
	h.Must(200, "admin", "POST", at+"/rediscover", nil)
	return connector
}

func TestChangedFieldsAreDecidedInTheInbox(t *testing.T) {
	h := open(t)
	at := "/connectors/" + h.drifted()
	task := h.one(kind.SchemaDiff)
	h.shows(task, "The fields of hr have changed", "2 new, 1 gone", "1 mapping uses what is gone", "givenName")
	if got := actions(task); got != "accept_all decide dismiss" || member(task, "context", "undecided") != 3.0 ||
		task["risk_level"] != "medium" {
		t.Errorf(
			"it takes %s; %v are undecided; its risk is %v",
			got,
			member(task, "context", "undecided"),
			task["risk_level"],
		)
	}
	one := []object{{"object": "identity", "path": "phone", "decision": "ignore"}}
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		decidePath(task),
		choice("decide", "", object{"decisions": "all"}),
	)
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		decidePath(task),
		choice(
			"decide",
			"",
			object{"decisions": []object{{"object": "identity", "path": "phone", "decision": "maybe"}}},
		),
	)
	got := h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		decidePath(task),
		choice("decide", "", object{"decisions": []object{{"object": "identity", "path": "no", "decision": "accept"}}}),
	)
	if field := got.Body["errors"].([]any)[0].(object); field["pointer"] != "#/inputs/decisions/0/path" {
		t.Errorf("it points at %v", field["pointer"])
	}
	h.decide(task, "decide", "", object{"decisions": one})
	rest := h.one(kind.SchemaDiff) // the other fields still wait
	if rest["id"] == task["id"] || member(rest, "context", "undecided") != 2.0 {
		t.Errorf("%v are undecided now", member(rest, "context", "undecided"))
	}
	h.decide(rest, "accept_all", "", nil)
	diff := h.Must(200, "admin", "GET", at+"/schema-diffs", nil).Items()[0]
	if diff["state"] != "accepted" || h.audited("connector.schema_decided", "admin") != 2 {
		t.Errorf("the diff is %v", diff["state"])
	}
	h.none(kind.SchemaDiff)
}

func decidePath(task object) string { return at(task) + "/decide" }

func TestChangedFieldsThatChangeAgainAreAskedAboutAnew(t *testing.T) {
	h := open(t)
	connector := h.drifted()
	task := h.one(kind.SchemaDiff)
	h.fields("string", "mail", "dept", "badge", "phone")
	h.Must(200, "admin", "POST", "/connectors/"+connector+"/rediscover", nil)
	h.became(task, "superseded", "a later look at the source has taken its place")
	task = h.one(kind.SchemaDiff)
	// Somebody decides one field elsewhere, and nobody has looked at the task again.
	diff := h.Strings(`select id::text from schema_diff where closed_at is null`)[0]
	h.Exec(`update schema_diff set version = version + 1 where id = $1`, diff)
	h.Refused(409, "matter_changed", "admin", "POST", decidePath(task), choice("accept_all", "", nil))
	task = h.one(kind.SchemaDiff)
	h.Must(200, "admin", "POST", "/connectors/"+connector+"/schema-diffs/"+diff+"/decide", object{"dismiss": true})
	h.became(task, "superseded", "dismissed")
	h.drifted2(connector)
	task = h.one(kind.SchemaDiff)
	h.decide(task, "dismiss", "", nil)
	h.none(kind.SchemaDiff)
}

func (h *house) drifted2(connector string) {
	h.T.Helper()
	h.fields("string", "mail", "dept", "badge", "site")
	h.Must(200, "admin", "POST", "/connectors/"+connector+"/rediscover", nil)
}

// give gives somebody a reason for an entitlement.
func (h *house) give(who, connector, entitlement string) {
	h.T.Helper()
	r := ledger.Reason{
		IdentityID:    who,
		ConnectorID:   connector,
		Kind:          ledger.Manual,
		SourceType:    "user",
		SourceID:      newID(),
		EntitlementID: &entitlement,
	}
	if err := h.DB.As(
		ctx,
		h.Tenant,
		func(tx *pg.Tx) error { _, err := ledger.Add(ctx, tx, []ledger.Reason{r}); return err },
	); err != nil {
		h.T.Fatal(err)
	}
}

// writes says how a connector writes.
func (h *house) writes(connector, mode string) {
	h.T.Helper()
	h.Exec(
		`insert into connector_provisioning (tenant_id, connector_id, write_mode) values (current_tenant(), $1, $2)`,
		connector,
		mode,
	)
}

func TestWhatIsToBeDoneByHandIsInTheInbox(t *testing.T) {
	h := open(t)
	crm, ada, bob := h.system("crm"), h.Person("ada", ""), h.Person("bob", "")
	h.writes(crm, "manual")
	sales := h.Entitlement(crm, "Sales")
	h.Account(crm, "ada", ada)
	h.Account(crm, "bob", bob)
	h.Exec(`update account set account_type = 'person', is_disabled = false`)
	h.give(ada, crm, sales)
	h.give(bob, crm, sales)
	h.provisioned(`(select count(*) from provisioning_task where state = 'manual') = 2`)
	all := h.waiting(kind.ManualProvisioning)
	if len(all) != 2 || all[0]["group_key"] != all[1]["group_key"] {
		t.Fatalf("%d tasks, of groups %v", len(all), all)
	}
	task := all[0]
	if member(task, "subject", "display") != "ada" {
		task = all[1]
	}
	h.shows(task, "To be done by hand: Sales for ada in crm", "In crm, give ada the entitlement Sales")
	h.Refused(422, "validation_failed", "admin", "POST", decidePath(task), choice("done", "", nil))
	h.decide(task, "done", "added her in the settings", nil)
	if got := h.Strings(`select t.state || ' ' || t.note || ' ' || g.status from provisioning_task t
		join access_grant g on g.id = t.grant_id
		where t.identity_id = $1`, ada)[0]; got != "done added her in the settings active" {
		t.Errorf("it is %s", got)
	}
	other := h.one(kind.ManualProvisioning)
	h.Must(
		200,
		"admin",
		"POST",
		"/accounts/provisioning-tasks/"+member(other, "source", "id").(string)+"/complete",
		object{"note": "it was there"},
	)
	h.became(other, "superseded", "the change was made")
	if h.audited("provisioning.completed", "admin") != 2 {
		t.Error("it is not audited as on the path of its own")
	}
}

func TestAFailedChangeIsTriedAgainOrGivenUpInTheInbox(t *testing.T) {
	h := open(t)
	crm, ada := h.system("crm"), h.Person("ada", "")
	sales := h.Entitlement(crm, "Sales")
	h.Account(crm, "ada", ada)
	h.Exec(`update account set account_type = 'person', is_disabled = false`)
	h.target.does(func() {
		h.target.refuses = &v1.ErrorDetail{
			Class:   v1.ClassPermission,
			Code:    "ldap_50",
			Message: "insufficient access rights",
		}
	})
	h.give(ada, crm, sales)
	h.provisioned(`exists (select from provisioning_task where state = 'failed')`)
	task := h.one(kind.ProvisioningFailure)
	h.shows(
		task,
		"Failed: Sales for ada in crm",
		"insufficient access rights (ldap_50)",
		"Grant it the right in the target, then retry",
	)
	if got := actions(task); got != "retry done cancel" {
		t.Errorf("it takes %s", got)
	}
	h.decide(task, "retry", "", nil)
	h.none(kind.ProvisioningFailure)
	h.provisioned(`exists (select from provisioning_task where state = 'failed')`)
	task = h.one(kind.ProvisioningFailure)
	h.Must(200, "admin", "POST", "/accounts/provisioning-tasks/"+member(task, "source", "id").(string)+"/retry", nil)
	h.became(task, "superseded", "the change is being made again")
	h.provisioned(`exists (select from provisioning_task where state = 'failed')`)
	task = h.one(kind.ProvisioningFailure)
	h.Must(204, "admin", "DELETE", "/connectors/"+crm, nil)
	h.became(task, "superseded", "its system is not connected any more")
	h.Must(200, "admin", "POST", "/connectors/"+crm+"/restore", nil)
	h.decide(h.one(kind.ProvisioningFailure), "cancel", "", nil)
	if got := h.Strings(`select state from provisioning_task`); fmt.Sprint(got) != "[cancelled]" {
		t.Errorf("tasks are %v", got)
	}
	h.none(kind.ProvisioningFailure)
	if h.audited("provisioning.retried", "admin") != 2 {
		t.Error("retrying is not audited as on the path of its own")
	}
}

// clinic is a version of a small pack.
func (h *house) clinic(version, name, description string) {
	h.T.Helper()
	text := fmt.Sprintf(`apiVersion: grantwright.pack/v1
kind: SectorPack
metadata: {key: clinic, version: %s, name: Clinic, sector: healthcare, publisher: test}
birthrights:
  - key: nurses
    name: %s
    description: %s
    subject: {match: all, rules: [{field: department, op: eq, value: Nursing}]}
    grant: [{select: {connector: {tag: directory}, kind: group, name: Staff}}]
`, version, name, description)
	packed, err := archive.Files{"pack.yaml": []byte(text)}.Pack()
	if err != nil {
		h.T.Fatal(err)
	}
	h.Must(201, "admin", "POST", "/sector-packs/upload", object{"archive": base64.StdEncoding.EncodeToString(packed)})
}

// disagree has a pack and the tenant want another name of a policy each.
func (h *house) disagree() (policy string) {
	h.T.Helper()
	dir := h.system("dir")
	h.Exec(`update connector set labels = '{"tag": "directory"}' where id = $1`, dir)
	h.Entitlement(dir, "Staff")
	h.clinic("1.0.0", "Nurses", "first")
	h.Must(200, "admin", "POST", "/sector-packs/clinic/install", object{})
	policy = h.Strings(`select id::text from access_policy where deleted_at is null`)[0]
	h.Must(200, "admin", "PATCH", "/policies/access-grant/"+policy, object{"name": "Our nurses"})
	h.clinic("1.1.0", "Nurses of wards", "first")
	h.Must(200, "admin", "POST", "/sector-packs/clinic/upgrade", object{})
	return policy
}

func TestAConflictOfAPackIsResolvedInTheInbox(t *testing.T) {
	h := open(t)
	policy := h.disagree()
	task := h.one(kind.PackConflict)
	h.shows(task, "Both the pack clinic and a person here changed name", "nurses")
	if b, o, th := member(
		task,
		"context",
		"base",
		"name",
	), member(
		task,
		"context",
		"ours",
		"name",
	), member(
		task,
		"context",
		"theirs",
		"name",
	); b != "Nurses" || o != "Our nurses" ||
		th != "Nurses of wards" {
		t.Errorf("it shows %v, %v, %v", b, o, th)
	}
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		decidePath(task),
		choice("merge", "", object{"merged": object{"colour": "red"}}),
	)
	h.Refused(422, "validation_failed", "admin", "POST", decidePath(task), choice("merge", "", object{"merged": "red"}))
	h.decide(task, "take_theirs", "", nil)
	if got := h.Must(200, "admin", "GET", "/policies/access-grant/"+policy, nil).
		Text("name"); got != "Nurses of wards" {
		t.Errorf("the policy is called %s", got)
	}
	if h.audited("sector_pack.conflict_resolved", "admin") != 1 {
		t.Error("it is not audited")
	}
	h.none(kind.PackConflict)
}

func TestAConflictThatIsResolvedElsewhereIsTakenBack(t *testing.T) {
	h := open(t)
	policy := h.disagree()
	task := h.one(kind.PackConflict)
	h.clinic("1.2.0", "Ward nurses", "first")
	h.Must(200, "admin", "POST", "/sector-packs/clinic/upgrade", object{})
	h.became(task, "superseded", "a later version of the pack")
	task = h.one(kind.PackConflict)
	h.decide(task, "merge", "", object{"merged": object{"name": "Nurses of ours"}})
	if got := h.Must(200, "admin", "GET", "/policies/access-grant/"+policy, nil).Text("name"); got != "Nurses of ours" {
		t.Errorf("the policy is called %s", got)
	}
	h.clinic("1.3.0", "All nurses", "first")
	h.Must(200, "admin", "POST", "/sector-packs/clinic/upgrade", object{})
	task = h.one(kind.PackConflict)
	h.Must(
		200,
		"admin",
		"POST",
		"/sector-packs/conflicts/"+member(task, "source", "id").(string)+"/resolve",
		object{"use": "mine"},
	)
	h.became(task, "superseded", "somebody has resolved the conflict")
}

// back is a grant of ada's that we had taken away, and that came back.
func (h *house) back() (grant, ada, olga string) {
	h.T.Helper()
	crm := h.system("crm")
	ada, olga = h.Person("ada", ""), h.Person("olga", "")
	sales := h.Entitlement(crm, "Sales", olga, ada)
	account := h.Account(crm, "ada", ada)
	h.Exec(`update account set account_type = 'person', is_disabled = false`)
	grant = h.Grant(crm, account, sales)
	for _, who := range []string{ada, olga} {
		h.Exec(
			`insert into app_user (tenant_id, id, email, identity_id, roles) values (current_tenant(),
				gen_random_uuid(), $1::text || '@example.com', $1::uuid, '{resource_owner}')`,
			who,
		)
	}
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, grant)
	h.Exec(`update access_grant set status = 'active', reappeared = true where id = $1`, grant)
	h.Let("olga", h.Tenant.Tenant, olga, viewer.ResourceOwner)
	h.Let("ada", h.Tenant.Tenant, ada, viewer.ResourceOwner)
	return grant, ada, olga
}

func TestAccessThatCameBackIsDecidedByWhoOwnsIt(t *testing.T) {
	h := open(t)
	grant, _, olga := h.back()
	task := h.one(kind.NativeGrant)
	h.shows(task, "Sales was granted to ada again in the target system")
	assignees := task["assignees"].([]any)
	if len(assignees) != 1 || member(assignees[0], "identity_id") != olga {
		t.Errorf("asked are %v; want olga alone, since ada may not decide about herself", assignees)
	}
	h.Refused(404, "not_found", "ada", "POST", decidePath(task), choice("keep", "it is mine", nil))
	h.Must(200, "olga", "POST", decidePath(task), choice("revoke", "she changed departments", nil))
	h.provisioned(`exists (select from access_grant where id = $1 and status = 'revoked')`, grant)
	if h.audited("grant.revoke_ordered", "olga") != 1 {
		t.Error("the order is not hers")
	}
	h.none(kind.NativeGrant)
}

func TestAccessThatCameBackIsKept(t *testing.T) {
	h := open(t)
	grant, _, _ := h.back()
	task := h.one(kind.NativeGrant)
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		decidePath(task),
		choice("keep", "x", object{"until": "2020-01-01"}),
	)
	h.Must(
		200,
		"olga",
		"POST",
		decidePath(task),
		choice(
			"keep",
			"for the quarter's end",
			object{"until": time.Now().AddDate(0, 0, 7).UTC().Format(time.RFC3339)},
		),
	)
	h.sweep()
	h.none(kind.NativeGrant)
	h.Exec(`update decision_kept set until = now() where kind = 'native_grant'`)
	h.sweep()
	task = h.one(kind.NativeGrant)
	h.Exec(`update access_grant set status = 'missing' where id = $1`, grant)
	h.became(task, "superseded", "the access is gone")
	if n := h.Count(
		`select count(*) from audit_event where action = 'grant.kept'
			and event::jsonb -> 'actor' ->> 'display' = 'olga'`,
	); n != 1 {
		t.Errorf("%d entries about keeping it; want one of hers", n)
	}
}

func TestADecisionThatCanBeUndoneIsCarriedOutLaterAsWhoMadeIt(t *testing.T) {
	h := open(t)
	account, _, bob := h.contested(h.system("dir"))
	task := h.one(kind.AccountCorrelation)
	body := choice("link", "he told me", object{"identity_id": bob})
	body["defer_seconds"] = 3600
	h.Must(200, "admin", "POST", decidePath(task), body)
	h.sweep() // it still is to be decided, and was
	if n := h.Count(
		`select count(*) from decision_task where kind = 'account_correlation'`,
	); n != 1 ||
		h.Count(`select count(*) from account where identity_id is not null`) != 0 {
		t.Errorf("%d tasks while the decision can be undone; want 1, and nobody linked", n)
	}
	h.Exec(`update decision_task set apply_at = now() - interval '1 second'`)
	work := &queue.Queue{DB: h.DB, Log: slog.New(slog.DiscardHandler), Kinds: h.inbox.Kinds()}
	if _, err := work.Look(ctx); err != nil {
		t.Fatal(err)
	}
	if got := h.Strings(
		`select identity_id::text || ' ' || (correlation ->> 'decided_by') from account where id = $1`,
		account,
	); strings.Join(got, "") != bob+" admin" ||
		h.audited("account.linked", "admin") != 1 {
		t.Errorf("the account is %v", got)
	}
	h.none(kind.AccountCorrelation)
}

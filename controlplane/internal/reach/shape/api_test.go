package shape_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAConnectorWritesAsItsTypeHasItUntilSomebodySaysOtherwise(t *testing.T) {
	h := open(t)
	id := h.connector(
		"corp",
		"ldap",
		object{"host": "ldap.acme.test", "base_dn": "dc=acme,dc=test", "bind_dn": "cn=x"},
		object{"bind_password": "hunter22"},
	)
	path := "/connectors/" + id + "/provisioning"
	first := h.Must(200, "admin", "GET", path, nil)
	if first.Body["write_mode"] != "auto" || first.Body["native_grant_policy"] != "review" {
		t.Errorf("it is %s", raw(first))
	}
	if d, _ := first.Body["defaults"].([]any); len(d) != 10 {
		t.Errorf("what nobody has set is %v", first.Body["defaults"])
	}
	can, _ := first.Body["can"].(object)
	if ops, _ := can["operations"].([]any); !slices.Contains(ops, any("account.create")) {
		t.Errorf("it can %v", can)
	}
	second := h.Must(200, "admin", "PUT", path, object{
		"write_mode":  "manual",
		"deprovision": object{"delete_after": "P30D"},
		"drift":       object{"direction": "push", "attributes": []string{"MAIL"}},
		"account": object{
			"username": object{"expression": "identity.employee_number", "unique": object{"max_length": 8}},
		},
	}, "If-Match", first.Header.Get("ETag"))
	account, _ := second.Body["account"].(object)
	username, _ := account["username"].(object)
	unique, _ := username["unique"].(object)
	if second.Body["write_mode"] != "manual" || username["expression"] != "identity.employee_number" ||
		unique["max_length"] != float64(8) ||
		unique["allowed"] != "a-z0-9._-" {
		t.Errorf("it is %s", raw(second))
	}
	if got := h.Must(
		200,
		"admin",
		"GET",
		path,
		nil,
	); raw(got) != raw(second) ||
		got.Header.Get("ETag") != second.Header.Get("ETag") {
		t.Errorf("it is read as\n%s\nafter\n%s", raw(got), raw(second))
	}
	h.Refused(412, "precondition_failed", "admin", "PUT", path, object{}, "If-Match", first.Header.Get("ETag"))
	// The same again is no change; nothing at all is what the type has.
	again := h.Must(200, "admin", "PUT", path, object{
		"write_mode":  "manual",
		"deprovision": object{"delete_after": "P30D"},
		"drift":       object{"direction": "push", "attributes": []string{"MAIL"}},
		"account": object{
			"username": object{"expression": "identity.employee_number", "unique": object{"max_length": 8}},
		},
	}, "If-Match", second.Header.Get("ETag"))
	if again.Header.Get("ETag") != second.Header.Get("ETag") {
		t.Error("the same settings are a change")
	}
	last := h.Must(200, "admin", "PUT", path, object{}, "If-Match", second.Header.Get("ETag"))
	if raw(last) != raw(first) {
		t.Errorf("without settings it is\n%s\nnot\n%s", raw(last), raw(first))
	}
	if n := h.Count(`select count(*) from audit_event where action = 'connector.provisioning_changed'`); n != 2 {
		t.Errorf("%d changes are in the audit log", n)
	}
}

func TestSettingsThatCannotBeAreRefusedWithTheirPlace(t *testing.T) {
	h := open(t)
	id := h.connector(
		"corp",
		"ldap",
		object{"host": "ldap.acme.test", "base_dn": "dc=acme,dc=test", "bind_dn": "cn=x"},
		object{"bind_password": "hunter22"},
	)
	path := "/connectors/" + id + "/provisioning"
	tag := h.Must(200, "admin", "GET", path, nil).Header.Get("ETag")
	bad := h.Refused(
		422,
		"validation_failed",
		"admin",
		"PUT",
		path,
		object{"account": object{"attributes": []object{{"target": "mail", "expression": "identity.email.lower("}}}},
		"If-Match",
		tag,
	)
	if !strings.Contains(raw(bad), "#/account/attributes/0/expression") ||
		!strings.Contains(raw(bad), "line 1, column") {
		t.Errorf("it says %s", raw(bad))
	}
	for _, body := range []object{
		{"write_mode": "sometimes"}, {"deprovision": object{"disable": false}},
		{"breaker": object{"max_changes": 0, "window": "P1Y"}}, {"unheard_of": 1},
		{"drift": object{"attributes": []string{"shoe"}}},
		{"account": object{"credential": object{"mode": "password"}}},
	} {
		h.Must(422, "admin", "PUT", path, body, "If-Match", tag)
	}
	tried := h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		path+"/preview",
		object{
			"identity_id":  h.person(jane()),
			"provisioning": object{"account": object{"username": object{"expression": "mail"}}},
		},
	)
	if !strings.Contains(raw(tried), "#/provisioning/account/username/expression") ||
		!strings.Contains(raw(tried), "identity.mail") {
		t.Errorf("it says %s", raw(tried))
	}
	for _, missing := range []string{uuid.NewString(), "x"} {
		h.Refused(404, "not_found", "admin", "GET", "/connectors/"+missing+"/provisioning", nil)
		h.Refused(404, "not_found", "admin", "PUT", "/connectors/"+missing+"/provisioning", object{}, "If-Match", tag)
	}
	h.Refused(404, "not_found", "admin", "POST", path+"/preview", object{"identity_id": uuid.NewString()})
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("manager", h.Tenant.Tenant, "", viewer.Manager)
	h.Must(200, "auditor", "GET", path, nil)
	h.Must(403, "auditor", "PUT", path, object{}, "If-Match", tag)
	h.Must(403, "manager", "GET", path, nil)
}

func TestAPreviewShowsEachAttributeWithItsReason(t *testing.T) {
	h := open(t)
	id := h.connector(
		"corp",
		"ldap",
		object{"host": "ldap.acme.test", "base_dn": "dc=acme,dc=test", "bind_dn": "cn=x"},
		object{"bind_password": "hunter22"},
	)
	h.Account(id, "jane.doe", "")
	h.Exec(`update account set status = 'deleted'`) // and yet nobody gets its name
	boss := h.person(object{"display_name": "Ada Boss", "email": "ada@acme.test"})
	facts := jane()
	facts["manager_id"] = boss
	p := h.Must(
		200,
		"admin",
		"POST",
		"/connectors/"+id+"/provisioning/preview",
		object{"identity_id": h.person(facts), "provisioning": object{"account": object{"attributes": []object{
			{
				"target":     "description",
				"expression": "f'reports to {identity.manager.display_name}'",
			},
			{"target": "l", "expression": "identity.location"},
			{
				"target":     "x",
				"expression": "int(identity.title)",
			},
			{"target": "sn", "expression": "identity.last_name", "required": true},
		}}}},
	)
	got := values(p)
	if got["username"] != "jane.doe2" || got["description"] != "reports to Ada Boss" || got["l"] != nil ||
		got["sn"] != "Doe" ||
		p.Body["makable"] != false ||
		p.Body["account"] != nil {
		t.Errorf("it shows %s", raw(p))
	}
	if !strings.Contains(raw(p), `"code":"expression_failed"`) || !strings.Contains(raw(p), "ValueError") ||
		!strings.Contains(raw(p), `"missing":["identity.location"]`) {
		t.Errorf("it does not say why: %s", raw(p))
	}
	if n := h.Count(
		`select count(*) from connector_provisioning`,
	) + h.Count(
		`select count(*) from provisioning_task`,
	); n != 0 {
		t.Error("a preview has left something behind")
	}
}

// TestWhatAPreviewPlansIsWhatADirectoryTakes plans with a real directory, and then has it done.
func TestWhatAPreviewPlansIsWhatADirectoryTakes(t *testing.T) {
	h := open(t)
	directory := ldaptest.StartSlapd(t, ldaptest.Options{Users: 3})
	auth := directory.AuthConfig()
	secret := directory.AdminPass
	delete(auth, "bind_password")
	auth["bind_dn"] = directory.AdminDN
	id := h.connector("corp", "ldap", auth, object{"bind_password": secret})
	person := h.person(jane())
	preview := func() recordtest.Answer {
		return h.Must(
			200,
			"admin",
			"POST",
			"/connectors/"+id+"/provisioning/preview",
			object{"identity_id": person, "exact": true},
		)
	}
	hosted := preview()
	exact, _ := hosted.Body["exact"].(object)
	if exact["outcome"] != "planned" || exact["error"] != nil || strings.Contains(raw(hosted), secret) {
		t.Fatalf("the plan is %s", raw(hosted))
	}
	for _, line := range []string{"dn: uid=jane.doe,ou=people,", "changetype: add", "cn: Jane Doe", "sn: Doe",
		"mail: jane.doe@acme.test", "departmentNumber: Surgery", "employeeNumber: 1042"} {
		if !strings.Contains(ldif(exact), line) {
			t.Errorf("the plan does not have %q:\n%s", line, ldif(exact))
		}
	}
	if by, _ := exact["executed_by"].(object); by["mode"] != "hosted" {
		t.Errorf("it was planned by %v", by)
	}
	// An agent plans the same.
	h.Exec(`update connector set mode = 'agent', agent_group = 'branch' where id = $1`, id)
	agent, _ := preview().Body["exact"].(object)
	if ldif(agent) != ldif(exact) {
		t.Errorf("an agent plans\n%s\nnot\n%s", ldif(agent), ldif(exact))
	}
	if by, _ := agent["executed_by"].(object); by["mode"] != "agent" {
		t.Errorf("it was planned by %v", by)
	}
	h.Exec(`update connector set agent_group = 'away' where id = $1`, id)
	away, _ := preview().Body["exact"].(object)
	if failure, _ := away["error"].(object); failure["code"] != "agent_offline" {
		t.Errorf("without an agent it is %v", away)
	}
	h.Exec(`update connector set mode = 'hosted', agent_group = null where id = $1`, id)
	if n := h.Count(`select count(*) from audit_event where action = 'connector.provisioning_previewed'`); n != 3 {
		t.Errorf("%d plans are in the audit log", n)
	}
	made := h.create(id, person, auth, secret, "ldap")
	if made.Account == nil || *made.Account.Username != "jane.doe" ||
		made.Account.Attributes["departmentNumber"] != "Surgery" {
		t.Errorf("it has made %+v", made.Account)
	}
	// Now it is there, though nobody has told us.
	there, _ := preview().Body["exact"].(object)
	if there["outcome"] == "planned" {
		t.Errorf("once it is there the plan is %v", there)
	}
}

func TestActiveDirectoryTakesTheAccountThatItsTypeMakes(t *testing.T) {
	h := open(t)
	domain := ldaptest.StartSambaAD(t, ldaptest.Org{})
	auth := domain.AuthConfig()
	auth["bind_dn"] = domain.AdminDN
	auth["flavor"] = "ad"
	delete(auth, "bind_password")
	id := h.connector("ad", "ldap", auth, object{"bind_password": domain.AdminPass})
	facts := jane()
	facts["first_name"], facts["last_name"], facts["email"] = "Maximiliane", "Hohenlohe-Langenburg",
		"maximiliane.hohenlohe@acme.test"
	person := h.person(facts)
	preview := h.Must(
		200,
		"admin",
		"POST",
		"/connectors/"+id+"/provisioning/preview",
		object{"identity_id": person, "exact": true},
	)
	exact, _ := preview.Body["exact"].(object)
	if !strings.Contains(ldif(exact), "sAMAccountName: maximiliane.hohenloh\n") {
		t.Fatalf("the plan is %s", raw(preview))
	}
	made := h.create(id, person, auth, domain.AdminPass, "ldap")
	if made.Account == nil || *made.Account.Username != "maximiliane.hohenloh" ||
		!strings.HasPrefix(fmt.Sprint(made.Account.Attributes["userPrincipalName"]), "maximiliane.hohenloh@") {
		t.Errorf("it has made %+v", made)
	}
}

func TestAPreviewOfSCIMIsTheRequest(t *testing.T) {
	h := open(t)
	url, changes := scim(t)
	id := h.connector(
		"app",
		"scim2",
		object{"base_url": url, "auth_method": "bearer"},
		object{"bearer_token": "CANARY-token"},
	)
	p := h.Must(
		200,
		"admin",
		"POST",
		"/connectors/"+id+"/provisioning/preview",
		object{"identity_id": h.person(jane()), "exact": true},
	)
	exact, _ := p.Body["exact"].(object)
	plan, _ := exact["plan"].([]any)
	if len(plan) != 1 || strings.Contains(raw(p), "CANARY") {
		t.Fatalf("the plan is %s", raw(p))
	}
	request, _ := plan[0].(object)["http"].(object)
	body, _ := json.Marshal(request["body"])
	if request["method"] != "POST" || request["url"] != url+"/Users" {
		t.Errorf("the request is %v", request)
	}
	for _, part := range []string{`"userName":"jane.doe@acme.test"`, `"givenName":"Jane"`, `"familyName":"Doe"`,
		`"active":true`, `"value":"jane.doe@acme.test"`,
		`"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"department":"Surgery","employeeNumber":"1042"}`} {
		if !strings.Contains(string(body), part) {
			t.Errorf("%s is not in %s", part, body)
		}
	}
	if *changes != 0 {
		t.Error("a preview has changed something")
	}
}

func TestNamesAreFreeOnlyWhereNobodyHasOrGetsThem(t *testing.T) {
	h := open(t)
	id := h.connector(
		"corp",
		"ldap",
		object{"host": "ldap.acme.test", "base_dn": "dc=acme,dc=test", "bind_dn": "cn=x"},
		object{"bind_password": "hunter22"},
	)
	other := h.connector(
		"other",
		"ldap",
		object{"host": "ldap2.acme.test", "base_dn": "dc=acme,dc=test", "bind_dn": "cn=x"},
		object{"bind_password": "hunter22"},
	)
	h.Account(id, "Jane.Doe", "")
	h.Account(other, "jane.doe2", "") // of another system
	h.Exec(
		`insert into provisioning_task (tenant_id, id, connector_id, operation, created_from, idempotency_key, mode,
		    state, payload)
		select current_tenant(), gen_random_uuid(), $1, 'create_account', 'birthright', gen_random_uuid(), m, s,
		    jsonb_build_object('account', jsonb_build_object('username', u))
		  from (values ('auto', 'queued', 'jane.doe3'), ('auto', 'cancelled', 'jane.doe4'),
		      ('simulate', 'queued', 'jane.doe4')) v (m, s, u)`,
		id,
	)
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		configs, err := shape.Load(ctx, tx, []string{id})
		if err != nil {
			return err
		}
		people := make([]identity.Facts, 20)
		for i := range people {
			people[i] = identity.Facts{"first_name": "Jane", "last_name": "Doe"}
		}
		names, err := shape.NamesFor(ctx, tx, configs[id], people)
		if err != nil {
			return err
		}
		var got []string
		for _, f := range people {
			a, _, err := configs[id].Account(f, names.Taken)
			if err != nil {
				return err
			}
			names.Take(*a.Username)
			got = append(got, *a.Username)
		}
		if got[0] != "jane.doe2" || got[1] != "jane.doe4" || got[19] != "jane.doe22" || len(slices.Compact(got)) != 20 {
			t.Errorf("the names are %q", got)
		}
		return names.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// create has the connector make the account that a person gets.
func (h *house) create(id, person string, auth object, secret, kind string) v1.ProvisionResponse {
	h.T.Helper()
	var account v1.ProvisionAccount
	var credential *v1.NewCredential
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		configs, err := shape.Load(ctx, tx, []string{id})
		if err != nil {
			return err
		}
		return identity.EachFacts(ctx, tx, []string{person}, func(_ string, f identity.Facts) error {
			account, credential, err = configs[id].Account(f, nil)
			return err
		})
	})
	if err != nil {
		h.T.Fatal(err)
	}
	settings := v1.AuthConfig{"bind_password": secret}
	for k, v := range auth {
		settings[k] = v
	}
	got, err := h.dispatch.Provision(
		ctx,
		dispatch.Target{Tenant: h.Tenant.Tenant, ConnectorID: id, Type: kind, Mode: dispatch.Hosted},
		v1.ProvisionRequest{
			ConnectorBusinessID: "x",
			AuthConfig:          settings,
			IdempotencyKey:      uuid.NewString(),
			Op:                  v1.OpAccountCreate,
			Target: v1.ProvisionTarget{
				Kind:     "account",
				Username: *account.Username,
			},
			Account:    &account,
			Credential: credential,
		},
	)
	if err != nil || !got.Success {
		h.T.Fatalf("the directory does not take it: %v %+v", err, got.ErrorDetail)
	}
	return got
}

// ldif is all requests of a plan.
func ldif(exact object) string {
	plan, _ := exact["plan"].([]any)
	var out strings.Builder
	for _, e := range plan {
		r, _ := e.(object)["ldap"].(object)
		fmt.Fprintln(&out, r["ldif"])
	}
	return out.String()
}

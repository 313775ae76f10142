package scim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func readAll(r *http.Request) ([]byte, error) {
	b, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(b))
	return b, err
}

func order(op v1.ProvisionOp, id string, auth v1.AuthConfig) v1.ProvisionRequest {
	return v1.ProvisionRequest{
		ConnectorBusinessID: "c",
		AuthConfig:          auth,
		IdempotencyKey:      "k",
		Op:                  op,
		Target:              v1.ProvisionTarget{Kind: "account", RemoteID: id},
	}
}

func do(t testing.TB, req v1.ProvisionRequest) v1.ProvisionResponse {
	t.Helper()
	out, err := connector().Provision(t.Context(), req)
	if err != nil {
		t.Fatalf("%s: %v", req.Op, err)
	}
	return out
}

func refused(t testing.TB, req v1.ProvisionRequest) *v1.ErrorDetail {
	t.Helper()
	out, err := connector().Provision(t.Context(), req)
	if err == nil {
		t.Fatalf("%s = %+v, want a refusal", req.Op, out)
	}
	return detail(t, err)
}

// person is what joiners are given.
func joiner(name string) *v1.ProvisionAccount {
	return &v1.ProvisionAccount{
		Username:       ptr(name),
		Email:          ptr(name),
		DisplayName:    ptr("Grace \"Amazing\" <Hopper>"),
		FirstName:      ptr("Grace"),
		LastName:       ptr("Hopper"),
		EmployeeNumber: ptr("0042"),
		Enabled:        ptr(true),
		Attributes: map[string]any{
			"title":                                 "Rear Admiral",
			resource.EnterpriseUser + ":department": "Navy & Fleet",
			"externalId":                            "p-1",
			"phoneNumbers":                          "+1 555",
		},
	}
}

// lives are the counterparts that every change is tried with.
func lives(t *testing.T, run func(t *testing.T, base, ada, group, empty string)) {
	t.Run("elimity", func(t *testing.T) {
		_, base := newEstate(t)
		run(t, base, "ada", "staff", "empty")
	})
	t.Run("elimity without PATCH", func(t *testing.T) {
		e, base := newEstate(t)
		e.patch, e.etags = false, true
		run(t, base, "ada", "staff", "empty")
	})
	t.Run("scimmy", func(t *testing.T) {
		base := "http://" + targettest.StartNode(
			t,
			"testdata/scimmy",
			"TOKEN="+canary,
			"USERS=12",
			"GROUPS=2",
			"MAX=50",
		) + "/scim/v2"
		change(
			t,
			"POST",
			base+"/Groups",
			`{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"empty"}`,
		)
		all := mustSync(t, bearer(base), nil)
		empty := ""
		for _, e := range all.Entitlements {
			if *e.DisplayName == "empty" {
				empty = e.ExternalID
			}
		}
		run(t, base, "00000000-0000-4000-8000-000000000001", "g0", empty)
	})
}

func TestEveryChangeIsMadeOnceAndSeenTheSecondTime(t *testing.T) {
	lives(t, func(t *testing.T, base, ada, group, empty string) {
		auth := bearer(base)
		twice := func(req v1.ProvisionRequest, want func(v1.ProvisionResponse) string) v1.ProvisionResponse {
			t.Helper()
			first := do(t, req)
			if !first.Success || first.Outcome != v1.OutcomeApplied || !first.Verified || len(first.Warnings) != 1 ||
				len(first.Plan) != 1 {
				t.Errorf(
					"%s = %s, verified %t, warnings %v, %d requests",
					req.Op,
					first.Outcome,
					first.Verified,
					first.Warnings,
					len(first.Plan),
				)
			}
			second := do(t, req)
			if second.Outcome != v1.OutcomeAlready || !second.Verified || len(second.Plan) != 0 {
				t.Errorf("%s again = %s, verified %t, plan %v", req.Op, second.Outcome, second.Verified, second.Plan)
			}
			if a, b := want(first), want(second); a != b {
				t.Errorf("%s: first %s, second %s", req.Op, a, b)
			}
			return first
		}
		whole := func(r v1.ProvisionResponse) string {
			b,
				_ := json.Marshal([]any{r.Account, r.Grant})
			return string(b)
		}

		create := order(v1.OpAccountCreate, "", auth)
		create.Account = joiner("grace@example.test")
		made := twice(create, whole)
		id := made.Account.ExternalID
		want := `grace@example.test grace@example.test Grace "Amazing" <Hopper> 0042 false Navy & Fleet +1 555`
		if want != fmt.Sprint(
			*made.Account.Username,
			" ",
			*made.Account.Email,
			" ",
			*made.Account.DisplayName,
			" ",
			*made.Account.EmployeeNumber,
			" ",
			*made.Account.IsDisabled,
			" ",
			made.Account.Attributes[resource.EnterpriseUser+":department"],
			" ",
			made.Account.Attributes["phoneNumbers.value"].([]any)[0],
		) {
			t.Errorf("made %+v", made.Account)
		}

		update := order(v1.OpAccountUpdate, id, auth)
		update.Account = &v1.ProvisionAccount{
			DisplayName: ptr("Admiral"),
			Email:       ptr("admiral@example.test"),
			Attributes: map[string]any{
				"title":           nil,
				"name.middleName": "Brewster",
				"division":        "North",
				"manager":         ada,
			},
		}
		changed := twice(update, whole)
		a := changed.Account.Attributes
		if *changed.Account.Email != "admiral@example.test" || a["title"] != nil || a["name.familyName"] != "Hopper" ||
			a["name.middleName"] != "Brewster" ||
			a[resource.EnterpriseUser+":division"] != "North" ||
			a[resource.EnterpriseUser+":department"] != "Navy & Fleet" ||
			a[resource.EnterpriseUser+":manager.value"] != ada {
			t.Errorf("updated to %v", a)
		}

		rename := order(v1.OpAccountRename, id, auth)
		rename.Account = &v1.ProvisionAccount{Username: ptr("grace.o'hara@example.test")}
		twice(rename, whole)
		twice(order(v1.OpAccountDisable, id, auth), whole)
		twice(order(v1.OpAccountEnable, id, auth), whole)

		for _, g := range []string{empty, group} {
			grant := order(v1.OpEntitlementGrant, id, auth)
			grant.EntitlementRemoteIDs = []string{g}
			if got := twice2(t, twice, grant, whole); !got.Grant.Held {
				t.Errorf("granted %+v", got.Grant)
			}
			now, err := connector().Read(t.Context(), v1.ReadRequest{
				AuthConfig: auth,
				Accounts: []v1.ProvisionTarget{
					{RemoteID: id},
					{RemoteID: ada},
					{Username: "nobody"},
					{RemoteID: "nobody"},
				},
				Entitlements: []v1.ProvisionTarget{{RemoteID: g}, {RemoteID: "role:auditor"}, {RemoteID: "gone"}},
			})
			if err != nil || len(now.Accounts) != 4 || now.Accounts[0].Account == nil ||
				now.Accounts[2].Account != nil ||
				now.Accounts[3].Account != nil {
				t.Fatalf("Read = %+v, %v", now, err)
			}
			var held []string
			for _, s := range now.Grants {
				held = append(held, fmt.Sprint(s.AccountRemoteID == id, " ", s.EntitlementRemoteID, " ", s.Held))
			}
			inBoth := g == group
			if want := []string{
				"true " + g + " true",
				fmt.Sprint("false ", g, " ", inBoth),
				"true role:auditor false",
				"false role:auditor " + fmt.Sprint(ada == "ada"),
				"true gone false",
				"false gone false",
			}; !slices.Equal(
				held,
				want,
			) {
				t.Errorf("held %v, want %v", held, want)
			}
			revoke := order(v1.OpEntitlementRevoke, id, auth)
			revoke.EntitlementRemoteIDs = []string{g}
			if got := do(t, revoke); got.Outcome != v1.OutcomeApplied || got.Grant.Held {
				t.Errorf("revoked %+v", got)
			}
			// of the empty one a connector that knows nothing yet cannot tell whether it keeps its members back
			if g == group {
				if got := do(t, revoke); got.Outcome != v1.OutcomeAlready || got.Grant.Held {
					t.Errorf("revoked again %+v", got)
				}
			}
		}
		role := order(v1.OpEntitlementGrant, id, auth)
		role.EntitlementRemoteIDs = []string{"role:watch"}
		twice(role, whole)
		role.Op = v1.OpEntitlementRevoke
		twice(role, whole)

		remove := order(v1.OpAccountDelete, id, auth)
		twice(remove, whole)
		if d := refused(t, rename); d.Class != v1.ClassNotFound {
			t.Errorf("after the delete: %+v", d)
		}
		all := mustSync(t, auth, nil)
		for _, g := range all.Grants {
			if g.AccountExternalID != nil && *g.AccountExternalID == ada && g.EntitlementExternalID == group {
				return
			}
		}
		t.Errorf("the change of one member took another: %v", all.Grants)
	})
}

func twice2(
	t testing.TB,
	twice func(v1.ProvisionRequest, func(v1.ProvisionResponse) string) v1.ProvisionResponse,
	req v1.ProvisionRequest,
	want func(v1.ProvisionResponse) string,
) v1.ProvisionResponse {
	t.Helper()
	return twice(req, want)
}

func TestAnAccountReadBackIsTheOneThatSyncTells(t *testing.T) {
	_, base := newEstate(t)
	req := order(v1.OpAccountUpdate, "ada", bearer(base))
	req.Account = &v1.ProvisionAccount{DisplayName: ptr("Ada")}
	got := do(t, req)
	for _, a := range mustSync(t, bearer(base), &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Accounts}}).Accounts {
		if a.ExternalID == "ada" {
			if diff := cmp.Diff(a, *got.Account); diff != "" {
				t.Errorf("(-sync +read back):\n%s", diff)
			}
			return
		}
	}
	t.Error("sync does not tell ada")
}

func TestADryRunTellsWhatIsThenSent(t *testing.T) {
	for _, patch := range []bool{true, false} {
		e, base := newEstate(t)
		e.etags, e.patch = true, patch
		auth := bearer(base, "extra_headers", map[string]any{"X-Tenant": "s3cret-tenant"})
		for _, req := range orders(auth) {
			req.DryRun = true
			dry := do(t, req)
			if sent := e.took(); len(sent) > 0 || dry.Outcome != v1.OutcomePlanned || len(dry.Plan) != 1 {
				t.Fatalf("%s: dry run = %+v, sent %v", req.Op, dry, sent)
			}
			req.DryRun = false
			wet := do(t, req)
			if diff := cmp.Diff(dry.Plan, wet.Plan); diff != "" && req.Credential == nil {
				t.Errorf("%s (-planned +done):\n%s", req.Op, diff)
			}
			e.compare(t, dry.Plan[0].HTTP, base)
			text, _ := json.Marshal([]any{dry, wet})
			if s := string(text); strings.Contains(s, canary) || strings.Contains(s, "s3cret") ||
				!strings.Contains(s, `"Authorization":"[secret]"`) {
				t.Errorf("%s: %s", req.Op, s)
			}
		}
	}
}

// orders are one change of each kind, made one after the other.
func orders(auth v1.AuthConfig) []v1.ProvisionRequest {
	create := order(v1.OpAccountCreate, "", auth)
	create.Account, create.Credential = joiner("grace@example.test"), &v1.NewCredential{
		Mode:     "password",
		Password: "s3cret-pass",
	}
	update := order(v1.OpAccountUpdate, "ada", auth)
	update.Account = &v1.ProvisionAccount{Email: ptr("x@example.test"), Attributes: map[string]any{"title": nil}}
	rename := order(v1.OpAccountRename, "ada", auth)
	rename.Account = &v1.ProvisionAccount{Username: ptr("lovelace")}
	reset := order(v1.OpAccountPassword, "ada", auth)
	reset.Credential = &v1.NewCredential{Mode: "password", Password: "s3cret-pass"}
	grant := order(v1.OpEntitlementGrant, "ada", auth)
	grant.EntitlementRemoteIDs = []string{"empty"}
	revoke := order(v1.OpEntitlementRevoke, "ada", auth)
	revoke.EntitlementRemoteIDs = []string{"staff"}
	role := order(v1.OpEntitlementGrant, "ada", auth)
	role.EntitlementRemoteIDs = []string{"entitlement:license:gold"}
	return []v1.ProvisionRequest{
		create,
		update,
		rename,
		order(v1.OpAccountDisable, "ada", auth),
		order(v1.OpAccountEnable, "ada", auth),
		reset,
		grant,
		revoke,
		role,
		order(v1.OpAccountDelete, "bob", auth),
	}
}

// compare holds a plan against the one request that arrived.
func (e *estate) compare(t testing.TB, p *v1.PlannedHTTP, base string) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.sent) != 1 {
		t.Fatalf("sent %v", e.sent)
	}
	if !strings.HasPrefix(e.sent[0], p.Method+" "+strings.TrimPrefix(p.URL, base)) {
		t.Errorf("planned %s %s, sent %s", p.Method, p.URL, e.sent[0])
	}
	header := e.headers[len(e.headers)-1]
	for name, value := range p.Headers {
		if got := header.Get(name); got == "" || value != "[secret]" && got != value {
			t.Errorf("planned %s: %s, sent %q", name, value, got)
		}
	}
	planned, sent := any(nil), any(nil)
	if p.Body != nil {
		text, _ := json.Marshal(p.Body)
		_ = json.Unmarshal(text, &planned)
		text, _ = json.Marshal(e.bodies[len(e.bodies)-1])
		_ = json.Unmarshal(bytes.ReplaceAll(text, []byte("s3cret-pass"), []byte("[secret]")), &sent)
		if diff := cmp.Diff(planned, sent); diff != "" {
			t.Errorf("%s (-planned +sent):\n%s", e.sent[0], diff)
		}
	}
	e.sent = nil
}

func TestAnAccountThatIsThereIsSomebodyElsesUnlessItIsTheSame(t *testing.T) {
	e, base := newEstate(t)
	req := order(v1.OpAccountCreate, "", bearer(base))
	req.Account = &v1.ProvisionAccount{Username: ptr("ADA@example.test"), FirstName: ptr("ada")}
	if got := do(t, req); got.Outcome != v1.OutcomeAlready || got.Account.ExternalID != "ada" {
		t.Errorf("the same = %+v", got)
	}
	req.Account.FirstName, req.Account.Enabled = ptr("Adam"), ptr(false)
	d := refused(t, req)
	if d.Class != v1.ClassConflict || d.Code != "account_exists" ||
		!strings.Contains(d.Message, "name.givenName, active") {
		t.Errorf("another = %+v", d)
	}
	// The target does not find it and refuses all the same: a name that is taken out of sight.
	e.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == "GET" && r.URL.Query().Get("filter") != "" {
			fmt.Fprint(
				w,
				`{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":0,"Resources":[]}`,
			)
			return true
		}
		return false
	}
	if d := refused(t, req); d.Class != v1.ClassConflict || d.Target == nil || d.Target.HTTP.Status != 409 {
		t.Errorf("out of sight = %+v", d)
	}
	// It appears between the look and the POST.
	looks := 0
	e.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != "GET" || r.URL.Query().Get("filter") == "" {
			return false
		}
		if looks++; looks == 1 {
			fmt.Fprint(w, `{"totalResults":0,"Resources":[]}`)
			return true
		}
		return false
	}
	req.Account = &v1.ProvisionAccount{Username: ptr("bob@example.test")}
	if got := do(t, req); got.Outcome != v1.OutcomeAlready || got.Account.ExternalID != "bob" || len(e.took()) == 0 {
		t.Errorf("in between = %+v", got)
	}
	rename := order(v1.OpAccountRename, "ada", bearer(base))
	rename.Account = &v1.ProvisionAccount{Username: ptr("bob@example.test")}
	e.before = nil
	if d := refused(t, rename); d.Code != "username_taken" || len(e.took()) != 0 {
		t.Errorf("rename to another's name = %+v", d)
	}
}

func TestVersionsAreHeeded(t *testing.T) {
	e, base := newEstate(t)
	e.etags = true
	meddled := 0
	e.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == "PATCH" && meddled < 1 {
			meddled++
			e.users.all[0].Meta.Version = `W/"other"`
		}
		return false
	}
	req := order(v1.OpAccountUpdate, "ada", bearer(base))
	req.Account = &v1.ProvisionAccount{DisplayName: ptr("Ada")}
	if got := do(
		t,
		req,
	); got.Outcome != v1.OutcomeApplied || len(got.Plan) != 2 ||
		got.Plan[1].HTTP.Headers["If-Match"] != `W/"other"` {
		t.Errorf("with somebody else's change in between: %+v", got)
	}
	req.Account.DisplayName, req.Expect = ptr("Countess"), &v1.Expect{Version: `W/"0"`}
	e.took()
	if d := refused(t, req); d.Class != v1.ClassConflict || d.Code != "version_changed" || len(e.took()) != 0 {
		t.Errorf("a version of yesterday: %+v", d)
	}
}

func TestAnAnswerThatIsLostLeavesTheOutcomeUnknownAndAReadFindsIt(t *testing.T) {
	for name, lose := range map[string]func(http.ResponseWriter){
		"cut":     func(w http.ResponseWriter) { hijacked(w) },
		"gateway": func(w http.ResponseWriter) { scimError(w, 504, "", "no answer in time") },
		"no Retry-After": func(w http.ResponseWriter) {
			w.WriteHeader(503)
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, base := newEstate(t)
			var posts atomic.Int32
			e.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == "GET" {
					return false
				}
				posts.Add(1)
				e.srv.ServeHTTP(httptest.NewRecorder(), r) // it arrives
				lose(w)
				return true
			}
			for _, req := range orders(bearer(base)) {
				posts.Store(0)
				got := do(t, req)
				if got.Success || got.Outcome != v1.OutcomeUnknown || got.ErrorDetail == nil || got.Error == nil ||
					posts.Load() != 1 ||
					len(got.Plan) != 1 ||
					got.Verified {
					t.Errorf("%s = %+v after %d requests", req.Op, got, posts.Load())
				}
			}
			now, err := connector().Read(t.Context(), v1.ReadRequest{
				AuthConfig: bearer(base),
				Accounts: []v1.ProvisionTarget{
					{Username: "GRACE@example.test"},
					{RemoteID: "ada"},
					{RemoteID: "bob"},
				},
				Entitlements: []v1.ProvisionTarget{
					{RemoteID: "empty"},
					{RemoteID: "staff"},
					{RemoteID: "entitlement:license:gold"},
				},
			})
			if err != nil || now.Accounts[0].Account == nil || *now.Accounts[1].Account.Username != "lovelace" ||
				now.Accounts[2].Account != nil {
				t.Fatalf("Read = %+v, %v", now, err)
			}
			var held []bool
			for _, g := range now.Grants {
				if g.AccountRemoteID == "ada" {
					held = append(held, g.Held)
				}
			}
			if !slices.Equal(held, []bool{true, false, true}) {
				t.Errorf("ada holds %v", now.Grants)
			}
		})
	}
}

func hijacked(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func TestARefusalIsToldAndNothingIsSentTwice(t *testing.T) {
	for _, tt := range []struct {
		status int
		header string
		class  v1.ErrorClass
		retry  bool
	}{
		{400, "", v1.ClassData, false}, {401, "", v1.ClassAuth, false}, {403, "", v1.ClassPermission, false},
		{405, "", v1.ClassConfig, false},
		{429, "7", v1.ClassRateLimited, true}, {503, "7", v1.ClassTransient, true},
		{501, "", v1.ClassTargetFault, false},
	} {
		e, base := newEstate(t)
		e.before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == "GET" {
				return false
			}
			if tt.header != "" {
				w.Header().Set("Retry-After", tt.header)
			}
			scimError(w, tt.status, "", "the words of the target")
			return true
		}
		for _, req := range orders(bearer(base)) {
			e.users.all[0].Attributes["active"] = req.Op != v1.OpAccountEnable
			d := refused(t, req)
			if d.Class != tt.class || d.Retryable != tt.retry ||
				!strings.Contains(d.Message, "the words of the target") ||
				len(e.took()) != 1 {
				t.Errorf("%s after %d = %+v", req.Op, tt.status, d)
			}
			if tt.retry && (d.RetryAfterMS == nil || *d.RetryAfterMS != 7000) {
				t.Errorf("%s after %d: retry after %v", req.Op, tt.status, d.RetryAfterMS)
			}
		}
	}
}

func TestATargetThatCannotBeReachedWasSentNothing(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	base := srv.URL
	srv.Close()
	for _, req := range orders(bearer(base)) {
		if d := refused(t, req); d.Class != v1.ClassTransient || d.Code != "connection_refused" {
			t.Errorf("%s = %+v", req.Op, d)
		}
	}
}

func TestATargetMayBeSlowToShowAChange(t *testing.T) {
	e, base := newEstate(t)
	stale := 0
	e.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == "GET" && strings.HasPrefix(r.URL.Path, "/Users/u") && stale < 2 {
			stale++
			scimError(w, 404, "", "not yet")
			return true
		}
		if r.Method == "POST" {
			// No id, no body, no address: some say nothing but that it is done.
			e.srv.ServeHTTP(httptest.NewRecorder(), r)
			w.WriteHeader(204)
			return true
		}
		return false
	}
	req := order(v1.OpAccountCreate, "", bearer(base))
	req.Account = joiner("grace@example.test")
	got := do(t, req)
	if got.Outcome != v1.OutcomeApplied || !got.Verified || got.Account.ExternalID != "u1" || stale != 2 {
		t.Errorf("create = %+v", got)
	}
	stale = -100
	req.Account = joiner("mary@example.test")
	got = do(t, req)
	if got.Outcome != v1.OutcomeApplied || got.Verified || got.Account == nil || got.Account.ExternalID != "u2" ||
		got.Warnings[len(got.Warnings)-1].Code != "not_shown" {
		t.Errorf("create that is not shown = %+v", got)
	}
}

func TestAVendorIsWrittenToAsItWants(t *testing.T) {
	member := func(v string) map[string]any { return map[string]any{"value": v} }
	for _, tt := range []struct {
		name  string
		more  []any
		op    v1.ProvisionOp
		right string
		want  string
		quiet bool // elimity does not take it
	}{
		{"path", nil, v1.OpAccountDisable, "",
			`PATCH /Users/ada {"Operations":[{"op":"replace","path":"active","value":false}],` +
				`"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}`, false},
		{"no path", []any{"patch_style", "no_path"}, v1.OpAccountDisable, "",
			`PATCH /Users/ada {"Operations":[{"op":"replace","value":{"active":false}}],` +
				`"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}`, false},
		{"capital words and texts", []any{"patch_words", "capital", "booleans", "text"}, v1.OpAccountDisable, "",
			`PATCH /Users/ada {"Operations":[{"op":"Replace","path":"active","value":"False"}],` +
				`"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}`, true},
		{"disable by DELETE", []any{"disable_by", "delete"}, v1.OpAccountDisable, "", `DELETE /Users/ada`, false},
		{"add by path", nil, v1.OpEntitlementGrant, "empty",
			`PATCH /Groups/empty {"Operations":[{"op":"add","path":"members","value":[{"value":"ada"}]}],` +
				`"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}`, false},
		{"add as Databricks", []any{"vendor_profile", "databricks"}, v1.OpEntitlementGrant, "empty",
			`PATCH /Groups/empty {"Operations":[{"op":"add","value":{"members":[{"value":"ada"}]}}],` +
				`"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}`, false},
		{"add as Salesforce", []any{"vendor_profile", "salesforce"}, v1.OpEntitlementGrant, "empty",
			`PATCH /Groups/empty {"Operations":[{"op":"add","path":"members","value":{"members":[{"value":"ada"}]}}],` +
				`"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}`, true},
		{"remove by path", nil, v1.OpEntitlementRevoke, "staff",
			`PATCH /Groups/staff {"Operations":[{"op":"remove","path":"members[value eq \"ada\"]"}],` +
				`"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}`, false},
		{"remove as GitHub", []any{"vendor_profile", "github-emu"}, v1.OpEntitlementRevoke, "staff",
			`PATCH /Groups/staff {"Operations":[{"op":"remove","path":"members","value":[{"value":"ada"}]}],` +
				`"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}`, true},
		{"remove by the whole list", []any{"remove_member", "replace"}, v1.OpEntitlementRevoke, "staff",
			`PATCH /Groups/staff {"Operations":[{"op":"replace","path":"members","value":[{"type":"User",` +
				`"value":"bob"}]}],"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}`, false},
		{"remove by PUT", []any{"remove_member", "put"}, v1.OpEntitlementRevoke, "staff",
			`PUT /Groups/staff {"displayName":"staff","id":"staff","members":[{"type":"User","value":"bob"}],` +
				`"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"]}`, false},
		{"unlock", []any{"unlock_attribute", "urn:example:2.0:User:locked"}, v1.OpAccountUnlock, "",
			`PATCH /Users/ada {"Operations":[{"op":"add","path":"urn:example:2.0:User:locked","value":false}],` +
				`"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"]}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, base := newEstate(t)
			if tt.quiet {
				e.before = func(w http.ResponseWriter, r *http.Request) bool {
					if r.Method == "GET" {
						return false
					}
					w.WriteHeader(204)
					switch i, staff := e.users.find("ada"), e.groups; tt.op {
					case v1.OpAccountDisable:
						e.users.all[i].Attributes["active"] = "False"
					case v1.OpEntitlementGrant:
						staff.all[staff.find("empty")].Attributes["members"] = []any{member("ada")}
					case v1.OpEntitlementRevoke:
						staff.all[staff.find("staff")].Attributes["members"] = []any{member("bob")}
					}
					return true
				}
			}
			req := order(tt.op, "ada", bearer(base, tt.more...))
			if tt.right != "" {
				req.EntitlementRemoteIDs = []string{tt.right}
			}
			got := do(t, req)
			if sent := e.took(); len(sent) != 1 || sent[0] != tt.want {
				t.Errorf("sent %s\nwant %s", strings.Join(sent, "\n     "), tt.want)
			}
			if got.Outcome != v1.OutcomeApplied || !got.Verified && tt.op != v1.OpAccountUnlock {
				t.Errorf("outcome %s, verified %t, %v", got.Outcome, got.Verified, got.Warnings)
			}
			whole := strings.Contains(tt.name, "whole") || strings.Contains(tt.name, "PUT")
			if slices.ContainsFunc(
				got.Warnings,
				func(w v1.Warning) bool { return w.Code == "whole_list_sent" },
			) != whole {
				t.Errorf("warnings %v", got.Warnings)
			}
		})
	}
}

func TestAMemberIsSoughtTheWayTheVendorTells(t *testing.T) {
	asked := ""
	held := "false"
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/scim+json")
		switch {
		case r.Method == "PATCH":
			held = "true"
			w.WriteHeader(204)
		case r.URL.Path == "/Groups":
			asked = r.URL.Query().Get("filter")
			if held == "true" {
				fmt.Fprint(w, `{"totalResults":1,"Resources":[{"id":"g\"1","displayName":"G"}]}`)
				return
			}
			fmt.Fprint(w, `{"totalResults":0,"Resources":[]}`)
		case r.URL.Path == "/ServiceProviderConfig":
			fmt.Fprint(w, `{"patch":{"supported":true},"filter":{"supported":true}}`)
		default:
			scimError(w, 500, "", "not to be asked: "+r.URL.Path)
		}
	}))
	req := order(v1.OpEntitlementGrant, `u"1`, bearer(base, "vendor_profile", "aws-identity-center"))
	req.EntitlementRemoteIDs = []string{`g"1`}
	if got := do(
		t,
		req,
	); got.Outcome != v1.OutcomeApplied || !got.Verified ||
		asked != `id eq "g\"1" and members eq "u\"1"` {
		t.Errorf("grant = %+v, asked %s", got, asked)
	}
	if got := do(t, req); got.Outcome != v1.OutcomeAlready {
		t.Errorf("again = %+v", got)
	}
}

func TestNoMembershipIsTakenForGoneBecauseItIsNotShown(t *testing.T) {
	patched := 0
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/scim+json")
		switch {
		case r.Method == "PATCH":
			patched++
			scimError(w, 400, "noTarget", "nobody there")
		case strings.HasPrefix(r.URL.Path, "/Groups/"):
			fmt.Fprint(w, `{"id":"g1","displayName":"G"}`)
		case strings.HasPrefix(r.URL.Path, "/Users/"):
			fmt.Fprint(w, `{"id":"u1","userName":"u"}`)
		default:
			scimError(w, 404, "", "")
		}
	}))
	req := order(v1.OpEntitlementRevoke, "u1", bearer(base))
	req.EntitlementRemoteIDs = []string{"g1"}
	got := do(t, req)
	if got.Outcome != v1.OutcomeApplied || got.Verified || patched != 1 ||
		got.Warnings[len(got.Warnings)-1].Code != "membership_not_shown" {
		t.Errorf("revoke = %+v", got)
	}
	now, err := connector().Read(t.Context(),
		v1.ReadRequest{AuthConfig: bearer(base), Accounts: []v1.ProvisionTarget{{RemoteID: "u1"}},
			Entitlements: []v1.ProvisionTarget{{RemoteID: "g1"}}})
	if err != nil || len(now.Grants) != 0 {
		t.Errorf("Read = %+v, %v", now, err)
	}
}

func TestOnlyTheTargetsOwnWordSaysThatSomethingIsGone(t *testing.T) {
	e, base := newEstate(t)
	revoke := order(v1.OpEntitlementRevoke, "ada", bearer(base))
	revoke.EntitlementRemoteIDs = []string{"dissolved"}
	if got := do(
		t,
		revoke,
	); got.Outcome != v1.OutcomeAlready || got.Grant.Held ||
		got.Warnings[1].Code != "entitlement_not_found" {
		t.Errorf("a group that is gone = %+v", got)
	}
	if got := do(t, order(v1.OpAccountDelete, "nobody", bearer(base))); got.Outcome != v1.OutcomeAlready {
		t.Errorf("a user who is gone = %+v", got)
	}
	e.before = func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(404)
		fmt.Fprint(w, "<html>nothing at this proxy</html>")
		return true
	}
	for _, req := range []v1.ProvisionRequest{revoke, order(v1.OpAccountDelete, "ada", bearer(base))} {
		if d := refused(t, req); d.Class != v1.ClassNotFound || d.Code != "http_404" {
			t.Errorf("%s at a proxy = %+v", req.Op, d)
		}
	}
}

func TestHostileNamesStayNames(t *testing.T) {
	for _, name := range []string{`x" or userName pr or "`, `a\`, "../../Groups", "новый/путь?x=1#y", "line\nbreak",
		"<script>&\u2028", "%2e%2e%2f", strings.Repeat("x", 900)} {
		e, base := newEstate(t)
		create := order(v1.OpAccountCreate, "", bearer(base))
		create.Account = &v1.ProvisionAccount{Username: &name, DisplayName: &name}
		got := do(t, create)
		if got.Outcome != v1.OutcomeApplied || !got.Verified || *got.Account.Username != name {
			t.Errorf("%q = %+v", name, got)
		}
		// elimity's filters do not know escapes: then it is the POST that is refused.
		again, err := connector().Provision(t.Context(), create)
		if err != nil && (detail(t, err).Target.HTTP.Status != 409 || !strings.ContainsAny(name, "\"\\\n")) ||
			err == nil && again.Outcome != v1.OutcomeAlready ||
			len(e.users.all) != 3 {
			t.Errorf("%q again = %s, %v, %d users", name, again.Outcome, err, len(e.users.all))
		}
		// The same as an id, in paths and filters.
		e.users.all[2].ID = name
		e.took()
		grant := order(v1.OpEntitlementGrant, name, bearer(base))
		grant.EntitlementRemoteIDs = []string{"staff"}
		do(t, grant)
		grant.Op = v1.OpEntitlementRevoke
		got = do(t, grant)
		if got.Verified != (e.memberIDs("staff") == "ada bob") || got.Grant.Held == got.Verified ||
			!got.Verified && !strings.ContainsAny(name, "\"\\\n") ||
			!strings.HasPrefix(e.memberIDs("staff"), "ada bob") {
			t.Errorf("%q: revoke = %+v, staff are %s", name, got, e.memberIDs("staff"))
		}
	}
	_, base := newEstate(t)
	for _, id := range []string{"..", ".", "", "a\x00b"} {
		if d := refused(
			t,
			order(v1.OpAccountDelete, id, bearer(base)),
		); d.Code != "unusable_id" &&
			d.Code != "no_target" {
			t.Errorf("id %q: %+v", id, d)
		}
	}
}

func TestWhatCannotBeWrittenIsRefusedBeforeAnythingIsSent(t *testing.T) {
	e, base := newEstate(t)
	ask := func(op v1.ProvisionOp, a v1.ProvisionAccount, more ...any) v1.ProvisionRequest {
		req := order(op, "ada", bearer(base, more...))
		req.Account = &a
		return req
	}
	attr := func(name string, v any) v1.ProvisionAccount {
		return v1.ProvisionAccount{Attributes: map[string]any{name: v}}
	}
	for code, req := range map[string]v1.ProvisionRequest{
		"invalid_attribute":       ask(v1.OpAccountUpdate, attr(`emails[type eq "work"].value`, "x")),
		"unwritable_attribute":    ask(v1.OpAccountUpdate, attr("groups", []any{"g"})),
		"container_unsupported":   ask(v1.OpAccountUpdate, v1.ProvisionAccount{Container: ptr("ou=x")}),
		"use_rename":              ask(v1.OpAccountUpdate, v1.ProvisionAccount{Username: ptr("other")}),
		"username_missing":        ask(v1.OpAccountCreate, attr("title", "x")),
		"operation_not_supported": ask(v1.OpAccountDelete, v1.ProvisionAccount{}, "vendor_profile", "slack"),
		"one_entitlement":         ask(v1.OpEntitlementGrant, v1.ProvisionAccount{}),
		"account_not_found":       order(v1.OpAccountDisable, "nobody", bearer(base)),
		"entitlement_not_found": {Op: v1.OpEntitlementGrant, AuthConfig: bearer(base),
			Target: v1.ProvisionTarget{RemoteID: "ada"}, EntitlementRemoteIDs: []string{"nothing"}},
	} {
		if d := refused(t, req); d.Code != code {
			t.Errorf("%s = %+v", code, d)
		}
	}
	if sent := e.took(); len(sent) != 0 {
		t.Errorf("sent %v", sent)
	}
	if got := do(t, ask(v1.OpAccountUpdate, v1.ProvisionAccount{})); got.Outcome != v1.OutcomeNoop {
		t.Errorf("nothing asked = %+v", got)
	}
}

func TestAPasswordIsSetAndNeverTold(t *testing.T) {
	e, base := newEstate(t)
	e.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != "PATCH" {
			return false
		}
		b, _ := readAll(r)
		scimError(w, 400, "invalidValue", "too weak: "+string(b))
		return true
	}
	req := order(v1.OpAccountPassword, "ada", bearer(base))
	req.Credential = &v1.NewCredential{Mode: "password", Password: "hunter2-\"quoted\""}
	d := refused(t, req)
	if text, _ := json.Marshal(d); bytes.Contains(text, []byte("hunter2")) || !strings.Contains(d.Message, "too weak") {
		t.Errorf("refusal %s", text)
	}
	e.before = nil
	got := do(t, req)
	if text, _ := json.Marshal(got); got.Outcome != v1.OutcomeApplied || bytes.Contains(text, []byte("hunter2")) ||
		e.user("ada")["password"] != "hunter2-\"quoted\"" {
		t.Errorf("reset = %s, stored %v", text, e.user("ada")["password"])
	}
	req.Credential = &v1.NewCredential{Mode: "random", ForceChange: true}
	got = do(t, req)
	text, _ := json.Marshal(got)
	random, _ := e.user("ada")["password"].(string)
	if len(random) < 24 || strings.Contains(string(text), random) ||
		got.Warnings[1].Code != "force_change_unsupported" {
		t.Errorf("random password %q, %s", random, text)
	}
	env := onSite()
	env.Plaintext = nil
	k := New(env).(*Connector)
	if _, err := k.Provision(t.Context(), req); detail(t, err).Code != "plaintext_not_allowed" {
		t.Errorf("without TLS: %v", err)
	}
}

func TestWritesSaysWhatTheProfileAllows(t *testing.T) {
	for key, want := range map[string]string{
		"generic":    "account.unlock",
		"slack":      "account.unlock account.delete",
		"github-org": "account.enable account.disable account.unlock entitlement.grant entitlement.revoke",
		"miro":       "account.unlock account.reset_password",
		"box":        "account.unlock account.delete",
	} {
		w := connector().Writes(bearer("https://example.com", "vendor_profile", key))
		var missing []string
		for _, op := range settings.Operations {
			if !slices.Contains(w.Ops, op) {
				missing = append(missing, string(op))
				if !strings.Contains(w.Why, string(op)+": ") {
					t.Errorf("%s: no reason for %s in %q", key, op, w.Why)
				}
			}
		}
		if got := strings.Join(missing, " "); got != want {
			t.Errorf("%s does not do %s, want %s", key, got, want)
		}
	}
	if w := connector().Writes(bearer("https://example.com", "delete_means", "deactivates")); slices.Contains(
		w.Ops,
		v1.OpAccountDelete,
	) {
		t.Error("a setting does not come before the profile")
	}
	if w := connector().Writes(v1.AuthConfig{}); len(w.Ops) != 0 || w.Why == "" {
		t.Errorf("without settings: %+v", w)
	}
	for _, p := range quirks.All() {
		if p.Write.MostMembers < 0 {
			t.Errorf("%s: %+v", p.Key, p.Write)
		}
	}
}

func TestALargeGroupIsNotReadForEachOfItsMembers(t *testing.T) {
	none := func(*estate, string) bool { return false }
	for name, tt := range map[string]struct {
		finds func(e *estate, filter string) bool // what the target makes of the question
		whole int                                 // times that the group was read as a whole
	}{
		// Before the first grant, when nothing is proven yet, and before the last revoke.
		"heeded": {func(e *estate, filter string) bool {
			list, _ := e.groups.all[e.groups.find("empty")].Attributes["members"].([]any)
			return slices.ContainsFunc(list, func(m any) bool {
				return filter == fmt.Sprintf(`id eq "empty" and members.value eq %q`, m.(map[string]any)["value"])
			})
		}, 2},
		"ignored": {func(*estate, string) bool { return true }, 9},
		"blind":   {none, 9},
	} {
		t.Run(name, func(t *testing.T) {
			e, base := newEstate(t)
			e.before = func(w http.ResponseWriter, r *http.Request) bool {
				filter := r.URL.Query().Get("filter")
				if !strings.Contains(filter, "members.value") {
					return false
				}
				w.Header().Set("Content-Type", "application/scim+json")
				if tt.finds(e, filter) {
					fmt.Fprint(w, `{"totalResults":1,"Resources":[{"id":"empty"}]}`)
				} else {
					fmt.Fprint(w, `{"totalResults":0,"Resources":[]}`)
				}
				return true
			}
			k := connector()
			for i, op := range []v1.ProvisionOp{v1.OpEntitlementGrant, v1.OpEntitlementGrant, v1.OpEntitlementRevoke,
				v1.OpEntitlementRevoke, v1.OpEntitlementRevoke} {
				req := order(op, []string{"ada", "bob", "ada", "bob", "bob"}[i], bearer(base))
				req.EntitlementRemoteIDs = []string{"empty"}
				want := v1.OutcomeApplied
				if i == 4 {
					want = v1.OutcomeAlready
				}
				if got, err := k.Provision(
					t.Context(),
					req,
				); err != nil || got.Outcome != want || !got.Verified ||
					got.Grant.Held != (op == v1.OpEntitlementGrant) {
					t.Fatalf("%d, %s = %+v, %v", i, op, got, err)
				}
			}
			whole := 0
			for _, path := range e.got {
				if path == "/Groups/empty" {
					whole++
				}
			}
			if whole != tt.whole || e.memberIDs("empty") != "" {
				t.Errorf("the group was read %d times, want %d: %v", whole, tt.whole, e.got)
			}
		})
	}
}

package ldap_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// writes is a connection that may change everything, over TLS.
func writes(d directory, s *ldaptest.Server, changes map[string]any) v1.AuthConfig {
	auth := below(d, s, map[string]any{
		"security": "ldaps", "port": s.TLSPort, "ca_pem": s.CAPEM, "bind_dn": s.AdminDN, "bind_password": s.AdminPass,
	})
	maps.Copy(auth, changes)
	maps.DeleteFunc(auth, func(_ string, v any) bool { return v == nil })
	return auth
}

func provisioner() connectorkit.Provisioner {
	return ldap.New(agentEnv()).(connectorkit.Provisioner)
}

// provision makes a change, after a dry run of it that must plan the same and leave everything as it was.
func provision(t *testing.T, auth v1.AuthConfig, req v1.ProvisionRequest) v1.ProvisionResponse {
	t.Helper()
	out, err := try(t, auth, req)
	if err != nil {
		t.Fatalf("%s: %v\nhint: %s", req.Op, err, detailOf(t, err).Hint)
	}
	return out
}

func try(t *testing.T, auth v1.AuthConfig, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	t.Helper()
	req.AuthConfig = auth
	before := readBack(t, auth, req.Target)
	req.DryRun = true
	planned, dryErr := provisioner().Provision(t.Context(), req)
	if diff := cmp.Diff(before, readBack(t, auth, req.Target)); diff != "" {
		t.Errorf("the dry run of %s changed something (-before +after)\n%s", req.Op, diff)
	}
	req.DryRun = false
	out, err := provisioner().Provision(t.Context(), req)
	noSecretsOf(t, auth, req, planned, out, err)
	if dryErr != nil && err == nil {
		t.Errorf("the dry run of %s failed, and the change did not: %v", req.Op, dryErr)
	}
	if err != nil {
		return out, err
	}
	if diff := cmp.Diff(planned.Plan, out.Plan); diff != "" {
		t.Errorf("%s: the plan of the dry run is not what was sent (-dry +real)\n%s", req.Op, diff)
	}
	if planned.Outcome == v1.OutcomePlanned && out.Outcome != v1.OutcomeApplied {
		t.Errorf("%s was planned as %s and became %s", req.Op, planned.Outcome, out.Outcome)
	}
	return out, nil
}

func readBack(t *testing.T, auth v1.AuthConfig, targets ...v1.ProvisionTarget) []v1.ReadAccount {
	t.Helper()
	if targets[0].RemoteID == "" && targets[0].Username == "" {
		return nil
	}
	out, err := provisioner().Read(t.Context(), v1.ReadRequest{AuthConfig: auth, Accounts: targets})
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return out.Accounts
}

// noSecretsOf fails when an answer tells a password, be it that of the login or a new one.
func noSecretsOf(t *testing.T, auth v1.AuthConfig, req v1.ProvisionRequest, answers ...any) {
	t.Helper()
	for _, a := range answers {
		if err, ok := a.(error); ok {
			a = fmt.Sprintf("%+v", err)
		}
		noSecrets(t, auth, a)
		b, _ := json.Marshal(a)
		if c := req.Credential; c != nil && c.Password != "" && strings.Contains(string(b), c.Password) {
			t.Errorf("the answer holds the new password: %s", b)
		}
	}
}

// expect checks the outcome of a change that has been verified.
func expect(t *testing.T, what string, got v1.ProvisionResponse, want v1.Outcome) {
	t.Helper()
	if !got.Success || got.Outcome != want || !got.Verified {
		t.Errorf(
			"%s: success %v, outcome %s, verified %v, warnings %v; want %s, verified", what, got.Success, got.Outcome,
			got.Verified, got.Warnings, want,
		)
	}
	if want == v1.OutcomeAlready && len(got.Plan)+len(got.Changes) > 0 {
		t.Errorf("%s: already so, and yet %v was sent", what, got.Plan)
	}
}

// synced is the account that a sync reads under a key.
func synced(t *testing.T, auth v1.AuthConfig, id string) *v1.RemoteAccount {
	t.Helper()
	got := mustRead(t, auth, &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Accounts}})
	i := slices.IndexFunc(got.Accounts, func(a v1.RemoteAccount) bool { return a.ExternalID == id })
	if i < 0 {
		return nil
	}
	return &got.Accounts[i]
}

// asSynced fails when the account of an answer is not what a sync reads.
func asSynced(t *testing.T, what string, auth v1.AuthConfig, got *v1.RemoteAccount) {
	t.Helper()
	if got == nil {
		t.Fatalf("%s: no account was read back", what)
	}
	if diff := cmp.Diff(synced(t, auth, got.ExternalID), got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: the account read back is not the one a sync reads (-sync +answer)\n%s", what, diff)
	}
}

func binds(s *ldaptest.Server, dn, password string) error {
	conn, err := goldap.DialURL(s.URL)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Bind(dn, password)
}

func ptr[T any](v T) *T { return &v }

func account(r v1.ProvisionResponse) v1.ProvisionTarget {
	return v1.ProvisionTarget{Kind: "account", RemoteID: r.Account.ExternalID, NativeRef: r.Account.NativeRef}
}

// team is an organisation with a few people and groups.
func team(directory) ldaptest.Org {
	return ldaptest.Org{
		People: ldaptest.Staff(5),
		Groups: []ldaptest.Group{
			{Name: "crew", People: []string{"u001"}}, {Name: "board, the", People: []string{"u000"}},
		},
	}
}

const firstPassword, secondPassword = "First-1-Password!x", "Second-2-Password!y"

func newcomer(name string) *v1.ProvisionAccount {
	return &v1.ProvisionAccount{
		Username: &name, Email: ptr(name + "@iga.test"), DisplayName: ptr("Zoë O'Neil, Jr."), FirstName: ptr("Zoë"),
		LastName:       ptr("O'Neil"),
		EmployeeNumber: ptr("4711"), Enabled: ptr(true),
		Attributes: map[string]any{"telephoneNumber": []any{"+1 555 1", "+1 555 2"}, "title": "Sängerin"},
	}
}

func TestAnAccountLivesItsLifeInEveryDirectory(t *testing.T) {
	inEach(t, team, func(t *testing.T, d directory, s *ldaptest.Server) {
		auth := writes(d, s, nil)
		if d.ad { // whose telephoneNumber has one value
			auth["create_defaults"] = map[string]any{"company": "Acme {employee_number}"}
		}
		story := &biography{d: d, s: s, auth: auth}
		for _, part := range []struct {
			name string
			run  func(*testing.T)
		}{
			{"created", story.created}, {"updated", story.updated}, {"disabled and enabled", story.closed},
			{"locked and unlocked", story.locked},
			{"given passwords", story.passwords}, {"member of groups", story.member},
			{"renamed and moved", story.renamed}, {"read", story.read}, {"deleted", story.deleted},
		} {
			if !t.Run(part.name, part.run) {
				return
			}
		}
	})
}

// biography is the story of one account.
type biography struct {
	d    directory
	s    *ldaptest.Server
	auth v1.AuthConfig
	who  v1.ProvisionTarget
	dn   string
}

func (l *biography) created(t *testing.T) {
	a := newcomer("zoe")
	if l.d.ad {
		a.Attributes = map[string]any{"otherTelephone": []any{"+1 555 1", "+1 555 2"}, "title": "Sängerin"}
	}
	req := v1.ProvisionRequest{
		Op: v1.OpAccountCreate, Target: v1.ProvisionTarget{Kind: "account", Username: "zoe"}, Account: a,
		Credential: &v1.NewCredential{Mode: "password", Password: firstPassword},
	}
	got := provision(t, l.auth, req)
	expect(t, "create", got, v1.OutcomeApplied)
	if len(got.Warnings) > 0 {
		t.Errorf("warnings %v", got.Warnings)
	}
	asSynced(t, "create", l.auth, got.Account)
	l.who, l.dn = account(got), got.Account.NativeIdentity
	if *got.Account.IsDisabled || *got.Account.Username != "zoe" || *got.Account.LastName != "O'Neil" {
		t.Errorf("account %+v", got.Account)
	}
	if err := binds(l.s, l.dn, firstPassword); err != nil {
		t.Errorf("the new account cannot sign in: %v", err)
	}
	expect(t, "create again", provision(t, l.auth, req), v1.OutcomeAlready)
	other := *a
	other.LastName = ptr("Somebody")
	req.Account = &other
	_, err := try(t, l.auth, req)
	if d := detailOf(t, err); d.Class != v1.ClassConflict || d.Code != "account_exists" ||
		!strings.Contains(d.Message, "differs in sn") {
		t.Errorf("a create of somebody else under the same name: %+v", d)
	}
	order := []string{}
	for _, p := range got.Plan {
		order = append(order, p.LDAP.Op)
	}
	want := []string{"add"} // the password goes with it
	switch {
	case l.d.name == "OpenLDAP":
		want = []string{"add", "modify"}
	case l.d.ad:
		want = []string{"add", "modify", "modify"}
		if !strings.Contains(got.Plan[0].LDAP.LDIF, "userAccountControl: 514\n") ||
			!strings.Contains(got.Plan[1].LDAP.LDIF, "unicodePwd: [secret]\n") ||
			!strings.Contains(got.Plan[2].LDAP.LDIF, "userAccountControl: 512\n") {
			t.Errorf(
				"on Active Directory an account is made disabled, then gets its password, then is enabled: %v",
				got.Plan,
			)
		}
	}
	if !slices.Equal(order, want) {
		t.Errorf("requests %v, want %v", order, want)
	}
}

func (l *biography) updated(t *testing.T) {
	phones := "telephoneNumber"
	if l.d.ad {
		phones = "otherTelephone"
	}
	boss := ldapdn.Normalize(l.s.UserDN("u003"))
	req := v1.ProvisionRequest{Op: v1.OpAccountUpdate, Target: l.who, Account: &v1.ProvisionAccount{
		Email: ptr("z.oneil@iga.test"),
		Attributes: map[string]any{
			phones: []any{"+1 555 2", "+1 555 3"}, "title": nil, "manager": boss, "description": "a: b\nc",
		},
	}}
	got := provision(t, l.auth, req)
	expect(t, "update", got, v1.OutcomeApplied)
	asSynced(t, "update", l.auth, got.Account)
	a := got.Account.Attributes
	numbers, _ := a[phones].([]any)
	if *got.Account.Email != "z.oneil@iga.test" || a["title"] != nil ||
		ldapdn.Normalize(fmt.Sprint(a["manager"])) != boss || len(numbers) != 2 ||
		slices.Contains(numbers, any("+1 555 1")) {
		t.Errorf("account %+v", got.Account)
	}
	changed := map[string]v1.ChangedField{}
	for _, c := range got.Changes {
		changed[c.Field] = c
	}
	if c := changed["mail"]; c.Old != "zoe@iga.test" || c.New != "z.oneil@iga.test" {
		t.Errorf("change of mail %+v", c)
	}
	again := provision(t, l.auth, req)
	expect(t, "update again", again, v1.OutcomeNoop)
	if len(again.Plan) > 0 {
		t.Errorf("plan %v", again.Plan)
	}
	if _, err := try(
		t, l.auth,
		v1.ProvisionRequest{
			Op: v1.OpAccountUpdate, Target: l.who, Account: &v1.ProvisionAccount{Username: ptr("zoey")},
		},
	); detailOf(t, err).Code != "rename_needed" {
		t.Errorf("an update of the user name: %v", err)
	}
	if _, err := try(
		t, l.auth,
		v1.ProvisionRequest{
			Op: v1.OpAccountUpdate, Target: l.who,
			Account: &v1.ProvisionAccount{Attributes: map[string]any{"manager": "uid=nobody," + ldaptest.PeopleDN}},
		},
	); detailOf(t, err).Code != "reference_not_found" {
		t.Errorf("a manager who is nobody: %v", err)
	}
}

func (l *biography) closed(t *testing.T) {
	for _, step := range []struct {
		op       v1.ProvisionOp
		disabled bool
	}{{v1.OpAccountDisable, true}, {v1.OpAccountEnable, false}} {
		req := v1.ProvisionRequest{Op: step.op, Target: l.who}
		got := provision(t, l.auth, req)
		expect(t, string(step.op), got, v1.OutcomeApplied)
		asSynced(t, string(step.op), l.auth, got.Account)
		if *got.Account.IsDisabled != step.disabled {
			t.Errorf("%s: disabled %v", step.op, *got.Account.IsDisabled)
		}
		if err := binds(l.s, l.dn, firstPassword); (err != nil) != step.disabled {
			t.Errorf("after %s signing in ends with %v", step.op, err)
		}
		expect(t, string(step.op)+" again", provision(t, l.auth, req), v1.OutcomeAlready)
	}
}

func (l *biography) locked(t *testing.T) {
	req := v1.ProvisionRequest{Op: v1.OpAccountUnlock, Target: l.who}
	expect(t, "unlock of what is not locked", provision(t, l.auth, req), v1.OutcomeAlready)
	lock(t, l.d, l.s, l.dn)
	if now := synced(t, l.auth, l.who.RemoteID); !*now.IsLocked {
		t.Fatal("wrong passwords have not locked the account")
	}
	got := provision(t, l.auth, req)
	expect(t, "unlock", got, v1.OutcomeApplied)
	asSynced(t, "unlock", l.auth, got.Account)
	if err := binds(l.s, l.dn, firstPassword); err != nil {
		t.Errorf("after the unlock signing in ends with %v", err)
	}
	expect(t, "unlock again", provision(t, l.auth, req), v1.OutcomeAlready)
}

func (l *biography) passwords(t *testing.T) {
	set := func(c v1.NewCredential) v1.ProvisionResponse {
		return provision(t, l.auth, v1.ProvisionRequest{Op: v1.OpAccountPassword, Target: l.who, Credential: &c})
	}
	if got := set(v1.NewCredential{Mode: "password", Password: secondPassword}); got.Outcome != v1.OutcomeApplied {
		t.Errorf("reset: %+v", got)
	}
	if err := binds(l.s, l.dn, secondPassword); err != nil {
		t.Errorf("the new password does not work: %v", err)
	}
	got := set(v1.NewCredential{Mode: "random"})
	if got.Outcome != v1.OutcomeApplied || len(got.Changes) != 1 || got.Changes[0].New != nil {
		t.Errorf("random reset: %+v", got)
	}
	old := secondPassword
	if l.d.ad {
		old = firstPassword // a domain still takes the one before the present one for an hour
	}
	if binds(l.s, l.dn, old) == nil {
		t.Error("the old password still works")
	}
	if _, err := try(
		t, l.auth, v1.ProvisionRequest{Op: v1.OpAccountPassword, Target: l.who},
	); detailOf(t, err).Code != "password_missing" {
		t.Errorf("a reset without a password: %v", err)
	}
}

func (l *biography) member(t *testing.T) {
	groups := mustRead(t, l.auth, &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Entitlements}}).Entitlements
	i := slices.IndexFunc(groups, func(e v1.RemoteEntitlement) bool { return *e.Name == "board, the" })
	board := groups[i]
	req := v1.ProvisionRequest{
		Op: v1.OpEntitlementGrant, Target: l.who, EntitlementRemoteIDs: []string{board.ExternalID},
	}
	held := func() bool {
		all := mustRead(t, l.auth, nil)
		return slices.Contains(memberships(all)["board, the"], l.who.NativeRef)
	}
	for _, step := range []struct {
		op   v1.ProvisionOp
		held bool
	}{{v1.OpEntitlementGrant, true}, {v1.OpEntitlementRevoke, false}} {
		req.Op = step.op
		got := provision(t, l.auth, req)
		expect(t, string(step.op), got, v1.OutcomeApplied)
		want := &v1.GrantState{AccountRemoteID: l.who.RemoteID, EntitlementRemoteID: board.ExternalID, Held: step.held}
		if diff := cmp.Diff(want, got.Grant); diff != "" {
			t.Errorf("%s: grant (-want +got)\n%s", step.op, diff)
		}
		if held() != step.held {
			t.Errorf("after %s a sync reads otherwise", step.op)
		}
		req.Entitlement = &v1.ProvisionTarget{
			Kind: "entitlement", RemoteID: board.ExternalID, NativeRef: board.NativeRef,
		}
		expect(t, string(step.op)+" again", provision(t, l.auth, req), v1.OutcomeAlready)
	}
	req.Op = v1.OpEntitlementGrant
	expect(t, "grant", provision(t, l.auth, req), v1.OutcomeApplied)
}

func (l *biography) renamed(t *testing.T) {
	req := v1.ProvisionRequest{
		Op: v1.OpAccountRename, Target: l.who,
		Account: &v1.ProvisionAccount{Username: ptr("zoe.o"), LastName: ptr("O'Neil-Łoś")},
	}
	got := provision(t, l.auth, req)
	expect(t, "rename", got, v1.OutcomeApplied)
	asSynced(t, "rename", l.auth, got.Account)
	if got.Account.ExternalID != l.who.RemoteID || *got.Account.Username != "zoe.o" ||
		!strings.HasPrefix(
			strings.ToLower(got.Account.NativeIdentity), map[bool]string{true: "cn", false: "uid"}[l.d.ad]+"=zoe.o,",
		) {
		t.Errorf("account %+v", got.Account)
	}
	// The hint is the old DN now, and the key finds the account all the same.
	expect(t, "rename again", provision(t, l.auth, req), v1.OutcomeAlready)
	addUnit(t, l.d, l.s, "ou=away,"+ldaptest.PeopleDN)
	req.Account = &v1.ProvisionAccount{Container: ptr("ou=away," + ldaptest.PeopleDN)}
	got = provision(t, l.auth, req)
	expect(t, "move", got, v1.OutcomeApplied)
	asSynced(t, "move", l.auth, got.Account)
	if !strings.HasSuffix(got.Account.NativeRef, ",ou=away,"+ldaptest.PeopleDN) {
		t.Errorf("moved to %s", got.Account.NativeRef)
	}
	expect(t, "move again", provision(t, l.auth, req), v1.OutcomeAlready)
	l.who = account(got)
	req.Account = &v1.ProvisionAccount{Container: ptr("ou=nowhere," + ldaptest.PeopleDN)}
	if _, err := try(t, l.auth, req); detailOf(t, err).Class != v1.ClassData {
		t.Errorf("a move to nowhere: %v", err)
	}
	req.Account = &v1.ProvisionAccount{Container: ptr(ldaptest.GroupsDN)}
	if _, err := try(t, l.auth, req); detailOf(t, err).Code != "container_outside" {
		t.Errorf("a move out of sight: %v", err)
	}
	// Somebody has the name already.
	taken := v1.ProvisionRequest{
		Op: v1.OpAccountRename, Target: l.who,
		Account: &v1.ProvisionAccount{Username: ptr("u001"), Container: ptr(ldaptest.PeopleDN)},
	}
	if _, err := try(t, l.auth, taken); detailOf(t, err).Class != v1.ClassConflict {
		t.Errorf("a name that is taken: %v", err)
	}
}

func addUnit(t *testing.T, d directory, s *ldaptest.Server, dn string) {
	t.Helper()
	req := goldap.NewAddRequest(dn, nil)
	req.Attribute("objectClass", []string{"organizationalUnit"})
	if err := s.Admin(t).Add(req); err != nil {
		t.Fatalf("add %s: %v", dn, err)
	}
}

func (l *biography) read(t *testing.T) {
	all := mustRead(t, l.auth, nil)
	crew := slices.IndexFunc(all.Entitlements, func(e v1.RemoteEntitlement) bool { return *e.Name == "crew" })
	board := slices.IndexFunc(all.Entitlements, func(e v1.RemoteEntitlement) bool { return *e.Name == "board, the" })
	targets := []v1.ProvisionTarget{
		{RemoteID: l.who.RemoteID}, {Username: "u001"}, {RemoteID: "00000000-0000-0000-0000-000000000000"},
		{Username: "nobody"},
	}
	got, err := provisioner().Read(
		t.Context(),
		v1.ReadRequest{
			AuthConfig: l.auth, Accounts: targets,
			Entitlements: []v1.ProvisionTarget{
				{RemoteID: all.Entitlements[crew].ExternalID}, {RemoteID: all.Entitlements[board].ExternalID},
			},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Accounts) != 4 || got.Accounts[2].Account != nil || got.Accounts[3].Account != nil {
		t.Fatalf("accounts %+v", got.Accounts)
	}
	asSynced(t, "read by key", l.auth, got.Accounts[0].Account)
	asSynced(t, "read by name", l.auth, got.Accounts[1].Account)
	var holds []bool
	for _, g := range got.Grants {
		holds = append(holds, g.Held)
	}
	// Of a user name that nobody has nothing is told: the account may have another by now.
	// The account has been renamed and moved since it became a member: the group lists it by its new name.
	if want := []bool{false, true, true, false, false, false}; !slices.Equal(holds, want) {
		t.Errorf("held %v, want %v", holds, want)
	}
}

func (l *biography) deleted(t *testing.T) {
	req := v1.ProvisionRequest{Op: v1.OpAccountDelete, Target: l.who}
	expect(t, "delete", provision(t, l.auth, req), v1.OutcomeApplied)
	if synced(t, l.auth, l.who.RemoteID) != nil {
		t.Error("the account is still there")
	}
	expect(t, "delete again", provision(t, l.auth, req), v1.OutcomeAlready)
	req.Op = v1.OpAccountDisable
	if _, err := try(t, l.auth, req); detailOf(t, err).Code != "account_not_found" ||
		detailOf(t, err).Class != v1.ClassNotFound {
		t.Errorf("disabling who is gone: %v", err)
	}
}

package ldap_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-asn1-ber/asn1-ber"
	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// scripted is a directory of one account and one group that answers changes as a test says.
type scripted struct {
	*fake
	member  bool
	mail    []string
	late    *fakeEntry // comes while a change is made
	changes atomic.Int32
}

const (
	scriptedAccount = "11111111-1111-1111-1111-111111111111"
	scriptedGroup   = "22222222-2222-2222-2222-222222222222"
)

func newScripted(t *testing.T, answer func(s *scripted, op string, p *ber.Packet) (int, string, string)) *scripted {
	t.Helper()
	s := &scripted{fake: newFake(t, openLDAPRoot()), mail: []string{"old@x"}}
	s.search = func(r fakeSearch) fakeAnswer {
		switch {
		case s.late != nil && strings.EqualFold(r.base, s.late.dn):
			return fakeAnswer{entries: []fakeEntry{*s.late}}
		case r.wants("(entryUUID=" + scriptedGroup), strings.EqualFold(r.base, "cn=g,dc=x"):
			if r.wants("member=") && !s.member || r.wants("uniqueMember=") || r.wants("memberUid=") {
				return fakeAnswer{}
			}
			return fakeAnswer{
				entries: []fakeEntry{
					{"cn=g,dc=x", attrs{"entryUUID": {scriptedGroup}, "objectClass": {"groupOfNames"}, "cn": {"g"}}},
				},
			}
		case strings.EqualFold(r.base, "ou=people,dc=x"):
			return fakeAnswer{entries: []fakeEntry{{"ou=people,dc=x", attrs{"entryUUID": {"3"}}}}}
		case r.wants(scriptedAccount), strings.EqualFold(r.base, "uid=a,dc=x"):
			return fakeAnswer{
				entries: []fakeEntry{
					{
						"uid=a,dc=x",
						attrs{
							"entryUUID": {scriptedAccount}, "objectClass": {"inetOrgPerson"}, "uid": {"a"},
							"mail": s.mail,
						},
					},
				},
			}
		}
		return fakeAnswer{}
	}
	s.write = func(op string, p *ber.Packet) (int, string, string) {
		s.changes.Add(1)
		return answer(s, op, p)
	}
	return s
}

// requests are one of each change, of the scripted account.
func requests() map[v1.ProvisionOp]v1.ProvisionRequest {
	who := v1.ProvisionTarget{Kind: "account", RemoteID: scriptedAccount, NativeRef: "uid=a,dc=x"}
	group := []string{scriptedGroup}
	return map[v1.ProvisionOp]v1.ProvisionRequest{
		v1.OpAccountCreate: {
			Op: v1.OpAccountCreate, Account: &v1.ProvisionAccount{Username: ptr("new"), LastName: ptr("New")},
		},
		v1.OpAccountUpdate: {
			Op: v1.OpAccountUpdate, Target: who, Account: &v1.ProvisionAccount{Email: ptr("new@x")},
		},
		v1.OpAccountRename: {
			Op: v1.OpAccountRename, Target: who, Account: &v1.ProvisionAccount{Username: ptr("b")},
		},
		v1.OpAccountDisable: {Op: v1.OpAccountDisable, Target: who},
		v1.OpAccountDelete:  {Op: v1.OpAccountDelete, Target: who},
		v1.OpAccountPassword: {
			Op: v1.OpAccountPassword, Target: who,
			Credential: &v1.NewCredential{Mode: "password", Password: firstPassword},
		},
		v1.OpEntitlementGrant:  {Op: v1.OpEntitlementGrant, Target: who, EntitlementRemoteIDs: group},
		v1.OpEntitlementRevoke: {Op: v1.OpEntitlementRevoke, Target: who, EntitlementRemoteIDs: group},
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	for _, tt := range []struct {
		op         v1.ProvisionOp
		code       int
		diagnostic string
		class      v1.ErrorClass
		wantCode   string
		hint       string
	}{
		{v1.OpAccountUpdate, 50, "no write access to parent", v1.ClassPermission, "ldap_50", "right to write"},
		{v1.OpAccountUpdate, 32, "", v1.ClassNotFound, "ldap_32", "renamed in the meantime"},
		{v1.OpAccountUpdate, 19, "some attributes not unique", v1.ClassConflict, "ldap_19", "unique"},
		{v1.OpAccountUpdate, 19, "mail: multiple values", v1.ClassData, "ldap_19", "breaks a rule"},
		{v1.OpAccountUpdate, 17, "mail: attribute type undefined", v1.ClassConfig, "ldap_17", "does not know"},
		{v1.OpAccountUpdate, 21, "", v1.ClassData, "ldap_21", "form"},
		{v1.OpAccountUpdate, 11, "", v1.ClassPermission, "ldap_11", "limit"},
		{v1.OpAccountUpdate, 53, "", v1.ClassPolicy, "ldap_53", "was not made"},
		{v1.OpAccountUpdate, 51, "", v1.ClassTransient, "ldap_51", "Try again"},
		{v1.OpAccountUpdate, 10, "", v1.ClassConfig, "ldap_10", "host"},
		{v1.OpAccountUpdate, 13, "", v1.ClassConfig, "ldap_13", "starttls"},
		{v1.OpAccountUpdate, 65, "", v1.ClassData, "ldap_65", "object classes"},
		{v1.OpAccountUpdate, 80, "", v1.ClassTargetFault, "ldap_80", "log"},
		{v1.OpAccountCreate, 32, "", v1.ClassConfig, "ldap_32", "create_container"},
		{v1.OpAccountCreate, 64, "", v1.ClassConfig, "ldap_64", "create_rdn_attribute"},
		{
			v1.OpAccountCreate, 68, "00000524: UpdErr: DSID-031A11D7, problem 6005 (ENTRY_EXISTS)", v1.ClassConflict,
			"ldap_68_00000524", "sAMAccountName",
		},
		{v1.OpAccountRename, 68, "", v1.ClassConflict, "ldap_68", "another user name"},
		{v1.OpAccountRename, 71, "", v1.ClassConfig, "ldap_71", "another server"},
		{
			v1.OpAccountDelete, 66, "subordinate objects must be deleted first", v1.ClassConflict, "ldap_66",
			"not deleted",
		},
		{v1.OpAccountDelete, 50, "", v1.ClassPermission, "ldap_50", "right to write"},
		{
			v1.OpAccountPassword, 19, "Password fails quality checking policy", v1.ClassPolicy, "ldap_19",
			"password policy",
		},
		{v1.OpAccountPassword, 53, "", v1.ClassPolicy, "ldap_53", "refuses to set this password"},
		{
			v1.OpAccountPassword, 53, "0000052D: SvcErr: DSID-031A12D2, problem 5003 (WILL_NOT_PERFORM), data 0",
			v1.ClassPolicy, "ldap_53_0000052d", "password policy",
		},
		{v1.OpAccountPassword, 50, "", v1.ClassPermission, "ldap_50", "Reset password"},
		{v1.OpAccountDisable, 17, "", v1.ClassConfig, "ldap_17", "disable_strategy"},
		{v1.OpEntitlementGrant, 32, "", v1.ClassNotFound, "ldap_32", "The group"},
		{v1.OpEntitlementGrant, 50, "", v1.ClassPermission, "ldap_50", "members of this group"},
		{v1.OpEntitlementGrant, 65, "", v1.ClassData, "ldap_65", "member_attribute"},
		{v1.OpEntitlementGrant, 20, "", v1.ClassConflict, "ldap_20", "Try again"},
		{v1.OpEntitlementGrant, 53, "", v1.ClassPolicy, "ldap_53", "was not made"},
		{v1.OpEntitlementRevoke, 16, "", v1.ClassConflict, "ldap_16", "Try again"},
		{v1.OpEntitlementRevoke, 65, "", v1.ClassConflict, "ldap_65", "last member"},
	} {
		s := newScripted(t, func(*scripted, string, *ber.Packet) (int, string, string) {
			return tt.code, "", tt.diagnostic
		})
		s.member = tt.op == v1.OpEntitlementRevoke
		req := requests()[tt.op]
		req.AuthConfig = s.auth()
		out, err := provisioner().Provision(t.Context(), req)
		if err == nil {
			t.Errorf("%s with result %d: %+v", tt.op, tt.code, out)
			continue
		}
		d := detailOf(t, err)
		if d.Class != tt.class || d.Code != tt.wantCode || !strings.Contains(d.Hint, tt.hint) || d.Target == nil ||
			d.Target.LDAP == nil || d.Target.LDAP.ResultCode != tt.code || d.Target.LDAP.Diagnostic != tt.diagnostic {
			t.Errorf("%s with result %d: %s %s %q, target %+v", tt.op, tt.code, d.Class, d.Code, d.Hint, d.Target)
		}
		if s.changes.Load() != 1 {
			t.Errorf("%s with result %d: %d requests", tt.op, tt.code, s.changes.Load())
		}
		if asPassword := tt.op == v1.OpAccountPassword && tt.code != 50; (d.Phase == "password") != asPassword {
			t.Errorf("%s with result %d: phase %s", tt.op, tt.code, d.Phase)
		}
		noSecretsOf(t, s.auth(), req, err)
	}
}

func TestWhatSomebodyElseWasQuickerToDoIsAlready(t *testing.T) {
	for op, code := range map[v1.ProvisionOp]int{v1.OpEntitlementGrant: 20, v1.OpEntitlementRevoke: 16} {
		s := newScripted(t, func(s *scripted, _ string, _ *ber.Packet) (int, string, string) {
			s.member = !s.member
			return code, "", ""
		})
		s.member = op == v1.OpEntitlementRevoke
		req := requests()[op]
		req.AuthConfig = s.auth()
		got, err := provisioner().Provision(t.Context(), req)
		if err != nil || got.Outcome != v1.OutcomeAlready || !got.Verified ||
			got.Grant.Held != (op == v1.OpEntitlementGrant) {
			t.Errorf("%s: %+v, %v", op, got, err)
		}
	}
	for _, code := range []int{16, 20, 50} {
		s := newScripted(t, func(s *scripted, _ string, _ *ber.Packet) (int, string, string) {
			s.mail = []string{"new@x", "old@x"}
			return code, "", ""
		})
		s.mail = []string{"old@x", "other@x"}
		req := requests()[v1.OpAccountUpdate]
		req.AuthConfig, req.Account = s.auth(), &v1.ProvisionAccount{
			Attributes: map[string]any{"mail": []any{"old@x", "new@x"}},
		}
		got, err := provisioner().Provision(t.Context(), req)
		if code == 50 {
			if err == nil {
				t.Errorf("a refusal that says something else was taken for done: %+v", got)
			}
			continue
		}
		if err != nil || got.Outcome != v1.OutcomeAlready || !got.Verified || len(got.Changes) > 0 {
			t.Errorf("update with result %d: %+v, %v", code, got, err)
		}
	}
}

func TestAnEntryThatExistsIsAlreadyOnlyWhenItIsAsAsked(t *testing.T) {
	for surname, already := range map[string]bool{"New": true, "Other": false} {
		s := newScripted(t, func(s *scripted, _ string, _ *ber.Packet) (int, string, string) {
			s.late = &fakeEntry{
				"uid=new,ou=people,dc=x",
				attrs{"entryUUID": {"6"}, "objectClass": {"inetOrgPerson"}, "uid": {"new"}, "sn": {surname}},
			}
			return 68, "", "exists"
		})
		req := requests()[v1.OpAccountCreate]
		req.AuthConfig = s.auth()
		got, err := provisioner().Provision(t.Context(), req)
		if already {
			if err != nil || got.Outcome != v1.OutcomeAlready || !got.Verified || got.Account.ExternalID != "6" {
				t.Errorf("%+v, %v", got, err)
			}
			continue
		}
		if d := detailOf(t, err); d.Class != v1.ClassConflict || d.Code != "ldap_68" ||
			!strings.Contains(d.Message, "differs in sn") || d.Target.LDAP.Diagnostic != "exists" {
			t.Errorf("%+v", d)
		}
	}
}

func TestUnwillingToPerformIsNeverTakenForDone(t *testing.T) {
	s := newScripted(t, func(s *scripted, _ string, _ *ber.Packet) (int, string, string) {
		s.member = true
		return 53, "", "00000561: SvcErr: DSID-031A1254, problem 5003 (WILL_NOT_PERFORM), data 0"
	})
	req := requests()[v1.OpEntitlementGrant]
	req.AuthConfig = s.auth()
	if got, err := provisioner().Provision(t.Context(), req); err == nil {
		t.Errorf("%+v", got)
	}
}

func TestAChangeWithoutAnAnswerIsUnknownAndSentOnce(t *testing.T) {
	for op, req := range requests() {
		t.Run(string(op), func(t *testing.T) {
			s := newScripted(t, func(*scripted, string, *ber.Packet) (int, string, string) { return -1, "", "" })
			s.member = op == v1.OpEntitlementRevoke
			req.AuthConfig = s.auth()
			got, err := provisioner().Provision(t.Context(), req)
			if err != nil {
				t.Fatalf("an error would say that nothing was changed: %v", err)
			}
			d := got.ErrorDetail
			if got.Success || got.Outcome != v1.OutcomeUnknown || got.Verified || d == nil || got.Error == nil ||
				d.Code != "ldap_unanswered" || d.Class != v1.ClassTransient || len(got.Plan) == 0 {
				t.Errorf("%+v", got)
			}
			if s.changes.Load() != 1 {
				t.Errorf("sent %d times", s.changes.Load())
			}
			noSecretsOf(t, s.auth(), req, got)
		})
	}
}

func TestAChangeThatIsGivenUpIsUnknown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newScripted(t, func(*scripted, string, *ber.Packet) (int, string, string) { cancel(); return -1, "", "" })
	req := requests()[v1.OpAccountUpdate]
	req.AuthConfig = s.auth()
	got, err := provisioner().Provision(ctx, req)
	if err != nil || got.Success || got.Outcome != v1.OutcomeUnknown || got.ErrorDetail == nil ||
		s.changes.Load() != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestARenameThatStopsHalfwayIsUnknown(t *testing.T) {
	s := newScripted(t, func(s *scripted, op string, _ *ber.Packet) (int, string, string) {
		if op == "modify" {
			return 50, "", "no"
		}
		return 0, "", ""
	})
	req := requests()[v1.OpAccountRename]
	req.Account.Email = ptr("b@x")
	req.AuthConfig = s.auth()
	got, err := provisioner().Provision(t.Context(), req)
	if err != nil || got.Success || got.Outcome != v1.OutcomeUnknown || got.ErrorDetail.Code != "ldap_50" ||
		!strings.Contains(*got.Error, "1 of 2 requests were carried out") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestADryRunSendsNothingButReads(t *testing.T) {
	for op, req := range requests() {
		s := newScripted(t, func(*scripted, string, *ber.Packet) (int, string, string) { return 0, "", "" })
		s.member = op == v1.OpEntitlementRevoke
		req.AuthConfig, req.DryRun = s.auth(), true
		got, err := provisioner().Provision(t.Context(), req)
		if err != nil || !got.Success || got.Outcome != v1.OutcomePlanned || len(got.Plan) == 0 ||
			s.changes.Load() != 0 {
			t.Errorf("%s: %+v, %v, %d changes", op, got, err, s.changes.Load())
		}
	}
}

func TestNothingIsPlannedForWhatCannotBe(t *testing.T) {
	who := v1.ProvisionTarget{RemoteID: scriptedAccount}
	attributes := func(a map[string]any) *v1.ProvisionAccount { return &v1.ProvisionAccount{Attributes: a} }
	for code, req := range map[string]v1.ProvisionRequest{
		"unknown_operation": {Op: "account.adopt", Target: who},
		"target_missing":    {Op: v1.OpAccountDisable},
		"account_not_found": {
			Op: v1.OpAccountDisable, Target: v1.ProvisionTarget{RemoteID: "44444444-4444-4444-4444-444444444444"},
		},
		"entitlement_not_found": {
			Op: v1.OpEntitlementGrant, Target: who,
			EntitlementRemoteIDs: []string{"55555555-5555-5555-5555-555555555555"},
		},
		"entitlement_missing": {Op: v1.OpEntitlementGrant, Target: who},
		"username_missing":    {Op: v1.OpAccountCreate, Account: &v1.ProvisionAccount{}},
		"secret_attribute": {
			Op: v1.OpAccountUpdate, Target: who, Account: attributes(map[string]any{"userPassword": "x"}),
		},
		"read_only_attribute": {
			Op: v1.OpAccountUpdate, Target: who, Account: attributes(map[string]any{"memberOf": "x"}),
		},
		"invalid_attribute": {
			Op: v1.OpAccountUpdate, Target: who, Account: attributes(map[string]any{"mail\nuserPassword": "x"}),
		},
		"invalid_value": {
			Op: v1.OpAccountUpdate, Target: who, Account: attributes(map[string]any{"mail": map[string]any{"a": 1}}),
		},
		"attribute_names_entry": {
			Op: v1.OpAccountUpdate, Target: who, Account: attributes(map[string]any{"uid": nil}),
		},
		"password_missing":        {Op: v1.OpAccountPassword, Target: who, Credential: &v1.NewCredential{Mode: "none"}},
		"unknown_credential_mode": {Op: v1.OpAccountPassword, Target: who, Credential: &v1.NewCredential{Mode: "sso"}},
		"principal_unsupported":   {Op: v1.OpEntitlementGrant, Target: who, PrincipalKind: "entitlement"},
		"version_unsupported":     {Op: v1.OpAccountDisable, Target: who, Expect: &v1.Expect{Version: `W/"1"`}},
		"invalid_container": {
			Op: v1.OpAccountRename, Target: who, Account: &v1.ProvisionAccount{Container: ptr("nowhere")},
		},
	} {
		s := newScripted(t, func(*scripted, string, *ber.Packet) (int, string, string) { return 0, "", "" })
		req.AuthConfig = s.auth()
		_, err := provisioner().Provision(t.Context(), req)
		if d := detailOf(t, err); code == "attribute_names_entry" && d.Code == "rename_needed" {
			continue // uid is the user name too
		} else if d.Code != code || d.Message == "" || s.changes.Load() != 0 {
			t.Errorf("want %s, got %s %q after %d changes", code, d.Code, d.Message, s.changes.Load())
		}
	}
}

func TestRealDirectoriesRefuseAndAreUnderstood(t *testing.T) {
	inEach(t, team, func(t *testing.T, d directory, s *ldaptest.Server) {
		auth := writes(d, s, nil)
		who := v1.ProvisionTarget{Username: "u001"}
		t.Run("the login may only read", func(t *testing.T) {
			reader := writes(d, s, map[string]any{"bind_dn": s.ReaderDN, "bind_password": s.ReaderPass})
			if d.name == "ApacheDS" {
				t.Log("everybody may do everything there, unless access control is switched on")
				return
			}
			_, err := try(
				t, reader,
				v1.ProvisionRequest{
					Op: v1.OpAccountUpdate, Target: who, Account: &v1.ProvisionAccount{Email: ptr("x@iga.test")},
				},
			)
			if d := detailOf(t, err); d.Class != v1.ClassPermission || !strings.HasPrefix(d.Code, "ldap_50") {
				t.Errorf("%+v", d)
			}
		})
		t.Run("a password that is too weak", func(t *testing.T) {
			if !d.ad {
				return // the others' policies do not bind administrators; see the test of OpenLDAP's
			}
			_, err := try(
				t, auth,
				v1.ProvisionRequest{
					Op: v1.OpAccountPassword, Target: who,
					Credential: &v1.NewCredential{Mode: "password", Password: "abcdef"},
				},
			)
			if d := detailOf(t, err); d.Class != v1.ClassPolicy || d.Code != "ldap_19_0000052d" ||
				!strings.Contains(d.Hint, "password policy") {
				t.Errorf("%+v", d)
			}
		})
		t.Run("an account with entries below it", func(t *testing.T) {
			got := provision(
				t, auth,
				v1.ProvisionRequest{
					Op:         v1.OpAccountCreate,
					Account:    &v1.ProvisionAccount{Username: ptr("parent"), LastName: ptr("Parent")},
					Credential: &v1.NewCredential{Mode: "random"},
				},
			)
			addBelow(t, d, s, got.Account.NativeIdentity)
			_, err := try(t, auth, v1.ProvisionRequest{Op: v1.OpAccountDelete, Target: account(got)})
			if d := detailOf(t, err); d.Class != v1.ClassConflict || !strings.HasPrefix(d.Code, "ldap_66") ||
				!strings.Contains(d.Hint, "below") {
				t.Errorf("%+v", d)
			}
			if !d.ad {
				return
			}
			whole := writes(d, s, map[string]any{"delete_leaf_only": false})
			expect(
				t, "delete with all below",
				provision(t, whole, v1.ProvisionRequest{Op: v1.OpAccountDelete, Target: account(got)}),
				v1.OutcomeApplied,
			)
		})
		t.Run("the last member of a group", func(t *testing.T) {
			all := mustRead(t, auth, nil)
			i := slices.IndexFunc(all.Entitlements, func(e v1.RemoteEntitlement) bool { return *e.Name == "crew" })
			got, err := try(
				t, auth,
				v1.ProvisionRequest{
					Op: v1.OpEntitlementRevoke, Target: who,
					EntitlementRemoteIDs: []string{all.Entitlements[i].ExternalID},
				},
			)
			if d.name != "OpenLDAP" && d.name != "ApacheDS" {
				if err != nil {
					t.Errorf("this directory has empty groups: %v", err)
				}
				return
			}
			if err == nil {
				t.Fatalf("%+v", got)
			}
			if d := detailOf(t, err); d.Class != v1.ClassConflict || d.Code != "ldap_65" ||
				!strings.Contains(d.Hint, "last member") {
				t.Errorf("%+v", d)
			}
		})
	})
}

func addBelow(t *testing.T, d directory, s *ldaptest.Server, dn string) {
	t.Helper()
	req := goldap.NewAddRequest("cn=device,"+dn, nil)
	req.Attribute("objectClass", []string{map[bool]string{true: "classStore", false: "device"}[d.ad]})
	req.Attribute("cn", []string{"device"})
	if err := s.Admin(t).Add(req); err != nil {
		t.Fatal(err)
	}
}

func TestWritesSaysWhatCanBeChanged(t *testing.T) {
	for _, tt := range []struct {
		auth v1.AuthConfig
		ops  int
		why  string
	}{
		{v1.AuthConfig{"host": "h", "bind_dn": "cn=a", "bind_password": "secret"}, 10, ""},
		{v1.AuthConfig{"host": "h"}, 0, "anonymous"},
		{v1.AuthConfig{}, 0, "host is missing"},
		{
			v1.AuthConfig{
				"host": "h", "bind_dn": "cn=a", "bind_password": "secret", "flavor": "ad", "security": "none",
			},
			9, "TLS",
		},
		{
			v1.AuthConfig{
				"host": "h", "bind_dn": "cn=a", "bind_password": "secret", "flavor": "ad", "security": "ldaps",
			},
			10, "",
		},
		{
			v1.AuthConfig{"host": "h", "bind_dn": "cn=a", "bind_password": "secret", "disable_strategy": "move"}, 0,
			"disabled_container",
		},
		{
			v1.AuthConfig{"host": "h", "bind_dn": "cn=a", "bind_password": "secret", "disable_strategy": "attribute"},
			0, "disable_attribute",
		},
		{
			v1.AuthConfig{"host": "h", "bind_dn": "cn=a", "bind_password": "secret", "create_container": "people"}, 0,
			"create_container is not a DN",
		},
	} {
		got := provisioner().Writes(tt.auth)
		if len(got.Ops) != tt.ops || !strings.Contains(got.Why, tt.why) || tt.why == "" && got.Why != "" {
			t.Errorf("Writes(%v) = %+v", tt.auth, got)
		}
	}
}

// policed is OpenLDAP with a password policy that binds the login.
func policed(t *testing.T) (*ldaptest.Server, v1.AuthConfig) {
	t.Helper()
	o := team(directory{})
	o.People[4].Password = "Manager-5-Password!"
	s := ldaptest.StartSlapd(
		t, ldaptest.Options{Org: o, PPolicy: true, Accesslog: true, MemberOf: true, Manager: "u004"},
	)
	m := goldap.NewModifyRequest("cn=policy,"+ldaptest.Suffix, nil)
	m.Replace("pwdCheckQuality", []string{"2"})
	m.Replace("pwdMinLength", []string{"10"})
	m.Replace("pwdInHistory", []string{"3"})
	m.Replace("pwdMustChange", []string{"TRUE"})
	if err := s.Admin(t).Modify(m); err != nil {
		t.Fatal(err)
	}
	return s, writes(
		directory{}, s, map[string]any{"bind_dn": s.UserDN("u004"), "bind_password": "Manager-5-Password!"},
	)
}

func TestThePasswordPolicyOfOpenLDAPIsHeard(t *testing.T) {
	s, auth := policed(t)
	who := v1.ProvisionTarget{Username: "u001"}
	reset := func(password string, force bool) (v1.ProvisionResponse, error) {
		return try(
			t, auth,
			v1.ProvisionRequest{
				Op: v1.OpAccountPassword, Target: who,
				Credential: &v1.NewCredential{Mode: "password", Password: password, ForceChange: force},
			},
		)
	}
	_, err := reset("abcdef", false)
	if d := detailOf(t, err); d.Class != v1.ClassPolicy || d.Code != "ldap_19" ||
		!strings.Contains(d.Hint, "password policy") || d.Target.LDAP.Diagnostic == "" {
		t.Errorf("too short: %+v", d)
	}
	got, err := reset(firstPassword, true)
	if err != nil || got.Outcome != v1.OutcomeApplied || !got.Verified || len(got.Plan) != 2 ||
		!strings.Contains(got.Plan[1].LDAP.LDIF, "replace: pwdReset\npwdReset: TRUE\n") || len(got.Warnings) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := binds(s, s.UserDN("u001"), firstPassword); err != nil {
		t.Error(err)
	}
	_, err = reset(firstPassword, false)
	if d := detailOf(t, err); d.Class != v1.ClassPolicy || d.Code != "ldap_19" {
		t.Errorf("used before: %+v", d)
	}
	// A new account whose password is refused is there all the same, and says so.
	made, err := try(
		t, auth,
		v1.ProvisionRequest{
			Op: v1.OpAccountCreate, Account: &v1.ProvisionAccount{Username: ptr("weak"), LastName: ptr("Weak")},
			Credential: &v1.NewCredential{Mode: "password", Password: "abcdef"},
		},
	)
	if err != nil || made.Outcome != v1.OutcomeApplied || made.Account == nil ||
		!hasWarning(made.Warnings, "password_refused") {
		t.Errorf("%+v, %v", made, err)
	}
	random := provision(
		t, auth,
		v1.ProvisionRequest{
			Op: v1.OpAccountCreate, Account: &v1.ProvisionAccount{Username: ptr("random"), LastName: ptr("Random")},
			Credential: &v1.NewCredential{Mode: "random", ForceChange: true},
		},
	)
	expect(t, "a random password passes", random, v1.OutcomeApplied)
	if len(random.Warnings) != 0 {
		t.Errorf("warnings %v", random.Warnings)
	}
}

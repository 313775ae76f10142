package ldap_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	goldap "github.com/go-ldap/ldap/v3"
	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// kinds are groups of every model, each with one member who is somebody else.
var kinds = strings.Join([]string{
	"dn: cn=unique," + ldaptest.GroupsDN + "\nobjectClass: groupOfUniqueNames\ncn: unique\nuniqueMember: uid=u000," +
		ldaptest.PeopleDN + "\nuniqueMember: uid=u003," + ldaptest.PeopleDN + "#'0101'B\n",
	"dn: cn=posix," + ldaptest.GroupsDN + "\nobjectClass: posixGroup\ncn: posix\ngidNumber: 100\nmemberUid: u000\n",
	"dn: cn=role," + ldaptest.GroupsDN + "\nobjectClass: organizationalRole\ncn: role\nroleOccupant: uid=u000," +
		ldaptest.PeopleDN + "\n",
}, "\n")

func entitlement(t *testing.T, auth v1.AuthConfig, name string) string {
	t.Helper()
	all := mustRead(t, auth, &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Entitlements}}).Entitlements
	i := slices.IndexFunc(all, func(e v1.RemoteEntitlement) bool { return *e.Name == name })
	if i < 0 {
		t.Fatalf("there is no group %s", name)
	}
	return all[i].ExternalID
}

func TestEveryModelOfGroupsIsWritten(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Org: team(directory{}), LDIF: kinds})
	auth := writes(directory{}, s, nil)
	for _, tt := range []struct{ group, value string }{
		{"unique", "uniqueMember: " + s.UserDN("u002")},
		{"posix", "memberUid: u002"},
		{"crew", "member: " + s.UserDN("u002")},
	} {
		req := v1.ProvisionRequest{
			Target:               v1.ProvisionTarget{Username: "u002"},
			EntitlementRemoteIDs: []string{entitlement(t, auth, tt.group)},
		}
		for _, op := range []v1.ProvisionOp{v1.OpEntitlementGrant, v1.OpEntitlementRevoke} {
			req.Op = op
			got := provision(t, auth, req)
			expect(t, tt.group+" "+string(op), got, v1.OutcomeApplied)
			if !strings.Contains(got.Plan[0].LDAP.LDIF, tt.value+"\n") {
				t.Errorf("%s: %s", tt.group, got.Plan[0].LDAP.LDIF)
			}
			expect(t, tt.group+" again", provision(t, auth, req), v1.OutcomeAlready)
		}
	}
	t.Run("a member with a bit string", func(t *testing.T) {
		req := v1.ProvisionRequest{
			Op: v1.OpEntitlementRevoke, Target: v1.ProvisionTarget{Username: "u003"},
			EntitlementRemoteIDs: []string{entitlement(t, auth, "unique")},
		}
		expect(t, "revoke", provision(t, auth, req), v1.OutcomeApplied)
	})
	t.Run("an attribute of the settings", func(t *testing.T) {
		auth := writes(
			directory{}, s,
			map[string]any{"member_attribute": "roleOccupant", "group_object_classes": "organizationalRole"},
		)
		req := v1.ProvisionRequest{
			Op: v1.OpEntitlementGrant, Target: v1.ProvisionTarget{Username: "u002"},
			EntitlementRemoteIDs: []string{entitlement(t, auth, "role")},
		}
		expect(t, "grant", provision(t, auth, req), v1.OutcomeApplied)
		expect(t, "grant again", provision(t, auth, req), v1.OutcomeAlready)
	})
}

func TestActiveDirectoryIsWrittenAsItWantsToBe(t *testing.T) {
	s := ldaptest.StartSambaAD(t, team(directory{ad: true}))
	d := directory{ad: true}
	auth := writes(d, s, nil)
	plain := below(d, s, map[string]any{"bind_dn": s.AdminDN, "bind_password": s.AdminPass})
	create := func(t *testing.T, auth v1.AuthConfig, name string, c v1.NewCredential,
		a map[string]any) v1.ProvisionResponse {
		t.Helper()
		return provision(
			t, auth,
			v1.ProvisionRequest{
				Op:      v1.OpAccountCreate,
				Account: &v1.ProvisionAccount{Username: &name, Enabled: ptr(true), Attributes: a}, Credential: &c,
			},
		)
	}
	control := func(r v1.ProvisionResponse) string { return fmt.Sprint(r.Account.Attributes["userAccountControl"]) }

	t.Run("without TLS an account stays disabled", func(t *testing.T) {
		for range 2 {
			got := create(t, plain, "plain", v1.NewCredential{Mode: "random"}, nil)
			if !got.Success || !got.Verified || !*got.Account.IsDisabled ||
				!hasWarning(got.Warnings, "password_needs_tls") {
				t.Errorf("%+v", got)
			}
		}
		_, err := try(
			t, plain,
			v1.ProvisionRequest{
				Op: v1.OpAccountPassword, Target: v1.ProvisionTarget{Username: "plain"},
				Credential: &v1.NewCredential{Mode: "random"},
			},
		)
		if d := detailOf(t, err); d.Class != v1.ClassPolicy || d.Code != "password_needs_tls" || d.Hint == "" {
			t.Errorf("%+v", d)
		}
	})
	t.Run("without a password an account stays disabled", func(t *testing.T) {
		got := create(t, auth, "bare", v1.NewCredential{Mode: "none"}, nil)
		if !*got.Account.IsDisabled || !hasWarning(got.Warnings, "left_disabled") || len(got.Plan) != 1 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a password that is refused leaves the account disabled", func(t *testing.T) {
		got, err := try(
			t, auth,
			v1.ProvisionRequest{
				Op: v1.OpAccountCreate, Account: &v1.ProvisionAccount{Username: ptr("weak")},
				Credential: &v1.NewCredential{Mode: "password", Password: "abcdef"},
			},
		)
		if err != nil || got.Verified || !*got.Account.IsDisabled || !hasWarning(got.Warnings, "password_refused") {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("other bits of userAccountControl stay", func(t *testing.T) {
		got := create(
			t, auth, "bits", v1.NewCredential{Mode: "random", ForceChange: false},
			map[string]any{"userAccountControl": "66048"},
		)
		who := account(got)
		if control(got) != "66048" || !got.Verified {
			t.Errorf("created with %s, %v", control(got), got.Warnings)
		}
		if got = provision(
			t, auth, v1.ProvisionRequest{Op: v1.OpAccountDisable, Target: who},
		); control(got) != "66050" {
			t.Errorf("disabled: %s", control(got))
		}
		if got = provision(
			t, auth,
			v1.ProvisionRequest{
				Op: v1.OpAccountUpdate, Target: who,
				Account: &v1.ProvisionAccount{Attributes: map[string]any{"userAccountControl": "512"}},
			},
		); control(got) != "514" {
			t.Errorf("updated: %s", control(got))
		}
		if got = provision(t, auth, v1.ProvisionRequest{Op: v1.OpAccountEnable, Target: who}); control(got) != "512" {
			t.Errorf("enabled: %s", control(got))
		}
	})
	t.Run("a password that has to be changed", func(t *testing.T) {
		got := create(t, auth, "forced", v1.NewCredential{Mode: "random", ForceChange: true}, nil)
		if !got.Verified || !*got.Account.PasswordExpired || *got.Account.IsDisabled || len(got.Plan) != 4 {
			t.Errorf("%+v", got)
		}
		got = provision(
			t, auth,
			v1.ProvisionRequest{
				Op: v1.OpAccountPassword, Target: account(got),
				Credential: &v1.NewCredential{Mode: "password", Password: secondPassword, ForceChange: true},
			},
		)
		expect(t, "reset", got, v1.OutcomeApplied)
	})
	t.Run("times are written as they are read", func(t *testing.T) {
		who := v1.ProvisionTarget{Username: "bits"}
		for value, want := range map[any]any{"2030-05-06T07:08:09Z": "2030-05-06T07:08:09Z", nil: nil} {
			req := v1.ProvisionRequest{
				Op: v1.OpAccountUpdate, Target: who,
				Account: &v1.ProvisionAccount{Attributes: map[string]any{"accountExpires": value}},
			}
			got := provision(t, auth, req)
			if !got.Verified || got.Account.Attributes["accountExpires"] != want {
				t.Errorf("accountExpires %v", got.Account.Attributes["accountExpires"])
			}
			expect(t, "again", provision(t, auth, req), v1.OutcomeNoop)
		}
	})
	t.Run("nobody leaves the primary group", func(t *testing.T) {
		users := entitlement(t, auth, "Domain Users")
		req := v1.ProvisionRequest{
			Op: v1.OpEntitlementRevoke, Target: v1.ProvisionTarget{Username: "u001"},
			EntitlementRemoteIDs: []string{users},
		}
		_, err := try(t, auth, req)
		if d := detailOf(t, err); d.Class != v1.ClassConflict || d.Code != "primary_group" {
			t.Errorf("%+v", d)
		}
		req.Op = v1.OpEntitlementGrant
		expect(t, "grant", provision(t, auth, req), v1.OutcomeAlready)
	})
	t.Run("the name of a group is taken", func(t *testing.T) {
		_, err := try(
			t, auth,
			v1.ProvisionRequest{
				Op: v1.OpAccountCreate, Account: &v1.ProvisionAccount{Username: ptr("crew")},
				Credential: &v1.NewCredential{Mode: "random"},
			},
		)
		if d := detailOf(t, err); d.Class != v1.ClassConflict || !strings.HasPrefix(d.Code, "ldap_68") {
			t.Errorf("%+v", d)
		}
	})
	t.Run("StartTLS is TLS", func(t *testing.T) {
		auth := writes(d, s, map[string]any{"security": "starttls", "port": s.Port})
		got := provision(
			t, auth,
			v1.ProvisionRequest{
				Op: v1.OpAccountPassword, Target: v1.ProvisionTarget{Username: "bits"},
				Credential: &v1.NewCredential{Mode: "random"},
			},
		)
		expect(t, "reset", got, v1.OutcomeApplied)
	})
	t.Run("new accounts go where one would look for them", func(t *testing.T) {
		for base, want := range map[string]string{
			ldaptest.Suffix: ",cn=users," + ldaptest.Suffix, ldaptest.PeopleDN: "," + ldaptest.PeopleDN,
		} {
			auth := writes(d, s, map[string]any{"base_dn": base, "user_base_dn": nil})
			got := provision(
				t, auth,
				v1.ProvisionRequest{
					Op: v1.OpAccountCreate, Account: &v1.ProvisionAccount{Username: ptr("placed")},
					Credential: &v1.NewCredential{Mode: "random"},
				},
			)
			if !got.Verified || got.Account.NativeRef != "cn=placed"+want ||
				got.Account.Attributes["userPrincipalName"] != "placed@iga.test" {
				t.Errorf("below %s: %+v", base, got.Account)
			}
			expect(
				t, "delete", provision(t, auth, v1.ProvisionRequest{Op: v1.OpAccountDelete, Target: account(got)}),
				v1.OutcomeApplied,
			)
		}
	})
	t.Run("user names that are addresses", func(t *testing.T) {
		auth := writes(d, s, map[string]any{"username_attribute": "userPrincipalName"})
		req := v1.ProvisionRequest{
			Op: v1.OpAccountCreate, Account: &v1.ProvisionAccount{Username: ptr("upn@iga.test")},
			Credential: &v1.NewCredential{Mode: "random"},
		}
		got := provision(t, auth, req)
		expect(t, "create", got, v1.OutcomeApplied)
		if got.Account.Attributes["sAMAccountName"] != "upn" {
			t.Errorf("%+v", got.Account.Attributes)
		}
		expect(t, "create again", provision(t, auth, req), v1.OutcomeAlready)
	})
	t.Run("the permissive control is sent where it is offered", func(t *testing.T) {
		got := provision(
			t, auth,
			v1.ProvisionRequest{
				Op: v1.OpEntitlementGrant, Target: v1.ProvisionTarget{Username: "u002"},
				EntitlementRemoteIDs: []string{entitlement(t, auth, "crew")},
			},
		)
		if !strings.Contains(got.Plan[0].LDAP.LDIF, "control: 1.2.840.113556.1.4.1413 true\n") {
			t.Errorf("%s", got.Plan[0].LDAP.LDIF)
		}
	})
}

// hostile are names that mean something else wherever one forgets to escape.
var hostile = []string{
	"a,b", "a+b=c", "#1f", " lead", "trail ", `back\slash`, `back\,slash`, `"quoted"`, "a=b", "*", "(x)(uid=*)",
	"x)(objectClass=*", "semi;colon", "<less>",
	"uid=u000,ou=people,dc=iga,dc=test", "new\nline: x", "-", "changetype: delete", "ünï 🦉", "nul\x00nul",
	"  two  spaces  ", ": colon", "a\x7fb", "\\2C", "../..", "${x}", "{username}",
}

func TestHostileNamesAreOnlyNames(t *testing.T) {
	for _, d := range directories {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			s := d.start(t, team(d))
			auth := writes(d, s, nil)
			if d.ad { // which keeps most of these characters out of user names, and takes them in the name of an entry
				auth["create_rdn_value"] = "{display_name}"
			}
			group := entitlement(t, auth, "crew")
			before := people(mustRead(t, auth, nil))
			made := 0
			for _, name := range hostile {
				if hostileName(t, d, auth, group, name) {
					made++
				}
			}
			if least := 19; made < least {
				t.Errorf("only %d of %d names were taken", made, len(hostile))
			}
			if diff := cmp.Diff(before, people(mustRead(t, auth, nil))); diff != "" {
				t.Errorf("somebody else was changed (-before +after)\n%s", diff)
			}
		})
	}
}

// hostileName makes, uses and deletes an account of that name. A directory may refuse a name; it must not
// take it for something else.
func hostileName(t *testing.T, d directory, auth v1.AuthConfig, group, name string) bool {
	t.Helper()
	as := func(name string) *v1.ProvisionAccount { return &v1.ProvisionAccount{Username: &name} }
	if d.ad {
		as = func(name string) *v1.ProvisionAccount {
			return &v1.ProvisionAccount{Username: ptr("enemy"), DisplayName: &name}
		}
	}
	create := v1.ProvisionRequest{
		Op: v1.OpAccountCreate, Account: as(name), Credential: &v1.NewCredential{Mode: "none"},
	}
	create.AuthConfig = auth
	got, err := provisioner().Provision(t.Context(), create)
	if err != nil {
		if d := detailOf(t, err); d.Hint == "" {
			t.Errorf("%q is refused without a hint: %+v", name, d)
		}
		return false
	}
	if got.Account == nil || got.Account.Username == nil {
		t.Errorf("%q was made and is not shown: %+v", name, got)
		return false
	}
	dn, err := goldap.ParseDN(got.Account.NativeIdentity)
	if err != nil || len(dn.RDNs[0].Attributes) != 1 || strings.Join(
		strings.Fields(dn.RDNs[0].Attributes[0].Value), " ",
	) != strings.Join(strings.Fields(name), " ") {
		t.Errorf("%q became %q (%v)", name, got.Account.NativeIdentity, err)
	}
	if !strings.HasSuffix(ldapdn.Normalize(got.Account.NativeIdentity), ","+ldaptest.PeopleDN) {
		t.Errorf("%q lies at %q", name, got.Account.NativeIdentity)
	}
	if bad := strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl); bad && !d.ad {
		t.Errorf("%q was taken", name)
	}
	for i, req := range []v1.ProvisionRequest{
		{Op: v1.OpEntitlementGrant, EntitlementRemoteIDs: []string{group}},
		{Op: v1.OpEntitlementRevoke, EntitlementRemoteIDs: []string{group}},
		{
			Op: v1.OpAccountUpdate,
			Account: &v1.ProvisionAccount{
				Attributes: map[string]any{"description": name, "manager": got.Account.NativeRef},
			},
		},
		{Op: v1.OpAccountRename, Account: as("tame")}, {Op: v1.OpAccountRename, Account: as(name)},
		{Op: v1.OpAccountDelete},
	} {
		req.AuthConfig, req.Target = auth, account(got)
		out, err := provisioner().Provision(t.Context(), req)
		if err != nil || out.Outcome != v1.OutcomeApplied || !out.Verified {
			t.Errorf("%q: %d %s: %+v %v", name, i, req.Op, out, err)
		}
	}
	return true
}

func TestWhatADryRunShowsCanBePlayed(t *testing.T) {
	tool, err := exec.LookPath("ldapmodify")
	if err != nil {
		t.Fatal("ldapmodify is not installed; install ldap-utils, or run .ci/setup test")
	}
	s := ldaptest.StartSlapd(t, ldaptest.Options{Org: team(directory{}), LDIF: kinds, Refint: true})
	auth := writes(directory{}, s, nil)
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte(s.AdminPass), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, name := range hostile {
		if strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) {
			continue // which is refused
		}
		who := v1.ProvisionTarget{Username: name}
		for _, req := range []v1.ProvisionRequest{
			{
				Op: v1.OpAccountCreate,
				Account: &v1.ProvisionAccount{
					Username: &name, LastName: &name,
					Attributes: map[string]any{
						"description": []any{"x", name, " y ", "é"}, "jpegPhoto": map[string]any{"$bin": "AAEC/w=="},
					},
				},
			},
			{
				Op: v1.OpAccountUpdate, Target: who,
				Account: &v1.ProvisionAccount{
					LastName: ptr(name + name),
					Attributes: map[string]any{
						"description": []any{"x", "é", "z\r\n"}, "title": name, "jpegPhoto": nil,
					},
				},
			},
			{Op: v1.OpEntitlementGrant, Target: who, EntitlementRemoteIDs: []string{entitlement(t, auth, "unique")}},
			{Op: v1.OpEntitlementRevoke, Target: who, EntitlementRemoteIDs: []string{entitlement(t, auth, "unique")}},
			{Op: v1.OpAccountRename, Target: who, Account: &v1.ProvisionAccount{Username: ptr(strconv.Itoa(i))}},
			{
				Op: v1.OpAccountRename, Target: v1.ProvisionTarget{Username: strconv.Itoa(i)},
				Account: &v1.ProvisionAccount{Username: &name},
			},
		} {
			req.AuthConfig, req.DryRun = auth, true
			planned, err := provisioner().Provision(t.Context(), req)
			if err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			for _, p := range planned.Plan {
				cmd := exec.Command(tool, "-x", "-H", s.URL, "-D", s.AdminDN, "-y", password)
				cmd.Stdin = strings.NewReader(p.LDAP.LDIF)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%q: %v\n%s\n%s", name, err, p.LDAP.LDIF, out)
				}
			}
			req.DryRun = false
			if req.Op == v1.OpAccountRename {
				req.Target = v1.ProvisionTarget{Username: *req.Account.Username}
			}
			got, err := provisioner().Provision(t.Context(), req)
			if err != nil || got.Outcome != v1.OutcomeAlready && got.Outcome != v1.OutcomeNoop || !got.Verified {
				t.Errorf("%q: after its plan was played %s is %s, %v, %v", name, req.Op, got.Outcome, got.Plan, err)
			}
		}
	}
}

// audited are the changes that the access log of OpenLDAP holds, as LDIF names them.
func audited(t *testing.T, s *ldaptest.Server) []string {
	t.Helper()
	found, err := s.Admin(t).Search(goldap.NewSearchRequest(
		"cn=accesslog", goldap.ScopeWholeSubtree, goldap.NeverDerefAliases, 0, 0, false,
		"(objectClass=auditWriteObject)", []string{"*"}, nil,
	))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range found.Entries {
		line := e.GetAttributeValue("reqType") + " " + e.GetAttributeValue("reqDN")
		for _, m := range e.GetAttributeValues("reqMod") {
			name, _, _ := strings.Cut(m, ":")
			if !slices.Contains(
				[]string{
					"entryCSN", "modifiersName", "modifyTimestamp", "entryUUID", "creatorsName", "createTimestamp",
					"structuralObjectClass", "memberOf", "pwdChangedTime",
				},
				name,
			) {
				line += "|" + m
			}
		}
		out = append(out, line)
	}
	return out
}

func TestTheDirectorysOwnLogShowsWhatWasPlanned(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Org: team(directory{}), Accesslog: true, PPolicy: true})
	auth := writes(directory{}, s, nil)
	who := v1.ProvisionTarget{Username: "u001"}
	group := entitlement(t, auth, "board, the")
	for _, tt := range []struct {
		req  v1.ProvisionRequest
		want []string
	}{
		{
			v1.ProvisionRequest{
				Op: v1.OpAccountUpdate, Target: who,
				Account: &v1.ProvisionAccount{
					Email: ptr("new@iga.test"), Attributes: map[string]any{"title": "T", "departmentNumber": nil},
				},
			},
			[]string{"modify " + s.UserDN("u001") + "|departmentNumber:=|mail:= new@iga.test|title:= T"},
		},
		{
			v1.ProvisionRequest{Op: v1.OpAccountDisable, Target: who},
			[]string{"modify " + s.UserDN("u001") + "|pwdAccountLockedTime:= 000001010000Z"},
		},
		{
			v1.ProvisionRequest{Op: v1.OpAccountEnable, Target: who},
			[]string{"modify " + s.UserDN("u001") + "|pwdAccountLockedTime:="},
		},
		{
			v1.ProvisionRequest{Op: v1.OpEntitlementGrant, Target: who, EntitlementRemoteIDs: []string{group}},
			[]string{"modify " + s.GroupDN("board, the") + "|member:+ " + s.UserDN("u001")},
		},
		{v1.ProvisionRequest{Op: v1.OpEntitlementGrant, Target: who, EntitlementRemoteIDs: []string{group}}, nil},
		{
			v1.ProvisionRequest{Op: v1.OpEntitlementRevoke, Target: who, EntitlementRemoteIDs: []string{group}},
			[]string{"modify " + s.GroupDN("board, the") + "|member:- " + s.UserDN("u001")},
		},
		{v1.ProvisionRequest{Op: v1.OpAccountDelete, Target: who}, []string{"delete " + s.UserDN("u001")}},
	} {
		before := len(audited(t, s))
		provision(t, auth, tt.req) // dry, and then in earnest
		got := audited(t, s)[before:]
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], `\2C`, `\,`)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" && len(tt.want)+len(got) > 0 {
			t.Errorf("%s (-want +logged)\n%s", tt.req.Op, diff)
		}
	}
}

func TestAccountsAreDisabledAsTheSettingsSay(t *testing.T) {
	s := ldaptest.StartSlapd(
		t,
		ldaptest.Options{
			Org:  team(directory{}),
			LDIF: "dn: ou=closed," + ldaptest.PeopleDN + "\nobjectClass: organizationalUnit\nou: closed\n",
		},
	)
	who := v1.ProvisionTarget{Username: "u002"}
	for name, changes := range map[string]map[string]any{
		"by an attribute": {
			"disable_strategy": "attribute", "disable_attribute": "employeeType", "disable_value": "gone",
		},
		"by one value or another": {
			"disable_strategy": "attribute", "disable_attribute": "employeeType", "disable_value": "gone",
			"enable_value": "here",
		},
		"by an attribute, few read": {
			"disable_strategy": "attribute", "disable_attribute": "employeeType", "disable_value": "gone",
			"attributes": "mail",
		},
		"by place": {"disable_strategy": "move", "disabled_container": "ou=closed," + ldaptest.PeopleDN},
	} {
		t.Run(name, func(t *testing.T) {
			auth := writes(directory{}, s, changes)
			for _, op := range []v1.ProvisionOp{v1.OpAccountDisable, v1.OpAccountEnable} {
				got := provision(t, auth, v1.ProvisionRequest{Op: op, Target: who})
				expect(t, string(op), got, v1.OutcomeApplied)
				asSynced(t, string(op), auth, got.Account)
				if *got.Account.IsDisabled != (op == v1.OpAccountDisable) {
					t.Errorf("%s: disabled %v", op, *got.Account.IsDisabled)
				}
				expect(
					t, string(op)+" again", provision(t, auth, v1.ProvisionRequest{Op: op, Target: who}),
					v1.OutcomeAlready,
				)
			}
			req := v1.ProvisionRequest{
				Op:      v1.OpAccountCreate,
				Account: &v1.ProvisionAccount{Username: ptr("later"), LastName: ptr("Later"), Enabled: ptr(false)},
			}
			got := provision(t, auth, req)
			expect(t, "create", got, v1.OutcomeApplied)
			if !*got.Account.IsDisabled {
				t.Errorf("made enabled: %+v", got.Account)
			}
			expect(t, "create again", provision(t, auth, req), v1.OutcomeAlready)
			expect(
				t, "delete", provision(t, auth, v1.ProvisionRequest{Op: v1.OpAccountDelete, Target: account(got)}),
				v1.OutcomeApplied,
			)
		})
	}
	t.Run("without a password policy", func(t *testing.T) {
		_, err := try(t, writes(directory{}, s, nil), v1.ProvisionRequest{Op: v1.OpAccountDisable, Target: who})
		if d := detailOf(t, err); d.Class != v1.ClassConfig || d.Code != "operation_not_supported" ||
			!strings.Contains(d.Hint, "disable_strategy") {
			t.Errorf("%+v", d)
		}
	})
	t.Run("out of the filter", func(t *testing.T) {
		auth := writes(
			directory{}, s,
			map[string]any{
				"disable_strategy": "attribute", "disable_attribute": "employeeType", "disable_value": "gone",
				"user_filter": "(!(employeeType=gone))",
			},
		)
		got := provision(t, auth, v1.ProvisionRequest{Op: v1.OpAccountDisable, Target: who})
		if !got.Verified || !hasWarning(got.Warnings, "outside_filter") {
			t.Errorf("%+v", got)
		}
		// It is found again all the same.
		got = provision(t, auth, v1.ProvisionRequest{Op: v1.OpAccountEnable, Target: who})
		expect(t, "enable", got, v1.OutcomeApplied)
		if hasWarning(got.Warnings, "outside_filter") {
			t.Errorf("warnings %v", got.Warnings)
		}
	})
	t.Run("out of sight", func(t *testing.T) {
		_, err := try(
			t,
			writes(directory{}, s, map[string]any{"disable_strategy": "move", "disabled_container": ldaptest.GroupsDN}),
			v1.ProvisionRequest{Op: v1.OpAccountDisable, Target: who},
		)
		if d := detailOf(t, err); d.Code != "container_outside" {
			t.Errorf("%+v", d)
		}
	})
	t.Run("nowhere", func(t *testing.T) {
		// A wrong setting stops every change of the connector; a wrong value of one account stops this account alone.
		nowhere := "ou=nowhere," + ldaptest.PeopleDN
		req := v1.ProvisionRequest{
			Op:      v1.OpAccountCreate,
			Account: &v1.ProvisionAccount{Username: ptr("nell"), LastName: ptr("Nowhere")},
		}
		_, err := try(t, writes(directory{}, s, map[string]any{"create_container": nowhere}), req)
		if d := detailOf(t, err); d.Code != "container_not_found" || d.Class != v1.ClassConfig {
			t.Errorf("by the connector's setting: %+v", d)
		}
		req.Account.Container = &nowhere
		_, err = try(t, writes(directory{}, s, nil), req)
		if d := detailOf(t, err); d.Code != "container_not_found" || d.Class != v1.ClassData {
			t.Errorf("by the account's own container: %+v", d)
		}
	})
}

// swallow passes requests on and hangs up instead of handing on the answer to the first that changes something.
func swallow(t *testing.T, target int, changes *atomic.Int32) int {
	t.Helper()
	return listener(t, func(c net.Conn) {
		defer c.Close()
		up, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", target))
		if err != nil {
			return
		}
		defer up.Close()
		go func() { _, _ = io.Copy(up, &watched{Conn: c, changes: changes}) }()
		buf := make([]byte, 64<<10)
		for {
			n, err := up.Read(buf)
			if changes.Load() > 0 || err != nil {
				return
			}
			if _, err := c.Write(buf[:n]); err != nil {
				return
			}
		}
	})
}

// watched counts requests that change something: each is read in one piece, its type behind the number of the message.
type watched struct {
	net.Conn
	changes *atomic.Int32
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	for _, head := range []int{5, 6, 7, 8} {
		if n > head && p[0] == 0x30 && slices.Contains([]byte{0x66, 0x68, 0x4A, 0x6C}, p[head]) && p[head-3] == 0x02 {
			w.changes.Add(1)
			break
		}
	}
	return n, err
}

func TestAChangeWhoseAnswerIsLostIsFoundByReading(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Org: team(directory{})})
	auth := below(directory{}, s, map[string]any{"bind_dn": s.AdminDN, "bind_password": s.AdminPass})
	var changes atomic.Int32
	lossy := with(s, auth)
	lossy["port"] = swallow(t, s.Port, &changes)
	create := v1.ProvisionRequest{
		Op: v1.OpAccountCreate, Account: &v1.ProvisionAccount{Username: ptr("lost"), LastName: ptr("Lost")},
	}
	create.AuthConfig = lossy
	got, err := provisioner().Provision(t.Context(), create)
	if err != nil || got.Success || got.Outcome != v1.OutcomeUnknown || got.ErrorDetail.Code != "ldap_unanswered" {
		t.Fatalf("%+v, %v", got, err)
	}
	if n := changes.Load(); n != 1 {
		t.Errorf("sent %d times", n)
	}
	now := readBack(t, auth, v1.ProvisionTarget{Username: "lost"})
	if now[0].Account == nil || *now[0].Account.LastName != "Lost" {
		t.Errorf("read: %+v", now)
	}
	expect(t, "create after it was lost", provision(t, auth, create), v1.OutcomeAlready)
}

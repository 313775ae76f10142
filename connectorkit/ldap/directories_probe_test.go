package ldap_test

import (
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"
	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func checkProbe(t *testing.T, d directory, s *ldaptest.Server) {
	t.Helper()
	got := probe(t, agentEnv(), below(d, s, nil))
	anonymous := "paged_search_anonymous 0"
	if d.ad {
		anonymous = "paged_search_anonymous operationsError"
	}
	want := []string{"dns ok", "tcp ok", "anonymous_bind 0", anonymous, "bind 0", "paged_search 0"}
	if diff := cmp.Diff(want, steps(got)); diff != "" || !got.Success {
		t.Errorf("success %v, %+v, steps (-want +got)\n%s", got.Success, got.Error, diff)
	}
	if detail := got.Steps[len(got.Steps)-1].Detail; detail != "1 entry returned" {
		t.Errorf("the search found %q", detail)
	}
	if f := got.Facts; f == nil || f.Vendor != d.vendor || len(f.SupportedControls) == 0 ||
		!containsFold(f.NamingContexts, ldaptest.Suffix) {
		t.Errorf("facts %+v", f)
	}
}

func containsFold(list []string, want string) bool {
	for _, s := range list {
		if strings.EqualFold(s, want) {
			return true
		}
	}
	return false
}

// checkAnonymous is the probe and the sync of somebody who gave no login. What a directory shows then
// differs: OpenLDAP and ApacheDS are open here, Active Directory refuses, and 389 Directory Server answers
// with success and nobody.
func checkAnonymous(t *testing.T, d directory, s *ldaptest.Server) {
	t.Helper()
	auth := below(d, s, map[string]any{"bind_dn": nil, "bind_password": nil})
	got := probe(t, agentEnv(), auth)
	switch d.name {
	case "Samba":
		if got.Success || got.Error.Target.LDAP.ResultCode != 1 || got.Error.Class != v1.ClassAuth ||
			!strings.Contains(got.Error.Hint, "bind DN") {
			t.Errorf("success %v, error %+v", got.Success, got.Error)
		}
		if _, err := read(t, agentEnv(), auth, nil); detailOf(t, err).Class != v1.ClassAuth {
			t.Errorf("a sync fails with %v", err)
		}
	case "389 Directory Server":
		if !got.Success || !hasWarning(got.Warnings, "no_entries") || got.Steps[3].Detail != "no entry returned" {
			t.Errorf("success %v, warnings %v, steps %+v", got.Success, got.Warnings, got.Steps)
		}
		all := mustRead(t, auth, nil)
		for kind, scope := range all.scopes {
			if scope.Complete && kind != v1.Entitlements || scope.Count != 0 {
				t.Errorf("%s were read as %+v", kind, scope)
			}
		}
	default:
		if all := mustRead(t, auth, nil); !got.Success || len(all.Accounts) != 200 {
			t.Errorf("success %v, %d accounts", got.Success, len(all.Accounts))
		}
	}
}

func checkWrongPassword(t *testing.T, d directory, s *ldaptest.Server) {
	t.Helper()
	got := probe(t, agentEnv(), below(d, s, map[string]any{"bind_password": "not-the-password"}))
	if got.Success || got.Error.Class != v1.ClassAuth ||
		got.Error.Target.LDAP.ResultCode != goldap.LDAPResultInvalidCredentials {
		t.Fatalf("success %v, error %+v", got.Success, got.Error)
	}
	if last := got.Steps[len(got.Steps)-1]; last.Name != "bind" || last.OK || last.LDAP.ResultCode != 49 {
		t.Errorf("steps %v", steps(got))
	}
	r, hint := got.Error.Target.LDAP, got.Error.Hint
	switch {
	case d.ad && (r.ADSubcode != "52e" || got.Error.Code != "ldap_49_52e" ||
		!strings.Contains(hint, "password is wrong")):
		t.Errorf("code %s, sub-code %q of %q, hint %q", got.Error.Code, r.ADSubcode, r.Diagnostic, hint)
	case !d.ad && (got.Error.Code != "ldap_49" || r.ADSubcode != "" ||
		!strings.Contains(hint, "Wrong bind DN or password")):
		t.Errorf("code %s, sub-code %q of %q, hint %q", got.Error.Code, r.ADSubcode, r.Diagnostic, hint)
	case d.name == "ApacheDS" && !strings.Contains(r.Diagnostic, "INVALID_CREDENTIALS"):
		t.Errorf("the directory's own words are missing: %q", r.Diagnostic)
	}
}

func checkTLS(t *testing.T, d directory, s *ldaptest.Server) {
	t.Helper()
	other, err := ldaptest.NewAuthority("Somebody else's CA")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ security, step string }{{"ldaps", "tls"}, {"starttls", "start_tls"}} {
		auth := below(d, s, map[string]any{"security": tt.security, "ca_pem": s.CAPEM})
		if tt.security == "ldaps" {
			auth["port"] = s.TLSPort
		}
		got := probe(t, agentEnv(), auth)
		if !got.Success || got.Steps[2].Name != tt.step || got.Steps[2].TLS == nil ||
			!strings.HasPrefix(got.Steps[2].TLS.Version, "TLS 1.") {
			t.Errorf("%s: success %v, error %+v, steps %v", tt.security, got.Success, got.Error, steps(got))
		}
		if all := mustRead(t, auth, nil); len(all.Accounts) != 200 || hasWarning(all.warnings, "plaintext") {
			t.Errorf("%s: %d accounts, warnings %v", tt.security, len(all.Accounts), all.warnings)
		}
		auth["ca_pem"] = other.PEM
		if got = probe(t, agentEnv(), auth); got.Success || got.Error.Code != "tls_unknown_authority" ||
			len(got.Steps) != 3 {
			t.Errorf(
				"%s with another authority: success %v, error %+v, steps %v", tt.security, got.Success, got.Error,
				steps(got),
			)
		}
	}
}

func checkFields(t *testing.T, d directory, s *ldaptest.Server) {
	t.Helper()
	got, err := ldap.New(agentEnv()).Discover(t.Context(), v1.DiscoverRequest{AuthConfig: below(d, s, nil)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]v1.DiscoveredField{}
	for _, o := range got.Objects {
		if o.Kind == "account" {
			for _, f := range o.Fields {
				fields[strings.ToLower(f.Name)] = f
			}
		}
	}
	for _, name := range []string{"sn", "givenname", "mail", "manager", "employeenumber"} {
		if f := fields[name]; len(f.Samples) == 0 {
			t.Errorf("discovery has no sample of %s: %+v", name, f)
		}
	}
	if f := fields["manager"]; f.Type != "reference" {
		t.Errorf("manager has the type %s, want a reference", f.Type)
	}
	if d.ad {
		if f := fields["useraccountcontrol"]; f.Type != "integer" {
			t.Errorf("userAccountControl has the type %s, want an integer", f.Type)
		}
	}
}

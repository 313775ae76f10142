package ldap_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func discover(t *testing.T, req v1.DiscoverRequest) v1.DiscoverResponse {
	t.Helper()
	out, err := ldap.New(agentEnv()).Discover(t.Context(), req, nil)
	if err != nil {
		t.Fatalf("Discover: %v", err)
	}
	return out
}

func fieldOf(t *testing.T, o v1.DiscoveredObject, name string) v1.DiscoveredField {
	t.Helper()
	i := slices.IndexFunc(o.Fields, func(f v1.DiscoveredField) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("%s has no field %s", o.NativeType, name)
	}
	return o.Fields[i]
}

func TestDiscoveryJoinsSchemaAndSamples(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 20, Groups: 2, PerGroup: 3})
	got := discover(t, v1.DiscoverRequest{AuthConfig: with(s, nil)})
	var kinds []string
	for _, o := range got.Objects {
		kinds = append(kinds, o.Kind+" "+o.NativeType+" "+o.SuggestedKey)
	}
	if diff := cmp.Diff(
		[]string{
			"identity inetOrgPerson entryUUID", "account inetOrgPerson entryUUID",
			"entitlement groupOfNames entryUUID",
		},
		kinds,
	); diff != "" {
		t.Fatalf("objects (-want +got)\n%s", diff)
	}
	person := got.Objects[0]
	for _, want := range []v1.DiscoveredField{
		{
			Name: "mail", Path: "mail", Type: "string", Format: "email", Multi: true, Writable: true, Source: "both",
			Samples: []string{"u0000000@iga.test", "u0000001@iga.test", "u0000002@iga.test"}, UniqueRatio: 1,
			DistinctInSample: 10,
		},
		{
			Name: "sn", Path: "sn", Type: "string", Multi: true, Required: true, Writable: true, Source: "both",
			Samples: []string{"Andersson"}, UniqueRatio: 0.1, DistinctInSample: 1,
		},
		{
			Name: "manager", Path: "manager", Type: "reference", Format: "dn", Multi: true, Writable: true,
			Source: "both", Samples: []string{ldaptest.UserDN(0)}, NullRatio: 0.1, UniqueRatio: 1.0 / 9,
			DistinctInSample: 1,
		},
		{
			Name: "employeeNumber", Path: "employeeNumber", Type: "string", Writable: true, Source: "both",
			Samples: []string{"100000", "100001", "100002"}, UniqueRatio: 1, DistinctInSample: 10,
		},
		{
			Name: "uidNumber", Path: "uidNumber", Type: "integer", Required: true, Writable: true, Source: "schema",
			NullRatio: 1,
		},
		{
			Name: "userPassword", Path: "userPassword", Type: "binary", Multi: true, Writable: true, Source: "schema",
			NullRatio: 1, Secret: true,
		},
	} {
		f := fieldOf(t, person, want.Name)
		if f.Description == "" {
			t.Errorf("%s has no description", f.Name)
		}
		f.Description = ""
		if diff := cmp.Diff(want, f); diff != "" {
			t.Errorf("%s (-want +got)\n%s", want.Name, diff)
		}
	}
	if f := fieldOf(t, person, "createTimestamp"); f.Type != "datetime" || f.Writable ||
		!strings.HasSuffix(f.Samples[0], "Z") {
		t.Errorf("createTimestamp = %+v", f)
	}
	if f := fieldOf(t, person, "entryUUID"); f.Format != "uuid" || f.UniqueRatio != 1 {
		t.Errorf("entryUUID = %+v", f)
	}
	for _, f := range got.Objects[2].Fields {
		if f.Name == "member" {
			t.Error("members are grants, not a field")
		}
	}
}

func TestTheDigestStaysWhileTheSchemaStays(t *testing.T) {
	a := ldaptest.StartSlapd(t, ldaptest.Options{Users: 20, Groups: 2, PerGroup: 3})
	first := discover(t, v1.DiscoverRequest{AuthConfig: with(a, nil)})
	second := discover(
		t, v1.DiscoverRequest{AuthConfig: with(a, map[string]any{"user_filter": "(uid=u0000007)"}), SampleSize: 1},
	)
	if first.SchemaDigest != second.SchemaDigest || !strings.HasPrefix(first.SchemaDigest, "sha256:") {
		t.Errorf("digests %s and %s", first.SchemaDigest, second.SchemaDigest)
	}
	other := discover(
		t,
		v1.DiscoverRequest{AuthConfig: with(a, map[string]any{"group_object_classes": []string{"organizationalRole"}})},
	)
	if other.SchemaDigest == first.SchemaDigest {
		t.Error("other classes have the same digest")
	}
}

func TestSecretsAndBinaryNeverShowInSamples(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{LDIF: oddities})
	// The administrator may read the password.
	auth := with(s, map[string]any{"bind_dn": s.AdminDN, "bind_password": s.AdminPass})
	got := discover(t, v1.DiscoverRequest{AuthConfig: auth, Objects: []v1.ObjectKind{v1.Accounts}})
	if len(got.Objects) != 1 || got.Objects[0].Kind != "account" {
		t.Fatalf("objects %+v", got.Objects)
	}
	password, photo := fieldOf(t, got.Objects[0], "userPassword"), fieldOf(t, got.Objects[0], "jpegPhoto")
	if !password.Secret || password.Source != "both" || len(password.Samples) != 0 || photo.Type != "binary" ||
		len(photo.Samples) != 0 {
		t.Errorf("password %+v, photo %+v", password, photo)
	}
	if b, _ := json.Marshal(got); strings.Contains(string(b), "hunter2") {
		t.Error("a password is part of the answer")
	}
	if got := mustRead(t, auth, nil); slices.ContainsFunc(got.Accounts, func(a v1.RemoteAccount) bool {
		return a.Attributes["userPassword"] != nil
	}) {
		t.Error("a password was read")
	}
	// Asking for it by name does not help either.
	asked := with(
		s,
		map[string]any{"bind_dn": s.AdminDN, "bind_password": s.AdminPass, "attributes": []any{"userPassword", "sn"}},
	)
	for _, a := range mustRead(t, asked, nil).Accounts {
		if a.Attributes["userPassword"] != nil || len(a.Attributes) > 1 {
			t.Errorf("attributes %v", a.Attributes)
		}
	}
}

func TestSamplesAreMaskedOnRequest(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 3})
	got := discover(t, v1.DiscoverRequest{AuthConfig: with(s, nil), MaskSamples: true})
	if diff := cmp.Diff(
		[]string{"u***@i***.test", "u***@i***.test", "u***@i***.test"}, fieldOf(t, got.Objects[0], "mail").Samples,
	); diff != "" {
		t.Errorf("samples (-want +got)\n%s", diff)
	}
}

func TestDiscoveryOfActiveDirectoryUsesContentRules(t *testing.T) {
	f := activeDirectory(t)
	f.root["subschemaSubentry"] = []string{"CN=Aggregate,CN=Schema,DC=x"}
	inner := f.search
	f.search = func(r fakeSearch) fakeAnswer {
		if r.base != "CN=Aggregate,CN=Schema,DC=x" {
			return inner(r)
		}
		return fakeAnswer{entries: []fakeEntry{{r.base, attrs{
			"objectClasses": {
				"( 1.2.840.113556.1.5.9 NAME 'user' SUP organizationalPerson STRUCTURAL MAY (userAccountControl $ " +
					"objectGUID ) )",
				"( 2.5.6.7 NAME 'organizationalPerson' SUP top STRUCTURAL MAY (title ) )",
				"( 1.2.840.113556.1.5.6 NAME 'securityPrincipal' SUP top AUXILIARY MUST (sAMAccountName ) MAY " +
					"(objectSid ) )",
				"( 2.5.6.0 NAME 'top' ABSTRACT MUST (objectClass ) )",
			},
			"dITContentRules": {
				"( 1.2.840.113556.1.5.9 NAME 'user' AUX ( securityPrincipal $ mailRecipient ) MAY (accountExpires ) )",
			},
			"attributeTypes": {
				"( 1.2.840.113556.1.4.159 NAME 'accountExpires' SYNTAX '1.2.840.113556.1.4.906' SINGLE-VALUE )",
				"( 1.2.840.113556.1.4.221 NAME 'sAMAccountName' SYNTAX '1.3.6.1.4.1.1466.115.121.1.15' SINGLE-VALUE )",
			},
		}}}}
	}
	got := discover(t, v1.DiscoverRequest{AuthConfig: f.auth(), Objects: []v1.ObjectKind{v1.Identities}})
	person := got.Objects[0]
	if name := fieldOf(t, person, "sAMAccountName"); !name.Required || name.Multi || name.Source != "both" {
		t.Errorf("sAMAccountName = %+v", name)
	}
	if at := fieldOf(t, person, "accountExpires"); at.Format != "filetime" || at.Type != "datetime" ||
		len(at.Samples) != 1 || at.Samples[0] != "2020-01-01T00:00:00Z" {
		t.Errorf("accountExpires = %+v", at)
	}
	if id := fieldOf(t, person, "objectGUID"); id.Type != "string" ||
		id.Samples[0] != "00112233-4455-6677-8899-aabbccddee01" {
		t.Errorf("objectGUID = %+v", id)
	}
	if title := fieldOf(t, person, "title"); title.Source != "schema" {
		t.Errorf("title = %+v", title)
	}
}

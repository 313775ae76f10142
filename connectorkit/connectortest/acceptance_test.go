package connectortest_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/connectortest"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/connectorkit/remote/remotetest"
	"github.com/grantwright/grantwright/connectorkit/serve"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func with(auth v1.AuthConfig, key string, value any) v1.AuthConfig {
	out := maps.Clone(auth)
	out[key] = value
	return out
}

func TestTheLDAPConnectorIsAccepted(t *testing.T) {
	for name, o := range map[string]ldaptest.Options{
		"a directory that tells changes": {Syncprov: true, Users: 120, Groups: 6, PerGroup: 15},
		"a directory that does not":      {Users: 120, Groups: 6, PerGroup: 15},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ldaptest.StartSlapd(t, o)
			auth := s.AuthConfig()
			connectortest.Run(t, connectortest.Subject{
				Connector: connector(
					t,
					catalog.LDAP,
				),
				Auth:    auth,
				BadAuth: with(auth, "bind_password", "CANARY-wrong-password"),
				Secrets: []string{s.ReaderPass, "CANARY-wrong-password"},
				Least:   2*120 + 6 + 6*15,
				Change: func(t *testing.T) connectortest.Changed {
					changed := changeDirectory(t, s)
					if o.Syncprov {
						changed.AtMost = 20
					}
					return changed
				},
			})
		})
	}
}

// changeDirectory adds, changes, moves and removes a person each.
func changeDirectory(t *testing.T, s *ldaptest.Server) connectortest.Changed {
	t.Helper()
	conn := s.Admin(t)
	id := func(dn string) string {
		t.Helper()
		r, err := conn.Search(
			goldap.NewSearchRequest(
				dn,
				goldap.ScopeBaseObject,
				goldap.NeverDerefAliases,
				0,
				0,
				false,
				"(objectClass=*)",
				[]string{"entryUUID"},
				nil,
			),
		)
		if err != nil {
			t.Fatal(err)
		}
		return r.Entries[0].GetAttributeValue("entryUUID")
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	gone := id(ldaptest.UserDN(101))
	must(conn.Del(goldap.NewDelRequest(ldaptest.UserDN(101), nil)))
	change := goldap.NewModifyRequest(ldaptest.UserDN(102), nil)
	change.Replace("displayName", []string{"Somebody Else"})
	must(conn.Modify(change))
	must(conn.ModifyDN(goldap.NewModifyDNRequest(ldaptest.UserDN(103), "uid=renamed", true, "")))
	add := goldap.NewAddRequest("uid=newcomer,"+ldaptest.PeopleDN, nil)
	for name, value := range map[string]string{"objectClass": "inetOrgPerson", "uid": "newcomer", "cn": "New Comer",
		"sn": "Comer"} {
		add.Attribute(name, []string{value})
	}
	must(conn.Add(add))
	return connectortest.Changed{
		Accounts: []string{
			id(ldaptest.UserDN(102)),
			id("uid=renamed," + ldaptest.PeopleDN),
			id("uid=newcomer," + ldaptest.PeopleDN),
		},
		Gone: []string{gone},
	}
}

func call(t *testing.T, method, url, header, value, body string) {
	t.Helper()
	req, err := http.NewRequest(method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(header, value)
	req.Header.Set("Content-Type", "application/json")
	if strings.Contains(url, "/scim/") {
		req.Header.Set("Content-Type", "application/scim+json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if answer, _ := io.ReadAll(res.Body); res.StatusCode > 299 {
		t.Fatalf("%s %s: %s %s", method, url, res.Status, answer)
	}
}

func TestTheSCIMConnectorIsAccepted(t *testing.T) {
	t.Parallel()
	const token = "CANARY-scim-token"
	base := "http://" + targettest.StartNode(
		t,
		"../scim/testdata/scimmy",
		"TOKEN="+token,
		"USERS=100",
		"GROUPS=8",
		"MAX=20",
		"SPREAD=60",
	) + "/scim/v2"
	auth := v1.AuthConfig{"base_url": base, "auth_method": "bearer", "bearer_token": token, "count": 20}
	id := func(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }
	connectortest.Run(t, connectortest.Subject{
		Connector: connector(t, catalog.SCIM2), Auth: auth, BadAuth: with(auth, "bearer_token", "CANARY-wrong-token"),
		Secrets: []string{token, "CANARY-wrong-token"}, Least: 2*100 + 8 + 80,
		Change: func(t *testing.T) connectortest.Changed {
			call(
				t,
				"PATCH",
				base+"/Users/"+id(90),
				"Authorization",
				"Bearer "+token,
				`{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"replace","path":"displayName","value":"Somebody Else"}]}`,
			)
			call(t, "DELETE", base+"/Users/"+id(95), "Authorization", "Bearer "+token, "")
			return connectortest.Changed{Accounts: []string{id(90)}, Gone: []string{id(95)}, AtMost: 120}
		},
	})
}

func TestTheRESTConnectorIsAccepted(t *testing.T) {
	t.Parallel()
	const key = "key-s3cret"
	base := "http://" + targettest.StartNode(t, "../rest/testdata/jsonserver", "PEOPLE=100") + "/header"
	users := map[string]any{
		"name":       "users",
		"object":     "user",
		"request":    map[string]any{"path": "/users"},
		"explode":    map[string]any{"path": "roles", "as": "both"},
		"pagination": map[string]any{"style": "page", "page_param": "_page", "size_param": "_limit", "size": 20},
		"incremental": map[string]any{
			"param":     "updatedAt_gte",
			"field":     "updatedAt",
			"overlap_s": 60,
		},
		"presence": map[string]any{"path": "/users"},
	}
	groups := map[string]any{"name": "groups", "object": "entitlement", "request": map[string]any{"path": "/groups"}}
	auth := v1.AuthConfig{
		"base_url":     base,
		"auth_method":  "api_key_header",
		"api_key_name": "X-API-Key",
		"api_key":      key,
		"streams":      []any{users, groups},
	}
	connectortest.Run(t, connectortest.Subject{
		Connector: connector(t, catalog.REST), Auth: auth, BadAuth: with(auth, "api_key", "CANARY-wrong-key"),
		Secrets: []string{key, "CANARY-wrong-key"}, Least: 2*100 + 7 + 100,
		Change: func(t *testing.T) connectortest.Changed {
			call(
				t,
				"PATCH",
				base+"/users/91",
				"X-API-Key",
				key,
				`{"displayName":"Somebody Else","updatedAt":"2024-01-01T00:00:00.000Z"}`,
			)
			call(t, "DELETE", base+"/users/96", "X-API-Key", key, "")
			return connectortest.Changed{Accounts: []string{"91"}, Gone: []string{"96"}, AtMost: 30}
		},
	})
}

func TestTheCustomConnectorIsAccepted(t *testing.T) {
	for name, o := range map[string]remotetest.Options{
		"a service that answers in pages": {People: 120}, "a service that streams": {People: 120, Stream: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := remotetest.Start(t, o)
			auth := v1.AuthConfig(s.Auth())
			wrong := with(auth, "secret_settings", map[string]any{"key": "CANARY-wrong-key"})
			connectortest.Run(t, connectortest.Subject{
				Connector: connector(t, catalog.Custom), Auth: auth, BadAuth: wrong,
				Secrets: []string{remotetest.Token, remotetest.Key, "CANARY-wrong-key"}, Least: s.Records(),
				Change: func(*testing.T) connectortest.Changed {
					s.Rename(7, "Somebody Else")
					s.Remove(101)
					return connectortest.Changed{
						Accounts: []string{"a" + remotetest.ID(7)},
						Gone:     []string{"a" + remotetest.ID(101)},
						AtMost:   4,
					}
				},
			})
		})
	}
}

// TestAnyConnectorIsAcceptedBehindAWireOfItsOwn serves the connector of an LDAP directory over HTTP, and reads it
// through that.
func TestAnyConnectorIsAcceptedBehindAWireOfItsOwn(t *testing.T) {
	t.Parallel()
	const secret = "whsec_Q0FOQVJZLXNpZ25pbmctc2VjcmV0LW9mLXRoZS10ZXN0"
	directory := ldaptest.StartSlapd(t, ldaptest.Options{Syncprov: true, Users: 120, Groups: 6, PerGroup: 15})
	server := httptest.NewServer(
		&serve.Handler{Connector: connector(t, catalog.LDAP), SigningSecret: secret, Name: "our directory"},
	)
	t.Cleanup(server.Close)
	settings, secrets := map[string]any{}, map[string]any{"bind_password": directory.ReaderPass}
	for name, value := range directory.AuthConfig() {
		if name != "bind_password" {
			settings[name] = value
		}
	}
	auth := v1.AuthConfig{
		"base_url":        server.URL,
		"auth_method":     "signature",
		"signing_secret":  secret,
		"settings":        settings,
		"secret_settings": secrets,
	}
	connectortest.Run(t, connectortest.Subject{
		Connector: connector(
			t,
			catalog.Custom,
		),
		Auth:    auth,
		BadAuth: with(auth, "secret_settings", map[string]any{"bind_password": "CANARY-wrong-password"}),
		Secrets: []string{directory.ReaderPass, "CANARY-wrong-password", secret},
		Least:   2*120 + 6 + 6*15,
		Change: func(t *testing.T) connectortest.Changed {
			changed := changeDirectory(t, directory)
			changed.AtMost = 20
			return changed
		},
	})
}

package rest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const people = 230

// wantPeople are the keys that json-server has, in its order.
func wantPeople() string {
	var out []string
	for i := range people {
		out = append(out, fmt.Sprint(i+1))
	}
	return strings.Join(out, " ")
}

func TestJSONServerIsReadWholeByEveryStyleItOffers(t *testing.T) {
	base := "http://" + targettest.StartNode(t, "testdata/jsonserver", fmt.Sprintf("PEOPLE=%d", people)) + "/none"
	for _, tt := range []struct {
		name, pagination, path string
		pages                  int
	}{
		{"in one answer", `{}`, "users", 1},
		{"page by page", `{"style":"page","page_param":"_page","size_param":"_limit","size":50}`, "users", 6},
		{"by offset", `{"style":"offset","offset_param":"_start","limit_param":"_limit","size":100}`, "users", 4},
		{"by Link header", `{"style":"link_header"}`, "users?_page=1&_limit=40", 6},
	} {
		out := mustRead(
			t,
			settings(
				base,
				fmt.Sprintf(
					`[{"name":"users","object":"user","request":{"path":%q},"pagination":%s}]`,
					tt.path,
					tt.pagination,
				),
			),
		)
		if got := ids(out.Accounts, accountID); got != wantPeople() {
			t.Errorf("%s: accounts = %s", tt.name, got)
		}
		if want := fmt.Sprintf(`{"kind":"accounts","key":"*","complete":true,"count":%d}`, people); scopeOf(
			out,
			v1.Accounts,
		) != want {
			t.Errorf("%s: scope = %s, want %s", tt.name, scopeOf(out, v1.Accounts), want)
		}
		if out.Page.Stats.Pages != tt.pages || out.Page.Stats.APICalls != tt.pages {
			t.Errorf("%s: stats = %+v, want %d pages", tt.name, out.Page.Stats, tt.pages)
		}
	}
	t.Run("with memberships below groups", func(t *testing.T) {
		out := mustRead(t, settings(base, `[
			{"name":"groups","object":"entitlement","request":{"path":"groups"},"entitlement_kind":"group"},
			{"name":"members","object":"grant","request":{"path":"groups/{group}/members"},"parent":{"stream":"groups","param":"group"},
			 "pagination":{"style":"page","page_param":"_page","size_param":"_limit","size":20},"fields":{"account_external_id":"userId"}}]`))
		if len(out.Grants) != people || grantID(out.Grants[0]) != "7>1" || grantID(out.Grants[people-1]) != "230>7" {
			t.Errorf(
				"%d grants, from %s to %s",
				len(out.Grants),
				grantID(out.Grants[0]),
				grantID(out.Grants[len(out.Grants)-1]),
			)
		}
	})
	t.Run("by itself", func(t *testing.T) {
		out := mustRead(t, settings(base, "", "probe_path", "users?_page=1&_limit=60"))
		if got := ids(out.Accounts, accountID); got != wantPeople() || *out.Accounts[0].IsDisabled != true ||
			*out.Accounts[1].Username != "user1" {
			t.Errorf("accounts = %s, first %s", got, asJSON(t, out.Accounts[0]))
		}
	})
	t.Run("fields are inferred", func(t *testing.T) { discoverPeople(t, base) })
	t.Run("a wrong path is told", func(t *testing.T) {
		d := failing(t, settings(base, "", "probe_path", "persons"))
		if d.Code != "http_404" || d.Class != v1.ClassNotFound || d.Target.HTTP.Status != 404 ||
			!strings.HasSuffix(d.Target.HTTP.URL, "/none/persons") {
			t.Errorf("error = %s", asJSON(t, d))
		}
	})
}

func discoverPeople(t *testing.T, base string) {
	req := v1.DiscoverRequest{AuthConfig: settings(base, "", "probe_path", "users"), SampleSize: 20}
	out, err := newConnector().Discover(context.Background(), req, nil)
	if err != nil || len(out.Objects) != 2 {
		t.Fatalf("discover = %s, %v", asJSON(t, out), err)
	}
	person := out.Objects[0]
	if person.Kind != "identity" || person.NativeType != "records" || person.SuggestedKey != "id" {
		t.Errorf("object = %s %s key %s", person.Kind, person.NativeType, person.SuggestedKey)
	}
	got := map[string]string{}
	for _, f := range person.Fields {
		got[f.Name] = fmt.Sprintf("%s %s %v %v %v %v", f.Type, f.Format, f.Multi, f.NullRatio, f.UniqueRatio, f.Secret)
		if f.Name == "apiToken" && strings.Contains(asJSON(t, f), "t0ken") {
			t.Errorf("a secret is shown as sample: %s", asJSON(t, f))
		}
	}
	want := map[string]string{
		"id":          "integer  false 0 1 false",
		"login":       "string  false 0 1 false",
		"mail":        "string email false 0 1 false",
		"displayName": "string  false 0 1 false",
		"hired":       "date  false 0 1 false",
		"enabled":     "boolean  false 0 0.1 false",
		"score":       "number  false 0 1 false",
		"dept.code":   "string  false 0 0.35 false",
		"dept.site":   "string  false 1 0 false",
		"roles":       "string  true 0 0.25 false",
		"updatedAt":   "datetime  false 0 1 false",
		"apiToken":    "string  false 0 1 true",
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s = %q, want %q", name, got[name], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("fields = %v", got)
	}
	req.SampleSize = 5
	again, err := newConnector().Discover(context.Background(), req, nil)
	if err != nil || again.SchemaDigest != out.SchemaDigest || !strings.HasPrefix(out.SchemaDigest, "sha256:") {
		t.Errorf("digests %s and %s, %v", out.SchemaDigest, again.SchemaDigest, err)
	}
	req.MaskSamples = true
	if masked, _ := newConnector().Discover(context.Background(), req, nil); strings.Contains(
		asJSON(t, masked),
		"user1@",
	) ||
		!strings.Contains(asJSON(t, masked), "u***@e***.t***") {
		t.Errorf("masked samples = %s", asJSON(t, masked))
	}
}

func TestEveryWayToAuthenticateWorksAndItsWrongCredentialsAreTold(t *testing.T) {
	oidc := targettest.StartOIDC(t, time.Minute)
	base := "http://" + targettest.StartNode(
		t,
		"testdata/jsonserver",
		fmt.Sprintf("PEOPLE=%d", people),
		"JWKS_URL="+oidc.JWKSURL,
	) + "/"
	oauth := func(client, secret string, more ...any) []any {
		return append(
			[]any{
				"auth_method",
				"oauth2_client_credentials",
				"token_url",
				oidc.TokenURL,
				"client_id",
				client,
				"client_secret",
				secret,
				"scope",
				oidc.Scope,
			},
			more...)
	}
	for _, tt := range []struct {
		name, at  string
		good, bad []any
		secret    string // the wrong one, which nobody may see
		step      string // that fails with the wrong one
		code      string
	}{
		{"basic", "basic", []any{"auth_method", "basic", "username", "reader", "password", "pa:ss/wörd"},
			[]any{"auth_method", "basic", "username", "reader", "password", "wr0ng/sécret"}, "wr0ng/sécret", "request",
			"http_401"},
		{"bearer", "bearer", []any{"auth_method", "bearer", "token", "bearer-s3cret"},
			[]any{"auth_method", "bearer", "bearer_token", "wr0ng-bearer"}, "wr0ng-bearer", "request", "http_401"},
		{"key in header", "header", []any{"auth_method", "api_key_header", "api_key_name", "X-Api-Key", "api_key",
			"key-s3cret"}, []any{"auth_method", "api_key", "api_key_in", "header", "api_key_name", "X-Api-Key",
			"api_key_value", "wr0ng-key"}, "wr0ng-key", "request", "http_401"},
		{"key in query", "query", []any{"auth_method", "api_key_query", "api_key_name", "key", "api_key", "key&s3cret"},
			[]any{"auth_method", "api_key", "api_key_in", "query", "api_key_name", "key", "api_key", "wr0ng&key"},
			"wr0ng", "request", "http_401"},
		{"oauth2 basic", "oauth", oauth(oidc.BasicClient, oidc.ClientSecret),
			oauth(oidc.BasicClient, "wr0ng-client-secret"), "wr0ng-client-secret", "token", ""},
		{"oauth2 post", "oauth", oauth(oidc.PostClient, oidc.ClientSecret, "token_auth_style", "client_secret_post"),
			oauth(oidc.PostClient, "wr0ng-client-secret", "token_auth_style", "client_secret_post"),
			"wr0ng-client-secret", "token", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			streams := `[{"name":"users","object":"account","request":{"path":"users?_page=1&_limit=100"},` +
				`"pagination":{"style":"link_header"}}]`
			if out := mustRead(t, settings(base+tt.at, streams, tt.good...)); len(out.Accounts) != people {
				t.Errorf("%d accounts, want %d", len(out.Accounts), people)
			}
			test, err := newConnector().Test(context.Background(),
				v1.TestRequest{AuthConfig: settings(base+tt.at, streams, tt.good...)}, nil)
			if err != nil || !test.Success || test.Result.HTTP.Status != 200 ||
				test.Steps[len(test.Steps)-1].Detail != "100 record(s) selected" {
				t.Errorf("test = %s, %v", asJSON(t, test), err)
			}
			var told []string
			test, err = newConnector().Test(context.Background(),
				v1.TestRequest{AuthConfig: settings(base+tt.at, streams, tt.bad...)}, func(p v1.Progress) {
					if p.Step != nil {
						told = append(told, p.Step.Name)
					}
				})
			if err != nil {
				t.Fatal(err)
			}
			last := test.Steps[len(test.Steps)-1]
			if test.Success || last.Name != tt.step || last.HTTP == nil || last.HTTP.Status != 401 ||
				test.Error.Class != v1.ClassAuth {
				t.Errorf("test with wrong credentials = %s", asJSON(t, test))
			}
			if len(told) != len(test.Steps) || (tt.code != "" && test.Error.Code != tt.code) {
				t.Errorf("steps told %v, code %s", told, test.Error.Code)
			}
			d := failing(t, settings(base+tt.at, streams, tt.bad...))
			if all := asJSON(t, test) + asJSON(t, d) + d.Error(); strings.Contains(all, tt.secret) {
				t.Errorf("the secret is shown in %s", all)
			}
		})
	}
	t.Run("none where one is needed", func(t *testing.T) {
		if d := failing(t, settings(base+"bearer", "", "probe_path", "users")); d.Code != "http_401" ||
			!strings.Contains(d.Target.HTTP.BodyExcerpt, "who are you?") {
			t.Errorf("error = %s", asJSON(t, d))
		}
	})
}

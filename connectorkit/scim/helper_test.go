package scim

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"
	"github.com/elimity-com/scim/optional"
	"github.com/elimity-com/scim/schema"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// canary is the token of most tests: it must appear in nothing that leaves the connector.
const canary = "canary-7f3a9c51e2-token"

// onSite is what an agent lends: any address, plain http with a warning.
func onSite() connectorkit.Env {
	var d net.Dialer
	return connectorkit.Env{
		Dial:      d.DialContext,
		Plaintext: func(context.Context, string) (bool, error) { return true, nil },
		Now:       time.Now,
		By:        v1.ExecutedBy{Mode: "agent", AgentID: "a1"},
	}
}

// connector never really sleeps.
func connector() *Connector {
	k := New(onSite()).(*Connector)
	k.shared = &target.Shared{} // tests do not share budgets
	k.sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return k
}

func bearer(base string, more ...any) v1.AuthConfig {
	auth := v1.AuthConfig{"base_url": base, "bearer_token": canary}
	for i := 0; i+1 < len(more); i += 2 {
		auth[more[i].(string)] = more[i+1]
	}
	return auth
}

func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// reads is what a whole Sync gave.
type reads struct {
	v1.SyncResponse
	last       v1.Page
	warns      []v1.Warning
	present    []v1.Present
	scopes     []v1.Scope // but those of the last page
	checkpoint string     // the last one
	pages      int
	most       int // records in one page
}

func sync_(t testing.TB, k connectorkit.Connector, auth v1.AuthConfig, o *v1.SyncOptions) (reads, error) {
	t.Helper()
	return gather(t, k, v1.SyncRequest{ConnectorBusinessID: "c", AuthConfig: auth, Options: o}, -1)
}

var errKilled = errors.New("killed")

// gather reads; with stop at least 0 the receiver fails after so many pages.
func gather(t testing.TB, k connectorkit.Connector, req v1.SyncRequest, stop int) (reads, error) {
	t.Helper()
	var all reads
	err := k.Sync(t.Context(), req, func(_ context.Context, p v1.SyncResponse) error {
		if !p.Success || p.Page == nil {
			t.Errorf("a page without success or Page: %+v", p)
		}
		if all.pages == stop {
			return errKilled
		}
		all.pages++
		all.Identities = append(all.Identities, p.Identities...)
		all.Accounts = append(all.Accounts, p.Accounts...)
		all.Entitlements = append(all.Entitlements, p.Entitlements...)
		all.Grants = append(all.Grants, p.Grants...)
		all.warns = append(all.warns, p.Page.Warnings...)
		all.present = append(all.present, p.Page.Present...)
		if p.Page.HasMore {
			all.scopes = append(all.scopes, p.Page.Scopes...)
		}
		if p.Page.Checkpoint != "" {
			all.checkpoint = p.Page.Checkpoint
		}
		all.last = *p.Page
		all.most = max(all.most, p.Len())
		return nil
	})
	return all, err
}

func mustSync(t testing.TB, auth v1.AuthConfig, o *v1.SyncOptions) reads {
	t.Helper()
	all, err := sync_(t, connector(), auth, o)
	if err != nil {
		t.Fatalf("Sync: %v", err)
	}
	return all
}

// complete tells which kinds were attested.
func (r reads) complete() string {
	var out []string
	for _, s := range r.last.Scopes {
		out = append(out, fmt.Sprintf("%s %t %d", s.Kind, s.Complete, s.Count))
	}
	return strings.Join(out, ", ")
}

func (r reads) warned(code string) bool {
	for _, w := range r.warns {
		if w.Code == code {
			return true
		}
	}
	return false
}

func detail(t testing.TB, err error) *v1.ErrorDetail {
	t.Helper()
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		t.Fatalf("error = %v (%T), want a *v1.ErrorDetail", err, err)
	}
	return d
}

// shelf is a store of resources for elimity's server; the protocol is theirs.
type shelf struct{ all []scim.Resource }

func (s *shelf) GetAll(_ *http.Request, p scim.ListRequestParams) (scim.Page, error) {
	from := min(p.StartIndex-1, len(s.all))
	return scim.Page{TotalResults: len(s.all), Resources: s.all[from:min(from+p.Count, len(s.all))]}, nil
}

func (s *shelf) Get(_ *http.Request, id string) (scim.Resource, error) {
	for _, r := range s.all {
		if r.ID == id {
			return r, nil
		}
	}
	return scim.Resource{}, scimerrors.ScimErrorResourceNotFound(id)
}

func (s *shelf) Create(*http.Request, scim.ResourceAttributes) (scim.Resource, error) {
	return scim.Resource{}, scimerrors.ScimErrorMutability
}

func (s *shelf) Replace(*http.Request, string, scim.ResourceAttributes) (scim.Resource, error) {
	return scim.Resource{}, scimerrors.ScimErrorMutability
}

func (s *shelf) Delete(*http.Request, string) error { return scimerrors.ScimErrorMutability }

func (s *shelf) Patch(*http.Request, string, []scim.PatchOperation) (scim.Resource, error) {
	return scim.Resource{}, scimerrors.ScimErrorMutability
}

// elimity is a service provider of github.com/elimity-com/scim with the given numbers; base_url is its address.
func elimity(t testing.TB, users, groups, each, maxResults int) http.Handler {
	t.Helper()
	then := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	meta := scim.Meta{Created: &then, LastModified: &then, Version: `W/"1"`}
	u, g := &shelf{}, &shelf{}
	for i := range users {
		mail := fmt.Sprintf("user%d@example.test", i)
		work := map[string]any{"employeeNumber": fmt.Sprint(100000 + i), "department": fmt.Sprintf("D%d", i%7)}
		if i > 0 {
			work["manager"] = map[string]any{"value": fmt.Sprintf("u%d", (i-1)/10)}
		}
		u.all = append(
			u.all,
			scim.Resource{ID: fmt.Sprintf("u%d", i), ExternalID: optional.NewString(fmt.Sprintf("e%d", i)), Meta: meta,
				Attributes: scim.ResourceAttributes{
					"userName":    mail,
					"displayName": fmt.Sprintf("User %d", i),
					"active":      i%10 > 0,
					"name": map[string]any{
						"givenName":  fmt.Sprintf("G%d", i),
						"familyName": fmt.Sprintf("F%d", i),
					},
					"emails":                []any{map[string]any{"value": mail, "type": "work", "primary": true}},
					resource.EnterpriseUser: work,
				}},
		)
	}
	for i := range groups {
		var members []any
		for k := range each {
			members = append(members, map[string]any{"value": fmt.Sprintf("u%d", (i*each+k)%users), "type": "User"})
		}
		g.all = append(g.all, scim.Resource{ID: fmt.Sprintf("g%d", i), Meta: meta,
			Attributes: scim.ResourceAttributes{"displayName": fmt.Sprintf("group %d", i), "members": members}})
	}
	srv, err := scim.NewServer(&scim.ServerArgs{
		ServiceProviderConfig: &scim.ServiceProviderConfig{
			MaxResults:       maxResults,
			SupportFiltering: true,
			SupportPatch:     true,
		},
		ResourceTypes: []scim.ResourceType{
			{
				ID:               optional.NewString("User"),
				Name:             "User",
				Endpoint:         "/Users",
				Schema:           schema.CoreUserSchema(),
				Handler:          u,
				SchemaExtensions: []scim.SchemaExtension{{Schema: schema.ExtensionEnterpriseUser()}},
			},
			{
				ID:       optional.NewString("Group"),
				Name:     "Group",
				Endpoint: "/Groups",
				Schema:   schema.CoreGroupSchema(),
				Handler:  g,
			},
		},
	})
	if err != nil {
		t.Fatalf("elimity server: %v", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+canary {
			scimError(w, 401, "", "token not accepted: "+r.Header.Get("Authorization"))
			return
		}
		srv.ServeHTTP(w, r)
	})
}

func scimError(w http.ResponseWriter, status int, scimType, text string) {
	w.Header().Set("Content-Type", "application/scim+json")
	w.WriteHeader(status)
	fmt.Fprintf(
		w,
		`{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],"status":"%d","scimType":%q,"detail":%q}`,
		status,
		scimType,
		text,
	)
}

// answer makes a handler of fixed answers by path; a missing path is 404.
func answer(by map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := by[r.URL.Path]
		if !ok {
			scimError(w, 404, "", "no such endpoint")
			return
		}
		w.Header().Set("Content-Type", "application/scim+json")
		_, _ = w.Write([]byte(body))
	})
}

type ctxt = context.Context

func contextWithTimeout(t testing.TB, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

// pemOf is the certificate of a test server, as ca_pem.
func pemOf(srv *httptest.Server) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}))
}

// Package scimsvc is a SCIM 2.0 service provider (RFC 7643, RFC 7644) that holds the company's users
// and groups of a SaaS application.
//
// github.com/elimity-com/scim implements the protocol, filters and PATCH; the store is part of this package, and reads
// a page in constant time. Tests change it through the methods of [Server] or over SCIM itself.
package scimsvc

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"

	"github.com/elimity-com/scim"
	"github.com/elimity-com/scim/optional"
	"github.com/elimity-com/scim/schema"

	"github.com/grantwright/grantwright/e2e/targets/mishap"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

// basePath is where the service provider answers.
const basePath = "/scim/v2"

// Config says what the application holds and who may talk to it.
type Config struct {
	Addr   string // host:port; port 0 picks a free one. Default 127.0.0.1:0
	System people.System
	// Domain makes user names: login@domain.
	Domain string
	Token  string // bearer token of every request; required
	// MaxResults is the largest page. Default 200.
	MaxResults int
}

// Server is a running service provider.
type Server struct {
	*mishap.Listener
	faults mishap.Switch
	users  *store
	groups *store
	domain string
}

// Start serves the application until the context ends or Close is called.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Token == "" {
		return nil, errors.New("scimsvc: a token is needed")
	}
	if cfg.MaxResults <= 0 {
		cfg.MaxResults = 200
	}
	if cfg.Domain == "" {
		cfg.Domain = "harbourline.example"
	}
	s := &Server{domain: cfg.Domain}
	s.users = newStore("User", "userName", schema.CoreUserSchema(), schema.ExtensionEnterpriseUser())
	s.groups = newStore("Group", "displayName", schema.CoreGroupSchema())
	s.fill(cfg.System)
	var err error
	s.Listener, err = mishap.Listen(
		ctx,
		cfg.Addr,
		func(addr string) (http.Handler, error) { return s.handler(cfg, addr) },
	)
	if err != nil {
		return nil, fmt.Errorf("scimsvc: %w", err)
	}
	return s, nil
}

// handler is the protocol behind the token check behind the faults.
func (s *Server) handler(cfg Config, addr string) (http.Handler, error) {
	protocol, err := scim.NewServer(&scim.ServerArgs{
		ServiceProviderConfig: &scim.ServiceProviderConfig{
			MaxResults: cfg.MaxResults, SupportFiltering: true, SupportPatch: true,
			AuthenticationSchemes: []scim.AuthenticationScheme{{
				Type: scim.AuthenticationTypeOauthBearerToken, Name: "OAuth Bearer Token",
				Description: "A token in the Authorization header", Primary: true,
			}},
		},
		ResourceTypes: []scim.ResourceType{
			{
				ID:               optional.NewString("User"),
				Name:             "User",
				Endpoint:         "/Users",
				Description:      optional.NewString("User account"),
				Schema:           schema.CoreUserSchema(),
				SchemaExtensions: []scim.SchemaExtension{{Schema: schema.ExtensionEnterpriseUser()}},
				Handler:          s.users,
			},
			{
				ID:          optional.NewString("Group"),
				Name:        "Group",
				Endpoint:    "/Groups",
				Description: optional.NewString("Group of users"),
				Schema:      schema.CoreGroupSchema(),
				Handler:     s.groups,
			},
		},
	}, scim.WithBaseURL("http://"+addr+basePath))
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(basePath+"/", http.StripPrefix(basePath, protocol))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		problem(w, http.StatusNotFound, "the service provider answers under "+basePath)
	})
	return s.faults.Wrap(guard(cfg.Token, mux)), nil
}

// guard lets requests with the token through (RFC 6750).
func guard(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="scim", error="invalid_token"`)
			problem(w, http.StatusUnauthorized, "the bearer token is missing or wrong")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// problem answers an error as RFC 7644 section 3.12 writes it.
func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/scim+json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(
		w,
		`{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],"status":"%d","detail":%q}`,
		status,
		detail,
	)
}

// BaseURL is what a SCIM client is given.
func (s *Server) BaseURL() string { return "http://" + s.Addr() + basePath }

// SetFaults replaces the faults, from the next request on.
func (s *Server) SetFaults(f mishap.Faults) { s.faults.Set(f) }

// Requests is how many requests arrived since the faults were last set.
func (s *Server) Requests() int { return s.faults.Requests() }

// Users is how many users there are.
func (s *Server) Users() int { return s.users.size() }

// Groups is how many groups there are.
func (s *Server) Groups() int { return s.groups.size() }

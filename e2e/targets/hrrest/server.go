// Package hrrest is an HR system with a REST API of the kind many vendors have: numbered pages, an
// envelope with a total, Link headers, an API key.
//
//	GET /api/employees?page=&per_page=&updated_since=&status=&department=
//	GET /api/employees/{employeeId}
//	GET /api/departments
//	GET /api/cost-centers
//	GET /api/security-roles
//	GET /api/security-roles/{roleId}/members
//
// It is the authority on people: everybody is here, leavers too, under the employee number the other
// systems know. Tests change it through the methods of [Server].
package hrrest

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/grantwright/grantwright/e2e/targets/mishap"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

// Auth is how clients show who they are.
type Auth string

// The ways. Either takes both.
const (
	APIKey Auth = "api_key" // in the header X-API-Key
	Bearer Auth = "bearer"  // in the header Authorization
	Either Auth = "either"
)

// KeyHeader is the header of an API key.
const KeyHeader = "X-API-Key"

// Config says what the HR system holds and who may read it.
type Config struct {
	Addr    string // host:port; port 0 picks a free one. Default 127.0.0.1:0
	Company people.Company
	Key     string // the API key or bearer token of every request; required
	Auth    Auth   // default APIKey
	// MaxPage is the largest page; more is clamped to it. Default 500.
	MaxPage int
}

// defaultPage is the size of a page when the client names none.
const defaultPage = 100

// Server is a running HR system.
type Server struct {
	*mishap.Listener
	faults mishap.Switch
	cfg    Config
	file   *file
}

// Start serves the HR system until the context ends or Close is called.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Key == "" {
		return nil, errors.New("hrrest: a key is needed")
	}
	if cfg.Auth == "" {
		cfg.Auth = APIKey
	}
	if cfg.MaxPage <= 0 {
		cfg.MaxPage = 500
	}
	s := &Server{cfg: cfg, file: newFile(cfg.Company)}
	var err error
	s.Listener, err = mishap.Listen(ctx, cfg.Addr, func(string) (http.Handler, error) {
		return s.faults.Wrap(s.guard(s.routes())), nil
	})
	if err != nil {
		return nil, fmt.Errorf("hrrest: %w", err)
	}
	return s, nil
}

// BaseURL is what a REST client is given.
func (s *Server) BaseURL() string { return "http://" + s.Addr() + "/api" }

// SetFaults replaces the faults, from the next request on.
func (s *Server) SetFaults(f mishap.Faults) { s.faults.Set(f) }

// Requests is how many requests arrived since the faults were last set.
func (s *Server) Requests() int { return s.faults.Requests() }

// Employees is how many people the HR system knows, leavers included.
func (s *Server) Employees() int { return len(s.file.employees(everyone)) }

// guard lets requests with the key through.
func (s *Server) guard(next http.Handler) http.Handler {
	challenge := map[Auth]string{
		APIKey: `ApiKey realm="hr"`,
		Bearer: `Bearer realm="hr"`,
		Either: `Bearer realm="hr", ApiKey realm="hr"`,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		byKey := s.cfg.Auth != Bearer && same(r.Header.Get(KeyHeader), s.cfg.Key)
		byToken := s.cfg.Auth != APIKey && same(r.Header.Get("Authorization"), "Bearer "+s.cfg.Key)
		if !byKey && !byToken {
			w.Header().Set("WWW-Authenticate", challenge[s.cfg.Auth])
			problem(w, http.StatusUnauthorized, "unauthorized", "The credentials are missing or wrong.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func same(got, want string) bool {
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// routes joins paths to answers.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/employees", s.listEmployees)
	mux.HandleFunc("GET /api/employees/{id}", s.oneEmployee)
	mux.HandleFunc("GET /api/departments", s.listDepartments)
	mux.HandleFunc("GET /api/cost-centers", s.listCostCenters)
	mux.HandleFunc("GET /api/security-roles", s.listRoles)
	mux.HandleFunc("GET /api/security-roles/{id}/members", s.listRoleMembers)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		problem(w, http.StatusNotFound, "not_found", "There is nothing here.")
	})
	return mux
}

// problem answers an error.
func problem(w http.ResponseWriter, status int, code, message string) {
	reply(w, status, map[string]any{"error": map[string]any{"code": code, "message": message}})
}

func reply(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

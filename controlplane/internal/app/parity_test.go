package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/connectorkit/remote/remotetest"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	"github.com/grantwright/grantwright/controlplane/internal/app"
	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

const password = "correct horse battery staple"

// site is a whole control plane on a test server, with one tenant and its admin's token.
type site struct {
	t      *testing.T
	app    *app.App
	db     *pg.DB
	url    string
	token  string
	tenant viewer.Viewer

	database pgtest.Database // every way into db
}

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteWith(t, func(*config.Config) {})
}

// newSiteWith makes a site of another configuration.
func newSiteWith(t *testing.T, change func(*config.Config)) *site {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	database := pgtest.Fresh(t)
	s := &site{t: t, db: database.DB, database: database}
	ring, err := seal.New(bytes.Repeat([]byte("k3"), 16))
	if err != nil {
		t.Fatal(err)
	}
	c := testConfig()
	c.EgressCIDRs, c.PublicDocs, c.BaseDomain = []string{"127.0.0.0/8"}, true, "iga.example.com"
	c.BehindTLSProxy = true // tests may say where they come from
	change(&c)
	s.app, err = app.New(ctx, c, "test", s.db, ring, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.app.Run(ctx)
	}()
	server := httptest.NewServer(s.app.API.Router)
	t.Cleanup(func() {
		cancel()
		<-done
		server.Close()
	})
	s.url = server.URL
	made, err := tenant.Bootstrap{
		Slug:          "acme",
		Name:          "Acme",
		AdminEmail:    "a@acme.test",
		AdminPassword: password,
	}.Run(
		ctx,
		s.db,
	)
	if err != nil {
		t.Fatal(err)
	}
	s.tenant = viewer.System(made.Tenant.ID)
	s.token = s.call("POST", "/auth/login", map[string]any{"email": "a@acme.test", "password": password},
		200)["access_token"].(string)
	return s
}

// call sends a request as the admin and expects a status.
func (s *site) call(method, path string, body any, want int) (out map[string]any) {
	s.t.Helper()
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, s.url+"/api/v1"+path, payload)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	if res.StatusCode != want {
		s.t.Fatalf("%s %s = %d: %s", method, path, res.StatusCode, b)
	}
	if len(b) > 0 {
		if err := json.Unmarshal(b, &out); err != nil {
			s.t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return out
}

// agent builds the real agent, enrols it and runs it until the test ends.
func (s *site) agent() string {
	s.t.Helper()
	dir := s.t.TempDir()
	binary := filepath.Join(dir, "grantwright-agent")
	build := exec.Command("go", "build", "-o", binary, "github.com/grantwright/grantwright/agent/cmd/grantwright-agent")
	if out, err := build.CombinedOutput(); err != nil {
		s.t.Fatalf("build the agent: %v\n%s", err, out)
	}
	invited := s.call("POST", "/settings/agents", map[string]any{"name": "site"}, 201)
	enroll := exec.Command(binary, "enroll", "--url", s.url, "--data", filepath.Join(dir, "data"), "--token-stdin")
	enroll.Stdin = strings.NewReader(invited["enrollment_token"].(string))
	if out, err := enroll.CombinedOutput(); err != nil {
		s.t.Fatalf("enrol: %v\n%s", err, out)
	}
	run := exec.Command(binary, "run", "--data", filepath.Join(dir, "data"))
	run.Env = append(
		os.Environ(),
		"GRANTWRIGHT_AGENT_ALLOW_TARGETS=127.0.0.0/8,::1",
	) // the targets of tests are on this machine
	if err := run.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
	})
	id := invited["id"].(string)
	for deadline := time.Now().Add(2 * time.Minute); s.call("GET", "/settings/agents/"+id, nil,
		200)["state"] != "online"; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatal("the agent does not come online")
		}
	}
	return id
}

// sync creates a connector and reads its target once.
func (s *site) sync(name string, settings map[string]any) (run string) {
	s.t.Helper()
	settings["business_id"], settings["name"] = name, name
	id := s.call("POST", "/connectors", settings, 201)["id"].(string)
	run = s.call("POST", "/connectors/"+id+"/sync", map[string]any{"incremental": false, "chunk_size": 70},
		202)["run_id"].(string)
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		got := s.call("GET", "/connectors/"+id+"/sync-runs/"+run, nil, 200)
		switch status := got["status"]; {
		case status == "succeeded":
			return run
		case status == "failed" || status == "partial" || time.Now().After(deadline):
			s.t.Fatalf("%s: the run is %v: %v", name, status, got["error"])
		}
	}
}

// staged are the rows that a run has staged, as text, without what differs between any two runs.
func (s *site) staged(run string) (rows []string) {
	s.t.Helper()
	err := s.db.As(context.Background(), s.tenant, func(tx *pg.Tx) error {
		for _, table := range []string{"stage_identity", "stage_account", "stage_entitlement", "stage_grant"} {
			sql := fmt.Sprintf(`
				select '%s ' || (to_jsonb(s) - 'tenant_id' - 'run_id' - 'new_id')::text
				  from %s s
				 where run_id = $1
				 order by seq, ord`, table, table)
			found, err := tx.Query(context.Background(), sql, run)
			if err != nil {
				return err
			}
			for found.Next() {
				var row string
				if err := found.Scan(&row); err != nil {
					return err
				}
				rows = append(rows, row)
			}
			if err := found.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return rows
}

func TestHostedAndAgentModeStageTheSameRows(t *testing.T) {
	s := newSite(t)
	s.app.Sync.KeepStaged = true
	agent := s.agent()
	directory := ldaptest.StartSlapd(t, ldaptest.Options{Users: 300, Groups: 12, PerGroup: 20})
	scim := "http://" + targettest.StartNode(
		t,
		"../../../connectorkit/scim/testdata/scimmy",
		"TOKEN=t",
		"USERS=150",
		"GROUPS=5",
	) + "/scim/v2"
	rest := "http://" + targettest.StartNode(
		t,
		"../../../connectorkit/rest/testdata/jsonserver",
		"PEOPLE=130",
	) + "/header"
	custom := remotetest.Start(t, remotetest.Options{People: 150, Stream: true})
	streams := []any{
		map[string]any{
			"name":    "users",
			"object":  "user",
			"request": map[string]any{"path": "/users"},
			"pagination": map[string]any{
				"style":      "page",
				"page_param": "_page",
				"size_param": "_limit",
				"size":       40,
			},
			"explode": map[string]any{"path": "roles", "as": "both"},
		},
		map[string]any{"name": "groups", "object": "entitlement", "request": map[string]any{"path": "/groups"}},
	}
	for _, tt := range []struct {
		name     string
		settings map[string]any
		atLeast  int
	}{
		{"ldap", map[string]any{"type": "ldap", "credentials": map[string]any{"bind_password": directory.ReaderPass},
			"connection": map[string]any{
				"host": directory.Host, "port": directory.Port, "security": "none", "base_dn": ldaptest.Suffix,
				"bind_dn": directory.ReaderDN}}, 300*2 + 12 + 12*20},
		{"scim2", map[string]any{"type": "scim2", "credentials": map[string]any{"bearer_token": "t"},
			"connection": map[string]any{"base_url": scim}}, 150*2 + 5},
		{"rest", map[string]any{"type": "rest", "credentials": map[string]any{"api_key": "key-s3cret"},
			"connection": map[string]any{
				"base_url": rest, "auth_method": "api_key_header", "api_key_name": "X-API-Key", "streams": streams}},
			130*2 + 7},
		{"custom", map[string]any{"type": "custom",
			"credentials": map[string]any{"bearer_token": remotetest.Token,
				"secret_settings": map[string]any{"key": remotetest.Key}},
			"connection": map[string]any{"base_url": custom.URL, "settings": map[string]any{"directory": "main"}}},
			custom.Records()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.t = t
			hosted := s.staged(s.sync(tt.name+"-hosted", tt.settings))
			tt.settings["mode"], tt.settings["agent_id"] = "agent", agent
			byAgent := s.staged(s.sync(tt.name+"-agent", tt.settings))
			if len(hosted) < tt.atLeast {
				t.Fatalf("%d rows staged; want at least %d", len(hosted), tt.atLeast)
			}
			if diff := cmp.Diff(hosted, byAgent); diff != "" {
				t.Errorf("staged rows differ (-hosted +agent):\n%.4000s", diff)
			}
		})
	}
}

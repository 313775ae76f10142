package shape_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/connectors"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

var ctx = context.Background()

type object = map[string]any

// house serves the routes with the real connectors, in both modes.
type house struct {
	*recordtest.House
	dispatch *dispatch.Dispatcher
}

// site stands for an agent: the connector's own code, somewhere else.
type site struct {
	open func(string) (connectorkit.Connector, error)
}

func (s site) Connector(_ context.Context, t dispatch.Target) (connectorkit.Connector, error) {
	if t.AgentGroup == "away" {
		return nil, &v1.ErrorDetail{
			Class:     v1.ClassAgentUnavailable,
			Code:      "agent_offline",
			Message:   "no agent of the group is online",
			Retryable: true,
		}
	}
	return s.open(t.Type)
}

func open(t *testing.T) *house {
	t.Helper()
	keys, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	by := func(mode string) func(string) (connectorkit.Connector, error) {
		env := connectorkit.Env{
			Dial:      (&net.Dialer{}).DialContext,
			Plaintext: func(context.Context, string) (bool, error) { return false, nil }, AllowInsecureTLS: true,
			Log: log, Now: time.Now, By: v1.ExecutedBy{Mode: mode, Hostname: "here"},
		}
		return func(kind string) (connectorkit.Connector, error) { return connectors.Open(env, kind) }
	}
	h := &house{dispatch: &dispatch.Dispatcher{HostedConnector: by("hosted"), Agents: site{by("agent")}}}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		connectors := &connector.Service{
			DB:       db,
			Seal:     keys,
			Dispatch: h.dispatch,
			Now:      time.Now,
			Log:      log,
			Cursors:  cursors,
		}
		shapes := &shape.Service{DB: db, Connectors: connectors, Dispatch: h.dispatch, Log: log}
		return append(connectors.Routes(), shapes.Routes()...)
	})
	return h
}

// connector makes one, hosted, and gives its id.
func (h *house) connector(name, kind string, connection, credentials object) string {
	h.T.Helper()
	body := object{
		"name":        name,
		"business_id": name,
		"type":        kind,
		"connection":  connection,
		"credentials": credentials,
	}
	if kind == "active-directory" {
		body["type"], body["vendor_key"] = "vendor", kind
	}
	return h.Must(201, "admin", "POST", "/connectors", body).Text("id")
}

func (h *house) person(facts object) string {
	h.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	all := object{"external_id": id, "display_name": ""}
	for name, v := range facts {
		all[name] = v
	}
	b, err := json.Marshal(all)
	if err != nil {
		h.T.Fatal(err)
	}
	h.Exec(
		`insert into identity (tenant_id, id, external_id, display_name, email, username, first_name, last_name,
		    employee_number, department, title, manager_id)
		select current_tenant(), $1, r.external_id, r.display_name, r.email, r.username, r.first_name, r.last_name,
		    r.employee_number, r.department, r.title, r.manager_id
		  from jsonb_to_record($2::jsonb) r (external_id text, display_name text, email text, username text,
		       first_name text, last_name text, employee_number text, department text, title text, manager_id uuid)`,
		id,
		string(b),
	)
	return id
}

func jane() object {
	return object{
		"first_name":      "Jane",
		"last_name":       "Doe",
		"display_name":    "Jane Doe",
		"email":           "jane.doe@acme.test",
		"employee_number": "1042",
		"department":      "Surgery",
		"title":           "Nurse",
	}
}

// values are those of a preview by their targets.
func values(preview recordtest.Answer) map[string]any {
	out := map[string]any{}
	list, _ := preview.Body["attributes"].([]any)
	for _, e := range list {
		m, _ := e.(object)
		out[m["target"].(string)] = m["value"]
	}
	return out
}

// scim is a service without users that takes no change and counts those that are tried.
func scim(t *testing.T) (url string, changes *int) {
	changes = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/scim+json")
		switch {
		case r.Method != http.MethodGet:
			*changes++
			w.WriteHeader(http.StatusForbidden)
		case strings.HasSuffix(r.URL.Path, "/Users"):
			_, _ = w.Write(
				[]byte(
					`{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":0,"startIndex":1,"itemsPerPage":0,"Resources":[]}`,
				),
			)
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write(
				[]byte(
					`{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],"status":"404","detail":"not here"}`,
				),
			)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, changes
}

// raw is an answer as text, its members in order.
func raw(a recordtest.Answer) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a.Body); err != nil {
		panic(err)
	}
	return out.String()
}

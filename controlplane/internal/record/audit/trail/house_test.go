package trail_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail"
)

var ctx = context.Background()

// house is the log's API on a server over a fresh database, with a way in for whoever tampers with it.
type house struct {
	t      *testing.T
	db     *pg.DB
	ring   *seal.Keyring
	log    *trail.Service
	owner  *pgx.Conn
	tenant viewer.Viewer
	url    string
	people map[string]viewer.Viewer
}

func open(t *testing.T) *house {
	t.Helper()
	d := pgtest.Fresh(t)
	ring, err := seal.New(bytes.Repeat([]byte("k7"), 16))
	if err != nil {
		t.Fatal(err)
	}
	cursors, err := httpapi.NewCursors(make([]byte, 32), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	h := &house{
		t:      t,
		db:     d.DB,
		ring:   ring,
		log:    trail.New(d.DB, ring, cursors, quiet),
		tenant: pgtest.Tenant(t, d.DB, "acme"),
		people: map[string]viewer.Viewer{},
	}
	for _, r := range []viewer.Role{viewer.Admin, viewer.Auditor, viewer.Manager} {
		h.people[string(r)] = viewer.Viewer{
			Tenant:  h.tenant.Tenant,
			Kind:    viewer.User,
			ID:      "u-" + string(r),
			Display: string(r),
			Roles:   []viewer.Role{r},
		}
	}
	a := httpapi.New(
		httpapi.Config{Title: "test", Version: "1", Log: quiet, User: h.authenticate, Agent: h.authenticate},
	)
	a.Add(h.log.Routes()...)
	server := httptest.NewServer(a.Router)
	t.Cleanup(server.Close)
	h.url = server.URL + "/api/v1"
	if h.owner, err = pgx.Connect(ctx, d.AdminURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.owner.Close(ctx) })
	return h
}

func (h *house) authenticate(_ context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
	v, known := h.people[bearer]
	if !known {
		return v, fault.New(fault.Unauthenticated, "who is that?")
	}
	return v, nil
}

// write adds entries to a tenant's log.
func (h *house) write(v viewer.Viewer, n int) {
	h.t.Helper()
	err := h.db.As(ctx, v, func(tx *pg.Tx) error {
		for i := range n {
			err := audit.Record(ctx, tx, audit.Entry{
				Action:  "identity.updated",
				Subject: audit.Subject{Type: "identity", ID: fmt.Sprint(i), Display: "=Ada €😀"},
				Changes: []audit.Change{
					{Field: "title", From: nil, To: "Lead <b>"},
				},
				Context: map[string]any{"n": i, "share": 1.5e-9},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// tamper does what nobody may, with the rights of the database's administrator.
func (h *house) tamper(sql string, args ...any) {
	h.t.Helper()
	if _, err := h.owner.Exec(ctx, sql, args...); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) raw(as, method, path string, body any) (int, http.Header, []byte) {
	h.t.Helper()
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			h.t.Fatal(err)
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, h.url+path, payload)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+as)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return res.StatusCode, res.Header, b
}

func (h *house) call(want int, as, method, path string, body any) (out map[string]any) {
	h.t.Helper()
	status, _, b := h.raw(as, method, path, body)
	if status != want {
		h.t.Fatalf("%s %s as %s = %d: %s", method, path, as, status, b)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h *house) text(sql string, args ...any) (s string) {
	h.t.Helper()
	if err := h.owner.QueryRow(ctx, sql, args...).Scan(&s); err != nil {
		h.t.Fatal(err)
	}
	return s
}

package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/app"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// BenchmarkPipeline reads one identity in three ways: through the whole pipeline as a manager, with a real token and
// the shared rate; as that manager, but with nothing around the operation; and as somebody who sees all, with nothing
// around it. Idempotency keys are off, as for every read. The three take turns, so that the machine's moods meet all of
// them; what is told is the median of each, in microseconds, and the difference of the first and the last: the
// pipeline's own cost, visibility and all.
func BenchmarkPipeline(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	db := pgtest.New(b)
	ring, err := seal.New(bytes.Repeat([]byte("k3"), 16))
	if err != nil {
		b.Fatal(err)
	}
	usual := limit.Usual
	b.Cleanup(func() { limit.Usual = usual })
	limit.Usual = viewer.Rate{PerSecond: 1_000_000, Burst: 1_000_000} // counted all the same
	whole, err := app.New(ctx, testConfig(), "test", db, ring, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = whole.Run(ctx) }()
	made, err := tenant.Bootstrap{
		Slug:          "acme",
		Name:          "Acme",
		AdminEmail:    "a@acme.test",
		AdminPassword: password,
	}.Run(
		ctx,
		db,
	)
	if err != nil {
		b.Fatal(err)
	}
	system := viewer.System(made.Tenant.ID)
	id := asManager(b, whole.Handler(), db, system)
	token, path := tokenOf(b, whole.Handler()), "/api/v1/identities/"+id
	manager := viewer.Viewer{
		Tenant:   system.Tenant,
		Kind:     viewer.User,
		ID:       id,
		Identity: id,
		Roles:    []viewer.Role{viewer.Manager},
	}
	handlers := map[string]http.Handler{
		"whole": whole.Handler(),
		"seen":  bareRead(db, manager),
		"bare":  bareRead(db, system),
	}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for name, h := range handlers {
			req := httptest.NewRequest("GET", path, nil)
			req.Header.Set("Authorization", "Bearer "+token)
			res := httptest.NewRecorder()
			began := time.Now()
			h.ServeHTTP(res, req)
			took[name] = append(took[name], time.Since(began))
			if res.Code != http.StatusOK {
				b.Fatalf("%s = %d: %s", name, res.Code, res.Body)
			}
		}
	}
	b.ReportMetric(median(took["whole"]), "µs-whole")
	b.ReportMetric(median(took["seen"]), "µs-seen")
	b.ReportMetric(median(took["bare"]), "µs-bare")
	b.ReportMetric(median(took["whole"])-median(took["bare"]), "µs-pipeline")
}

// bareRead is the operation alone, for a viewer whom no token names.
func bareRead(db *pg.DB, v viewer.Viewer) http.Handler {
	anybody := func(context.Context, string, *http.Request) (viewer.Viewer, error) { return v, nil }
	api := httpapi.New(httpapi.Config{Title: "bare", Version: "1", Log: slog.New(slog.DiscardHandler), User: anybody})
	people := &directory.Service{DB: db, Now: time.Now}
	api.Add(people.Routes()...)
	return api.Router
}

// asManager makes a person, and the first user a manager who is that person. It returns the person's id.
func asManager(b *testing.B, h http.Handler, db *pg.DB, system viewer.Viewer) (id string) {
	b.Helper()
	person := map[string]any{"external_id": "E1", "email": "e1@acme.test", "display_name": "E 1"}
	id = sendTo(b, h, "POST", "/api/v1/identities", tokenOf(b, h), person, 201)["id"].(string)
	err := db.As(b.Context(), system, func(tx *pg.Tx) error {
		_, err := tx.Exec(b.Context(), `update app_user set roles = '{manager}', identity_id = $1`, id)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return id
}

func tokenOf(b *testing.B, h http.Handler) string {
	b.Helper()
	return sendTo(b, h, "POST", "/api/v1/auth/login", "", map[string]any{"email": "a@acme.test", "password": password},
		200)["access_token"].(string)
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2]) / float64(time.Microsecond)
}

func sendTo(b *testing.B, h http.Handler, method, path, token string, body any, want int) (out map[string]any) {
	b.Helper()
	payload, err := json.Marshal(body)
	if err != nil {
		b.Fatal(err)
	}
	req := httptest.NewRequest(method, path, bytes.NewReader(payload))
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res := httptest.NewRecorder()
	h.ServeHTTP(res, req)
	if err := json.Unmarshal(res.Body.Bytes(), &out); res.Code != want || err != nil {
		b.Fatalf("%s %s = %d: %s", method, path, res.Code, res.Body)
	}
	return out
}

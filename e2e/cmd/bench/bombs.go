package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
)

// bomb is an answer of a hostile target that is small on the wire and would be large, or take long, in the control
// plane.
type bomb struct {
	name       string
	kind       string // of connector
	path       string // whose answer it is
	answer     string
	connection map[string]any
	code       string // of the run's error; empty: the record is set aside, and the run does not fail
}

// list is an answer of 30 MiB: ten million empty objects.
func millions(head, tail string) string { return head + strings.Repeat("{},", 10<<20) + "{}" + tail }

func bombs() []bomb {
	branches := "$.." + strings.Repeat("[*,*,*]", 12)
	stream := map[string]any{
		"name":            "users",
		"object":          "account",
		"request":         map[string]any{"path": "users"},
		"record_selector": branches,
	}
	return []bomb{
		{"JSONPath that multiplies", "rest", "/users", strings.Repeat(`{"a":`, 400) + "1" + strings.Repeat("}", 400),
			map[string]any{"auth_method": "none", "streams": []any{stream}}, "query_too_costly"},
		{
			"SCIM, ten million users",
			"scim2",
			"/Users",
			millions(`{"totalResults":1,"Resources":[`, "]}"),
			nil,
			"too_many_bad_records",
		},
		{"SCIM, a user with ten million addresses", "scim2", "/Users",
			millions(`{"totalResults":1,"Resources":[{"id":"1","userName":"a","emails":[`, "]}]}"), nil, ""},
		{
			"SCIM, ten million groups",
			"scim2",
			"/Groups",
			millions(`{"totalResults":1,"Resources":[`, "]}"),
			nil,
			"too_many_bad_records",
		},
		{
			"custom, ten million accounts",
			"custom",
			"/v1/sync",
			millions(`{"success":true,"accounts":[`, "]}"),
			nil,
			"answer_too_large",
		},
	}
}

// hostile measures what answers that were made to exhaust the control plane cost it, each with a connector of its own.
func hostile(ctx context.Context, b *bench) error {
	c, err := b.tenant(ctx, "hostile")
	if err != nil {
		return err
	}
	idle, err := forgetPeak(b.plane.PID())
	if err != nil {
		return err
	}
	for i, each := range bombs() {
		if err := each.measure(ctx, b, c, i, idle); err != nil {
			return fmt.Errorf("%s: %w", each.name, err)
		}
	}
	return nil
}

// measure runs a sync of the bomb. idle is what the control plane had resident before the first of them, in MB.
func (x bomb) measure(ctx context.Context, b *bench, c *api.Client, number int, idle float64) error {
	target := httptest.NewServer(http.HandlerFunc(x.serve))
	defer target.Close()
	connection := map[string]any{"base_url": target.URL}
	for key, value := range x.connection {
		connection[key] = value
	}
	n := api.Connector{
		BusinessID: fmt.Sprint(
			"bomb-",
			number,
		),
		Name:       x.name,
		Type:       x.kind,
		Mode:       "hosted",
		Purpose:    "target",
		Connection: connection,
	}
	if x.kind != "rest" {
		n.Credentials = map[string]any{"bearer_token": "bench-token"}
	}
	id, err := c.CreateConnector(ctx, n)
	if err != nil {
		return err
	}
	if _, err := forgetPeak(b.plane.PID()); err != nil {
		return err
	}
	started, err := c.Start(ctx, id, api.Sync{})
	if err != nil {
		return err
	}
	run, err := c.Follow(ctx, id, started.RunID, 50*time.Millisecond, nil)
	if err != nil {
		return err
	}
	most, err := peak(b.plane.PID())
	if err != nil {
		return err
	}
	if err := x.ended(run); err != nil {
		return err
	}
	atMost("Hostile answer: "+x.name+", until the run has ended", 2, run.FinishedAt.Sub(*run.StartedAt).Seconds(), "s")
	atMost("  memory of the control plane in it, over idle", 256, most-idle, "MB")
	return nil
}

// serve answers with the bomb at its path, and with what an empty service answers elsewhere.
func (x bomb) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, x.path):
		_, _ = io.WriteString(w, x.answer)
	case strings.HasSuffix(r.URL.Path, "/Users"), strings.HasSuffix(r.URL.Path, "/Groups"):
		_, _ = io.WriteString(w, `{"totalResults":0,"Resources":[]}`)
	default:
		http.NotFound(w, r)
	}
}

// ended checks that a run came to the end that it should have.
func (x bomb) ended(run api.Run) error {
	code := ""
	if run.Error != nil {
		code = run.Error.Code
	}
	if code != x.code || (code != "") != (run.Status == "failed") || run.StartedAt == nil || run.FinishedAt == nil {
		return fmt.Errorf("the run is %s with the error %q; want %q", run.Status, code, x.code)
	}
	return nil
}

// forgetPeak has the most memory of a process counted anew, and gives what it has resident now, in MB (2^20 bytes).
func forgetPeak(pid int) (float64, error) {
	if err := os.WriteFile("/proc/"+strconv.Itoa(pid)+"/clear_refs", []byte("5"), 0); err != nil {
		return 0, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	return peak(pid)
}

package harness

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/rig"
)

// Promise is how soon a change of somebody's rights holds in every process of a deployment.
const Promise = 5 * time.Second

// Soon fails the test when something is not true within the Promise. Unlike Eventually it measures: what it waits for
// is itself about time.
func Soon(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(Promise); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%s after, it is not so: %s", Promise, what)
			return
		}
	}
}

// Second starts a further process on the same database with the same master key, as behind a load balancer. It ends
// with the test, before the first, which runs the database for both.
func (h *House) Second() *rig.ControlPlane {
	h.t.Helper()
	return h.Another("second")
}

// Another is Second under a name, for deployments with more than two processes.
func (h *House) Another(name string) *rig.ControlPlane {
	h.t.Helper()
	return h.second(name, func(u url.URL) url.URL { return u })
}

// SecondOver is Second with further flags, for a process that reaches the database by a line.
func (h *House) SecondOver(l *Line, flags ...string) *rig.ControlPlane {
	h.t.Helper()
	return h.second("second", l.lead, flags...)
}

func (h *House) second(name string, way func(database url.URL) url.URL, flags ...string) *rig.ControlPlane {
	h.t.Helper()
	app, err := h.databaseAs("grantwright_app", "app")
	h.check(err)
	owner, err := h.databaseAs("grantwright_owner", "owner")
	h.check(err)
	port, err := rig.FreePort()
	h.check(err)
	app, owner = way(app), way(owner)
	second := &rig.ControlPlane{
		Bin:    h.Plane.Bin,
		Data:   filepath.Join(h.Dir, name),
		Listen: fmt.Sprintf("127.0.0.1:%d", port),
		Log:    h.log("controlplane-" + name),
		Flags: append(
			[]string{"--master-key-file", filepath.Join(h.Plane.Data, "keys", "master.key")},
			slices.Concat(h.Plane.Flags, flags)...),
		Env: []string{"DATABASE_URL=" + app.String(), "DATABASE_OWNER_URL=" + owner.String()},
	}
	h.check(second.Start(Context(h.t)))
	h.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := second.Stop(ctx); err != nil {
			h.t.Error(err)
		}
	})
	return second
}

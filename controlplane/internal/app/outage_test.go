package app_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// outside is a PostgreSQL that the control plane is told of, and that can be killed and started again.
type outside struct {
	t      *testing.T
	dir    string
	server *embedded.Server
}

func (o *outside) start() {
	o.t.Helper()
	var err error
	if o.server, err = embedded.Start(context.Background(), embedded.Config{Dir: o.dir}); err != nil {
		o.t.Fatal(err)
	}
}

func newOutside(t *testing.T) (*outside, config.Config) {
	t.Helper()
	c := privateConfig(t)
	o := &outside{t: t, dir: filepath.Join(c.Data, "outside", "postgres")}
	o.start()
	t.Cleanup(func() {
		if err := o.server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	c.DatabaseURL, c.DatabaseOwnerURL = o.server.AppURL(), o.server.OwnerURL()
	return o, c
}

// watch asks the API over and over, and tells when it last failed and how long an answer took at most.
func watch(t *testing.T, url, token string) (stop func() (asked, failed int64, longest time.Duration)) {
	var all, bad, most atomic.Int64
	end := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
			}
			began := time.Now()
			status, _ := ask(t, "GET", url+"/api/v1/identities?limit=1", token, nil)
			most.Store(max(most.Load(), int64(time.Since(began))))
			all.Add(1)
			if status != 200 {
				bad.Add(1)
			}
			if status != 200 && status != 503 {
				t.Errorf("while the database was away: %d; want 503", status)
			}
		}
	}()
	return func() (int64, int64, time.Duration) {
		close(end)
		<-done
		return all.Load(), bad.Load(), time.Duration(most.Load())
	}
}

func TestADatabaseThatIsRestartedIsWaitedFor(t *testing.T) {
	o, c := newOutside(t)
	installation{t, c}.up(func(url string, db *pg.DB) {
		s := fill(t, url, db)
		stop := watch(t, url, s.access)
		time.Sleep(300 * time.Millisecond)
		for range 2 {
			if err := o.server.Stop(context.Background()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(400 * time.Millisecond)
			o.start()
			up := time.Now()
			for {
				if status, _ := ask(t, "GET", url+"/api/v1/identities?limit=1", s.access, nil); status == 200 {
					break
				}
				if time.Since(up) > 15*time.Second {
					t.Fatal("the API does not answer 15 s after the database is up")
				}
				time.Sleep(20 * time.Millisecond)
			}
			if status, out := ask(
				t,
				"POST",
				url+"/api/v1/auth/login",
				"",
				map[string]any{"email": "a@acme.test", "password": password},
			); status != 200 {
				t.Errorf("login after a restart = %d %v", status, out)
			}
		}
		asked, failed, longest := stop()
		if asked < 20 || failed == 0 || longest > 6*time.Second {
			t.Errorf(
				"%d requests, %d failed, the longest took %s; some must fail, and none hang",
				asked,
				failed,
				longest,
			)
		}
	})
}

func TestALockThatSomebodyHoldsIsWaitedForBriefly(t *testing.T) {
	ctx := context.Background()
	_, c := newOutside(t)
	installation{t, c}.up(func(url string, db *pg.DB) {
		s := fill(t, url, db)
		conn, err := pgx.Connect(ctx, c.DatabaseOwnerURL)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		tx, err := conn.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(ctx, `lock table identity in access exclusive mode`); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		status, out := ask(t, "GET", url+"/api/v1/identities", s.access, nil)
		if took := time.Since(began); status != 503 || out["code"] != "temporarily_overloaded" || took > 5*time.Second {
			t.Errorf("behind a lock: %d %v after %s; want 503 within 5 s", status, out["code"], took)
		}
		if status, _ := ask(t, "GET", url+"/health", "", nil); status != 200 {
			t.Errorf("/health behind a lock = %d", status)
		}
		if err := tx.Rollback(ctx); err != nil {
			t.Fatal(err)
		}
		if status, out := ask(t, "GET", url+"/api/v1/identities", s.access, nil); status != 200 {
			t.Errorf("after the lock: %d %v", status, out)
		}
	})
}

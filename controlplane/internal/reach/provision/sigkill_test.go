package provision_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// childURL and childTarget tell a process of the test program that it is one of the service: over which database, and
// before which target.
const (
	childURL    = "PROVISION_TEST_DATABASE"
	childTarget = "PROVISION_TEST_TARGET"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(childURL); url != "" {
		work(url, os.Getenv(childTarget))
		return
	}
	os.Exit(m.Run())
}

// work is a whole process that makes changes until it is killed.
func work(url, target string) {
	db, err := pg.Open(ctx, pg.Options{URL: url, MaxConns: 6})
	if err != nil {
		panic(err)
	}
	s := &provision.Service{
		DB:         db,
		Connectors: opener{},
		Dispatch:   overHTTP{target},
		Log:        slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Now:        time.Now,
		Calls:      2,
	}
	q := &queue.Queue{DB: db, Log: s.Log, Kinds: s.Kinds()}
	go func() { _ = q.Run(ctx) }()
	_ = s.Run(ctx)
}

// overHTTP is a target in another process.
type overHTTP struct{ url string }

func (o overHTTP) ask(path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	res, err := http.Post(o.url+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return json.NewDecoder(res.Body).Decode(out)
}

func (o overHTTP) Provision(
	_ context.Context,
	_ dispatch.Target,
	req v1.ProvisionRequest,
) (res v1.ProvisionResponse, err error) {
	return res, o.ask("/provision", req, &res)
}

func (o overHTTP) Read(_ context.Context, _ dispatch.Target, req v1.ReadRequest) (res v1.ReadResponse, err error) {
	return res, o.ask("/read", req, &res)
}

func (o overHTTP) Writes(string, v1.AuthConfig) connectorkit.Writes {
	return connectorkit.Writes{Ops: newTarget().ops}
}

func TestAProcessThatIsKilledAgainAndAgainMakesEachChangeOnce(t *testing.T) {
	h := Open(t)
	staff := h.Entitlement(h.connector, "staff")
	const people = 30
	for i := range people {
		h.give(h.person("p"+string(rune('a'+i/10))+string(rune('0'+i%10))), staff)
	}
	h.plan()
	kill := make(chan struct{}, 1)
	changes := 0
	h.target.after = func(v1.ProvisionRequest) {
		if changes++; changes%15 == 0 { // the target has changed, and nobody hears of it
			kill <- struct{}{}
			time.Sleep(50 * time.Millisecond)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/provision", func(w http.ResponseWriter, r *http.Request) {
		var req v1.ProvisionRequest
		_ = json.NewDecoder(r.Body).Decode(&req)
		res, err := h.target.Provision(ctx, dispatch.Target{}, req)
		if err != nil {
			t.Error(err)
		}
		_ = json.NewEncoder(w).Encode(res)
	})
	mux.HandleFunc("/read", func(w http.ResponseWriter, r *http.Request) {
		var req v1.ReadRequest
		_ = json.NewDecoder(r.Body).Decode(&req)
		res, _ := h.target.Read(ctx, dispatch.Target{}, req)
		_ = json.NewEncoder(w).Encode(res)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	killed := 0
	for deadline := time.Now().Add(3 * time.Minute); h.Count(`select count(*) from provisioning_task
		where state = 'done'`) < 2*people; {
		if time.Now().After(deadline) {
			t.Fatalf(
				"it does not end: %q",
				h.Strings(`select state || ' ' || count(*) from provisioning_task group by state`),
			)
		}
		h.Exec(`update provisioning_lane set lease_until = now() - interval '1 second'`)
		h.Exec(`update provisioning_task set lease_until = now() - interval '1 second' where state = 'running'`)
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childURL+"="+h.DB.Pool().Config().ConnString(), childTarget+"="+server.URL)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for over, until := false, time.Now().Add(time.Minute); !over && time.Now().Before(until); {
			select {
			case <-kill:
				killed++
				over = true
			case <-time.After(50 * time.Millisecond):
				over = h.Count(`select count(*) from provisioning_task where state = 'done'`) == 2*people
			}
		}
		_ = child.Process.Kill()
		_ = child.Wait()
	}
	if killed < 3 {
		t.Errorf("it was killed %d times; want 3 at least", killed)
	}
	if n := h.target.twice(); n != 0 {
		t.Errorf("%d changes were made twice", n)
	}
	if n := len(h.target.done); n != 2*people {
		t.Errorf("%d changes were made; want %d", n, 2*people)
	}
}

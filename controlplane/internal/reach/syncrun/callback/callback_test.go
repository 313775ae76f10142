package callback

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

func TestCallbacksShareTheirConnections(t *testing.T) {
	var connections atomic.Int64
	receiver := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
	)
	receiver.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	receiver.Start()
	defer receiver.Close()
	guard := &outbound.Guard{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	s := &Sender{Runs: &syncrun.Service{CallbackKey: []byte("key")}, HTTP: guard.Client(Timeout), Now: time.Now}
	for seq := range int64(5) {
		if err := s.post(
			t.Context(),
			uuid.NewString(),
			receiver.URL,
			syncrun.Progress{RunID: "r", ConnectorID: "c", Seq: seq},
		); err != nil {
			t.Fatal(err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("5 callbacks used %d connections", n)
	}
}

func TestACallbackThatTheDatabaseRefusesIsAnError(t *testing.T) {
	db := pgtest.New(t)
	system := pgtest.Tenant(t, db, "callback")
	s := &Sender{DB: db, Runs: &syncrun.Service{DB: db}, Now: time.Now}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.deliver(ctx, system, uuid.NewString(), uuid.NewString()); err != nil {
		t.Errorf("a callback that is not due: %v", err)
	}
	cancel()
	if err := s.deliver(ctx, system, uuid.NewString(), uuid.NewString()); err == nil {
		t.Error("an error of the database passes for another process that was quicker")
	}
}

package syncrun

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestANoticeThatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	var w watch
	until := time.Now().Add(time.Hour)
	w.hear(v1.Progress{RateWaitUntil: &until})
	if _, _, fresh := w.news(); !fresh {
		t.Fatal("an announced wait is no news")
	}
	w.unwritten()
	if got, _, fresh := w.news(); !fresh || got == nil || !got.Equal(until) {
		t.Errorf("after a write that failed the wait is %v, news %v", got, fresh)
	}
}

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
	s := &Service{
		Guard:       &outbound.Guard{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
		CallbackKey: []byte("key"),
		Now:         time.Now,
	}
	s.init()
	for seq := range int64(5) {
		if err := s.post(
			t.Context(),
			uuid.NewString(),
			receiver.URL,
			Progress{RunID: "r", ConnectorID: "c", Seq: seq},
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
	s := &Service{DB: db, Now: time.Now}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.deliver(ctx, system, uuid.NewString(), uuid.NewString()); err != nil {
		t.Errorf("a callback that is not due: %v", err)
	}
	cancel()
	if err := s.deliver(ctx, system, uuid.NewString(), uuid.NewString()); err == nil {
		t.Error("an error of the database passes for another process that was quicker")
	}
}

func TestAMergerTakesLittleMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx, stop := context.WithCancelCause(t.Context())
	m := (&work{}).startMerger(ctx, stop)
	if err := m.finish(ctx, false); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("a merger with nothing to merge allocates %d KiB", grown>>10)
	}
}

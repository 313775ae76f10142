package replay_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/replay"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

const (
	key   = "0198f5c3-4f9e-7a6b-8c1d-2e3f4a5b6c7d"
	other = "0198f5c3-4f9e-7a6b-8c1d-2e3f4a5b6c7e"
)

var (
	print  = replay.Fingerprint("POST", "/api/v1/things", "", "application/json", []byte(`{}`))
	answer = replay.Answer{Status: 201, Header: http.Header{"Etag": {`"1"`}}, Body: []byte("a secret shown once")}
)

type house struct {
	t      *testing.T
	db     *pg.DB
	keeper *replay.Keeper
	v      viewer.Viewer
	now    time.Time
}

func newHouse(t *testing.T) *house {
	t.Helper()
	ring, err := seal.New(bytes.Repeat([]byte("k3"), 16))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, db: pgtest.New(t), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	h.keeper = &replay.Keeper{
		DB:   h.db,
		Seal: seal.ColumnSealer{Ring: ring, Place: seal.Place{Table: "kept_answer", Column: "answer"}},
		Log:  slog.New(slog.DiscardHandler),
		Now:  func() time.Time { return h.now },
	}
	h.v = person(pgtest.Tenant(t, h.db, "acme").Tenant, "u1")
	return h
}

func person(tenant, id string) viewer.Viewer {
	return viewer.Viewer{Tenant: tenant, Kind: viewer.User, ID: id, Roles: []viewer.Role{viewer.Admin}}
}

// work does the effect: each time it is done, the tenant's version is one more.
func (h *house) work(ctx context.Context) {
	h.t.Helper()
	err := h.db.As(ctx, h.v, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `update tenant set version = version + 1`)
		return err
	})
	if err != nil {
		h.t.Error(err)
	}
}

func (h *house) effects() (n int) {
	h.t.Helper()
	h.exec(func(ctx context.Context, tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select version - 1 from tenant`).Scan(&n)
	})
	return n
}

func (h *house) exec(fn func(ctx context.Context, tx *pg.Tx) error) {
	h.t.Helper()
	ctx := context.Background()
	if err := h.db.As(ctx, viewer.System(h.v.Tenant), func(tx *pg.Tx) error { return fn(ctx, tx) }); err != nil {
		h.t.Fatal(err)
	}
}

// leaseEnds lets the time of whoever works on something run out.
func (h *house) leaseEnds() {
	h.exec(func(ctx context.Context, tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `update kept_answer set lease_until = now() - interval '1 second'`)
		return err
	})
}

func (h *house) begin(v viewer.Viewer, key string, fingerprint []byte) (*replay.Try, *replay.Answer, error) {
	try, before, err := h.keeper.Begin(context.Background(), v, key, fingerprint)
	if try != nil {
		h.t.Cleanup(func() { try.Abandon(context.Background()) }) // what a test leaves open keeps the pool from closing
	}
	return try, before, err
}

// once carries a request out as the API does.
func (h *house) once(a replay.Answer) (got replay.Answer, err error) { return h.onceWith(key, a) }

func (h *house) onceWith(key string, a replay.Answer) (got replay.Answer, err error) {
	try, before, err := h.begin(h.v, key, print)
	if err != nil || before != nil {
		if before != nil {
			got = *before
		}
		return got, err
	}
	h.work(try.Hold(context.Background()))
	return a, try.Finish(context.Background(), a)
}

func (h *house) want(effects int, code string, err error) {
	h.t.Helper()
	if got := h.effects(); got != effects {
		h.t.Errorf("done %d times; want %d", got, effects)
	}
	if (code == "") != (err == nil) || (code != "" && !fault.IsCode(err, code)) {
		h.t.Errorf("got %v; want code %q", err, code)
	}
}

func TestTheSecondTryGetsTheFirstOnesAnswer(t *testing.T) {
	h := newHouse(t)
	for range 3 {
		got, err := h.once(answer)
		h.want(1, "", err)
		if diff := cmp.Diff(answer, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	h.exec(func(ctx context.Context, tx *pg.Tx) error {
		var kept string
		if err := tx.QueryRow(ctx, `select encode(answer, 'escape') from kept_answer`).Scan(&kept); err != nil {
			return err
		}
		if strings.Contains(kept, "secret") {
			t.Errorf("the answer lies open: %s", kept)
		}
		return nil
	})
}

func TestAnAnswerIsKeptForADay(t *testing.T) {
	h := newHouse(t)
	first := h.now
	_, err := h.once(answer)
	h.want(1, "", err)
	h.now = first.Add(24*time.Hour - time.Second)
	_, err = h.once(answer)
	h.want(1, "", err)
	h.now = first.Add(24*time.Hour + time.Second)
	if _, _, err := h.begin(h.v, other, print); err != nil {
		t.Fatal(err)
	}
	_, err = h.once(answer)
	h.want(2, "", err)
	h.now = h.now.Add(23 * time.Hour) // the day began anew
	_, err = h.once(answer)
	h.want(2, "", err)
}

func TestOnlyWhatWasCarriedOutIsKept(t *testing.T) {
	h := newHouse(t)
	for status, want := range map[int]int{
		200: 1, 202: 1, 204: 1, 404: 1, 409: 1, 410: 1, 412: 1, 422: 1, // kept
		400: 2, 401: 2, 403: 2, 413: 2, 415: 2, 429: 2, // free again; what was written stays
		500: 0, 502: 0, 503: 0, // free again, and undone
	} {
		before, key := h.effects(), uuid.NewString()
		for range 2 {
			if _, err := h.onceWith(
				key,
				replay.Answer{Status: status, Header: http.Header{}, Body: []byte("x")},
			); err != nil {
				t.Fatal(err)
			}
		}
		if got := h.effects() - before; got != want {
			t.Errorf("two tries with %d do it %d times; want %d", status, got, want)
		}
	}
}

func TestAKeyBelongsToOneRequestOfOneCaller(t *testing.T) {
	h := newHouse(t)
	_, err := h.once(answer)
	h.want(1, "", err)
	moved := replay.Fingerprint("POST", "/api/v1/others", "", "application/json", []byte(`{}`))
	if _, _, err := h.begin(
		h.v,
		key,
		moved,
	); !fault.IsCode(err, "idempotency_key_reused") ||
		!fault.Is(err, fault.Invalid) {
		t.Errorf("on another path: %v", err)
	}
	service := h.v
	service.Kind = viewer.Service
	for name, v := range map[string]viewer.Viewer{
		"another subject": person(h.v.Tenant, "u2"), "another kind": service,
		"another tenant": person(pgtest.Tenant(t, h.db, "other").Tenant, h.v.ID),
	} {
		if try, before, err := h.begin(v, key, moved); try == nil || before != nil || err != nil {
			t.Errorf("%s: %v, %v, %v", name, try, before, err)
		}
	}
	if try, _, err := h.begin(h.v, other, moved); try == nil || err != nil {
		t.Errorf("another key: %v, %v", try, err)
	}
}

func TestASecondTryWhileTheFirstWorksIsTurnedAway(t *testing.T) {
	h := newHouse(t)
	try, _, err := h.begin(h.v, key, print)
	if err != nil {
		t.Fatal(err)
	}
	h.work(try.Hold(t.Context()))
	_, err = h.once(answer)
	h.want(0, "idempotency_in_progress", err)
	if _, _, err := h.begin(
		h.v,
		key,
		replay.Fingerprint("PUT", "/", "", "", nil),
	); !fault.IsCode(
		err,
		"idempotency_key_reused",
	) {
		t.Errorf("another request with the key: %v", err)
	}
	if err := try.Finish(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	_, err = h.once(answer)
	h.want(1, "", err)
}

// TestADeathAtAnyStepNeitherLosesNorDoubles ends the first try after each of its steps, as a crash would: nothing is
// let go, its connection is lost. Then its lease ends, and another try comes.
func TestADeathAtAnyStepNeitherLosesNorDoubles(t *testing.T) {
	for _, tt := range []struct {
		name  string
		death func(h *house, try *replay.Try)
	}{
		{"after the reservation", func(*house, *replay.Try) {}},
		{"after the work, before the commit", func(h *house, try *replay.Try) {
			held := try.Hold(context.Background())
			h.work(held)
			loseConnection(h, held)
		}},
		{"after the commit, before the answer", func(h *house, try *replay.Try) {
			h.work(try.Hold(context.Background()))
			if err := try.Finish(context.Background(), answer); err != nil {
				h.t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t)
			try, _, err := h.begin(h.v, key, print)
			if err != nil {
				t.Fatal(err)
			}
			tt.death(h, try)
			h.leaseEnds()
			got, err := h.once(answer)
			h.want(1, "", err)
			if string(got.Body) != string(answer.Body) {
				t.Errorf("got %q", got.Body)
			}
		})
	}
}

// loseConnection breaks the connection of what is held: a statement that is cancelled while it runs takes it down.
func loseConnection(h *house, held context.Context) {
	h.t.Helper()
	err := h.db.As(held, h.v, func(tx *pg.Tx) error {
		short, cancel := context.WithTimeout(held, 20*time.Millisecond)
		defer cancel()
		_, err := tx.Exec(short, `select pg_sleep(5)`)
		return err
	})
	if err == nil {
		h.t.Error("the connection lives")
	}
}

func TestWhoWasTakenForDeadUndoesItsWork(t *testing.T) {
	h := newHouse(t)
	slow, _, err := h.begin(h.v, key, print)
	if err != nil {
		t.Fatal(err)
	}
	held := slow.Hold(t.Context()) // works on nothing yet, so that nobody waits for its locks
	h.leaseEnds()
	_, err = h.once(answer)
	h.want(1, "", err)
	h.work(held)
	err = slow.Finish(t.Context(), replay.Answer{Status: 201, Header: http.Header{}, Body: []byte("second")})
	h.want(1, "idempotency_in_progress", err)
	if got, err := h.once(answer); err != nil || string(got.Body) != string(answer.Body) {
		t.Errorf("the kept answer is %q (%v)", got.Body, err)
	}
}

func TestAnAnswerThatCannotBeKeptUndoesTheWork(t *testing.T) {
	h := newHouse(t)
	try, _, err := h.begin(h.v, key, print)
	if err != nil {
		t.Fatal(err)
	}
	held := try.Hold(t.Context())
	h.work(held)
	loseConnection(h, held)
	if err := try.Finish(t.Context(), answer); err == nil {
		t.Error("it was kept")
	}
	h.want(0, "", nil)
	_, err = h.once(answer)
	h.want(1, "", err)
}

func TestWhoWaitsForTheWorldHoldsNoTransaction(t *testing.T) {
	h := newHouse(t)
	try, _, err := h.begin(h.v, key, print)
	if err != nil {
		t.Fatal(err)
	}
	try.Wait(t.Context())
	h.work(t.Context())
	h.want(1, "", nil) // others see it already
	if _, _, err := h.begin(h.v, key, print); !fault.IsCode(err, "idempotency_in_progress") {
		t.Errorf("meanwhile: %v", err)
	}
	if err := try.Finish(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	_, err = h.once(answer)
	h.want(1, "", err)
}

func TestAnAbandonedTryIsUndoneAndItsKeyIsFree(t *testing.T) {
	h := newHouse(t)
	for range 2 {
		try, _, err := h.begin(h.v, key, print)
		if err != nil {
			t.Fatal(err)
		}
		h.work(try.Hold(t.Context()))
		try.Abandon(t.Context())
		try.Abandon(t.Context())
		h.want(0, "", nil)
	}
}

func TestOf200AtOnceOneIsCarriedOut(t *testing.T) {
	h := newHouse(t)
	var carried, repeated, turned atomic.Int32
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			try, before, err := h.begin(h.v, key, print)
			switch {
			case fault.IsCode(err, "idempotency_in_progress"):
				turned.Add(1)
			case err != nil:
				t.Error(err)
			case before != nil:
				repeated.Add(1)
			default:
				carried.Add(1)
				h.work(try.Hold(context.Background()))
				if err := try.Finish(context.Background(), answer); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if carried.Load() != 1 || carried.Load()+repeated.Load()+turned.Load() != 200 {
		t.Errorf("carried out %d, repeated %d, turned away %d", carried.Load(), repeated.Load(), turned.Load())
	}
	h.want(1, "", nil)
}

func TestOldAnswersAreForgotten(t *testing.T) {
	h := newHouse(t)
	rows := func() (n int) {
		h.exec(func(ctx context.Context, tx *pg.Tx) error {
			return tx.QueryRow(ctx, `select count(*) from kept_answer`).Scan(&n)
		})
		return n
	}
	if _, err := h.once(answer); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{23 * time.Hour, 1}, {2 * time.Hour, 0}} {
		h.now = h.now.Add(tt.after)
		if err := h.keeper.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := rows(); got != tt.want {
			t.Errorf("after %s more %d rows are left; want %d", tt.after, got, tt.want)
		}
	}
}

func TestFingerprints(t *testing.T) {
	const want = "ff22417032a32613d293d57b521b65ec64ea6224cc9dabc3b62411decef3c056"
	body := []byte(`{"external_id":"E1"}`)
	if got := hex.EncodeToString(
		replay.Fingerprint("POST", "/api/v1/identities", "", "application/json", body),
	); got != want {
		t.Errorf("got %s; want %s", got, want)
	}
	base := replay.Fingerprint("POST", "/a", "x=1&y=2", "application/json; charset=utf-8", body)
	if got := replay.Fingerprint("POST", "/a", "y=2&x=1", "Application/JSON", body); !bytes.Equal(base, got) {
		t.Error("the order of parameters, or a charset, makes another request")
	}
	for name, got := range map[string][]byte{
		"method": replay.Fingerprint("PUT", "/a", "x=1&y=2", "application/json", body),
		"path":   replay.Fingerprint("POST", "/b", "x=1&y=2", "application/json", body),
		"query":  replay.Fingerprint("POST", "/a", "x=1&y=3", "application/json", body),
		"media":  replay.Fingerprint("POST", "/a", "x=1&y=2", "application/merge-patch+json", body),
		"body":   replay.Fingerprint("POST", "/a", "x=1&y=2", "application/json", []byte(`{"external_id": "E1"}`)),
	} {
		if bytes.Equal(base, got) {
			t.Errorf("another %s makes no other request", name)
		}
	}
}

func TestKeys(t *testing.T) {
	id := uuid.NewString()
	for _, tt := range []struct {
		values []string
		want   string
		ok     bool
	}{
		{nil, "", true},
		{[]string{id}, id, true},
		{[]string{`"` + id + `"`}, id, true},
		{[]string{strings.ToUpper(id)}, id, true},
		{[]string{" " + id + " "}, id, true},
		{[]string{""}, "", false},
		{[]string{"order-17"}, "", false},
		{[]string{id, id}, "", false},
		{[]string{"{" + id + "}"}, "", false},
		{[]string{"urn:uuid:" + id}, "", false},
		{[]string{strings.ReplaceAll(id, "-", "")}, "", false},
		{[]string{`"` + id}, "", false},
		{[]string{id + strings.Repeat(" ", 40)}, "", false},
	} {
		got, err := replay.Key(tt.values)
		if got != tt.want || (err == nil) != tt.ok || (err != nil && !fault.IsCode(err, "invalid_idempotency_key")) {
			t.Errorf("Key(%q) = %q, %v", tt.values, got, err)
		}
	}
}

package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grantwright/grantwright/agent/internal/spool"
	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// withSpool gives a runner a spool of max bytes, which lies in the directory that is returned.
func withSpool(t *testing.T, r *Runner, max int64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "spool")
	s, err := spool.Open(dir, max)
	if err != nil {
		t.Fatal(err)
	}
	r.Spool = s
	return dir
}

// ids are the accounts in the chunks sent so far, in order. Their numbers must be without a gap.
func (o *outbox) ids(t *testing.T) []string {
	t.Helper()
	var ids []string
	for i, f := range o.of(wire.TypeChunk) {
		if f.Seq != i+1 {
			t.Fatalf("chunk %d has the number %d", i+1, f.Seq)
		}
		page, err := wire.DecodeBody[v1.SyncResponse](f)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range page.Accounts {
			ids = append(ids, a.ExternalID)
		}
	}
	return ids
}

func numbers(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprint(i+1))
	}
	return out
}

// ackAll acknowledges what was sent until the result is there.
func ackAll(t *testing.T, r *Runner, o *outbox, credit int) {
	t.Helper()
	for range 1000 {
		if len(o.of(wire.TypeResult)) > 0 {
			return
		}
		give(t, r, wire.Frame{Type: wire.TypeAck}, wire.Ack{Seq: len(o.of(wire.TypeChunk)), Credit: credit})
		synctest.Wait()
	}
	t.Fatal("no result after a thousand acks")
}

func TestReadingGoesOnToTheDiskAndComesBackInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := 0
		r, o := newRunner(fake{sync: func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
			return accounts(40)(ctx, req, func(ctx context.Context, page v1.SyncResponse) error {
				read++
				return emit(ctx, page)
			})
		}})
		dir := withSpool(t, r, 0)
		give(t, r, wire.Frame{}, syncOffer(t, 3, 1))
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if read != 4 || r.SpoolBytes() != 0 {
			t.Fatalf("before half a minute %d pages were read and %d bytes spooled", read, r.SpoolBytes())
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if files, _ := os.ReadDir(dir); read != 40 || len(files) == 0 || r.SpoolBytes() == 0 ||
			len(o.of(wire.TypeChunk)) != 3 {
			t.Fatalf(
				"%d pages were read, %d files, %d bytes, %d chunks sent",
				read,
				len(files),
				r.SpoolBytes(),
				len(o.of(wire.TypeChunk)),
			)
		}
		if len(o.of(wire.TypeResult)) != 0 {
			t.Fatal("the result overtook what lies on the disk")
		}
		ackAll(t, r, o, 3)
		if got := o.ids(t); !slices.Equal(got, numbers(40)) {
			t.Errorf("accounts %v", got)
		}
		if res := o.result(t); !res.OK || string(res.Result) != `{"chunks":41,"records":40}` {
			t.Errorf("result %+v", res)
		}
		if files, _ := os.ReadDir(dir); len(files) != 0 || r.SpoolBytes() != 0 {
			t.Errorf("%d files and %d bytes are left", len(files), r.SpoolBytes())
		}
	})
}

func TestAFullSpoolHoldsReadingBackUntilThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := 0
		r, o := newRunner(fake{sync: func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
			return accounts(30)(ctx, req, func(ctx context.Context, page v1.SyncResponse) error {
				read++
				return emit(ctx, page)
			})
		}})
		withSpool(t, r, 5*4096)
		give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
		time.Sleep(time.Hour)
		synctest.Wait()
		if read != 2+5+1 || len(o.of(wire.TypeResult)) != 0 {
			t.Fatalf("%d pages were read, want two sent, five on the disk and one in hand", read)
		}
		if trouble := r.Trouble(); len(trouble) != 0 {
			t.Errorf("a full spool is called %v", trouble)
		}
		ackAll(t, r, o, 2)
		if got := o.ids(t); !slices.Equal(got, numbers(30)) {
			t.Errorf("accounts %v", got)
		}
	})
}

func TestADiskThatFailsHoldsReadingBackAndIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: accounts(10)})
		dir := withSpool(t, r, 0)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
		time.Sleep(45 * time.Second)
		synctest.Wait()
		if trouble := r.Trouble(); !slices.Equal(trouble, []string{wire.TroubleSpool}) ||
			len(o.of(wire.TypeResult)) != 0 {
			t.Fatalf("trouble %v, %d results", trouble, len(o.of(wire.TypeResult)))
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if r.SpoolBytes() == 0 || len(r.Trouble()) != 0 {
			t.Fatalf("the disk works again, and %d bytes are on it, with trouble %v", r.SpoolBytes(), r.Trouble())
		}
		ackAll(t, r, o, 2)
		if got := o.ids(t); !slices.Equal(got, numbers(10)) {
			t.Errorf("accounts %v", got)
		}
	})
}

func TestAPageThatCannotBeReadBackEndsTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: accounts(10)})
		dir := withSpool(t, r, 0)
		give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
		time.Sleep(31 * time.Second)
		synctest.Wait()
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("files %v (%v)", files, err)
		}
		if err := os.Truncate(files[0], 5); err != nil {
			t.Fatal(err)
		}
		give(t, r, wire.Frame{Type: wire.TypeAck}, wire.Ack{Seq: 2, Credit: 2})
		synctest.Wait()
		if res := o.result(t); res.OK || res.Error.Code != "spool_damaged" || !res.Error.Retryable {
			t.Errorf("result %+v %+v", res, res.Error)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 || r.SpoolBytes() != 0 {
			t.Errorf("%d files and %d bytes are left", len(left), r.SpoolBytes())
		}
	})
}

func TestWhatWasReadBeforeAFailureIsSentBeforeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
			if err := accounts(9)(ctx, req, emit); err != nil {
				return err
			}
			return &v1.ErrorDetail{Class: v1.ClassTransient, Code: "target_gone", Message: "the target hung up"}
		}})
		withSpool(t, r, 0)
		give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
		time.Sleep(31 * time.Second)
		synctest.Wait()
		ackAll(t, r, o, 2)
		if got := o.ids(t); !slices.Equal(got, numbers(9)) {
			t.Errorf("accounts %v", got)
		}
		if res := o.result(t); res.Error == nil || res.Error.Code != "target_gone" {
			t.Errorf("result %+v", res)
		}
	})
}

func TestCancelEndsABlockedTaskAtOnceWithAndWithoutASpool(t *testing.T) {
	for name, max := range map[string]int64{"no spool": -1, "a spool": 0, "a full spool": 4096} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ended time.Time
				r, o := newRunner(
					fake{sync: func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
						err := accounts(1_000)(ctx, req, emit)
						ended = time.Now()
						return err
					}},
				)
				dir := ""
				if max >= 0 {
					dir = withSpool(t, r, max)
				}
				give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
				time.Sleep(time.Minute)
				synctest.Wait()
				asked := time.Now()
				give(t, r, wire.Frame{Type: wire.TypeTaskCancel}, wire.Cancel{Reason: "user", GraceMS: 10_000})
				synctest.Wait()
				if max == 0 { // everything was read long ago
					asked = ended
				}
				if ended.IsZero() || !ended.Equal(asked) {
					t.Errorf("the connector ended at %v, asked at %v", ended, asked)
				}
				if res := o.result(t); res.Error == nil || res.Error.Class != v1.ClassCancelled {
					t.Errorf("result %+v", res)
				}
				if dir != "" {
					if left, _ := os.ReadDir(dir); len(left) != 0 {
						t.Errorf("%d files are left", len(left))
					}
				}
			})
		})
	}
}

func TestTheConnectorsOwnContextDoesNotEndTheSpool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
			inner, cancel := context.WithCancel(ctx)
			defer cancel()
			return accounts(10)(inner, req, emit)
		}})
		withSpool(t, r, 0)
		give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
		time.Sleep(31 * time.Second)
		synctest.Wait()
		ackAll(t, r, o, 2)
		if got := o.ids(t); !slices.Equal(got, numbers(10)) {
			t.Errorf("accounts %v", got)
		}
	})
}

func TestWaitsOfASyncAreToldAndDoNotPassForBeingStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
			until := time.Now().Add(50 * time.Minute)
			connectorkit.ReportOf(ctx).Send(v1.Progress{Phase: "users", RateWaitUntil: &until})
			select {
			case <-time.After(time.Until(until)):
				return accounts(1)(ctx, req, emit)
			case <-ctx.Done():
				return ctx.Err()
			}
		}})
		give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
		time.Sleep(51 * time.Minute)
		synctest.Wait()
		frames := o.of(wire.TypeProgress)
		if len(frames) != 1 {
			t.Fatalf("%d frames of progress, want one", len(frames))
		}
		p, err := wire.DecodeBody[v1.Progress](frames[0])
		if err != nil || p.Phase != "users" || p.RateWaitUntil == nil {
			t.Errorf("progress %+v (%v)", p, err)
		}
		if res := o.result(t); !res.OK {
			t.Errorf("result %+v", res.Error)
		}
	})
}

func TestAfterAWaitThePatienceIsTheUsualOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var ended time.Duration
		r, o := newRunner(fake{sync: func(ctx context.Context, _ v1.SyncRequest, _ connectorkit.Emit) error {
			until := time.Now().Add(20 * time.Minute)
			connectorkit.ReportOf(ctx).Send(v1.Progress{RateWaitUntil: &until})
			<-ctx.Done()
			ended = time.Since(began)
			return ctx.Err()
		}})
		give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
		time.Sleep(time.Hour)
		synctest.Wait()
		if ended != 25*time.Minute || o.result(t).Error.Code != "no_progress" {
			t.Errorf("ended after %v with %+v, want 25 minutes and no_progress", ended, o.result(t).Error)
		}
	})
}

func TestAWaitForEverDoesNotSwitchTheWatchdogOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: func(ctx context.Context, _ v1.SyncRequest, _ connectorkit.Emit) error {
			until := time.Now().AddDate(900, 0, 0)
			connectorkit.ReportOf(ctx).Send(v1.Progress{RateWaitUntil: &until})
			<-ctx.Done()
			return context.Cause(ctx)
		}})
		give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		if res := o.result(t); res.Error == nil || res.Error.Code != "no_progress" {
			t.Errorf("result %+v", res)
		}
	})
}

func TestADrainingAgentTakesNothingNewAndEndsWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: accounts(5)})
		give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
		synctest.Wait()
		r.Drain(true)
		offer := wire.Frame{Type: wire.TypeOffer, Task: "other", Attempt: 1, Body: body(t, syncOffer(t, 2, 1))}
		if err := r.Handle(offer); err != nil {
			t.Fatal(err)
		}
		rejected := o.of(wire.TypeReject)
		if len(rejected) != 1 || !r.Draining() {
			t.Fatalf("%d rejections, draining %v", len(rejected), r.Draining())
		}
		if why, err := wire.DecodeBody[wire.Reject](rejected[0]); err != nil || why.Reason != "draining" {
			t.Errorf("rejected with %+v (%v)", why, err)
		}
		ackAll(t, r, o, 2)
		if res := o.result(t); !res.OK {
			t.Errorf("what ran ended with %+v", res.Error)
		}
		r.Drain(false)
		if err := r.Handle(offer); err != nil || len(o.of(wire.TypeReject)) != 1 {
			t.Errorf("after the drain: %v, %d rejections", err, len(o.of(wire.TypeReject)))
		}
		r.Stop(time.Second)
	})
}

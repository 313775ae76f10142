package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// fake is a connector whose calls are functions of the test.
type fake struct {
	test func(context.Context, connectorkit.Report) (v1.TestResponse, error)
	sync func(context.Context, v1.SyncRequest, connectorkit.Emit) error
}

func (f fake) Test(ctx context.Context, _ v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	return f.test(ctx, report)
}

func (f fake) Discover(context.Context, v1.DiscoverRequest, connectorkit.Report) (v1.DiscoverResponse, error) {
	return v1.DiscoverResponse{Success: true}, nil
}

func (f fake) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	return f.sync(ctx, req, emit)
}

// outbox keeps what is sent.
type outbox struct {
	mu     sync.Mutex
	frames []wire.Frame
}

func (o *outbox) Send(f wire.Frame, body any) error {
	data, err := wire.Encode(f, body)
	if err != nil {
		return err
	}
	return o.SendEncoded(f.Type, data, nil)
}

func (o *outbox) SendEncoded(_ wire.Type, data []byte, _ func()) error {
	f, err := wire.Decode(data, 0)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.frames = append(o.frames, f)
	return nil
}

func (o *outbox) of(types ...wire.Type) []wire.Frame {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []wire.Frame
	for _, f := range o.frames {
		for _, t := range types {
			if f.Type == t {
				out = append(out, f)
			}
		}
	}
	return out
}

func (o *outbox) result(t *testing.T) wire.Result {
	t.Helper()
	frames := o.of(wire.TypeResult)
	if len(frames) != 1 {
		t.Fatalf("%d results, want one", len(frames))
	}
	r, err := wire.DecodeBody[wire.Result](frames[0])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func opens(c connectorkit.Connector) Open {
	return func(connectorkit.Env, string) (connectorkit.Connector, error) { return c, nil }
}

func newRunner(c fake) (*Runner, *outbox) {
	r := &Runner{
		Open:  opens(c),
		Types: []string{"ldap"}, MaxTasks: 2, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}
	o := &outbox{}
	r.Attach(o, 0, nil)
	return r, o
}

func body(t *testing.T, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func give(t *testing.T, r *Runner, f wire.Frame, v any) {
	t.Helper()
	if f.Type == "" {
		f.Type = wire.TypeOffer
	}
	f.Task, f.Run = "task", "run"
	if f.Attempt == 0 {
		f.Attempt = 1
	}
	f.Body = body(t, v)
	if err := r.Handle(f); err != nil {
		t.Fatalf("Handle(%s): %v", f.Type, err)
	}
}

func syncOffer(t *testing.T, credit, chunkSize int) wire.Offer {
	return wire.Offer{Kind: wire.KindSync, ConnectorType: "ldap", Credit: credit, Request: body(t, v1.SyncRequest{
		AuthConfig: v1.AuthConfig{"password": "hunter22"}, Options: &v1.SyncOptions{ChunkSize: chunkSize},
	})}
}

// accounts emits n accounts, one a page.
func accounts(n int) func(context.Context, v1.SyncRequest, connectorkit.Emit) error {
	return func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
		for i := range n {
			page := v1.SyncResponse{Success: true, Accounts: []v1.RemoteAccount{{ExternalID: fmt.Sprint(i + 1)}}}
			if err := emit(ctx, page); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestASyncStopsReadingWhenCreditIsUsedUpAndGoesOnWithAcks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: accounts(10)})
		give(t, r, wire.Frame{}, syncOffer(t, 3, 1))
		synctest.Wait()
		if got := len(o.of(wire.TypeChunk)); got != 3 {
			t.Fatalf("%d chunks sent without an ack, want 3", got)
		}
		give(t, r, wire.Frame{Type: wire.TypeAck}, wire.Ack{Seq: 1, Credit: 3})
		synctest.Wait()
		if got := len(o.of(wire.TypeChunk)); got != 4 {
			t.Fatalf("%d chunks after one ack, want 4", got)
		}
		for len(o.of(wire.TypeResult)) == 0 {
			give(t, r, wire.Frame{Type: wire.TypeAck}, wire.Ack{Seq: len(o.of(wire.TypeChunk)), Credit: 2})
			synctest.Wait()
		}
		for i, f := range o.of(wire.TypeChunk) {
			if f.Seq != i+1 || f.Run != "run" || f.Attempt != 1 {
				t.Errorf("chunk %d = %+v", i, f)
			}
		}
		var s wire.Summary
		if res := o.result(t); json.Unmarshal(res.Result, &s) != nil || !res.OK || s.Records != 10 ||
			s.Chunks != len(o.of(wire.TypeChunk)) {
			t.Errorf("result %+v, summary %+v", res, s)
		}
	})
}

func TestWaitingForCreditIsNoSilenceOfTheTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: accounts(3)})
		offer := syncOffer(t, 1, 1)
		offer.ProgressTimeoutS = 10
		give(t, r, wire.Frame{}, offer)
		time.Sleep(time.Hour)
		for seq := 1; seq <= 4; seq++ {
			give(t, r, wire.Frame{Type: wire.TypeAck}, wire.Ack{Seq: min(seq, len(o.of(wire.TypeChunk))), Credit: 1})
			synctest.Wait()
		}
		if res := o.result(t); !res.OK {
			t.Errorf("result %+v, want success", res.Error)
		}
	})
}

func TestATargetThatFallsSilentEndsTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: func(ctx context.Context, _ v1.SyncRequest, _ connectorkit.Emit) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		offer := syncOffer(t, 1, 1)
		offer.ProgressTimeoutS = 10
		give(t, r, wire.Frame{}, offer)
		time.Sleep(11 * time.Second)
		if res := o.result(t); res.Error == nil || res.Error.Code != "no_progress" || !res.Error.Retryable {
			t.Errorf("result %+v", res)
		}
	})
}

func TestATaskOutlivesItsConnectionAndSendsAgainWhatWasNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: accounts(5)})
		give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
		synctest.Wait()
		r.Detach()
		give(t, r, wire.Frame{Type: wire.TypeAck}, wire.Ack{Seq: 1, Credit: 3}) // read before the cut was seen
		synctest.Wait()
		q := r.Resumable()
		if len(q) != 1 ||
			q[0] != (wire.ResumeRequest{Task: "task", Run: "run", Attempt: 1, LastSent: 4, LastAcked: 1}) {
			t.Fatalf("Resumable = %+v", q)
		}
		if got := len(o.of(wire.TypeChunk)); got != 2 {
			t.Fatalf("%d chunks on the lost connection, want 2", got)
		}
		second := &outbox{}
		r.Attach(second, 0, []wire.ResumeAction{{Task: "task", Action: "continue", NextSeq: 2}})
		var seqs []int
		for _, f := range second.of(wire.TypeChunk) {
			seqs = append(seqs, f.Seq)
		}
		if fmt.Sprint(seqs) != "[2 3 4]" {
			t.Fatalf("sent again %v, want 2 to 4", seqs)
		}
		give(t, r, wire.Frame{Type: wire.TypeAck}, wire.Ack{Seq: 4, Credit: 4})
		synctest.Wait()
		if res := second.result(t); !res.OK {
			t.Errorf("result %+v", res)
		}
	})
}

func TestAResultThatWasLostWithTheConnectionIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: accounts(1)})
		give(t, r, wire.Frame{}, syncOffer(t, 4, 1))
		synctest.Wait()
		want := o.result(t)
		r.Detach()
		second := &outbox{}
		r.Attach(second, 0, []wire.ResumeAction{{Task: "task", Action: "continue", NextSeq: 1}})
		if got := second.result(t); string(got.Result) != string(want.Result) {
			t.Errorf("second result %s, want %s", got.Result, want.Result)
		}
		if n := len(second.of(wire.TypeChunk)); n == 0 {
			t.Error("chunks that were never acknowledged are not sent again")
		}
		time.Sleep(keepResults + time.Second)
		if q := r.Resumable(); len(q) != 0 {
			t.Errorf("an old result is still kept: %+v", q)
		}
	})
}

func TestATaskTheControlPlaneDoesNotWantEndsSilently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := make(chan error, 1)
		r, _ := newRunner(fake{sync: func(ctx context.Context, _ v1.SyncRequest, _ connectorkit.Emit) error {
			<-ctx.Done()
			stopped <- context.Cause(ctx)
			return ctx.Err()
		}})
		give(t, r, wire.Frame{}, syncOffer(t, 4, 1))
		synctest.Wait()
		r.Detach()
		second := &outbox{}
		r.Attach(second, 0, nil)
		if err := <-stopped; !errors.Is(err, errAbandoned) {
			t.Errorf("stopped by %v", err)
		}
		synctest.Wait()
		if len(second.frames) != 0 || len(r.InFlight()) != 0 {
			t.Errorf("frames %v, in flight %v; want neither", second.frames, r.InFlight())
		}
	})
}

func TestANewAttemptReplacesTheOldOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: accounts(9)})
		give(t, r, wire.Frame{}, syncOffer(t, 2, 1))
		synctest.Wait()
		give(t, r, wire.Frame{Attempt: 1}, syncOffer(t, 2, 1)) // the same again: only accepted again
		give(t, r, wire.Frame{Attempt: 2}, syncOffer(t, 1, 1))
		synctest.Wait()
		if got := len(o.of(wire.TypeAccept)); got != 3 {
			t.Errorf("%d accepts, want 3", got)
		}
		chunks := o.of(wire.TypeChunk)
		last := chunks[len(chunks)-1]
		if len(chunks) != 3 || last.Attempt != 2 || last.Seq != 1 {
			t.Errorf("%d chunks, last %+v; want a fresh start with attempt 2", len(chunks), last)
		}
		if len(o.of(wire.TypeResult)) != 0 {
			t.Error("the old attempt still reported a result")
		}
		r.Stop(time.Second)
	})
}

func TestCancelEndsWithTheClassCancelledEvenIfTheConnectorHangs(t *testing.T) {
	for _, stubborn := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			free := make(chan struct{})
			r, o := newRunner(fake{sync: func(ctx context.Context, _ v1.SyncRequest, _ connectorkit.Emit) error {
				if stubborn {
					<-free
				} else {
					<-ctx.Done()
				}
				return errors.New("connection closed")
			}})
			give(t, r, wire.Frame{}, syncOffer(t, 4, 1))
			synctest.Wait()
			began := time.Now()
			give(t, r, wire.Frame{Type: wire.TypeTaskCancel}, wire.Cancel{Reason: "user", GraceMS: 2000})
			time.Sleep(2 * time.Second)
			if res := o.result(t); res.OK || res.Error.Class != v1.ClassCancelled {
				t.Errorf("stubborn %v: %+v after %v", stubborn, res, time.Since(began))
			}
			close(free)
			synctest.Wait()
			o.result(t) // still one
		})
	}
}

func TestErrorsCrossTheWireAsWhatTheyAre(t *testing.T) {
	bind := &v1.ErrorDetail{
		Class:   v1.ClassAuth,
		Code:    "ldap_49_52e",
		Message: "refused",
		Target:  &v1.Target{Kind: "ldap", LDAP: &v1.LDAPResult{ResultCode: 49}},
	}
	for _, tt := range []struct {
		name  string
		sync  func(context.Context, v1.SyncRequest, connectorkit.Emit) error
		class v1.ErrorClass
		code  string
	}{
		{"the target's own", func(context.Context, v1.SyncRequest,
			connectorkit.Emit) error {
			return fmt.Errorf("read: %w", bind)
		}, v1.ClassAuth, "ldap_49_52e"},
		{"a panic", func(context.Context, v1.SyncRequest, connectorkit.Emit) error { panic("hunter22") },
			v1.ClassInternal, "connector_panic"},
		{"a plain one", func(context.Context, v1.SyncRequest, connectorkit.Emit) error {
			return errors.New("login hunter22 failed")
		}, v1.ClassInternal, "connector_failed"},
		{"a huge record", func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
			big := strings.Repeat("x", wire.DefaultMaxFrame)
			return emit(ctx, v1.SyncResponse{Success: true,
				Accounts: []v1.RemoteAccount{{ExternalID: "1", Username: &big}}})
		}, v1.ClassData, "record_too_large"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, o := newRunner(fake{sync: tt.sync})
			give(t, r, wire.Frame{}, syncOffer(t, 4, 1))
			synctest.Wait()
			res := o.result(t)
			if res.OK || res.Error.Class != tt.class || res.Error.Code != tt.code ||
				strings.Contains(res.Error.Message, "hunter22") {
				t.Errorf("%s: %+v", tt.name, res.Error)
			}
			if tt.code == bind.Code && res.Error.Target.LDAP.ResultCode != 49 {
				t.Errorf("the target's own result is lost: %+v", res.Error)
			}
		})
	}
}

func TestADeadlineEndsTheTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{test: func(ctx context.Context, _ connectorkit.Report) (v1.TestResponse, error) {
			<-ctx.Done()
			return v1.TestResponse{}, ctx.Err()
		}})
		deadline := time.Now().Add(30 * time.Second)
		give(
			t,
			r,
			wire.Frame{},
			wire.Offer{
				Kind:          wire.KindTest,
				ConnectorType: "ldap",
				Request:       body(t, v1.TestRequest{}),
				Deadline:      &deadline,
			},
		)
		time.Sleep(31 * time.Second)
		if res := o.result(t); res.OK || res.Error.Code != "deadline_exceeded" {
			t.Errorf("result %+v", res)
		}
	})
}

func TestOffersThatCannotBeRunAreRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{sync: accounts(9)})
		offer := func(task string, v any) string {
			before := len(o.of(wire.TypeReject))
			if err := r.Handle(
				wire.Frame{Type: wire.TypeOffer, ID: "offer", Task: task, Attempt: 1, Body: body(t, v)},
			); err != nil {
				t.Fatal(err)
			}
			rejects := o.of(wire.TypeReject)
			if len(rejects) == before {
				return "accepted"
			}
			reject, err := wire.DecodeBody[wire.Reject](rejects[len(rejects)-1])
			if err != nil || rejects[len(rejects)-1].Re != "offer" {
				t.Fatalf("%+v %v", rejects[len(rejects)-1], err)
			}
			return reject.Reason
		}
		good, strange, unread := syncOffer(t, 1, 1), syncOffer(t, 1, 1), syncOffer(t, 1, 1)
		strange.ConnectorType, unread.Request = "mainframe", json.RawMessage(`{"auth_config":[]}`)
		alien := good
		alien.Kind = "paint"
		for _, step := range []struct {
			task string
			v    any
			want string
		}{
			{"a", strange, "unknown_type"}, {"a", unread, "bad_request"}, {"a", alien, "bad_request"},
			{"", good, "bad_request"},
			{"a", []int{1}, "bad_request"}, {"a", good, "accepted"}, {"b", good, "accepted"}, {"c", good, "busy"},
		} {
			if got := offer(step.task, step.v); got != step.want {
				t.Errorf("offer %q is %s, want %s", step.task, got, step.want)
			}
		}
		if n := len(r.InFlight()); n != 2 {
			t.Errorf("%d tasks run, want 2", n)
		}
		r.Stop(time.Second)
		if got := offer("d", good); got != "draining" {
			t.Errorf("after Stop an offer is %s, want draining", got)
		}
		for _, f := range o.of(wire.TypeResult) {
			if res, _ := wire.DecodeBody[wire.Result](
				f,
			); res.Error == nil || res.Error.Class != v1.ClassAgentUnavailable ||
				!res.Error.Retryable {
				t.Errorf("after Stop a task says %+v", res)
			}
		}
	})
}

func TestStepsAreToldAtOnceAndTheRestTwiceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, o := newRunner(fake{test: func(_ context.Context, report connectorkit.Report) (v1.TestResponse, error) {
			for i := range 3 {
				report.Send(v1.Progress{Step: &v1.TestStep{Name: fmt.Sprint("step ", i)}})
			}
			for i := range 100 {
				report.Send(v1.Progress{Message: fmt.Sprint(i)})
				time.Sleep(20 * time.Millisecond)
			}
			return v1.TestResponse{Success: true}, nil
		}})
		give(
			t,
			r,
			wire.Frame{},
			wire.Offer{Kind: wire.KindTest, ConnectorType: "ldap", Request: body(t, v1.TestRequest{})},
		)
		synctest.Wait()
		if got := len(o.of(wire.TypeProgress)); got != 4 {
			t.Errorf("%d frames at once, want the 3 steps and the first message", got)
		}
		time.Sleep(3 * time.Second)
		frames := o.of(wire.TypeProgress)
		if got := len(frames) - 3; got < 4 || got > 6 {
			t.Errorf("%d messages in two seconds, want about 5", got)
		}
		if p, err := wire.DecodeBody[v1.Progress](frames[len(frames)-1]); err != nil || p.Message != "99" {
			t.Errorf("the last word is %q (%v), want the newest", p.Message, err)
		}
		if res := o.result(t); !res.OK || !strings.Contains(string(res.Result), `"steps":[]`) {
			t.Errorf("result %s", res.Result)
		}
	})
}

func TestATaskWithoutAConnectionForLongIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newRunner(fake{sync: accounts(9)})
		give(t, r, wire.Frame{}, syncOffer(t, 1, 1))
		synctest.Wait()
		r.Detach()
		time.Sleep(detachedFor - time.Second)
		if len(r.Resumable()) != 1 {
			t.Error("given up too early")
		}
		time.Sleep(2 * time.Second)
		if q := r.Resumable(); len(q) != 0 {
			t.Errorf("still there: %+v", q)
		}
	})
}

func TestAnAckForWhatWasNeverSentIsAFaultOfTheOtherEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newRunner(fake{sync: accounts(9)})
		give(t, r, wire.Frame{}, syncOffer(t, 1, 1))
		synctest.Wait()
		err := r.Handle(
			wire.Frame{Type: wire.TypeAck, Task: "task", Attempt: 1, Body: body(t, wire.Ack{Seq: 7, Credit: 1})},
		)
		if !errors.Is(err, wire.ErrAckAhead) {
			t.Errorf("Handle = %v, want ErrAckAhead", err)
		}
		if err := r.Handle(wire.Frame{Type: wire.TypeWelcome}); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("a second welcome gives %v", err)
		}
		if err := r.Refused("task", 1, wire.ErrorBody{Code: "stale_attempt"}); err != nil || len(r.InFlight()) != 0 {
			t.Errorf("a task whose attempt is stale still runs (%v)", err)
		}
	})
}

func TestALargeSyncNeedsNoMoreMemoryThanItsWindow(t *testing.T) {
	const people, credit = 20_000, 4
	old := debug.SetGCPercent(20)
	defer debug.SetGCPercent(old)
	var peak, floor uint64
	measure := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	r, _ := newRunner(fake{sync: func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
		text := strings.Repeat("x", 4000)
		for i := range people {
			page := v1.SyncResponse{
				Success:  true,
				Accounts: []v1.RemoteAccount{{ExternalID: fmt.Sprint(i), Username: &text}},
			}
			if err := emit(ctx, page); err != nil {
				return err
			}
		}
		return nil
	}})
	done := make(chan wire.Result, 1)
	r.Attach(&storing{runner: r, credit: credit, done: done, each: func() { peak = max(peak, measure()) }}, 0, nil)
	runtime.GC()
	floor = measure()
	give(t, r, wire.Frame{}, syncOffer(t, credit, 500))
	res := <-done
	var s wire.Summary
	if err := json.Unmarshal(res.Result, &s); err != nil || s.Records != people {
		t.Fatalf("%+v %+v", res, s)
	}
	// A window of chunks, one in the making twice over, and what the collector has not seen yet.
	if used := peak - floor; used > (credit+4)*2*wire.TargetFrame {
		t.Errorf("%d MiB of heap for %d MiB of people, window %d", used>>20, people*4000>>20, credit)
	}
}

// storing is a control plane that acknowledges every chunk.
type storing struct {
	runner *Runner
	credit int
	each   func()
	done   chan wire.Result
}

func (s *storing) Send(wire.Frame, any) error { return nil }

func (s *storing) SendEncoded(typ wire.Type, data []byte, _ func()) error {
	f, err := wire.Decode(data, 0)
	if err != nil {
		return err
	}
	if typ == wire.TypeResult {
		res, err := wire.DecodeBody[wire.Result](f)
		s.done <- res
		return err
	}
	s.each()
	ack, err := json.Marshal(wire.Ack{Seq: f.Seq, Credit: s.credit})
	go func() {
		_ = s.runner.Handle(wire.Frame{Type: wire.TypeAck, Task: f.Task, Attempt: f.Attempt, Body: ack})
	}()
	return err
}

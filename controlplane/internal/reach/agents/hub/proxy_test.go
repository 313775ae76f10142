package hub

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// canary is a secret of a call: it must reach the agent and appear nowhere else.
const canary = "CANARY-bind-password"

var secretly = v1.AuthConfig{"host": "dc1.example.org", "bind_password": canary}

func (h *house) dispatcher() *dispatch.Dispatcher { return &dispatch.Dispatcher{Agents: h.hub} }

// collector stores chunks as the sync engine would.
type collector struct{ ids []string }

func (c *collector) emit(_ context.Context, p v1.SyncResponse) error {
	for _, a := range p.Accounts {
		c.ids = append(c.ids, a.ExternalID)
	}
	return nil
}

// upTo are the ids of chunks 1 to n.
func upTo(n int) []string {
	var out []string
	for i := range n {
		out = append(out, "a"+strconv.Itoa(i+1))
	}
	return out
}

func (m *host) run(attempt int) dispatch.Target {
	t := m.target()
	t.Run, t.Attempt = uuid.NewString(), attempt
	return t
}

func (h *house) sync(ctx context.Context, t dispatch.Target, emit connectorkit.Emit) <-chan outcome[struct{}] {
	return later(func() (struct{}, error) {
		return struct{}{}, h.dispatcher().
			Sync(ctx, t, v1.SyncRequest{ConnectorBusinessID: "AD", AuthConfig: secretly}, emit)
	})
}

func (h *house) test(
	ctx context.Context,
	t dispatch.Target,
	report connectorkit.Report,
) <-chan outcome[v1.TestResponse] {
	return later(func() (v1.TestResponse, error) {
		return h.dispatcher().Test(ctx, t, v1.TestRequest{ConnectorBusinessID: "AD", AuthConfig: secretly}, report)
	})
}

func TestATestRunsOnTheAgentStepByStep(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	var steps []string
	call := h.test(ctx, m.target(), func(p v1.Progress) { steps = append(steps, p.Step.Name) })
	f, offer := l.accept()
	if offer.Kind != wire.KindTest || offer.ConnectorType != "ldap" ||
		!strings.Contains(string(offer.Request), canary) {
		t.Errorf("offer = %+v", offer)
	}
	for _, name := range []string{"tcp", "bind", "paged_search"} {
		l.send(of(f, wire.TypeProgress), v1.Progress{Step: &v1.TestStep{Name: name, OK: true}})
	}
	l.finish(
		f,
		v1.TestResponse{
			Success:    true,
			Steps:      []v1.TestStep{{Name: "tcp", OK: true}},
			ExecutedBy: &v1.ExecutedBy{Mode: "hosted", AgentID: "somebody else"},
		},
	)
	got := wait(t, call)
	if got.err != nil || !got.value.Success || !slices.Equal(steps, []string{"tcp", "bind", "paged_search"}) {
		t.Errorf("test = %+v, %v; steps %v", got.value, got.err, steps)
	}
	if diff := cmp.Diff(
		&v1.ExecutedBy{Mode: "agent", AgentID: m.id, Hostname: "srv7"},
		got.value.ExecutedBy,
	); diff != "" {
		t.Errorf("executed by (-want +got):\n%s", diff)
	}
	if strings.Contains(h.log.String(), canary) {
		t.Error("the secret is in the log")
	}
}

func TestADiscoveryRunsOnTheAgent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	call := later(func() (v1.DiscoverResponse, error) {
		return h.dispatcher().Discover(ctx, m.target(), v1.DiscoverRequest{AuthConfig: secretly, SampleSize: 5}, nil)
	})
	f, _ := l.accept()
	want := v1.DiscoverResponse{
		Success:      true,
		SchemaDigest: "sha256:1",
		Objects: []v1.DiscoveredObject{
			{Kind: "account", NativeType: "user", Fields: []v1.DiscoveredField{{Name: "mail"}}},
		},
	}
	l.finish(f, want)
	got := wait(t, call)
	if diff := cmp.Diff(want, got.value); diff != "" || got.err != nil {
		t.Errorf("%v (-want +got):\n%s", got.err, diff)
	}
}

func TestTheTargetsOwnErrorCrossesWhole(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	after := int64(1500)
	want := &v1.ErrorDetail{
		Class:        v1.ClassAuth,
		Code:         "ldap_49_52e",
		Message:      "invalid credentials",
		Hint:         "check the password",
		RetryAfterMS: &after,
		Phase:        "bind",
		Target: &v1.Target{
			Kind: "ldap",
			Host: "dc1:636",
			LDAP: &v1.LDAPResult{ResultCode: 49, Name: "invalidCredentials", Diagnostic: "data 52e", ADSubcode: "52e"},
		},
	}
	test := h.test(ctx, m.target(), nil)
	f, _ := l.accept()
	l.failWith(f, want)
	if diff := cmp.Diff(want, detail(t, wait(t, test).err)); diff != "" {
		t.Errorf("test (-want +got):\n%s", diff)
	}
	sync := h.sync(ctx, m.run(1), (&collector{}).emit)
	f, _ = l.accept()
	l.failWith(f, want)
	if diff := cmp.Diff(want, detail(t, wait(t, sync).err)); diff != "" {
		t.Errorf("sync (-want +got):\n%s", diff)
	}
}

func TestChunksAreEmittedInOrderAndOnceAndAcknowledgedAfterwards(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	var got collector
	target := m.run(3)
	call := h.sync(ctx, target, got.emit)
	f, offer := l.accept()
	if f.Run != target.Run || f.Attempt != 3 || offer.Credit != wire.DefaultCredit ||
		offer.ConnectorID != target.ConnectorID {
		t.Errorf("offer = %+v %+v", f, offer)
	}
	for seq := range 6 {
		l.chunk(f, seq+1, seq == 5)
		if ack := body[wire.Ack](l, l.expect(wire.TypeAck)); ack.Seq != seq+1 || ack.Credit != wire.DefaultCredit {
			t.Errorf("ack = %+v; want %d", ack, seq+1)
		}
		l.chunk(f, seq+1, seq == 5) // once more: its ack was lost
		if ack := body[wire.Ack](l, l.expect(wire.TypeAck)); ack.Seq != seq+1 {
			t.Errorf("ack of the duplicate = %+v; want %d", ack, seq+1)
		}
	}
	l.finish(f, wire.Summary{Chunks: 6, Records: 6})
	if o := wait(t, call); o.err != nil {
		t.Error(o.err)
	}
	if diff := cmp.Diff(upTo(6), got.ids); diff != "" {
		t.Errorf("emitted (-want +got):\n%s", diff)
	}
}

func TestASlowReceiverHoldsBackTheAgentAndNobodyElse(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	release := make(chan struct{})
	var got collector
	call := h.sync(ctx, m.run(1), func(ctx context.Context, p v1.SyncResponse) error {
		<-release
		return got.emit(ctx, p)
	})
	f, offer := l.accept()
	for seq := range offer.Credit {
		l.chunk(f, seq+1, seq == offer.Credit-1)
	}
	l.finish(f, wire.Summary{Chunks: offer.Credit})
	l.quiet(150 * time.Millisecond) // no ack: nothing is stored
	// Another call over the same socket passes by.
	test := h.test(ctx, m.target(), nil)
	tf, _ := l.accept()
	l.finish(tf, v1.TestResponse{Success: true})
	if o := wait(t, test); o.err != nil {
		t.Error(o.err)
	}
	close(release)
	if o := wait(t, call); o.err != nil || len(got.ids) != offer.Credit {
		t.Errorf("err = %v, emitted %v", o.err, got.ids)
	}
}

func TestMoreChunksThanCreditEndTheConnection(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	release := make(chan struct{})
	call := h.sync(ctx, m.run(1), func(ctx context.Context, _ v1.SyncResponse) error { <-release; return ctx.Err() })
	f, offer := l.accept()
	for seq := range offer.Credit + 1 {
		l.chunk(f, seq+1, false)
	}
	if got := l.closed(); got != wire.CloseProtocol {
		t.Errorf("closed with %d; want %d", got, wire.CloseProtocol)
	}
	close(release)
	if d := detail(t, wait(t, call).err); d.Class != v1.ClassAgentUnavailable || !d.Retryable {
		t.Errorf("err = %+v; want a lost agent", d)
	}
}

func TestAMissingChunkEndsTheConnection(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	call := h.sync(ctx, m.run(1), (&collector{}).emit)
	f, _ := l.accept()
	l.chunk(f, 2, true)
	if got := l.closed(); got != wire.CloseProtocol {
		t.Errorf("closed with %d; want %d", got, wire.CloseProtocol)
	}
	detail(t, wait(t, call).err)
}

func TestChunksOfAnOlderAttemptAreDropped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	var got collector
	target := m.run(2)
	call := h.sync(ctx, target, got.emit)
	f, _ := l.accept()
	stale := f
	stale.Attempt = 1
	l.chunk(stale, 1, false)
	e := l.expect(wire.TypeError)
	if b := body[wire.ErrorBody](l, e); b.Code != "stale_attempt" || e.Attempt != 1 {
		t.Errorf("error = %+v of attempt %d; want stale_attempt of 1", b, e.Attempt)
	}
	l.finish(stale, wire.Summary{Chunks: 0})
	l.expect(wire.TypeError)
	unknown := f
	unknown.Task = uuid.NewString()
	l.chunk(unknown, 1, false)
	if b := body[wire.ErrorBody](l, l.expect(wire.TypeError)); b.Code != "unknown_task" {
		t.Errorf("error = %+v; want unknown_task", b)
	}
	l.chunk(f, 1, true)
	l.expect(wire.TypeAck)
	l.finish(f, wire.Summary{Chunks: 1})
	if o := wait(t, call); o.err != nil || !slices.Equal(got.ids, upTo(1)) {
		t.Errorf("err = %v, emitted %v", o.err, got.ids)
	}
}

func TestANewerAttemptEndsTheOlder(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	target := m.run(1)
	first := h.sync(ctx, target, (&collector{}).emit)
	l.accept()
	target.Attempt = 2
	var got collector
	second := h.sync(ctx, target, got.emit)
	f, _ := l.accept()
	if d := detail(t, wait(t, first).err); d.Code != "stale_attempt" {
		t.Errorf("first = %+v; want stale_attempt", d)
	}
	target.Attempt = 1
	if d := detail(t, wait(t, h.sync(ctx, target, got.emit)).err); d.Code != "stale_attempt" {
		t.Errorf("the first again = %+v; want stale_attempt", d)
	}
	l.chunk(f, 1, true)
	l.expect(wire.TypeAck)
	l.finish(f, wire.Summary{Chunks: 1})
	if o := wait(t, second); o.err != nil {
		t.Error(o.err)
	}
}

func TestACallThatIsCancelledEndsOnTheAgentToo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	ctx, cancel := context.WithCancel(ctx)
	call := h.sync(ctx, m.run(1), (&collector{}).emit)
	f, _ := l.accept()
	l.chunk(f, 1, false)
	l.expect(wire.TypeAck)
	cancel()
	c := l.expect(wire.TypeTaskCancel)
	if b := body[wire.Cancel](
		l,
		c,
	); c.Task != f.Task || c.Attempt != 1 ||
		b.GraceMS != h.hub.timing.Grace.Milliseconds() {
		t.Errorf("cancel = %+v %+v", c, b)
	}
	select {
	case o := <-call:
		t.Errorf("the call ended with %v before the agent had answered", o.err)
	case <-time.After(30 * time.Millisecond):
	}
	l.failWith(f, &v1.ErrorDetail{Class: v1.ClassCancelled, Code: "cancelled"})
	if o := wait(t, call); !errors.Is(o.err, context.Canceled) {
		t.Errorf("err = %v; want cancelled", o.err)
	}
	if d := dispatch.Detail(context.Canceled); d.Class != v1.ClassCancelled {
		t.Errorf("class = %s", d.Class)
	}
}

func TestAnAgentThatIgnoresACancelIsNotWaitedForLong(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	broken := errors.New("the disk is full")
	call := h.sync(ctx, m.run(1), func(context.Context, v1.SyncResponse) error { return broken })
	f, _ := l.accept()
	l.chunk(f, 1, false)
	l.expect(wire.TypeTaskCancel)
	began := time.Now()
	if o := wait(t, call); !errors.Is(o.err, broken) || time.Since(began) > h.hub.timing.Grace+time.Second {
		t.Errorf("err = %v after %s; want the receiver's own", o.err, time.Since(began))
	}
	l.chunk(f, 2, false) // it goes on regardless
	if b := body[wire.ErrorBody](l, l.expect(wire.TypeError)); b.Code != "unknown_task" {
		t.Errorf("error = %+v; want unknown_task", b)
	}
}

func TestAReconnectedAgentGoesOnAndEveryChunkIsEmittedOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	gate := make(chan struct{}, 10)
	var got collector
	call := h.sync(ctx, m.run(1), func(ctx context.Context, p v1.SyncResponse) error {
		<-gate
		return got.emit(ctx, p)
	})
	f, _ := l.accept()
	gate <- struct{}{}
	l.chunk(f, 1, false)
	l.expect(wire.TypeAck)
	l.chunk(f, 2, false)
	l.chunk(f, 3, false)
	// Chunks 2 and 3 are taken but not stored when the line breaks.
	waitFor(t, func() bool {
		c := h.hub.peers.callOf(h.hub.peers.sessionOf(session.Key{Tenant: h.system.Tenant, Agent: m.id}), f.Task)
		return c.Chunks() == 3
	})
	l.ws.Close()
	waitFor(t, func() bool { return h.hub.peers.sessionOf(session.Key{Tenant: h.system.Tenant, Agent: m.id}) == nil })
	again := m.connect(
		wire.ResumeRequest{Task: f.Task, Run: f.Run, Attempt: 1, LastSent: 3, LastAcked: 1},
		wire.ResumeRequest{Task: "gone", LastSent: 1})
	want := []wire.ResumeAction{{Task: f.Task, Action: "continue", NextSeq: 2}, {Task: "gone", Action: "abandon"}}
	if diff := cmp.Diff(want, again.welcome.Resume); diff != "" {
		t.Fatalf("resume (-want +got):\n%s", diff)
	}
	again.chunk(f, 2, false)
	again.chunk(f, 3, false)
	again.chunk(f, 4, true)
	for range 3 {
		gate <- struct{}{}
	}
	for {
		if ack := body[wire.Ack](again, again.expect(wire.TypeAck)); ack.Seq == 4 {
			break
		}
	}
	again.finish(f, wire.Summary{Chunks: 4})
	if o := wait(t, call); o.err != nil {
		t.Error(o.err)
	}
	if diff := cmp.Diff(upTo(4), got.ids); diff != "" {
		t.Errorf("emitted (-want +got):\n%s", diff)
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for began := time.Now(); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 15*time.Second {
			t.Fatal("it did not come to pass")
		}
	}
}

func TestAResultSurvivesALostConnection(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	call := h.test(ctx, m.target(), nil)
	f, _ := l.accept()
	l.ws.Close()
	again := m.connect(wire.ResumeRequest{Task: f.Task, Attempt: 1})
	again.finish(f, v1.TestResponse{Success: true})
	if o := wait(t, call); o.err != nil || !o.value.Success {
		t.Errorf("test = %+v, %v", o.value, o.err)
	}
}

func TestAnAgentThatVanishesFailsTheRun(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	call := h.sync(ctx, m.run(1), (&collector{}).emit)
	f, _ := l.accept()
	l.chunk(f, 1, false)
	l.expect(wire.TypeAck)
	l.ws.Close()
	began := time.Now()
	d := detail(t, wait(t, call).err)
	if took := time.Since(began); d.Class != v1.ClassAgentUnavailable || d.Code != "agent_lost" || !d.Retryable ||
		took < h.hub.timing.Lapse/2 {
		t.Errorf("err = %+v after %s", d, took)
	}
}

func TestARestartedAgentFailsItsCallsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) { p.Lapse = time.Minute })
	m := h.enrol("HQ", "")
	l := m.connect()
	call := h.sync(ctx, m.run(1), (&collector{}).emit)
	f, _ := l.accept()
	l.ws.Close()
	waitFor(t, func() bool { return h.hub.peers.sessionOf(session.Key{Tenant: h.system.Tenant, Agent: m.id}) == nil })
	m.boot = uuid.NewString()
	again := m.connect(wire.ResumeRequest{Task: f.Task, Run: f.Run, Attempt: 1})
	if got := again.welcome.Resume[0].Action; got != "abandon" {
		t.Errorf("action = %s; want abandon", got)
	}
	if d := detail(t, wait(t, call).err); d.Code != "agent_restarted" || !d.Retryable {
		t.Errorf("err = %+v", d)
	}
}

func TestAnAgentWithoutProgressIsStuck(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) { p.Progress = 300 * time.Millisecond })
	m := h.enrol("HQ", "")
	l := m.connect()
	call := h.test(ctx, m.target(), nil)
	f, _ := l.accept()
	// Waiting for the target's leave is no standstill.
	until := time.Now().Add(600 * time.Millisecond)
	l.send(of(f, wire.TypeProgress), v1.Progress{RateWaitUntil: &until})
	l.quiet(500 * time.Millisecond)
	l.expect(wire.TypeTaskCancel)
	if d := detail(t, wait(t, call).err); d.Class != v1.ClassTransient || d.Code != "agent_stuck" {
		t.Errorf("err = %+v", d)
	}
}

func TestARunThatCountsOtherwiseFails(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	call := h.sync(ctx, m.run(1), (&collector{}).emit)
	f, _ := l.accept()
	l.chunk(f, 1, true)
	l.expect(wire.TypeAck)
	l.finish(f, wire.Summary{Chunks: 2})
	if d := detail(t, wait(t, call).err); d.Class != v1.ClassProtocol || d.Code != "chunks_missing" {
		t.Errorf("err = %+v", d)
	}
}

func TestAPageThatCannotBeReadIsNotQuoted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	call := h.sync(ctx, m.run(1), (&collector{}).emit)
	f, _ := l.accept()
	bad := of(f, wire.TypeChunk)
	bad.Seq = 1
	l.send(bad, map[string]any{"success": true, "accounts": canary})
	l.expect(wire.TypeTaskCancel)
	d := detail(t, wait(t, call).err)
	if d.Class != v1.ClassProtocol || strings.Contains(d.Message, canary) || !strings.Contains(d.Message, "accounts") {
		t.Errorf("err = %+v", d)
	}
}

func TestARefusedOfferSaysWhy(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	for reason, want := range map[string]v1.ErrorClass{
		"busy": v1.ClassAgentUnavailable, "draining": v1.ClassAgentUnavailable, "unknown_type": v1.ClassConfig,
		"policy": v1.ClassPolicy, "bad_request": v1.ClassProtocol,
	} {
		call := h.test(ctx, m.target(), nil)
		f := l.expect(wire.TypeOffer)
		l.send(of(f, wire.TypeReject), wire.Reject{Reason: reason, Message: "because", RetryAfterMS: 2000})
		d := detail(t, wait(t, call).err)
		if d.Class != want || !strings.Contains(d.Message, "because") ||
			d.Retryable != (want == v1.ClassAgentUnavailable) {
			t.Errorf("%s: %+v; want class %s", reason, d, want)
		}
	}
}

func TestWithoutAnAgentTheErrorNamesIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "dc")
	open := func(t dispatch.Target) *v1.ErrorDetail {
		_, err := h.hub.Connector(ctx, t)
		return detail(h.t, err)
	}
	if d := open(
		m.target(),
	); d.Class != v1.ClassAgentUnavailable || d.Code != "agent_offline" || !strings.Contains(d.Message, "HQ") ||
		!strings.Contains(d.Message, "never seen") {
		t.Errorf("never seen: %+v", d)
	}
	l := m.connect()
	mainframe := m.target()
	mainframe.Type = "mainframe"
	if d := open(mainframe); d.Class != v1.ClassConfig || d.Code != "agent_type_unsupported" {
		t.Errorf("unknown type: %+v", d)
	}
	l.ws.Close()
	h.eventually(m.id, agents.Offline)
	if d := open(
		m.target(),
	); d.Code != "agent_offline" || !strings.Contains(d.Message, "last seen at 20") || d.Hint == "" ||
		!d.Retryable {
		t.Errorf("gone: %+v", d)
	}
	group := dispatch.Target{Tenant: h.system.Tenant, Type: "ldap", Mode: dispatch.Agent, AgentGroup: "dc"}
	if d := open(group); d.Code != "agent_offline" || !strings.Contains(d.Message, "group dc") {
		t.Errorf("group: %+v", d)
	}
	group.AgentGroup = "nowhere"
	if d := open(group); d.Code != "agent_unknown" || d.Retryable {
		t.Errorf("unknown group: %+v", d)
	}
	group.AgentGroup = ""
	if d := open(group); d.Code != "agent_missing" {
		t.Errorf("nothing named: %+v", d)
	}
}

func TestAGroupsLeastBusyAgentIsChosen(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b, other := h.enrol("A", "dc"), h.enrol("B", "dc"), h.enrol("C", "branch")
	la, lb := a.connect(), b.connect()
	other.connect()
	group := dispatch.Target{Tenant: h.system.Tenant, Type: "ldap", Mode: dispatch.Agent, AgentGroup: "dc"}
	busy := a.run(1)
	running, stop := context.WithCancel(ctx)
	call := h.sync(running, busy, (&collector{}).emit)
	fa, _ := la.accept()
	test := h.test(ctx, group, nil)
	fb, _ := lb.accept()
	lb.finish(fb, v1.TestResponse{Success: true})
	if o := wait(t, test); o.err != nil || o.value.ExecutedBy.AgentID != b.id {
		t.Errorf("test = %+v, %v; want it run by B", o.value, o.err)
	}
	// An agent that is shutting down gets nothing new.
	lb.send(wire.Frame{Type: wire.TypeDrain}, struct{}{})
	waitFor(t, func() bool { s := h.hub.peers.pick(group); return s != nil && s.Key.Agent == a.id })
	// Another tenant's target of the same group finds nobody.
	foreign := group
	foreign.Tenant = uuid.NewString()
	if h.hub.Serves(foreign) {
		t.Error("an agent serves another tenant")
	}
	stop()
	la.expect(wire.TypeTaskCancel)
	la.failWith(fa, &v1.ErrorDetail{Class: v1.ClassCancelled})
	wait(t, call)
}

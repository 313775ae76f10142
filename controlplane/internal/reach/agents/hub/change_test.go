package hub

import (
	"bytes"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// change asks for a change by way of a process.
func change(p *process, t dispatch.Target, dryRun bool) <-chan outcome[v1.ProvisionResponse] {
	d := &dispatch.Dispatcher{Agents: p.hub}
	return later(func() (v1.ProvisionResponse, error) {
		return d.Provision(
			ctx,
			t,
			v1.ProvisionRequest{AuthConfig: secretly, IdempotencyKey: "k", Op: v1.OpAccountDisable, DryRun: dryRun},
		)
	})
}

func TestAChangeIsMadeByTheAgentThatAnyProcessHolds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	second := h.start()
	m := h.enrol("HQ", "")
	l := m.connect()
	for _, p := range []*process{h.process, second} {
		call := change(p, m.target(), false)
		f, offer := l.accept()
		if offer.Kind != wire.KindProvision || !bytes.Contains(offer.Request, []byte(`"op":"account.disable"`)) {
			t.Errorf("offer = %s %s", offer.Kind, offer.Request)
		}
		l.finish(f, v1.ProvisionResponse{Success: true, Outcome: v1.OutcomeApplied, Verified: true})
		if o := wait(t, call); o.err != nil || !o.value.Verified || o.value.ExecutedBy.AgentID != m.id {
			t.Errorf("change = %+v, %v", o.value, o.err)
		}
		read := later(func() (v1.ReadResponse, error) {
			return (&dispatch.Dispatcher{Agents: p.hub}).Read(
				ctx,
				m.target(),
				v1.ReadRequest{Accounts: []v1.ProvisionTarget{{RemoteID: "7"}}},
			)
		})
		f, _ = l.accept()
		l.finish(f, v1.ReadResponse{Accounts: []v1.ReadAccount{{Target: v1.ProvisionTarget{RemoteID: "7"}}}})
		if o := wait(t, read); o.err != nil || len(o.value.Accounts) != 1 || o.value.Accounts[0].Account != nil {
			t.Errorf("read = %+v, %v", o.value, o.err)
		}
	}
}

func TestARefusalOfTheTargetIsAnErrorAndALostAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	second := h.start()
	m := h.enrol("HQ", "")
	l := m.connect()
	want := &v1.ErrorDetail{Class: v1.ClassPermission, Code: "ldap_50", Message: "no rights"}
	for _, p := range []*process{h.process, second} {
		call := change(p, m.target(), false)
		f, _ := l.accept()
		l.failWith(f, want)
		if d := detail(t, wait(t, call).err); d.Code != want.Code {
			t.Errorf("err = %+v; want the target's own", d)
		}
		call = change(p, m.target(), false)
		refused := l.expect(wire.TypeOffer)
		l.send(of(refused, wire.TypeReject), wire.Reject{Reason: "busy"})
		if d := detail(t, wait(t, call).err); d.Code != "agent_busy" {
			t.Errorf("err = %+v; want agent_busy: it was not begun", d)
		}
	}
	lost := []<-chan outcome[v1.ProvisionResponse]{change(h.process, m.target(), false)}
	l.accept()
	lost = append(lost, change(second, m.target(), false))
	l.accept()
	l.ws.Close()
	for _, call := range lost {
		if o := wait(
			t,
			call,
		); o.err != nil || o.value.Success || o.value.Outcome != v1.OutcomeUnknown ||
			o.value.ErrorDetail == nil {
			t.Errorf("change = %+v, %v; want unknown", o.value, o.err)
		}
	}
}

func TestADryRunWithoutAnAnswerIsNoChange(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	call := change(h.process, m.target(), true)
	l.accept()
	l.ws.Close()
	if d := detail(t, wait(t, call).err); d.Code != "agent_lost" {
		t.Errorf("err = %+v; want agent_lost", d)
	}
}

func TestAnOldAgentIsNotAskedToWrite(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	m.capability = 1
	m.connect()
	if d := detail(
		t,
		wait(t, change(h.process, m.target(), false)).err,
	); d.Code != "agent_too_old" ||
		d.Class != v1.ClassConfig {
		t.Errorf("err = %+v; want agent_too_old", d)
	}
}

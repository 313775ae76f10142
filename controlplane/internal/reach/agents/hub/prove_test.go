package hub

import (
	"crypto/ed25519"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/protocol/wire"
)

// thief is a host that has a copy of the agent's token and not its key.
func (m *host) thief(t *testing.T) *host {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	copied := *m
	copied.identity, copied.boot, copied.name = key, uuid.NewString(), "elsewhere"
	return &copied
}

func TestACopiedTokenAloneNeitherConnectsNorQuarantines(t *testing.T) {
	t.Parallel()
	for name, connected := range map[string]bool{"the true agent is offline": false, "the true agent is online": true} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			m := h.enrol("HQ", "")
			want := agents.Registered
			if connected {
				m.connect()
				h.eventually(m.id, agents.Online)
				want = agents.Online
			}
			forged := m.thief(t).knock(h.process, m.thief(t).hello())
			if got := forged.closed(); got != wire.CloseToken {
				t.Errorf("closed with %d; want %d", got, wire.CloseToken)
			}
			if !strings.Contains(forged.err.Error(), wire.ReasonUnproven) {
				t.Errorf("closed with %v; want the reason %q", forged.err, wire.ReasonUnproven)
			}
			if got := h.state(m.id); got != want {
				t.Errorf("the agent is %s; want %s", got, want)
			}
			if h.hub.Serves(m.target()) != connected {
				t.Errorf("Serves = %v; want %v", !connected, connected)
			}
			seen := h.must(t, 200, "GET", "/settings/agents/"+m.id, "admin", nil)
			if got := seen.text("hostname"); got == "elsewhere" {
				t.Error("the host of a connection without proof was recorded")
			}
		})
	}
}

func TestASignatureIsGoodForOneConnectionAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	for name, proof := range map[string]func(nonce string) wire.Proof{
		"of an earlier nonce": func(string) wire.Proof { return m.proof(h.process, "ZWFybGllcg") },
		"of another start":    func(nonce string) wire.Proof { return m.proofOf(h.process, uuid.NewString(), nonce) },
		"without a signature": func(string) wire.Proof {
			return wire.Proof{Host: strings.TrimPrefix(h.url,
				"http://")}
		},
		"of another tenant": func(nonce string) wire.Proof { return m.signed(h.url, uuid.NewString(), m.id, nonce) },
		"of another agent": func(nonce string) wire.Proof {
			return m.signed(h.url, h.system.Tenant,
				uuid.NewString(), nonce)
		},
		"of another host name": func(nonce string) wire.Proof {
			return m.signed("http://evil.example", h.system.Tenant,
				m.id, nonce)
		},
		"with the host changed": func(nonce string) wire.Proof {
			p := m.signed("http://evil.example", h.system.Tenant, m.id, nonce)
			p.Host = strings.TrimPrefix(h.url, "http://")
			return p
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := m.open(h.process)
			l.send(wire.Frame{Type: wire.TypeHello}, m.hello())
			f := l.expect(wire.TypeChallenge)
			l.send(wire.Frame{Type: wire.TypeProof, Re: f.ID}, proof(body[wire.Challenge](l, f).Nonce))
			if got := l.closed(); got != wire.CloseToken {
				t.Errorf("closed with %d (%v); want %d", got, l.err, wire.CloseToken)
			}
		})
	}
	if got := h.state(m.id); got != agents.Registered {
		t.Errorf("the agent is %s; want %s", got, agents.Registered)
	}
	m.connect()
}

// signed is a proof with members of the test's choice.
func (m *host) signed(url, tenant, id, nonce string) wire.Proof {
	at := strings.TrimPrefix(url, "http://")
	return wire.Proof{
		Host:      at,
		Signature: b64(ed25519.Sign(m.identity, wire.ConnectProof(tenant, id, m.boot, nonce, at))),
	}
}

func TestTheSameNonceIsNeverGivenTwice(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	seen := map[string]bool{}
	for range 5 {
		l := m.open(h.process)
		l.send(wire.Frame{Type: wire.TypeHello}, m.hello())
		nonce := body[wire.Challenge](l, l.expect(wire.TypeChallenge)).Nonce
		if seen[nonce] || len(nonce) < 40 {
			t.Errorf("nonce %q: repeated %v", nonce, seen[nonce])
		}
		seen[nonce] = true
	}
}

func TestAProofForThePublicAddressIsTakenBehindAProxyThatRewritesTheHost(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.hub.admission.PublicURL = "https://iga.example.com/"
	m := h.enrol("HQ", "")
	l := m.open(h.process)
	l.send(wire.Frame{Type: wire.TypeHello}, m.hello())
	f := l.expect(wire.TypeChallenge)
	proof := m.signed("http://IGA.example.com:443", h.system.Tenant, m.id, body[wire.Challenge](l, f).Nonce)
	l.send(wire.Frame{Type: wire.TypeProof, Re: f.ID}, proof)
	l.expect(wire.TypeWelcome)
}

func TestWhatAnswersAChallengeOtherwiseIsClosed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	for name, tt := range map[string]struct {
		answer func(*line, wire.Frame)
		code   int
	}{
		"an agent that does not know it": {func(l *line, f wire.Frame) {
			l.send(wire.Frame{Type: wire.TypeError, Re: f.ID}, wire.ErrorBody{Code: "unknown_type"})
		}, wire.CloseVersion},
		"an answer to another frame": {func(l *line, f wire.Frame) {
			l.send(wire.Frame{Type: wire.TypeProof, Re: "x"}, m.proof(h.process, body[wire.Challenge](l, f).Nonce))
		}, wire.CloseProtocol},
		"a heartbeat": {func(l *line, _ wire.Frame) { l.send(wire.Frame{Type: wire.TypeHeartbeat}, wire.Heartbeat{}) },
			wire.CloseProtocol},
		"silence": {func(*line, wire.Frame) {}, wire.CloseProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			l := m.open(h.process)
			l.send(wire.Frame{Type: wire.TypeHello}, m.hello())
			tt.answer(l, l.expect(wire.TypeChallenge))
			if got := l.closed(); got != tt.code {
				t.Errorf("closed with %d; want %d", got, tt.code)
			}
		})
	}
}

func TestClearingAQuarantineRevokesTheTokenOfTheOtherCopy(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	first := m.connect()
	copied := *m
	copied.boot, copied.name = uuid.NewString(), "srv9"
	if got := copied.knock(h.process, copied.hello()).closed(); got != wire.CloseClone {
		t.Fatalf("the copy was closed with %d; want %d", got, wire.CloseClone)
	}
	first.closed()
	h.must(t, 200, "POST", "/settings/agents/"+m.id+"/quarantine/clear", "admin", nil)
	for name, at := range map[string]*host{"the copy": &copied, "the first": m} {
		if _, resp, err := dial(h.process, at.token, nil); err == nil || resp == nil || resp.StatusCode != 401 {
			t.Errorf("%s connects with its old token: %v", name, resp)
		}
	}
	m.joined(h.must(t, 200, "POST", "/agent/token", m.token, m.renewal("n1")))
	m.connect()
	h.refused(t, 403, "agent_quarantined", "POST", "/agent/token", copied.token, copied.renewal("n2"))
}

package serve_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/serve"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ledger is a connector that keeps accounts in a map.
type ledger struct {
	scripted
	accounts map[string]v1.RemoteAccount
	err      error
	asked    []v1.ProvisionRequest
}

func (l *ledger) Provision(_ context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	l.asked = append(l.asked, req)
	if l.err != nil {
		return v1.ProvisionResponse{}, l.err
	}
	if req.DryRun {
		return v1.ProvisionResponse{
			Success: true,
			Outcome: v1.OutcomePlanned,
			Plan:    []v1.PlannedRequest{{Note: "one row"}},
		}, nil
	}
	a := v1.RemoteAccount{ExternalID: "7", Username: req.Account.Username}
	l.accounts["7"] = a
	return v1.ProvisionResponse{Success: true, Outcome: v1.OutcomeApplied, Account: &a, Verified: true}, nil
}

func (l *ledger) Read(_ context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	if l.err != nil {
		return v1.ReadResponse{}, l.err
	}
	var out v1.ReadResponse
	for _, t := range req.Accounts {
		r := v1.ReadAccount{Target: t}
		if a, ok := l.accounts[t.RemoteID]; ok {
			r.Account = &a
		}
		out.Accounts = append(out.Accounts, r)
	}
	return out, nil
}

func (l *ledger) Writes(v1.AuthConfig) connectorkit.Writes { return connectorkit.Writes{} }

// writer is the custom connector at a service, and what its settings are.
func writer(t *testing.T, h http.Handler) (connectorkit.Provisioner, v1.AuthConfig) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	p, can := caller().(connectorkit.Provisioner)
	if !can {
		t.Fatal("the custom connector changes nothing")
	}
	return p, v1.AuthConfig{"base_url": server.URL, "auth_method": "bearer", "bearer_token": "t", "writes": true}
}

func create(auth v1.AuthConfig, dryRun bool) v1.ProvisionRequest {
	name := "ada"
	return v1.ProvisionRequest{
		AuthConfig: auth, IdempotencyKey: "k", Op: v1.OpAccountCreate, DryRun: dryRun,
		Target: v1.ProvisionTarget{Kind: "account"}, Account: &v1.ProvisionAccount{Username: &name},
	}
}

func TestACustomConnectorMakesChanges(t *testing.T) {
	l := &ledger{accounts: map[string]v1.RemoteAccount{}}
	p, auth := writer(t, &serve.Handler{Connector: l, Token: "t"})
	if w := p.Writes(auth); len(w.Ops) == 0 {
		t.Errorf("it writes nothing: %s", w.Why)
	}
	planned, err := p.Provision(t.Context(), create(auth, true))
	if err != nil || planned.Outcome != v1.OutcomePlanned || len(planned.Plan) != 1 || len(l.accounts) != 0 {
		t.Errorf("dry run = %+v, %v", planned, err)
	}
	made, err := p.Provision(t.Context(), create(auth, false))
	if err != nil || !made.Success || made.Account.ExternalID != "7" || !made.Verified {
		t.Errorf("made = %+v, %v", made, err)
	}
	if got := l.asked[1]; got.IdempotencyKey != "k" || len(got.AuthConfig) != 0 {
		t.Errorf("it was asked %+v", got)
	}
	read, err := p.Read(
		t.Context(),
		v1.ReadRequest{AuthConfig: auth, Accounts: []v1.ProvisionTarget{{RemoteID: "7"}, {RemoteID: "8"}}},
	)
	if err != nil || len(read.Accounts) != 2 || read.Accounts[0].Account == nil || read.Accounts[1].Account != nil {
		t.Errorf("read = %+v, %v", read, err)
	}
}

func TestARefusalCrossesWhole(t *testing.T) {
	want := &v1.ErrorDetail{
		Class:   v1.ClassConflict,
		Code:    "name_taken",
		Message: "the name is taken",
		Hint:    "choose another",
	}
	p, auth := writer(t, &serve.Handler{Connector: &ledger{err: want}, Token: "t"})
	_, err := p.Provision(t.Context(), create(auth, false))
	_, unread := p.Read(t.Context(), v1.ReadRequest{AuthConfig: auth, Accounts: []v1.ProvisionTarget{{RemoteID: "7"}}})
	for _, err := range []error{err, unread} {
		var d *v1.ErrorDetail
		if !errors.As(err, &d) {
			t.Fatalf("err = %v", err)
		}
		got := v1.ErrorDetail{Class: d.Class, Code: d.Code, Message: d.Message, Hint: d.Hint}
		if diff := cmp.Diff(*want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

func TestAnAnswerThatDoesNotComeLeavesTheChangeUnknown(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"cut off":     func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
		"a gateway's": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"no JSON":     func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") },
		"no outcome":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"success":true}`) },
		"no id": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"success":true,"outcome":"applied"}`)
		},
		"its own word": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"success":false,"outcome":"unknown","error":"lost"}`)
		},
	} {
		times := 0
		p, auth := writer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			times++
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			answer(w, r)
		}))
		got, err := p.Provision(t.Context(), create(auth, false))
		if err != nil || got.Success || got.Outcome != v1.OutcomeUnknown || got.ErrorDetail == nil || times != 1 {
			t.Errorf("%s: %+v, %v, sent %d times; want unknown, once", name, got, err, times)
		}
	}
}

func TestAServiceThatOnlyReadsSaysSo(t *testing.T) {
	for name, h := range map[string]http.Handler{"a connector": &serve.Handler{Connector: scripted{}, Token: "t"},
		"the setting": &serve.Handler{Connector: &ledger{}, Token: "t"}} {
		p, auth := writer(t, h)
		if name == "the setting" {
			delete(auth, "writes")
			if w := p.Writes(auth); len(w.Ops) != 0 || w.Why == "" {
				t.Errorf("Writes = %+v", w)
			}
		}
		_, err := p.Provision(t.Context(), create(auth, false))
		var d *v1.ErrorDetail
		if !errors.As(err, &d) || d.Class != v1.ClassConfig || d.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

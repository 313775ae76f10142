package runner

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grantwright/grantwright/agent/internal/journal"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// changing is a connector whose changes are a function of the test.
type changing struct {
	fake
	change func(context.Context) (v1.ProvisionResponse, error)
}

func (c changing) Provision(ctx context.Context, _ v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	return c.change(ctx)
}

func (c changing) Read(context.Context, v1.ReadRequest) (v1.ReadResponse, error) {
	return v1.ReadResponse{}, nil
}

func newChanger(t *testing.T, c changing) (*Runner, *outbox) {
	t.Helper()
	r, o := newRunner(c.fake)
	r.Open = opens(c)
	var err error
	if r.Journal, err = journal.Open(filepath.Join(t.TempDir(), "journal"), time.Now); err != nil {
		t.Fatal(err)
	}
	return r, o
}

// made gives the answer to one change, sent as a task of its own.
func made(t *testing.T, r *Runner, req v1.ProvisionRequest) (v1.ProvisionResponse, *v1.ErrorDetail) {
	t.Helper()
	o := &outbox{}
	r.Attach(o, 0, nil)
	give(t, r, wire.Frame{}, wire.Offer{Kind: wire.KindProvision, ConnectorType: "ldap", Request: body(t, req)})
	synctest.Wait()
	result := o.result(t)
	var answer v1.ProvisionResponse
	if result.OK {
		if err := json.Unmarshal(result.Result, &answer); err != nil {
			t.Fatal(err)
		}
	}
	return answer, result.Error
}

func TestAChangeThatComesTwiceIsMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := 0
		r, _ := newChanger(t, changing{change: func(context.Context) (v1.ProvisionResponse, error) {
			times++
			return v1.ProvisionResponse{Success: true, Outcome: v1.OutcomeApplied}, nil
		}})
		req := v1.ProvisionRequest{IdempotencyKey: "k", Op: v1.OpAccountCreate}
		first, _ := made(t, r, req)
		second, _ := made(t, r, req)
		if times != 1 || first.Replayed || !second.Replayed || second.Outcome != v1.OutcomeApplied {
			t.Errorf("made %d times; %+v, %+v", times, first, second)
		}
		req.DryRun = true
		if made(t, r, req); times != 2 {
			t.Errorf("a dry run was answered from the journal")
		}
		if _, err := made(
			t,
			r,
			v1.ProvisionRequest{Op: v1.OpAccountCreate},
		); err == nil ||
			err.Code != "idempotency_key_missing" {
			t.Errorf("without a key: %+v", err)
		}
	})
}

func TestARefusedChangeIsTriedAgainAndABrokenOneIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusal := error(&v1.ErrorDetail{Class: v1.ClassPermission, Code: "ldap_50", Message: "no"})
		r, _ := newChanger(
			t,
			changing{
				change: func(context.Context) (v1.ProvisionResponse, error) { return v1.ProvisionResponse{}, refusal },
			},
		)
		req := v1.ProvisionRequest{IdempotencyKey: "k", Op: v1.OpAccountCreate}
		for range 2 {
			if _, err := made(t, r, req); err == nil || err.Code != "ldap_50" {
				t.Errorf("refused with %+v", err)
			}
		}
		refusal = errors.New("broken pipe")
		if answer, err := made(
			t,
			r,
			req,
		); err != nil || answer.Outcome != v1.OutcomeUnknown ||
			answer.ErrorDetail.Code != "interrupted" {
			t.Errorf("%+v, %+v; want unknown", answer, err)
		}
	})
}

func TestWithoutAJournalNothingIsChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newChanger(t, changing{change: func(context.Context) (v1.ProvisionResponse, error) {
			t.Error("it was changed")
			return v1.ProvisionResponse{}, nil
		}})
		r.Journal = nil
		if _, err := made(t, r, v1.ProvisionRequest{IdempotencyKey: "k"}); err == nil || err.Code != "no_journal" {
			t.Errorf("err = %+v", err)
		}
		r.Open = opens(fake{})
		if _, err := made(
			t,
			r,
			v1.ProvisionRequest{IdempotencyKey: "k"},
		); err == nil ||
			err.Code != "no_journal" && err.Code != "read_only_connector" {
			t.Errorf("err = %+v", err)
		}
	})
}

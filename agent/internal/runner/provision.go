package runner

import (
	"context"
	"errors"

	"github.com/grantwright/grantwright/agent/internal/journal"
	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// provision makes one change, once for each idempotency key. A change that may or may not have arrived is an answer and
// no error: an error always says that nothing was changed.
func (r *Runner) provision(
	ctx context.Context,
	c connectorkit.Connector,
	req v1.ProvisionRequest,
) (v1.ProvisionResponse, error) {
	p, can := c.(connectorkit.Changer)
	switch {
	case !can:
		return v1.ProvisionResponse{}, readsOnly()
	case req.DryRun:
		return p.Provision(ctx, req)
	case req.IdempotencyKey == "":
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:   v1.ClassProtocol,
			Code:    "idempotency_key_missing",
			Message: "a change needs an idempotency key",
		}
	case r.Journal == nil:
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:   v1.ClassPolicy,
			Code:    "no_journal",
			Message: "this agent keeps no journal, and so changes nothing",
		}
	}
	if known, err := r.Journal.Begin(req.IdempotencyKey); err != nil || known != nil {
		return answerOf(known, err)
	}
	crashpoint.Reach("provision.begun")
	ended := false
	defer func() {
		if !ended { // a panic: the outcome is unknown
			r.Journal.Loosen(req.IdempotencyKey)
		}
	}()
	answer, err := p.Provision(ctx, req)
	crashpoint.Reach("provision.made")
	ended = true
	answer, err = settled(ctx, answer, err)
	r.note(req.IdempotencyKey, answer, err)
	return answer, err
}

// settled reports whether an error is a refusal, and not a change that was cut off on its way.
func settled(ctx context.Context, answer v1.ProvisionResponse, err error) (v1.ProvisionResponse, error) {
	var refused *v1.ErrorDetail
	if err == nil || (errors.As(err, &refused) && ctx.Err() == nil) {
		return answer, err
	}
	text := "the call was ended while the change was being made"
	return v1.ProvisionResponse{Outcome: v1.OutcomeUnknown, Error: &text, ErrorDetail: &v1.ErrorDetail{
		Class: v1.ClassTransient, Code: "interrupted", Message: text, Retryable: true,
		Hint: "The target may have been changed or not; it is read before anything is sent again.",
	}}, nil
}

// note writes down what became of a change. One of which that is not known may be sent again: whoever sends it has read
// before.
func (r *Runner) note(key string, answer v1.ProvisionResponse, err error) {
	kept := &answer
	if err != nil || !answer.Success {
		kept = nil
	}
	if err := r.Journal.End(key, kept); err != nil {
		r.Log.Error("the journal of changes cannot be written; look at the disk of the data directory", "err", err)
	}
}

// answerOf is the answer from the journal. A change that still runs, or one that cannot be written
// down, is an error that may be tried again: without the journal a change is not made, for it could
// be made twice.
func answerOf(known *v1.ProvisionResponse, err error) (v1.ProvisionResponse, error) {
	switch {
	case errors.Is(err, journal.ErrRunning):
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:     v1.ClassTransient,
			Code:      "change_running",
			Message:   err.Error(),
			Retryable: true,
		}
	case err != nil:
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:     v1.ClassTransient,
			Code:      "journal_failed",
			Message:   "the agent cannot write down that it makes a change, and so does not make it",
			Retryable: true,
			Hint:      "Look at the disk of the agent's data directory; grantwright-agent doctor shows its state.",
		}
	}
	return *known, nil
}

// read returns the current records.
func read(ctx context.Context, c connectorkit.Connector, req v1.ReadRequest) (v1.ReadResponse, error) {
	p, can := c.(connectorkit.Changer)
	if !can {
		return v1.ReadResponse{}, readsOnly()
	}
	answer, err := p.Read(ctx, req)
	if answer.Accounts == nil {
		answer.Accounts = []v1.ReadAccount{}
	}
	return answer, err
}

// readsOnly is the error for a change through a connector that only reads.
func readsOnly() error {
	return &v1.ErrorDetail{
		Class:   v1.ClassConfig,
		Code:    "read_only_connector",
		Message: "connectors of this type only read in this version of the agent",
		Hint:    "update the agent",
	}
}

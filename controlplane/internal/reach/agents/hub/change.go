package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Provision has the agent make one change. An error says that nothing was changed; a change that may or may not have
// arrived is an answer of outcome unknown.
func (p *Proxy) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	if err := p.writes(); err != nil {
		return v1.ProvisionResponse{}, err
	}
	request, err := encoded(req)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	c := newCall(p.session, p.offer(ctx, wire.KindProvision, request), uuid.Must(uuid.NewV7()).String(), "", 1)
	w := &work{hub: p.hub, call: c}
	result, err := w.do(ctx, p.session)
	by := p.session.by()
	var answer v1.ProvisionResponse
	switch {
	case err != nil && (req.DryRun || w.untouched):
		return answer, err
	case err != nil:
		return unknown(err, by), nil
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return unknown(malformed("the agent's answer", err), by), nil
	}
	answer.ExecutedBy = &by
	return answer, nil
}

// Read has the agent tell how records are now.
func (p *Proxy) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	if err := p.writes(); err != nil {
		return v1.ReadResponse{}, err
	}
	return ask[v1.ReadResponse](ctx, p, wire.KindRead, req, nil)
}

// writes says whether the agent's program knows how to change a target.
func (p *Proxy) writes() error {
	if p.session.hello.Capability >= wire.WriteCapability {
		return nil
	}
	return &v1.ErrorDetail{
		Class: v1.ClassConfig,
		Code:  "agent_too_old",
		Message: fmt.Sprintf(
			"the agent %s can read and not write: its version %s is too old",
			p.session.name,
			p.session.hello.Version,
		),
		Hint: "update the agent; what waits is done then",
	}
}

// Provision has another process's agent make one change. That process tells an error from a change that may have been
// made; what goes wrong between the processes leaves that open.
func (r *remote) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	var answer v1.ProvisionResponse
	request, err := encoded(req)
	if err != nil {
		return answer, err
	}
	back, err := r.hub.sendElsewhere(ctx, r.target, wire.KindProvision, request)
	if err == nil && back.Error == nil {
		if err = json.Unmarshal(back.Result, &answer); err == nil {
			return answer, nil
		}
		err = malformed("the agent's answer", err)
	}
	switch {
	case back.Error != nil:
		return answer, back.Error
	case req.DryRun:
		return answer, err
	}
	return unknown(err, r.by), nil
}

// Read has another process's agent tell how records are now.
func (r *remote) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	return askElsewhere[v1.ReadResponse](ctx, r, wire.KindRead, req)
}

// unknown is the answer to a change that may or may not have been made.
func unknown(err error, by v1.ExecutedBy) v1.ProvisionResponse {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		d = &v1.ErrorDetail{
			Class:     v1.ClassTransient,
			Code:      "answer_lost",
			Retryable: true,
			Message:   "the answer to the change did not arrive",
		}
	}
	text := d.Message
	return v1.ProvisionResponse{Outcome: v1.OutcomeUnknown, Error: &text, ErrorDetail: d, ExecutedBy: &by}
}

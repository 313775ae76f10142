package call

import (
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

func (c *Call) rejected(s *session.Session, f wire.Frame) error {
	r, err := wire.DecodeBody[wire.Reject](f)
	if err != nil {
		return err
	}
	if c.from(s, f) {
		c.deny()
		c.Fail(rejection(s.Name, c.offer.ConnectorType, r))
	}
	return nil
}

func (c *Call) deny() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.denied = c.failure == nil && !c.ended
}

// refused says whether the agent did not take the call.
func (c *Call) refused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.denied
}

// rejection says in the words of an error why an agent did not take a call.
func rejection(agent, connectorType string, r wire.Reject) *v1.ErrorDetail {
	d := &v1.ErrorDetail{
		Class:   v1.ClassInternal,
		Code:    "agent_rejected",
		Message: fmt.Sprintf("the agent %s refused the call: %s", agent, agents.Short(r.Message)),
	}
	switch r.Reason {
	case "busy", "draining":
		d.Class, d.Code, d.Retryable = v1.ClassAgentUnavailable, "agent_"+r.Reason, true
		if r.RetryAfterMS > 0 {
			d.RetryAfterMS = &r.RetryAfterMS
		}
	case "unknown_type":
		d.Class, d.Code = v1.ClassConfig, "agent_type_unsupported"
		d.Hint = fmt.Sprintf("update the agent: its version does not know connectors of type %s", connectorType)
	case "policy":
		d.Class, d.Code, d.Hint = v1.ClassPolicy, "agent_policy", "the agent's owner allows this in the agent's own "+
			"policy, on its host"
	case "bad_request":
		d.Class, d.Code = v1.ClassProtocol, "agent_bad_request"
	}
	return d
}

// Complain ends the call: the agent could not use a frame of it.
func (c *Call) Complain(s *session.Session, f wire.Frame, message string) {
	if c.from(s, f) {
		c.Fail(&v1.ErrorDetail{
			Class: v1.ClassProtocol, Code: "agent_refused_frame",
			Message: fmt.Sprintf("the agent %s could not run the call: %s", s.Name, agents.Short(message)),
		})
	}
}

// refusal is what a page without success stands for.
func refusal(page v1.SyncResponse) error {
	switch {
	case page.ErrorDetail != nil:
		return page.ErrorDetail
	case page.Error != nil:
		return &v1.ErrorDetail{Class: v1.ClassTargetFault, Code: "connector_failed", Message: *page.Error}
	}
	return &v1.ErrorDetail{
		Class:   v1.ClassTargetFault,
		Code:    "connector_failed",
		Message: "the connector reported a failure without saying which",
	}
}

// ErrGone fails a call whose connection had ended before it was offered.
func ErrGone(s *session.Session) error {
	return &v1.ErrorDetail{
		Class: v1.ClassAgentUnavailable, Code: "agent_not_reached", Retryable: true,
		Message: fmt.Sprintf("the connection to the agent %s ended before the call began", s.Name),
	}
}

// ErrStale fails an attempt of a sync that was replaced by a newer one.
func ErrStale(c *Call) error {
	return &v1.ErrorDetail{
		Class:   v1.ClassConflict,
		Code:    "stale_attempt",
		Message: fmt.Sprintf("attempt %d of this run was replaced by a newer one", c.Attempt),
	}
}

package hub

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// unavailable says why no agent can take a call, and what to do about it.
func unavailable(t dispatch.Target, known []candidate) *v1.ErrorDetail {
	d := &v1.ErrorDetail{Class: v1.ClassAgentUnavailable, Code: "agent_offline", Retryable: true}
	who := "no agent of the group " + t.AgentGroup
	switch {
	case t.AgentID == "" && t.AgentGroup == "":
		return &v1.ErrorDetail{
			Class:   v1.ClassConfig,
			Code:    "agent_missing",
			Message: "the connector runs on an agent, but names neither an agent nor a group",
		}
	case len(known) == 0:
		d.Message = who + " is known"
		if t.AgentID != "" {
			d.Message = "the agent " + t.AgentID + " is not known"
		}
		d.Class, d.Code, d.Retryable, d.Hint = v1.ClassConfig, "agent_unknown", false, "choose another agent for the "+
			"connector, or enrol one"
		return d
	}
	last := known[0] // the one seen last
	if t.AgentID != "" {
		who = "the agent " + last.Name
	}
	for _, k := range known {
		if k.Online && k.Draining {
			d.Code, d.Message = "agent_draining", fmt.Sprintf("the agent %s takes no new tasks at present", k.Name)
			d.Hint = "resume it, or let its operator do so on its host; the call can be repeated then"
			return d
		}
		if k.Online && !k.Supports {
			d.Class, d.Code, d.Retryable = v1.ClassConfig, "agent_type_unsupported", false
			d.Message = fmt.Sprintf("the agent %s is online but does not run connectors of type %s", k.Name, t.Type)
			d.Hint = "update the agent, or choose another one"
			return d
		}
	}
	d.Message = who + " is online"
	if t.AgentID != "" {
		d.Message = who + " is offline"
	}
	d.Message += "; " + lastSeen(t, last)
	d.Hint = "see that the agent runs on its host (grantwright-agent status) and that it reaches the control plane"
	if t.AgentID != "" && last.State != agents.Registered {
		d.Message = who + " is " + last.State
		d.Retryable, d.Hint = false, "enrol the agent, or choose another one for the connector"
		if last.State == agents.Disabled {
			d.Hint = "switch the agent on, or choose another one for the connector"
		}
	}
	return d
}

func lastSeen(t dispatch.Target, c candidate) string {
	if c.LastSeen == nil {
		return "it was never seen"
	}
	when := c.LastSeen.UTC().Format(time.RFC3339)
	if t.AgentID != "" {
		return "it was last seen at " + when
	}
	return "the last one seen was " + c.Name + " at " + when
}

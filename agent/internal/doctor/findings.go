package doctor

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/grantwright/grantwright/agent/internal/enroll"
)

// pass is a step that found nothing wrong.
func pass(format string, args ...any) finding {
	return finding{status: Pass, detail: fmt.Sprintf(format, args...)}
}

// skip is a step that could not be taken; that is no failure.
func skip(format string, args ...any) finding {
	return finding{status: Skip, detail: fmt.Sprintf(format, args...)}
}

// fail is a step that found a failure, with what to do about it.
func fail(mend, format string, args ...any) finding {
	return finding{status: Fail, detail: fmt.Sprintf(format, args...), mend: mend}
}

// mends of the control plane's refusals, by code.
var mends = map[string]string{
	"agent_revoked": "An administrator has revoked this agent for good. Create a new one in the control plane, " +
		"and enrol it here with --replace.",
	"agent_disabled": "An administrator disabled this agent. It continues automatically when an administrator " +
		"enables it.",
	"agent_quarantined": "This agent was seen in two places: stop the copy, then have an administrator clear the " +
		"quarantine; or enrol it again.",
	"token_revoked": "The agent was enrolled again, perhaps on another host. Enroll this host again with " +
		"--replace.",
	"invalid_proof": "The identity key is not the one that was enrolled. Was the data directory restored from " +
		"another host? Enrol again with --replace.",
	"invalid_token": "The token is none of this control plane's. Is it the same deployment the agent was " +
		"enrolled with? Enrol again with --replace.",
}

// refused is the finding for an answer that is not the wanted one.
func refused(err error) finding {
	var r *enroll.Refused
	if !errors.As(err, &r) {
		return fail(
			"Try again. If the error persists, check the proxies and firewalls between this host and the control "+
				"plane.",
			"%v",
			err,
		)
	}
	mend := mends[r.Code]
	switch {
	case mend != "":
	case r.Code != "":
		mend = "Ask the control plane's administrator, and name the code " + r.Code + "."
	case r.Status == http.StatusForbidden || r.Status == http.StatusProxyAuthRequired:
		mend = "Something between this host and the control plane refuses the request. Have it let requests to this " +
			"address through."
	default:
		mend = "Is this the control plane's address? Something else seems to answer."
	}
	f := fail(mend, "%v", r)
	f.code = r.Code
	return f
}

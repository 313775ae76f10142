package runner

import (
	"errors"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// problem is the form of err for the control plane. Errors of the target cross as they are; secrets are masked in all
// others.
func problem(err error, secrets []string) *v1.ErrorDetail {
	var detail *v1.ErrorDetail
	switch {
	case errors.As(err, &detail):
		return detail
	case errors.Is(err, errCancelled), errors.Is(err, errAbandoned):
		return &v1.ErrorDetail{Class: v1.ClassCancelled, Code: "cancelled", Message: "the call was cancelled"}
	case errors.Is(err, errDeadline):
		return &v1.ErrorDetail{
			Class:     v1.ClassTransient,
			Code:      "deadline_exceeded",
			Message:   "the call did not end before its deadline",
			Retryable: true,
		}
	case errors.Is(err, errStuck):
		return &v1.ErrorDetail{
			Class:     v1.ClassTransient,
			Code:      "no_progress",
			Message:   "the target showed no sign of life for too long",
			Retryable: true,
			Hint:      "The target may be overloaded, or a firewall may have dropped the connection silently.",
		}
	case errors.Is(err, errStopping):
		return &v1.ErrorDetail{
			Class:     v1.ClassAgentUnavailable,
			Code:      "agent_stopping",
			Message:   "the agent was shut down while the call ran",
			Retryable: true,
		}
	case errors.Is(err, errSpool):
		return &v1.ErrorDetail{
			Class: v1.ClassTransient, Code: "spool_damaged", Message: errSpool.Error(), Retryable: true,
			Hint: "Look at the disk of the agent's data directory; grantwright-agent doctor shows its state.",
		}
	case errors.Is(err, errPanic):
		return &v1.ErrorDetail{
			Class: v1.ClassInternal, Code: "connector_panic", Message: "the connector failed unexpectedly",
			Hint: "The agent's log shows where. This is a fault of the connector, not of the target.",
		}
	}
	return &v1.ErrorDetail{
		Class:   v1.ClassInternal,
		Code:    "connector_failed",
		Message: connectorkit.NewScrubber(secrets...).Clean(err.Error()),
	}
}

// secretWords are in the names of settings that hold secrets.
var secretWords = []string{"password", "secret", "token", "key", "passphrase", "credential", "authorization"}

// secretsIn finds what must not be shown of a call's settings, by the names of the settings.
func secretsIn(auth v1.AuthConfig) []string {
	var found []string
	for name, value := range auth {
		if secretName(name) {
			found = append(found, connectorkit.TextsIn(value)...)
			continue
		}
		if inner, ok := value.(map[string]any); ok {
			found = append(found, secretsIn(inner)...)
		}
	}
	return found
}

// secretName says whether a setting's name sounds like that of a secret.
func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, w := range secretWords {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

package schema

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// WhyNoDisable says why accounts cannot be disabled, as far as the schema shows it. Empty: nothing speaks against it.
func WhyNoDisable(ctx context.Context, se *session.Session) (string, error) {
	how := se.Disabling()
	if how.Attribute == "" {
		return "", nil // by userAccountControl, or by moving
	}
	sc, err := Read(ctx, se)
	if err != nil || len(sc.Attributes) == 0 || sc.Attributes[strings.ToLower(how.Attribute)] != nil {
		return "", err
	}
	why := fmt.Sprintf("accounts cannot be disabled: the directory's schema has no attribute %s", how.Attribute)
	if strings.EqualFold(how.Attribute, "pwdAccountLockedTime") {
		why += ", since no password policy (overlay ppolicy) is loaded"
	}
	return why, nil
}

// DisableHint says what to do where accounts cannot be disabled.
const DisableHint = "Load the password policy of the directory, or set disable_strategy to attribute or to move, " +
	"so that a leaver's account can be closed."

// DisableUnavailable warns that accounts cannot be disabled; why comes from WhyNoDisable.
func DisableUnavailable(why string) v1.Warning {
	return v1.Warning{Code: "disable_unavailable", Message: why + ". " + DisableHint}
}

package callable

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Connector is a connector ready to be called. Auth holds secrets: keep it only as long as the call.
type Connector struct {
	ID, BusinessID, Name, Type, Purpose, Status string
	Target                                      dispatch.Target
	Auth                                        v1.AuthConfig // connection and credentials together

	// Offers are the changes that the target was seen to offer in the last successful test of these settings; empty: it
	// did not show them.
	Offers []v1.ProvisionOp
}

// Able leaves out of what the connector's type and settings can change what its target does not offer.
func (o Connector) Able(can connectorkit.Writes) connectorkit.Writes {
	if len(o.Offers) == 0 {
		return can
	}
	var missing []string
	ops := can.Ops
	can.Ops = nil
	for _, op := range ops {
		if slices.Contains(o.Offers, op) {
			can.Ops = append(can.Ops, op)
		} else {
			missing = append(missing, string(op))
		}
	}
	if len(missing) > 0 {
		why := "The last connection test showed that the target does not offer " + strings.Join(
			missing,
			", ",
		) + "; see its warnings."
		can.Why = strings.TrimSpace(can.Why + " " + why)
	}
	return can
}

// String says which connector it is, without its settings.
func (o Connector) String() string { return "connector " + o.BusinessID + " (" + o.ID + ")" }

// GoString is String, so that no verb prints the settings.
func (o Connector) GoString() string { return o.String() }

// LogValue is String, so that no log shows the settings.
func (o Connector) LogValue() slog.Value { return slog.StringValue(o.String()) }

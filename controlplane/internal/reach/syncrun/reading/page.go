package reading

import (
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/staging"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Kinds are the kinds that a connector of this purpose is asked for.
func Kinds(purpose string) []v1.ObjectKind {
	switch purpose {
	case "source":
		return []v1.ObjectKind{v1.Identities}
	case "target":
		return []v1.ObjectKind{v1.Accounts, v1.Entitlements, v1.Grants}
	}
	return []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}
}

// Check refuses a page whose opaque texts cannot be kept. They come from the connector's author, not from the target's
// data.
func Check(p *v1.Page) error {
	if p == nil || staging.Storable(p.Checkpoint) && staging.Storable(p.Cursor) {
		return nil
	}
	return &v1.ErrorDetail{
		Class:   v1.ClassProtocol,
		Code:    "protocol_violation",
		Message: "the connector sent a checkpoint or cursor that is longer than 64 KiB or not text",
	}
}

// Phase names the kind of record that a page brings, as runs tell it.
func Phase(page *v1.SyncResponse) string {
	switch {
	case len(page.Grants) > 0:
		return "read_grants"
	case len(page.Entitlements) > 0:
		return "read_entitlements"
	case len(page.Accounts) > 0:
		return "read_accounts"
	}
	return "read_identities"
}

package worker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/merge"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// warnOfOwners warns of unknown owners, and counts the records that name them.
func (w *work) warnOfOwners(t *counters.PartCount) {
	t.Report.Accounts.Unresolved, t.Report.Entitlements.Unresolved = w.openOwners[0].N, w.openOwners[1].N
	n := w.openOwners[0].N + w.openOwners[1].N
	if n == 0 {
		return
	}
	examples := slices.Concat(w.openOwners[1].Examples, w.openOwners[0].Examples)
	examples = examples[:min(len(examples), merge.MaxExamples)]
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Warn(v1.Warning{Code: "unresolved_owners", Message: fmt.Sprintf(
		"%d accounts and entitlements name an owner who is not known here, or is not unique, such as %s. Later runs "+
			"look for them again.",
		n,
		strings.Join(examples, "; "),
	)})
}

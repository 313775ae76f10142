package desired

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// Lifecycle is what a pack wants of the tenant's lifecycle settings. What it does not name stays the tenant's.
func Lifecycle(l format.Lifecycle) State {
	f := merge.Fields{}
	for name, text := range map[string]string{"pre_hire_lead": l.PreHireLead, "mover_grace": l.MoverGrace,
		"delete_after": l.DeleteAfter, "archive_after": l.ArchiveAfter} {
		if d, err := span.Parse(text); err == nil {
			f[name] = merge.Duration(d)
		}
	}
	if l.LeaveAccess != "" {
		f["leave_access"] = l.LeaveAccess
	}
	return State{Fields: f, Pending: []installation.PendingBinding{}}
}

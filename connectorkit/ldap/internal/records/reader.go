package records

import (
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
)

// Reader makes the records of a run, and keeps what they need of each other.
type Reader struct {
	*read.Run
	// SID of a group to its key, empty where there is no such group; Active Directory only
	PrimaryKeys    map[string]string
	pendingGroups  []pendingGroup   // groups on the page of the directory in hand of which more is to be read
	Aliases        *Aliases         // nil: not known
	waiting        int              // members of the open groups that wait for them
	pendingPrimary []pendingPrimary // people there whose primary group is not known yet
}

// Reset starts again.
func (r *Reader) Reset() {
	r.Run.Reset()
	r.pendingGroups, r.pendingPrimary, r.Aliases, r.waiting = nil, nil, nil, 0
}

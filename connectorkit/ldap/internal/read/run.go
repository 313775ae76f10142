package read

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Pages are emitted when they hold so many records.
const (
	pageRecords = 500
	pageGrants  = 1000
)

// aliveInterval is how often a read that hands nothing on says that it is alive.
const aliveInterval = 5 * time.Second

// Run is one read of a directory.
type Run struct {
	*entry.Reader
	Emit       connectorkit.Emit
	Began      time.Time // monotonic
	LastReport time.Time // when something was last emitted or reported
	// of the receiver of the records: the read ends with it, and it is no fault of the directory
	EmitErr         error
	Wanted          map[v1.ObjectKind]bool
	Persons, Groups Objects
	SettingsSum     string

	ReadInfo               v1.Read
	Limited                bool // by max_records, so that it proves nothing
	Checkpoint             *Checkpoint
	RecordsSinceCheckpoint int // records since the last checkpoint
	Page                   v1.SyncResponse
	PageScopes             []v1.Scope // of single groups, for the page in hand
	ProvenScopes           []v1.Scope // of whole kinds, by a read of changes
	ListKeysWanted         bool       // a read of changes cannot tell what is gone
	Stats                  v1.Stats
	callsBefore            int // requests before the interruption
	CheckpointEvery        int // records between checkpoints inside a partition, at least
	Counts                 map[v1.ObjectKind]int
	incomplete             map[v1.ObjectKind]bool // kinds that were not provably read to the end
	watermark              time.Time
	Warnings               warningList
	Undeclared             undeclaredContainers
}

// Reset starts the counting again.
func (r *Run) Reset() {
	r.Counts, r.incomplete = map[v1.ObjectKind]int{}, map[v1.ObjectKind]bool{}
	r.Page, r.PageScopes = v1.SyncResponse{}, nil
	r.Checkpoint, r.ProvenScopes, r.ListKeysWanted = nil, nil, false
	r.ReadInfo = v1.Read{Strategy: settings.StrategyFull}
}

// ChangesOnly reports whether the run reads changes: groups are then proven one by one.
func (r *Run) ChangesOnly() bool { return r.ReadInfo.Incremental }

// Report reports that the read is alive.
func (r *Run) Report(phase, message string) {
	r.LastReport = time.Now()
	connectorkit.ReportOf(r.Ctx).Send(v1.Progress{Phase: phase, Message: message})
}

// ReportAlive reports a read that has handed nothing on for a while.
func (r *Run) ReportAlive(phase string, entries int) {
	if time.Since(r.LastReport) >= aliveInterval {
		r.Report(phase, fmt.Sprintf("%d entries looked at", entries))
	}
}

// EmitDeleted emits tombstones for whatever record of o the entry with this key may have been. A group
// that is gone has no members.
func (r *Run) EmitDeleted(o Objects, id string) error {
	if o.Phase == r.Groups.Phase && r.Wanted[v1.Grants] {
		r.PageScopes = append(r.PageScopes, GroupScope(id, true, 0))
	}
	for _, k := range o.Kinds {
		switch k {
		case v1.Identities:
			r.Page.Identities = append(r.Page.Identities, v1.RemoteIdentity{ExternalID: id, Deleted: true})
		case v1.Accounts:
			r.Page.Accounts = append(r.Page.Accounts, v1.RemoteAccount{ExternalID: id, Deleted: true})
		case v1.Entitlements:
			r.Page.Entitlements = append(r.Page.Entitlements, v1.RemoteEntitlement{ExternalID: id, Deleted: true})
		}
	}
	return r.FlushIfFull()
}

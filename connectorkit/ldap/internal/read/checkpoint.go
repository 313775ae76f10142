package read

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// A read of changes has checkpoints, too. Each goes with the cursor from which the changes are read; the position in
// it is where the strategy has come to: the number in a changelog, the cookie of a round, the cookies of the searches
// that are done, or the number or time at which the next read starts, with the searches that are done and the place
// inside of the present one.

// NewChangesCheckpoint is the checkpoint of a read of changes that begins.
func NewChangesCheckpoint(from *Position, cursor, settings string) *Checkpoint {
	begin := *from
	begin.Containers, begin.Undeclared = nil, nil
	return &Checkpoint{Version: CheckpointVersion, Settings: settings, Changes: cursorSum(cursor), Begin: &begin}
}

// cursorSum is a fingerprint of a cursor.
func cursorSum(cursor string) string {
	sum := sha256.Sum256([]byte(cursor))
	return hex.EncodeToString(sum[:8])
}

// Tests mark more often.
var (
	// CheckpointRecords is the least number of records between two checkpoints inside a partition.
	CheckpointRecords = 1000
	// CheckpointCost bounds what checkpoints add: a record stands for at least so many bytes of them.
	CheckpointCost = 4
)

// CheckpointVersion changes whenever an older checkpoint would be misread.
const CheckpointVersion = 2

// Checkpoint is how far a read has come. A full read goes on with the first partition that is not done, and inside of
// that behind the entries that were emitted already. A read of changes goes on as its strategy has noted in Begin:
// the number in a changelog, the cookie of a round or of the searches that are done, or the number or time at which
// the next read starts.
type Checkpoint struct {
	// Version is CheckpointVersion when the checkpoint was written.
	Version int `json:"v"`
	// Settings is the fingerprint of the settings that decide what is read.
	Settings string `json:"settings"`
	Reason   string `json:"reason,omitempty"` // why everything is read though changes were asked for
	// where changes count from; of a read of changes, how far they were read
	Begin  *Position `json:"begin,omitempty"`
	Top    int64     `json:"top,omitempty"`    // Active Directory: the USN by which the read was divided
	Source string    `json:"source,omitempty"` // Active Directory: the database that this USN belongs to

	Phases      []string              `json:"phases,omitempty"` // read to the end
	SplitPoints []string              `json:"cuts,omitempty"`   // the places by which the present phase is divided
	Start       map[v1.ObjectKind]int `json:"start,omitempty"`  // counts when it was begun
	// partitions of the present phase that are read to the end
	Done    []string `json:"done,omitempty"`
	Entries int      `json:"entries"` // of the present phase
	// Within is the place inside the present partition. Nil: at its start.
	Within *Place `json:"within,omitempty"`
	// Counts are the records of each kind that were emitted so far.
	Counts map[v1.ObjectKind]int `json:"counts"`
	// Incomplete are kinds that the read does not prove.
	Incomplete []v1.ObjectKind `json:"unsure,omitempty"`
	Stats      v1.Stats        `json:"stats"`
	Latest     *time.Time      `json:"latest,omitempty"` // greatest time of change seen

	// fingerprint of the cursor from which changes are read; empty: everything is
	Changes string     `json:"changes,omitempty"`
	Proven  []v1.Scope `json:"proven,omitempty"` // what the read of changes has proven of whole kinds
	Sweep   bool       `json:"sweep,omitempty"`  // the keys of all entries have to be read

	Resumed   bool `json:"-"` // the read was interrupted
	Continued bool `json:"-"` // and the phase it was in has been gone on with
}

// OpenCheckpoint opens a checkpoint. One that cannot be used is reported, and the read starts again.
func (r *Run) OpenCheckpoint(incremental bool, o *v1.SyncOptions) (*Checkpoint, error) {
	if o.Checkpoint == "" {
		return nil, nil
	}
	at := &Checkpoint{}
	why := ""
	switch err := json.Unmarshal([]byte(o.Checkpoint), at); {
	case err != nil || at.Version != CheckpointVersion:
		why = "it is of another version"
	case at.Settings != r.SettingsSum:
		why = "what is read of the directory has been set differently since"
	case at.Top > 0 && at.Source != r.Source():
		why = "this is not the server that was read from"
	case at.Changes != "" && (!incremental || at.Begin == nil || at.Changes != cursorSum(o.Cursor)):
		why = "it belongs to a read of other changes"
	}
	if why != "" {
		r.Warnings.Add(
			"checkpoint_unusable", "", "the interrupted sync cannot be resumed and starts from the beginning: "+why,
		)
		return nil, nil
	}
	at.Resumed = true
	return at, nil
}

// RestoreCheckpoint puts the run where the checkpoint stands.
func (r *Run) RestoreCheckpoint(at *Checkpoint) {
	r.Checkpoint = at
	r.ReadInfo.FallbackReason = at.Reason
	if at.Begin != nil {
		r.Undeclared.Start(at.Begin.Containers, at.Begin.Undeclared, false)
	}
	r.RestoreCounts(at)
}

// RestoreCounts takes over what an interrupted read has counted and proven.
func (r *Run) RestoreCounts(at *Checkpoint) {
	if !at.Resumed {
		return
	}
	for k, n := range at.Counts {
		r.Counts[k] = n
	}
	r.MarkIncomplete(at.Incomplete...)
	r.Stats, r.callsBefore = at.Stats, at.Stats.APICalls
	if at.Latest != nil {
		r.watermark = *at.Latest
	}
	r.ProvenScopes, r.ListKeysWanted = at.Proven, at.Sweep
}

// SaveCheckpoint hands the page on with a checkpoint that includes all of it.
func (r *Run) SaveCheckpoint(within *Place) error {
	at := r.Checkpoint
	at.Within, at.Counts, at.Stats, at.Incomplete = within, r.Counts, r.Stats, sortedKinds(r.incomplete)
	at.Proven, at.Sweep = r.ProvenScopes, r.ListKeysWanted
	if !r.watermark.IsZero() {
		at.Latest = &r.watermark
	}
	r.UpdateSince()
	if at.Begin != nil {
		at.Begin.Undeclared = slices.Sorted(maps.Keys(r.Undeclared.dns))
	}
	b, err := json.Marshal(at)
	if err != nil {
		return fmt.Errorf("write the checkpoint: %w", err)
	}
	out := r.NewPage()
	r.RecordsSinceCheckpoint, r.CheckpointEvery = 0, max(CheckpointRecords, len(b)/CheckpointCost)
	if len(b) <= maxTokenBytes {
		out.Page.Checkpoint = string(b)
	}
	return r.Send(out)
}

// sortedKinds lists the kinds that are set, in alphabetical order, so that equal checkpoints are
// equal texts.
func sortedKinds(m map[v1.ObjectKind]bool) []v1.ObjectKind {
	var out []v1.ObjectKind
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] {
			out = append(out, k)
		}
	}
	return out
}

// Source names the server and database that USNs come from.
func (r *Run) Source() string { return ldapdn.Normalize(r.Root.First("dsServiceName")) }

// IsDone reports whether a partition of the present phase was read to its end.
func (r *Run) IsDone(partition string) bool { return slices.Contains(r.Checkpoint.Done, partition) }

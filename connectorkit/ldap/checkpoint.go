package ldap

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Tests mark more often.
var (
	// checkpointRecords is the least number of records between two checkpoints inside a partition.
	checkpointRecords = 1000
	// checkpointCost bounds what checkpoints add: a record stands for at least so many bytes of them.
	checkpointCost = 4
)

// checkpointVersion changes whenever an older checkpoint would be misread.
const checkpointVersion = 2

// checkpoint is how far a read has come. A full read goes on with the first partition that is not done, and inside of
// that behind the entries that were handed on already. A read of changes goes on as its strategy has noted in Begin;
// see changes.go.
type checkpoint struct {
	Version  int       `json:"v"`
	Settings string    `json:"settings"`
	Reason   string    `json:"reason,omitempty"` // why everything is read though changes were asked for
	Begin    *position `json:"begin,omitempty"`  // where changes count from; of a read of changes, how far they were read
	Top      int64     `json:"top,omitempty"`    // Active Directory: the USN by which the read was divided
	Source   string    `json:"source,omitempty"` // Active Directory: the database that this USN belongs to

	Phases  []string              `json:"phases,omitempty"` // read to the end
	Cuts    []string              `json:"cuts,omitempty"`   // the places by which the present phase is divided
	Start   map[v1.ObjectKind]int `json:"start,omitempty"`  // counts when it was begun
	Done    []string              `json:"done,omitempty"`   // partitions of the present phase that are read to the end
	Entries int                   `json:"entries"`          // of the present phase
	Within  *place                `json:"within,omitempty"`
	Counts  map[v1.ObjectKind]int `json:"counts"`
	Unsure  []v1.ObjectKind       `json:"unsure,omitempty"`
	Stats   v1.Stats              `json:"stats"`
	Latest  *time.Time            `json:"latest,omitempty"` // greatest time of change seen

	Changes string     `json:"changes,omitempty"` // fingerprint of the cursor from which changes are read; empty: everything is
	Proven  []v1.Scope `json:"proven,omitempty"`  // what the read of changes has proven of whole kinds
	Sweep   bool       `json:"sweep,omitempty"`   // the keys of all entries have to be read

	resumed bool // the read was interrupted
	takenUp bool // and the phase it was in has been gone on with
}

// place is a position inside a partition. A directory that gives the same entries in the same order again is believed to
// stand where it stood; one that does not is read again from the partition's start.
type place struct {
	Partition string                `json:"partition"`
	Entries   int                   `json:"entries"` // looked at
	Sum       string                `json:"sum"`     // over their names in order
	Before    map[v1.ObjectKind]int `json:"before"`  // counts when the partition was begun
}

// resume opens a checkpoint. One that cannot be used is told, and the read starts anew.
func (r *run) resume(incremental bool, o *v1.SyncOptions) (*checkpoint, error) {
	if o.Checkpoint == "" {
		return nil, nil
	}
	at := &checkpoint{}
	why := ""
	switch err := json.Unmarshal([]byte(o.Checkpoint), at); {
	case err != nil || at.Version != checkpointVersion:
		why = "it is of another version"
	case at.Settings != r.settingsSum:
		why = "what is read of the directory has been set differently since"
	case at.Top > 0 && at.Source != r.source():
		why = "this is not the server that was read from"
	case at.Changes != "" && (!incremental || at.Begin == nil || at.Changes != cursorSum(o.Cursor)):
		why = "it belongs to a read of other changes"
	}
	if why != "" {
		r.warnings.add("checkpoint_unusable", "", "the interrupted sync cannot be resumed and starts from the beginning: "+why)
		return nil, nil
	}
	at.resumed = true
	return at, nil
}

// start begins a full read, with whatever has to be noted beforehand to find changes later.
func (r *run) start(avoid string) (*checkpoint, error) {
	at := &checkpoint{Version: checkpointVersion, Settings: r.settingsSum, Reason: r.read.FallbackReason}
	begin, err := r.begin(avoid)
	if err != nil {
		return nil, err
	}
	at.Begin = begin
	if r.flavor.activeDir {
		at.Top, _ = strconv.ParseInt(r.root.first("highestCommittedUSN"), 10, 64)
		at.Source = r.source()
	}
	return at, nil
}

// restore puts the run where the checkpoint stands.
func (r *run) restore(at *checkpoint) {
	r.at = at
	r.read.FallbackReason = at.Reason
	if at.Begin != nil {
		r.odd.watch(at.Begin.Containers, at.Begin.Odd, false)
	}
	r.recount(at)
}

// recount takes over what an interrupted read has counted and proven.
func (r *run) recount(at *checkpoint) {
	if !at.resumed {
		return
	}
	for k, n := range at.Counts {
		r.counts[k] = n
	}
	r.doubt(at.Unsure...)
	r.stats, r.callsBefore = at.Stats, at.Stats.APICalls
	if at.Latest != nil {
		r.watermark = *at.Latest
	}
	r.proven, r.sweepWanted = at.Proven, at.Sweep
}

// mark hands the page on with a checkpoint that includes all of it.
func (r *run) mark(within *place) error {
	at := r.at
	at.Within, at.Counts, at.Stats, at.Unsure = within, r.counts, r.stats, sortedKinds(r.unsure)
	at.Proven, at.Sweep = r.proven, r.sweepWanted
	if !r.watermark.IsZero() {
		at.Latest = &r.watermark
	}
	r.noteSince()
	if at.Begin != nil {
		at.Begin.Odd = sortedKeys(r.odd.dns)
	}
	b, err := json.Marshal(at)
	if err != nil {
		return fmt.Errorf("write the checkpoint: %w", err)
	}
	out := r.newPage()
	r.since, r.markEvery = 0, max(checkpointRecords, len(b)/checkpointCost)
	if len(b) <= maxOpaque {
		out.Page.Checkpoint = string(b)
	}
	return r.send(out)
}

func sortedKinds(m map[v1.ObjectKind]bool) []v1.ObjectKind {
	var out []v1.ObjectKind
	for _, k := range sortedKeys(m) {
		if m[k] {
			out = append(out, k)
		}
	}
	return out
}

// source names the server and database that USNs come from.
func (r *run) source() string { return NormalizeDN(r.root.first("dsServiceName")) }

// trail sums the names of the entries of a partition in the order in which they come (FNV-1a).
type trail struct {
	entries int
	sum     uint64
}

func (t *trail) step(name []byte) {
	for _, b := range name {
		t.sum = (t.sum ^ uint64(b)) * 1099511628211
	}
	t.sum = (t.sum ^ 0xFF) * 1099511628211
	t.entries++
}

func (t *trail) at(p *place) bool {
	return t.entries == p.Entries && strconv.FormatUint(t.sum, 16) == p.Sum
}

func (r *run) isDone(partition string) bool { return slices.Contains(r.at.Done, partition) }

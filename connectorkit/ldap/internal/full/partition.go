package full

import (
	"errors"
	"strconv"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// errOrderChanged says that the entries of a partition do not come as they came before the interruption.
var errOrderChanged = errors.New("the directory shows the entries in another order than before")

// ReadPartition reads a partition, from the checkpoint's place in it if the entries come in the same order
// again, and otherwise from its start.
func (r *Reader) ReadPartition(o read.Objects, p read.Partition) (session.Outcome, error) {
	out, err := r.continuePartition(o, p)
	if !errors.Is(err, errOrderChanged) {
		return out, err
	}
	for k, n := range r.Checkpoint.Within.CountsBefore {
		r.Counts[k] = n
	}
	r.Checkpoint.Entries -= r.Checkpoint.Within.Entries
	r.Checkpoint.Within = nil
	return r.continuePartition(o, p)
}

// continuePartition reads a partition, behind the place where an interrupted read left it.
func (r *Reader) continuePartition(o read.Objects, p read.Partition) (session.Outcome, error) {
	f := partitionReader{Reader: r, Objects: o, partition: p, before: copyCounts(r.Counts)}
	if w := r.Checkpoint.Within; w != nil && w.Partition == p.Key {
		f.until, f.before = w, w.CountsBefore
	}
	out, err := r.SearchAll(r.Ctx, o.Phase, r.SearchRequest(o, p, r.Dictionary.Request()), f.entry, f.pageEnd)
	if p.Subtree && ldaperr.HasResult(err, goldap.LDAPResultNoSuchObject) {
		err = nil // moved or removed meanwhile; what it held is found in the rest
	}
	if err == nil && f.until != nil {
		err = f.orderChanged() // it has become shorter
	}
	return out, err
}

// partitionReader reads one partition.
type partitionReader struct {
	*Reader
	read.Objects
	partition read.Partition
	trail     read.Trail
	before    map[v1.ObjectKind]int // counts when the partition was begun
	until     *read.Place           // entries up to there were emitted before the interruption; nil: none, or passed
	diverged  bool
}

// entry takes one entry. Up to the place of the interruption entries are only counted, and their
// names summed up; at that place the sum shows whether they came in the same order as before.
func (f *partitionReader) entry(e *wire.Entry) error {
	f.trail.Add(e.DN)
	if f.until == nil {
		f.Checkpoint.Entries++
		return f.Handle(e)
	}
	if f.trail.Entries == f.until.Entries {
		f.diverged = !f.trail.IsAt(f.until) && f.orderChanged() != nil
		if !f.diverged {
			f.until = nil
		}
	}
	return nil
}

// orderChanged is where the entries do not come as they came before the interruption. A limited read goes on
// all the same, or it would not get beyond its limit in a directory that changes: it proves nothing.
func (f *partitionReader) orderChanged() error {
	if !f.Limited || f.ChangesOnly() {
		return errOrderChanged
	}
	f.MarkIncomplete(f.KindsOf(f.Objects)...)
	return nil
}

// pageEnd runs between two pages of the directory.
func (f *partitionReader) pageEnd() error {
	f.Stats.Pages++
	if f.diverged {
		return errOrderChanged
	}
	f.ReportAlive(f.Phase, f.trail.Entries)
	if err := f.FinishPage(); err != nil {
		return err
	}
	if f.until != nil || f.RecordsSinceCheckpoint+f.Page.Len() < f.CheckpointEvery {
		return nil
	}
	return f.SaveCheckpoint(&read.Place{
		Partition: f.partition.Key, Entries: f.trail.Entries, Sum: strconv.FormatUint(f.trail.Sum, 16),
		CountsBefore: f.before,
	})
}

// copyCounts copies the counts, which go on changing, for a checkpoint.
func copyCounts(m map[v1.ObjectKind]int) map[v1.ObjectKind]int {
	out := make(map[v1.ObjectKind]int, len(m))
	for k, n := range m {
		out[k] = n
	}
	return out
}

package full

import (
	"slices"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/records"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ReadAll reads everything, or what is left of it, partition by partition.
func (r *Reader) ReadAll(at *read.Checkpoint) error {
	r.RestoreCheckpoint(at)
	if !at.Resumed && len(r.Persons.Kinds) > 0 && !r.Flavor.ActiveDirectory {
		r.Aliases = &records.Aliases{Keys: map[string]string{}}
	}
	for _, o := range r.Objects() {
		if slices.Contains(at.Phases, o.Phase) {
			continue
		}
		r.Report(o.Phase, "reading "+o.Noun)
		if err := r.readAllOf(o); err != nil {
			return err
		}
		at.Phases = append(at.Phases, o.Phase)
		at.Done, at.SplitPoints, at.Entries = nil, nil, 0
		if err := r.SaveCheckpoint(nil); err != nil {
			return err
		}
	}
	begin, err := r.NextPosition()
	if err != nil {
		return err
	}
	return r.Finish(r.Scopes(v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants), begin)
}

// readAllOf reads people or groups, a partition at a time, and skips the partitions that an
// interrupted read has finished. The checkpoint is saved after each partition but the last, whose
// end is that of the phase. A phase without any entry is believed only if the login can read the
// base itself.
func (r *Reader) readAllOf(o read.Objects) error {
	parts, err := r.planPhase(o)
	if err != nil {
		return err
	}
	var whole session.Outcome
	for i, p := range parts {
		if r.IsDone(p.Key) {
			continue
		}
		out, err := r.ReadPartition(o, p)
		if err != nil {
			return err
		}
		whole.Add(out)
		r.Checkpoint.Done, r.Checkpoint.Within = append(r.Checkpoint.Done, p.Key), nil
		if i == len(parts)-1 {
			break // the end of the phase is marked at once
		}
		if err := r.SaveCheckpoint(nil); err != nil {
			return err
		}
	}
	r.NoteOutcome(o, whole)
	if r.Checkpoint.Entries == 0 {
		return r.CheckEmpty(o)
	}
	return nil
}

// planPhase plans the reading of o, or goes on by the plan of the interrupted read. Where that no longer
// fits, since places it has read are no longer there, the phase starts over: what was in them may lie
// anywhere now.
func (r *Reader) planPhase(o read.Objects) ([]read.Partition, error) {
	at := r.Checkpoint
	inside := at.Resumed && !at.Continued && (len(at.Done) > 0 || at.Within != nil)
	at.Continued = true
	if inside && len(at.SplitPoints) > 0 {
		r.SplitPoints[o.Base] = at.SplitPoints
	}
	parts, err := r.partitions(o)
	if err != nil {
		return nil, err
	}
	at.SplitPoints = r.SplitPoints[o.Base]
	if inside {
		fits, err := r.fits(parts)
		if err != nil || fits {
			return parts, err
		}
		r.Counts = copyCounts(at.Start)
	}
	at.Start, at.Done, at.Within, at.Entries = copyCounts(r.Counts), nil, nil, 0
	return parts, nil
}

// fits reports whether what was read before the interruption is part of a plan, and where it was.
func (r *Reader) fits(parts []read.Partition) (bool, error) {
	keys := r.Checkpoint.Done
	if w := r.Checkpoint.Within; w != nil {
		keys = append(slices.Clone(keys), w.Partition)
	}
	for _, key := range keys {
		i := slices.IndexFunc(parts, func(p read.Partition) bool { return p.Key == key })
		if i < 0 {
			return false, nil
		}
		if parts[i].Subtree {
			if there, err := r.Exists(r.Ctx, parts[i].Base); err != nil || !there {
				return false, err
			}
		}
	}
	return true, nil
}

package ldap

import (
	"errors"
	"slices"
	"strconv"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// full reads everything, or what is left of it, partition by partition.
func (r *run) full(at *checkpoint) error {
	r.restore(at)
	if !at.resumed && len(r.people.kinds) > 0 && !r.flavor.activeDir {
		r.aliases = &aliases{keys: map[string]string{}}
	}
	for _, o := range r.all() {
		if slices.Contains(at.Phases, o.phase) {
			continue
		}
		r.tell(o.phase, "reading "+o.what)
		if err := r.readAllOf(o); err != nil {
			return err
		}
		at.Phases = append(at.Phases, o.phase)
		at.Done, at.Cuts, at.Entries = nil, nil, 0
		if err := r.mark(nil); err != nil {
			return err
		}
	}
	begin, err := r.beginning()
	if err != nil {
		return err
	}
	return r.finish(r.starScopes(v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants), begin)
}

func (r *run) readAllOf(o objects) error {
	parts, err := r.takeUp(o)
	if err != nil {
		return err
	}
	var whole outcome
	for i, p := range parts {
		if r.isDone(p.key) {
			continue
		}
		out, err := r.readPartition(o, p)
		if err != nil {
			return err
		}
		whole.add(out)
		r.at.Done, r.at.Within = append(r.at.Done, p.key), nil
		if i == len(parts)-1 {
			break // the end of the phase is marked at once
		}
		if err := r.mark(nil); err != nil {
			return err
		}
	}
	r.ended(o, whole)
	if r.at.Entries == 0 {
		return r.proveEmpty(o)
	}
	return nil
}

// takeUp plans the reading of o, or goes on by the plan of the interrupted read. Where that no longer fits, since places it has read
// are no longer there, the phase starts over: what was in them may lie anywhere now.
func (r *run) takeUp(o objects) ([]partition, error) {
	at := r.at
	inside := at.resumed && !at.takenUp && (len(at.Done) > 0 || at.Within != nil)
	at.takenUp = true
	if inside && len(at.Cuts) > 0 {
		r.cuts[o.base] = at.Cuts
	}
	parts, err := r.plan(o)
	if err != nil {
		return nil, err
	}
	at.Cuts = r.cuts[o.base]
	if inside {
		fits, err := r.fits(parts)
		if err != nil || fits {
			return parts, err
		}
		r.counts = copyCounts(at.Start)
	}
	at.Start, at.Done, at.Within, at.Entries = copyCounts(r.counts), nil, nil, 0
	return parts, nil
}

// fits tells whether what was read before the interruption is part of a plan, and where it was.
func (r *run) fits(parts []partition) (bool, error) {
	keys := r.at.Done
	if w := r.at.Within; w != nil {
		keys = append(slices.Clone(keys), w.Partition)
	}
	for _, key := range keys {
		i := slices.IndexFunc(parts, func(p partition) bool { return p.key == key })
		if i < 0 {
			return false, nil
		}
		if parts[i].part {
			if there, err := r.isThere(parts[i].base); err != nil || !there {
				return false, err
			}
		}
	}
	return true, nil
}

// errStrayed says that the entries of a partition do not come as they came before the interruption.
var errStrayed = errors.New("the directory shows the entries in another order than before")

func (r *run) readPartition(o objects, p partition) (outcome, error) {
	out, err := r.followPartition(o, p)
	if !errors.Is(err, errStrayed) {
		return out, err
	}
	for k, n := range r.at.Within.Before {
		r.counts[k] = n
	}
	r.at.Entries -= r.at.Within.Entries
	r.at.Within = nil
	return r.followPartition(o, p)
}

// followPartition reads a partition, behind the place where an interrupted read left it.
func (r *run) followPartition(o objects, p partition) (outcome, error) {
	f := follower{run: r, objects: o, partition: p, before: copyCounts(r.counts)}
	if w := r.at.Within; w != nil && w.Partition == p.key {
		f.until, f.before = w, w.Before
	}
	out, err := r.readAll(r.ctx, o.phase, r.search(o, p, r.dict.request()), f.entry, f.pageEnd)
	if p.part && isRefused(err, goldap.LDAPResultNoSuchObject) {
		err = nil // moved or removed meanwhile; what it held is found in the rest
	}
	if err == nil && f.until != nil {
		err = f.lost() // it has become shorter
	}
	return out, err
}

// follower reads one partition.
type follower struct {
	*run
	objects
	partition partition
	trail     trail
	before    map[v1.ObjectKind]int // counts when the partition was begun
	until     *place                // entries up to there were handed on before the interruption; nil: none, or passed
	strayed   bool
}

func (f *follower) entry(e *wire.Entry) error {
	f.trail.step(e.DN)
	if f.until == nil {
		f.at.Entries++
		return f.each(e)
	}
	if f.trail.entries == f.until.Entries {
		f.strayed = !f.trail.at(f.until) && f.lost() != nil
		if !f.strayed {
			f.until = nil
		}
	}
	return nil
}

// lost is where the entries do not come as they came before the interruption. A limited read goes on all the same, or
// it would not get beyond its limit in a directory that changes: it proves nothing.
func (f *follower) lost() error {
	if !f.limited || f.changesOnly() {
		return errStrayed
	}
	f.doubt(f.kindsOf(f.objects)...)
	return nil
}

// pageEnd runs between two pages of the directory.
func (f *follower) pageEnd() error {
	f.stats.Pages++
	if f.strayed {
		return errStrayed
	}
	f.sign(f.phase, f.trail.entries)
	if err := f.settle(); err != nil {
		return err
	}
	if f.until != nil || f.since+f.page.Len() < f.markEvery {
		return nil
	}
	return f.mark(&place{
		Partition: f.partition.key, Entries: f.trail.entries, Sum: strconv.FormatUint(f.trail.sum, 16), Before: f.before,
	})
}

func copyCounts(m map[v1.ObjectKind]int) map[v1.ObjectKind]int {
	out := make(map[v1.ObjectKind]int, len(m))
	for k, n := range m {
		out[k] = n
	}
	return out
}

// beginning is where the next read of changes starts, if it can.
func (r *run) beginning() (*position, error) {
	p := r.at.Begin
	switch {
	case p == nil, p.Strategy == strategyTimestamps && p.Since == "":
		return nil, nil
	case r.odd.more:
		r.warnings.add("changes_not_followed", "", "more entries have people or groups below them than can be watched for being renamed, so every sync reads everything")
		return nil, nil
	}
	var err error
	p.Odd, err = r.oddPlaces()
	return p, err
}

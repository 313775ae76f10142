package ldap

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Pages are handed on when they hold so many records.
const (
	pageRecords = 500
	pageGrants  = 1000
)

// signEvery is how often a read that hands nothing on says that it is alive.
const signEvery = 5 * time.Second

// run is one read of a directory.
type run struct {
	*session
	ctx           context.Context
	emit          connectorkit.Emit
	now           time.Time // the reader's clock: only to tell whether a password has expired
	began         time.Time // monotonic
	lastSign      time.Time // when something was last handed on or told
	declined      error     // by whom the records are for: the read ends with it, and it is no fault of the directory
	want          map[v1.ObjectKind]bool
	dict          *dictionary
	people, teams objects
	settingsSum   string

	read        v1.Read
	limited     bool // by max_records, so that it proves nothing
	at          *checkpoint
	cuts        map[string][]string // places at which the reading below a base is divided
	since       int                 // records since the last checkpoint
	rec         record
	page        v1.SyncResponse
	scopes      []v1.Scope // of single groups, for the page in hand
	proven      []v1.Scope // of whole kinds, by a read of changes
	sweepWanted bool       // a read of changes cannot tell what has gone
	stats       v1.Stats
	callsBefore int // requests before the interruption
	markEvery   int // records between checkpoints inside a partition, at least
	counts      map[v1.ObjectKind]int
	unsure      map[v1.ObjectKind]bool // kinds that were not provably read to the end
	watermark   time.Time
	warnings    warningList
	odd         oddPlaces
	primary     map[string]string // SID of a group to its key, empty where there is no such group; Active Directory only
	open        []openGroup       // groups on the page of the directory in hand of which more is to be read
	aliases     *aliases          // nil: not known
	waiting     int               // members of the open groups that wait for them
	homeless    []homeless        // people there whose primary group is not known yet
}

// forget starts the counting anew.
func (r *run) forget() {
	r.counts, r.unsure = map[v1.ObjectKind]int{}, map[v1.ObjectKind]bool{}
	r.page, r.scopes = v1.SyncResponse{}, nil
	r.open, r.homeless, r.at, r.proven, r.sweepWanted, r.aliases, r.waiting = nil, nil, nil, nil, false, nil, 0
	r.read = v1.Read{Strategy: strategyFull}
}

func (r *run) wantedOf(kinds ...v1.ObjectKind) []v1.ObjectKind {
	return slices.DeleteFunc(kinds, func(k v1.ObjectKind) bool { return !r.want[k] })
}

// changesOnly tells whether the run reads changes: groups are then proven one by one.
func (r *run) changesOnly() bool { return r.read.Incremental }

// tell reports that the read is alive.
func (r *run) tell(phase, message string) {
	r.lastSign = time.Now()
	connectorkit.ReportOf(r.ctx).Tell(v1.Progress{Phase: phase, Message: message})
}

// sign tells of a read that has handed nothing on for a while.
func (r *run) sign(phase string, entries int) {
	if time.Since(r.lastSign) >= signEvery {
		r.tell(phase, fmt.Sprintf("%d entries looked at", entries))
	}
}

// handOn hands the page on when it is large enough.
func (r *run) handOn() error {
	if len(r.page.Grants) >= pageGrants || r.page.Len()-len(r.page.Grants) >= pageRecords {
		return r.flush()
	}
	return nil
}

// flush hands on what has been gathered.
func (r *run) flush() error {
	if r.page.Len() == 0 && len(r.scopes) == 0 {
		return nil
	}
	return r.send(r.newPage())
}

// newPage makes a page of what has been gathered.
func (r *run) newPage() v1.SyncResponse {
	out := r.page
	r.page = v1.SyncResponse{}
	r.since += out.Len()
	r.stats.APICalls, r.stats.Warnings = r.callsBefore+r.conn.Calls(), r.warnings.total
	stats, read := r.stats, r.read
	out.Success = true
	out.Page = &v1.Page{HasMore: true, Stats: &stats, Read: &read, Warnings: r.warnings.take(false), Scopes: r.scopes}
	r.scopes = nil
	return out
}

func (r *run) send(out v1.SyncResponse) error {
	out.Normalize()
	r.declined = r.emit(r.ctx, out)
	r.lastSign = time.Now()
	return r.declined
}

// finish hands on the last page with what was proven about each kind, and where the next read of changes starts.
func (r *run) finish(scopes []v1.Scope, from *position) error {
	out := r.newPage()
	out.Page.HasMore = false
	out.Page.Scopes = append(out.Page.Scopes, scopes...)
	if from != nil {
		cursor, err := from.encode()
		if err != nil {
			return err
		}
		out.Page.Cursor = cursor
	}
	out.Page.Warnings = append(out.Page.Warnings, r.warnings.take(true)...)
	if !r.watermark.IsZero() {
		out.Page.Watermark = &r.watermark
	}
	return r.send(out)
}

// ended notes how the search behind some kinds of record went.
func (r *run) ended(o objects, out outcome) {
	if out.unpaged {
		r.doubt(r.kindsOf(o)...)
		r.warnings.add("paging_unsupported", "", fmt.Sprintf("the directory did not return the search for %s in pages. Removals are not detected, because the result may be incomplete", o.what))
	}
	if out.references > 0 {
		r.warnings.add("referral_ignored", "", fmt.Sprintf("%d search continuations to other servers were not followed while %s were read", out.references, o.what))
	}
}

// kindsOf are the kinds of record that a search for o proves, grants included.
func (r *run) kindsOf(o objects) []v1.ObjectKind {
	kinds := slices.Clone(o.kinds)
	if r.want[v1.Grants] && (o.phase == r.teams.phase || r.flavor.activeDir) {
		kinds = append(kinds, v1.Grants)
	}
	return kinds
}

func (r *run) doubt(kinds ...v1.ObjectKind) {
	for _, k := range kinds {
		r.unsure[k] = true
	}
}

// skip leaves out an entry that has no key. What it stands for may exist under its key already, so its absence proves nothing.
func (r *run) skip(e *wire.Entry, kinds ...v1.ObjectKind) {
	r.stats.Skipped++
	r.doubt(kinds...)
	r.warnings.add("no_key", "", fmt.Sprintf("%s has no %s, or the login may not read it; the entry was omitted", e.DN, r.idAttribute))
}

func (r *run) noteTruncated(id string) {
	for _, name := range r.rec.truncated {
		r.warnings.add("value_truncated", id, fmt.Sprintf("the values of %s are too large and were omitted", name))
	}
}

func (r *run) seen(at *time.Time) {
	if at != nil && at.After(r.watermark) {
		r.watermark = *at
	}
}

// gone hands on tombstones for whatever record of o the entry with this key may have been. A group that is gone has no members.
func (r *run) gone(o objects, id string) error {
	if o.phase == r.teams.phase && r.want[v1.Grants] {
		r.scopes = append(r.scopes, groupScope(id, true, 0))
	}
	for _, k := range o.kinds {
		switch k {
		case v1.Identities:
			r.page.Identities = append(r.page.Identities, v1.RemoteIdentity{ExternalID: id, Deleted: true})
		case v1.Accounts:
			r.page.Accounts = append(r.page.Accounts, v1.RemoteAccount{ExternalID: id, Deleted: true})
		case v1.Entitlements:
			r.page.Entitlements = append(r.page.Entitlements, v1.RemoteEntitlement{ExternalID: id, Deleted: true})
		}
	}
	return r.handOn()
}

// groupScope attests that the members of one group were read.
func groupScope(id string, complete bool, members int) v1.Scope {
	return v1.Scope{Kind: v1.Grants, Key: "entitlement:" + id, Complete: complete, Count: members}
}

// starScopes attests what was read to its end.
func (r *run) starScopes(kinds ...v1.ObjectKind) []v1.Scope {
	var out []v1.Scope
	for _, k := range kinds {
		if r.want[k] {
			out = append(out, v1.Scope{Kind: k, Key: "*", Complete: !r.unsure[k], Count: r.counts[k]})
		}
	}
	return out
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

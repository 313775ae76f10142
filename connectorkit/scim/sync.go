package scim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	phaseUsers  = "users"
	phaseGroups = "groups"

	// batch is how many records are emitted at once, and so how many are held.
	batch = 1000

	maxWarnings = 1000 // of one read; the rest is only counted
)

// Sync reads users, then groups with their members. Asked for changes it reads, where the target can tell them, users
// by meta.lastModified, the ids of all users and groups, so that what is gone is found, and groups that changed. What
// it falls back on, and why, stands in Page.Read.
func (k *Connector) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	s, err := k.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return err
	}
	defer s.close()
	p, err := s.declared(ctx)
	if err != nil {
		return err
	}
	r := &reading{
		session:  s,
		provider: p,
		emit:     emit,
		want:     wanted(req.Options),
		began:    time.Now(),
		rights:   map[string]bool{},
		told:     map[string]bool{},
	}
	r.at = place{V: placeVersion, Settings: s.digest(req.Options)}
	if req.Options != nil {
		r.allow = req.Options.FieldAllowlist
	}
	if err := r.start(ctx, req); err != nil {
		return err
	}
	for _, w := range s.c.Warnings() {
		r.warn(w.Code, w.Message, "")
	}
	if err := r.legs(ctx); err != nil {
		return err
	}
	return r.finish(ctx)
}

var allKinds = []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}

func wanted(o *v1.SyncOptions) map[v1.ObjectKind]bool {
	want := map[v1.ObjectKind]bool{}
	for _, kind := range allKinds {
		want[kind] = o == nil || len(o.Objects) == 0 || slices.Contains(o.Objects, kind)
	}
	return want
}

// reading is one Sync under way.
type reading struct {
	*session
	provider provider
	emit     connectorkit.Emit
	want     map[v1.ObjectKind]bool
	allow    []string
	began    time.Time
	turned   bool // the leg must be read in another way
	ended    bool // the leg is, and what it brought is about to be emitted
	resumed  bool // another attempt of this read began it
	earlier  v1.Stats

	at place

	out      v1.SyncResponse // not yet emitted
	present  []v1.Present    // the same
	scopes   []v1.Scope      // the same, of single groups and accounts
	warnings []v1.Warning    // the same
	told     map[string]bool // warnings that are given once
	rights   map[string]bool // those of at.Rights
	byGroup  *bool           // users can be asked for by their group; nil: not tried yet
	healthy  []v1.Scope      // groups whose members all came, of legGroups
}

// start takes up where another attempt ended, or decides how to read.
func (r *reading) start(ctx context.Context, req v1.SyncRequest) error {
	if o := req.Options; o != nil && o.Checkpoint != "" {
		at, why := resumed(o.Checkpoint, r.at.Settings)
		if why == "" {
			r.at, r.resumed, r.earlier = at, true, at.Stats
			for _, id := range at.Rights {
				r.rights[id] = true
			}
			return nil
		}
		r.warn("checkpoint_unusable", "a full sync runs instead: the checkpoint cannot be used, because "+why, "")
	}
	if err := r.decide(ctx, req); err != nil {
		return err
	}
	for _, id := range r.at.Rights {
		r.rights[id] = true
	}
	r.at.Began = r.clock
	return nil
}

// legs reads leg by leg. One may add another.
func (r *reading) legs(ctx context.Context) error {
	for r.at.Leg < len(r.at.Plan.Legs) {
		leg := r.at.Plan.Legs[r.at.Leg]
		phase := phaseGroups
		if leg != legGroups && leg != legGroupsChanged {
			phase = phaseUsers
		}
		connectorkit.ReportOf(ctx).Tell(v1.Progress{Phase: phase})
		if err := r.leg(ctx, leg); err != nil {
			return err
		}
		if r.turned {
			r.turned = false
			continue
		}
		r.at.Leg, r.at.List, r.ended = r.at.Leg+1, nil, true
		if err := r.milestone(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) leg(ctx context.Context, leg string) error {
	switch leg {
	case legUsers:
		return r.users(ctx)
	case legUsersChanged:
		return r.usersChanged(ctx)
	case legUsersPresent:
		return r.usersPresent(ctx)
	case legGroups:
		return r.groups(ctx)
	case legMemberships:
		return r.memberships(ctx)
	case legGroupsChanged:
		return r.groupsChanged(ctx)
	}
	return fmt.Errorf("a read has no leg %q", leg)
}

// turn goes another way from the beginning of this leg, because it turned out that one is needed.
func (r *reading) turn(leg string) {
	r.turned = true
	r.at.Plan.Legs[r.at.Leg], r.at.List, r.at.Counts = leg, nil, r.at.Before
	r.out, r.present, r.scopes = v1.SyncResponse{}, nil, nil
}

func (r *reading) kindIndex(kind v1.ObjectKind) int { return slices.Index(allKinds, kind) }

// doubtful notes that not everything of these kinds was read.
func (r *reading) doubtful(kinds ...v1.ObjectKind) {
	for _, kind := range kinds {
		r.at.Doubts[r.kindIndex(kind)] = true
	}
}

func (r *reading) warn(code, message, id string) {
	r.at.Stats.Warnings++
	if r.at.Stats.Warnings <= maxWarnings {
		r.warnings = append(r.warnings, v1.Warning{Code: code, Message: message, ExternalID: id})
	}
}

// warnOnce warns of something that would be told again and again.
func (r *reading) warnOnce(code, message string) {
	if !r.told[code+message] {
		r.told[code+message] = true
		r.warn(code, message, "")
	}
}

// skip notes a record that could not be read: what it stands for may still be there.
func (r *reading) skip(message, id string, kinds ...v1.ObjectKind) {
	r.at.Stats.Skipped++
	r.warn("record_skipped", message, id)
	r.doubtful(kinds...)
}

func (r *reading) seen(t *time.Time) {
	if t != nil && (r.at.Latest == nil || t.After(*r.at.Latest)) {
		r.at.Latest = t
	}
}

// there names records that are in the target, without their content.
func (r *reading) there(kind v1.ObjectKind, ids ...string) {
	if len(ids) == 0 || !r.want[kind] {
		return
	}
	if i := slices.IndexFunc(r.present, func(p v1.Present) bool { return p.Kind == kind }); i >= 0 {
		r.present[i].ExternalIDs = append(r.present[i].ExternalIDs, ids...)
		return
	}
	r.present = append(r.present, v1.Present{Kind: kind, ExternalIDs: slices.Clone(ids)})
}

// hand emits what is held, as soon as that is a batch.
func (r *reading) hand(ctx context.Context) error {
	if r.out.Len() < batch && len(r.warnings) < 100 {
		return nil
	}
	return r.flush(ctx, nil)
}

// milestone emits what is held and says that nothing of it need be read again.
func (r *reading) milestone(ctx context.Context) error {
	if err := r.flushPresent(ctx); err != nil {
		return err
	}
	page := &v1.Page{HasMore: true}
	r.prepare(page)
	if r.ended {
		r.at.Before, r.ended = r.at.Counts, false
	}
	page.Checkpoint = r.at.encode()
	return r.send(ctx, page)
}

// flush emits what is held.
func (r *reading) flush(ctx context.Context, last *v1.Page) error {
	if err := r.flushPresent(ctx); err != nil {
		return err
	}
	page := last
	if page == nil {
		if r.out.Len() == 0 && len(r.warnings) == 0 && len(r.scopes) == 0 {
			return nil
		}
		page = &v1.Page{HasMore: true}
	}
	r.prepare(page)
	return r.send(ctx, page)
}

// flushPresent emits the ids that are held, a page of them at a time. What was read before them goes first.
func (r *reading) flushPresent(ctx context.Context) error {
	for len(r.present) > 0 {
		p := &r.present[0]
		n := min(len(p.ExternalIDs), v1.MaxPresent)
		page := &v1.Page{HasMore: true, Present: []v1.Present{{Kind: p.Kind, ExternalIDs: p.ExternalIDs[:n]}}}
		r.at.Counts[r.kindIndex(p.Kind)] += n
		if p.ExternalIDs = p.ExternalIDs[n:]; len(p.ExternalIDs) == 0 {
			r.present = r.present[1:]
		}
		out := v1.SyncResponse{Success: true, Page: page}
		page.Read = r.way()
		out.Normalize()
		if err := r.emit(ctx, out); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) way() *v1.Read {
	p := r.at.Plan
	return &v1.Read{Incremental: p.incremental(), Strategy: p.Strategy, FallbackReason: p.Reason}
}

// prepare counts what is held and dresses the page that will bring it.
func (r *reading) prepare(page *v1.Page) {
	for i, n := range []int{len(r.out.Identities), len(r.out.Accounts), len(r.out.Entitlements), len(r.out.Grants)} {
		r.at.Counts[i] += n
	}
	r.at.Stats.APICalls = r.earlier.APICalls + r.c.Calls()
	r.at.Stats.RateWaitMS = r.earlier.RateWaitMS + r.c.Waited().Milliseconds()
	stats := r.at.Stats
	page.Stats, page.Warnings, page.Estimate, page.Read = &stats, r.warnings, r.at.Estimate, r.way()
	page.Scopes = append(r.scopes, page.Scopes...)
}

func (r *reading) send(ctx context.Context, page *v1.Page) error {
	out := r.out
	out.Success, out.Page = true, page
	out.Normalize()
	r.out, r.warnings, r.scopes = v1.SyncResponse{}, nil, nil
	return r.emit(ctx, out)
}

// finish attests what was read to its end, and says where the next read may start.
func (r *reading) finish(ctx context.Context) error {
	if r.at.Plan.Known > 0 {
		r.there(v1.Entitlements, r.at.Rights[:min(r.at.Plan.Known, len(r.at.Rights))]...)
	}
	if err := r.flush(ctx, nil); err != nil {
		return err
	}
	if err := r.attestSingly(ctx); err != nil {
		return err
	}
	page := &v1.Page{Watermark: r.at.Latest, Cursor: r.at.cursor(time.Since(r.began), r.resumed)}
	for i, kind := range allKinds {
		if r.want[kind] && (kind != v1.Grants || !r.at.Plan.incremental()) {
			page.Scopes = append(
				page.Scopes,
				v1.Scope{Kind: kind, Key: "*", Complete: !r.at.Doubts[i], Count: r.at.Counts[i]},
			)
		}
	}
	return r.flush(ctx, page)
}

// attestSingly tells the groups whose members were all read, where nothing can be said of all grants. After a resume
// those of the earlier attempt are not among them: nothing is taken for gone there until the next read.
func (r *reading) attestSingly(ctx context.Context) error {
	if !r.at.Doubts[r.kindIndex(v1.Grants)] && !r.at.Plan.incremental() {
		return nil
	}
	for part := range slices.Chunk(r.healthy, batch) {
		r.scopes = append(r.scopes, part...)
		if err := r.flush(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

package scim

import (
	"context"
	"net/url"
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

// Sync reads users, then groups. It always reads everything: what a filter by lastModified misses (deletions, members) is
// what governance is about.
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
	r := &reading{session: s, provider: p, emit: emit, want: wanted(req.Options), rights: map[string]bool{}}
	if req.Options != nil {
		r.allow = req.Options.FieldAllowlist
	}
	for _, w := range s.c.Warnings() {
		r.warn(w.Code, w.Message, "")
	}
	if err := r.users(ctx); err != nil {
		return err
	}
	if r.want[v1.Entitlements] || r.want[v1.Grants] {
		if err := r.groups(ctx); err != nil {
			return err
		}
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

	out       v1.SyncResponse // not yet emitted
	warnings  []v1.Warning    // not yet emitted
	estimate  *v1.Estimate
	stats     v1.Stats
	watermark *time.Time
	counts    [4]int // by the order of allKinds
	doubts    [4]bool
	rights    map[string]bool // roles and entitlements of users that were emitted

	listingBegan bool // a page of groups was read
}

func (r *reading) kindIndex(kind v1.ObjectKind) int { return slices.Index(allKinds, kind) }

// doubtful notes that not everything of these kinds was read.
func (r *reading) doubtful(kinds ...v1.ObjectKind) {
	for _, kind := range kinds {
		r.doubts[r.kindIndex(kind)] = true
	}
}

func (r *reading) warn(code, message, id string) {
	r.stats.Warnings++
	if r.stats.Warnings <= maxWarnings {
		r.warnings = append(r.warnings, v1.Warning{Code: code, Message: message, ExternalID: id})
	}
}

// skip notes a record that could not be read: what it stands for may still be there.
func (r *reading) skip(message, id string, kinds ...v1.ObjectKind) {
	r.stats.Skipped++
	r.warn("record_skipped", message, id)
	r.doubtful(kinds...)
}

func (r *reading) seen(t *time.Time) {
	if t != nil && (r.watermark == nil || t.After(*r.watermark)) {
		r.watermark = t
	}
}

// hand emits what is held, as soon as that is a batch.
func (r *reading) hand(ctx context.Context) error {
	if r.out.Len() < batch && len(r.warnings) < 100 {
		return nil
	}
	return r.flush(ctx, nil)
}

func (r *reading) flush(ctx context.Context, last *v1.Page) error {
	page := last
	if page == nil {
		if r.out.Len() == 0 && len(r.warnings) == 0 {
			return nil
		}
		page = &v1.Page{HasMore: true}
	}
	r.stats.APICalls, r.stats.RateWaitMS = r.c.Calls(), r.c.Waited().Milliseconds()
	stats := r.stats
	page.Stats, page.Warnings, page.Estimate = &stats, r.warnings, r.estimate
	out := r.out
	out.Success, out.Page = true, page
	out.Normalize()
	for i, n := range []int{len(out.Identities), len(out.Accounts), len(out.Entitlements), len(out.Grants)} {
		r.counts[i] += n
	}
	r.out, r.warnings = v1.SyncResponse{}, nil
	return r.emit(ctx, out)
}

// finish attests what was read to its end.
func (r *reading) finish(ctx context.Context) error {
	if err := r.flush(ctx, nil); err != nil {
		return err
	}
	page := &v1.Page{Watermark: r.watermark}
	for i, kind := range allKinds {
		if r.want[kind] {
			page.Scopes = append(page.Scopes, v1.Scope{Kind: kind, Key: "*", Complete: !r.doubts[i], Count: r.counts[i]})
		}
	}
	return r.flush(ctx, page)
}

// listing begins the paged read of one kind of resource.
func (r *reading) listing(path, phase, filter string) *listing {
	l := &listing{s: r.session, path: path, phase: phase, query: url.Values{}, mode: r.mode(r.provider), size: r.size(r.provider)}
	if filter != "" {
		l.query.Set("filter", filter)
	}
	return l
}

package syncrun

import (
	"cmp"
	"slices"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Run is the state of one sync: how far it has come, and what is not yet emitted. It is used by one goroutine at a
// time.
type Run struct {
	*provider.Session
	Provider     provider.Declaration
	emit         connectorkit.Emit
	Want         map[v1.ObjectKind]bool
	Allowlist    []string
	began        time.Time
	LegRestarted bool // the leg must be read in another way
	LegEnded     bool // the leg is, and what it brought is about to be emitted
	Resumed      bool // another attempt of this read began it
	Earlier      v1.Stats

	State checkpoint.State

	Out            v1.SyncResponse // not yet emitted
	present        []v1.Present    // the same
	Scopes         []v1.Scope      // the same, of single groups and accounts
	warnings       []v1.Warning    // the same
	warned         map[string]bool // warnings that are given once
	Rights         map[string]bool // those of at.Rights
	FiltersByGroup *bool           // users can be asked for by their group; nil: not tried yet
	CompleteGroups []v1.Scope      // groups whose members all came, of legGroups
}

// MembersBy returns the way members are read: as set, as found out during the run, or settings.Auto.
func (r *Run) MembersBy() string {
	if r.MemberStrategy != settings.Auto {
		return r.MemberStrategy
	}
	return cmp.Or(r.State.Strategy, settings.Auto)
}

// MembersInline reports whether the list of groups is to return members.
func (r *Run) MembersInline() bool {
	s := r.MembersBy()
	return r.Want[v1.Grants] && (s == settings.Auto || s == settings.MembersInline)
}

// WantsGroups reports whether groups are to be read.
func (r *Run) WantsGroups() bool { return r.Want[v1.Entitlements] || r.Want[v1.Grants] }

const (
	// BatchSize is how many records are emitted at once, and so how many are held.
	BatchSize = 1000

	maxWarnings = 1000 // of one read; the rest is only counted
)

// New begins a sync with the objects and attributes that o allows; nil allows all.
func New(s *provider.Session, p provider.Declaration, o *v1.SyncOptions, emit connectorkit.Emit) *Run {
	r := &Run{
		Session:  s,
		Provider: p,
		emit:     emit,
		Want:     wanted(o),
		began:    time.Now(),
		Rights:   map[string]bool{},
		warned:   map[string]bool{},
	}
	r.State = checkpoint.State{V: checkpoint.Version, Settings: s.Digest(o)}
	if o != nil {
		r.Allowlist = o.FieldAllowlist
	}
	return r
}

// ObjectKinds are the kinds of objects in the order of the counts of a checkpoint.
var ObjectKinds = []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}

// wanted are the kinds of records that are emitted: those asked for, or all of them.
func wanted(o *v1.SyncOptions) map[v1.ObjectKind]bool {
	want := map[v1.ObjectKind]bool{}
	for _, kind := range ObjectKinds {
		want[kind] = o == nil || len(o.Objects) == 0 || slices.Contains(o.Objects, kind)
	}
	return want
}

// RestartLeg discards what is not yet emitted and reads the current leg again as leg.
func (r *Run) RestartLeg(leg string) {
	r.LegRestarted = true
	r.State.Plan.Legs[r.State.Leg], r.State.List, r.State.Counts = leg, nil, r.State.Before
	r.Out, r.present, r.Scopes = v1.SyncResponse{}, nil, nil
}

// KindIndex returns the place of a kind in ObjectKinds.
func (r *Run) KindIndex(kind v1.ObjectKind) int { return slices.Index(ObjectKinds, kind) }

// MarkIncomplete notes that not all records of the kinds were read. They are then not attested.
func (r *Run) MarkIncomplete(kinds ...v1.ObjectKind) {
	for _, kind := range kinds {
		r.State.Doubts[r.KindIndex(kind)] = true
	}
}

// Warn adds a warning to the next page. More than 1,000 are only counted.
func (r *Run) Warn(code, message, id string) {
	r.State.Stats.Warnings++
	if r.State.Stats.Warnings <= maxWarnings {
		r.warnings = append(r.warnings, v1.Warning{Code: code, Message: message, ExternalID: id})
	}
}

// WarnOnce adds a warning unless the run has given it already.
func (r *Run) WarnOnce(code, message string) {
	if !r.warned[code+message] {
		r.warned[code+message] = true
		r.Warn(code, message, "")
	}
}

// SkipRecord counts a record that could not be read. It may still exist, so the kinds are incomplete.
func (r *Run) SkipRecord(message, id string, kinds ...v1.ObjectKind) {
	r.State.Stats.Skipped++
	r.Warn("record_skipped", message, id)
	r.MarkIncomplete(kinds...)
}

// SeeModified advances the watermark to a time of change; nil leaves it.
func (r *Run) SeeModified(t *time.Time) {
	if t != nil && (r.State.Latest == nil || t.After(*r.State.Latest)) {
		r.State.Latest = t
	}
}

// MarkPresent names records that exist in the target, without their content.
func (r *Run) MarkPresent(kind v1.ObjectKind, ids ...string) {
	if len(ids) == 0 || !r.Want[kind] {
		return
	}
	if i := slices.IndexFunc(r.present, func(p v1.Present) bool { return p.Kind == kind }); i >= 0 {
		r.present[i].ExternalIDs = append(r.present[i].ExternalIDs, ids...)
		return
	}
	r.present = append(r.present, v1.Present{Kind: kind, ExternalIDs: slices.Clone(ids)})
}

// SetEstimate sets the number of records that the target announces for the kinds; a negative one is unknown.
func (r *Run) SetEstimate(total int, kinds ...v1.ObjectKind) {
	if total < 0 {
		return
	}
	estimate := v1.Estimate{}
	if r.State.Estimate != nil {
		estimate = *r.State.Estimate // pages that went out keep theirs
	}
	for _, kind := range kinds {
		switch n := total; {
		case !r.Want[kind]:
		case kind == v1.Identities:
			estimate.Identities = &n
		case kind == v1.Accounts:
			estimate.Accounts = &n
		case kind == v1.Entitlements:
			estimate.Entitlements = &n
		}
	}
	r.State.Estimate = &estimate
}

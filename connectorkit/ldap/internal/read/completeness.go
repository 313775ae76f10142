package read

import (
	"fmt"
	"slices"
	"time"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// CheckEmpty reports whether a search that found nothing may be believed: the login can read the entry it
// started from. A login that has lost its rights sees just this: success and no entries.
func (r *Run) CheckEmpty(o Objects) error {
	seen, _, err := r.SearchFirst(wire.Request{
		Base: o.Base, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"1.1"},
	}, 1, func(*wire.Entry) {

	})
	if err != nil && r.Conn.Broken() {
		return r.SearchError(r.Ctx, o.Phase, err)
	}
	what := fmt.Sprintf("the search for %s under %s ended with success and found none", o.Noun, o.Base)
	if err == nil && seen == 1 {
		r.Warnings.Add("empty_result", "", what)
		return nil
	}
	r.MarkIncomplete(r.KindsOf(o)...)
	r.Warnings.Add(
		"empty_result", "",
		what+", but the login cannot read that place either, so nothing is treated as deleted (rights or base DN?)",
	)
	return nil
}

// NoteOutcome notes how the search behind some kinds of record went.
func (r *Run) NoteOutcome(o Objects, out session.Outcome) {
	if out.Unpaged {
		r.MarkIncomplete(r.KindsOf(o)...)
		r.Warnings.Add(
			"paging_unsupported", "",
			fmt.Sprintf(
				"the directory did not return the search for %s in pages. Removals are not detected, because the "+
					"result may be incomplete",
				o.Noun,
			),
		)
	}
	if out.References > 0 {
		r.Warnings.Add(
			"referral_ignored", "",
			fmt.Sprintf(
				"%d search continuations to other servers were not followed while %s were read", out.References,
				o.Noun,
			),
		)
	}
}

// KindsOf are the kinds of record that a search for o proves, grants included.
func (r *Run) KindsOf(o Objects) []v1.ObjectKind {
	kinds := slices.Clone(o.Kinds)
	if r.Wanted[v1.Grants] && (o.Phase == r.Groups.Phase || r.Flavor.ActiveDirectory) {
		kinds = append(kinds, v1.Grants)
	}
	return kinds
}

// MarkIncomplete notes that the read does not prove which records of some kinds exist.
func (r *Run) MarkIncomplete(kinds ...v1.ObjectKind) {
	for _, k := range kinds {
		r.incomplete[k] = true
	}
}

// SkipEntry leaves out an entry that has no key. What it stands for may exist under its key already, so its
// absence proves nothing.
func (r *Run) SkipEntry(e *wire.Entry, kinds ...v1.ObjectKind) {
	r.Stats.Skipped++
	r.MarkIncomplete(kinds...)
	r.Warnings.Add(
		"no_key", "",
		fmt.Sprintf("%s has no %s, or the login cannot read it; the entry was omitted", e.DN, r.IdAttribute),
	)
}

// NoteTruncated warns of attributes of the record in hand that are too large.
func (r *Run) NoteTruncated(id string) {
	for _, name := range r.Record.Truncated {
		r.Warnings.Add("value_truncated", id, fmt.Sprintf("the values of %s are too large and were omitted", name))
	}
}

// NoteTime moves the watermark to the latest time of change seen.
func (r *Run) NoteTime(at *time.Time) {
	if at != nil && at.After(r.watermark) {
		r.watermark = *at
	}
}

// GroupScope attests that the members of one group were read.
func GroupScope(id string, complete bool, members int) v1.Scope {
	return v1.Scope{Kind: v1.Grants, Key: "entitlement:" + id, Complete: complete, Count: members}
}

// Scopes attests what was read to its end.
func (r *Run) Scopes(kinds ...v1.ObjectKind) []v1.Scope {
	var out []v1.Scope
	for _, k := range kinds {
		if r.Wanted[k] {
			out = append(out, v1.Scope{Kind: k, Key: "*", Complete: !r.incomplete[k], Count: r.Counts[k]})
		}
	}
	return out
}

package violation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// What finds violations.
const (
	ByChange = "change" // the evaluation of people whose access changed
	ByScan   = "scan"
)

// Recorded counts what Record has written.
type Recorded struct {
	Found      int // new and reopened
	Changed    int // open or marked, with other access, grade or policy version
	Remediated int
}

// Add adds the counts of another call.
func (r *Recorded) Add(o Recorded) {
	r.Found, r.Changed, r.Remediated = r.Found+o.Found, r.Changed+o.Changed, r.Remediated+o.Remediated
}

// key is what makes two findings the same violation.
type key struct{ identity, policy, sides string }

// stored is a violation as Record needs it.
type stored struct {
	ID             string
	IdentityID     string
	PolicyID       string
	PolicyVersion  int
	PolicyName     string
	Sides          string
	State          State
	Fingerprint    string
	MarkedVersion  *int
	MarkedEntitled []string
}

// change is one row to write.
type change struct {
	ID             string          `json:"id"`
	IdentityID     string          `json:"identity_id"`
	PolicyID       string          `json:"policy_id"`
	PolicyVersion  int             `json:"policy_version"`
	Sides          string          `json:"sides"`
	State          State           `json:"state"`
	Severity       string          `json:"severity"`
	Grade          string          `json:"grade"`
	Conflict       json.RawMessage `json:"conflict"`
	EntitlementIDs []string        `json:"entitlement_ids"`
	Fingerprint    string          `json:"fingerprint"`
	Reopened       bool            `json:"reopened"`
	Resolution     string          `json:"resolution,omitempty"`
	Name           string          `json:"-"` // of the policy
	Action         string          `json:"-"` // of the audit log; empty: none
}

// Record writes what an evaluation of people found: new violations, those that came back or changed, and those that
// these people no longer have. It writes once, whatever the number.
func Record(
	ctx context.Context,
	tx *pg.Tx,
	b *rulebook.Book,
	people []string,
	found []check.Found,
	by string,
	now time.Time,
) (n Recorded, err error) {
	known, err := readStored(ctx, tx, people)
	if err != nil {
		return n, err
	}
	covers, err := check.ReadCovers(ctx, tx, people)
	if err != nil {
		return n, err
	}
	var changes []change
	var described []check.Found // of changes, in their order
	var seen []string
	for _, f := range found {
		k := keyOf(f)
		before, exists := known[k]
		delete(known, k)
		c, changed, err := difference(before, exists, covers, f, b, k)
		switch {
		case err != nil:
			return n, err
		case !changed:
			seen = append(seen, before.ID)
			continue
		case c.Action == "":
			n.Changed++
		default:
			n.Found++
		}
		changes, described = append(changes, c), append(described, f)
	}
	texts, err := check.Describe(ctx, tx, b, described)
	if err != nil {
		return n, err
	}
	for i := range changes {
		if changes[i].Conflict, err = json.Marshal(texts[i]); err != nil {
			return n, fmt.Errorf("record violations: %w", err)
		}
	}
	for k, before := range known {
		if before.State == Remediated {
			continue
		}
		changes = append(changes, gone(before, k, b))
		n.Remediated++
	}
	return n, write(ctx, tx, changes, seen, by, now)
}

// difference compares a finding with the violation that is stored.
func difference(
	before stored,
	exists bool,
	covers check.Covers,
	f check.Found,
	b *rulebook.Book,
	k key,
) (c change, changed bool, err error) {
	policy := b.Policies[k.policy]
	c = change{
		ID:             before.ID,
		IdentityID:     k.identity,
		PolicyID:       k.policy,
		PolicyVersion:  policy.Version,
		Sides:          k.sides,
		State:          Open,
		Severity:       policy.Severity,
		Grade:          string(f.Violation.Grade),
		EntitlementIDs: entitlements(f.Violation),
		Fingerprint:    fingerprint(f, policy),
		Name:           policy.Name,
		Action:         "violation.found",
	}
	covered := covers.Of(k.identity, k.policy, k.sides, policy.Severity).Mitigates()
	if !exists {
		c.ID = uuid.Must(uuid.NewV7()).String()
		if covered {
			c.State = Mitigated
		}
		return c, true, nil
	}
	event := Found
	switch {
	case before.State == FalsePositive && before.covers(c):
	case covered:
		event = Covered
	case before.State == FalsePositive, before.State == Mitigated:
		event = Beyond
	}
	if c.State, err = before.State.On(event); err != nil {
		return c, false, err
	}
	c.Reopened, c.Action = before.State.reopens(c.State), ""
	switch {
	case c.Reopened:
		c.Action = "violation.reopened"
	case c.State == Mitigated && before.State != Mitigated:
		c.Action = "violation.mitigated"
	}
	return c, c.State != before.State || c.Fingerprint != before.Fingerprint, nil
}

// covers reports whether the mark of a false positive applies to what was found now.
func (s stored) covers(c change) bool {
	if s.State != FalsePositive || s.MarkedVersion == nil {
		return true
	}
	return *s.MarkedVersion == c.PolicyVersion && !slices.ContainsFunc(c.EntitlementIDs, func(id string) bool {
		return !slices.Contains(s.MarkedEntitled, id)
	})
}

// gone is the change of a violation that was not found again. Where the policy is another one now, it is not known
// that access was removed.
func gone(before stored, k key, b *rulebook.Book) change {
	c := change{ID: before.ID, IdentityID: k.identity, PolicyID: k.policy, Sides: k.sides, State: Remediated,
		PolicyVersion: before.PolicyVersion, Name: before.PolicyName, EntitlementIDs: []string{},
		Resolution: "access_removed", Action: "violation.remediated"}
	if p, evaluated := b.Policies[k.policy]; !evaluated || p.Version != before.PolicyVersion {
		c.Resolution = "policy_changed"
	}
	return c
}

// keyOf is the key of a finding.
func keyOf(f check.Found) key {
	return key{identity: f.Person.ID, policy: f.Violation.Policy.ID, sides: check.Sides(f.Violation)}
}

// entitlements are all that perform a side, sorted.
func entitlements(v conflict.Violation) []string {
	ids := []string{}
	for _, s := range v.Sides {
		ids = append(ids, s.EntitlementIDs...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// fingerprint is what must differ for a stored violation to be written again.
func fingerprint(f check.Found, p rulebook.Policy) string {
	h := sha256.New()
	fmt.Fprintln(h, p.Version, p.Name, p.Mode, p.OnRequest, p.OnDetect, f.Violation.Grade, f.Violation.Proven)
	for _, side := range f.Violation.Sides {
		fmt.Fprintln(h, side.Side, side.Past, side.EntitlementIDs)
		for _, s := range side.Sources {
			source := f.Person.Sources[s]
			fmt.Fprintln(h, source.Kind, source.ID, source.Pending)
			for _, id := range side.EntitlementIDs {
				fmt.Fprintln(h, f.Person.Path(s, id))
			}
		}
	}
	for _, cure := range f.Violation.Cures {
		for _, s := range cure {
			fmt.Fprint(h, f.Person.Sources[s].ID, " ")
		}
		fmt.Fprintln(h)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// tell audits what was found, reopened and remediated.
func tell(ctx context.Context, tx *pg.Tx, changes []change) error {
	var entries []audit.Entry
	for _, c := range changes {
		if c.Action == "" {
			continue
		}
		e := audit.Entry{
			Action:  c.Action,
			Subject: audit.Subject{Type: "violation", ID: c.ID, Display: c.Name},
			Objects: []audit.Subject{
				{Type: "identity", ID: c.IdentityID},
				{Type: "separation_policy", ID: c.PolicyID, Display: c.Name},
			},
			Context: map[string]any{"policy_version": c.PolicyVersion},
		}
		if c.Resolution != "" {
			e.Context["resolution"] = c.Resolution
		} else {
			e.Context["severity"], e.Context["grade"] = c.Severity, c.Grade
		}
		entries = append(entries, e)
	}
	return audit.RecordAll(ctx, tx, entries)
}

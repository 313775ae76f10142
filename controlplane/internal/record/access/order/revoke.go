package order

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// GrantRevocation is an administrator's word that a grant shall end.
type GrantRevocation struct {
	// It is part of the access history.
	Reason string `json:"reason" minLength:"1" maxLength:"2000"`
	// Extent of the revocation. all, the default: all reasons end. reason: one reason ends, and the access with it if
	// it was the last.
	Scope string `json:"scope,omitempty" enum:"reason,all"`
	// With scope reason: the one that ends.
	ReasonID string `json:"reason_id,omitempty" format:"uuid"`
	// Until then, a denial prevents rules and administrators from assigning it again. Required with scope all if a rule
	// would assign it.
	ExcludeUntil *time.Time `json:"exclude_until,omitempty"`
}

// RevocationImpact is what a revocation does, or with dry_run would do.
type RevocationImpact struct {
	// ID of the grant.
	GrantID string `json:"grant_id"`
	// True if the request was a dry run: nothing was written.
	DryRun bool `json:"dry_run"`
	// False when other reasons keep it.
	AccessEnds bool `json:"access_ends"`
	// Reasons for the access that end with the revocation.
	ReasonsEnded []grant.GrantReason `json:"reasons_ended" nullable:"false"`
	// Reasons for the access that remain, active or scheduled.
	ReasonsRemaining []grant.GrantReason `json:"reasons_remaining" nullable:"false"`
	// Reasons of a rule, which would add them again at its next evaluation.
	WouldReturn []grant.GrantReason `json:"would_return" nullable:"false"`
	// How long a denial keeps it away.
	ExcludedUntil *time.Time `json:"excluded_until"`
	// The target had it without a reason; that is revoked too, by this explicit order.
	Native bool `json:"native"`
	// Consequences of the revocation, in words.
	Notes []string `json:"notes" nullable:"false"`
	// Paths of related resources. explain: why the person has the access. grants: the person's grants of the
	// entitlement. Absent in bulk results.
	Links map[string]string `json:"links,omitempty"`
}

// plan says what a revocation does to a grant, or why it cannot be.
func (o GrantRevocation) plan(g grant.Grant, e entitlement.Entitlement, now time.Time) (RevocationImpact, error) {
	im := RevocationImpact{
		GrantID:          g.ID,
		ReasonsEnded:     []grant.GrantReason{},
		ReasonsRemaining: []grant.GrantReason{},
		WouldReturn:      []grant.GrantReason{},
		Notes:            []string{},
	}
	if err := o.check(g, e, now); err != nil {
		return im, err
	}
	for _, r := range g.Reasons {
		switch {
		case r.Effect == ledger.Deny || !r.IsLive():
		case o.ends(r):
			im.ReasonsEnded = append(im.ReasonsEnded, r)
			if r.IsByRule() {
				im.WouldReturn = append(im.WouldReturn, r)
			}
		default:
			im.ReasonsRemaining = append(im.ReasonsRemaining, r)
		}
	}
	im.Native = o.Scope == scopeAll && g.IsNative()
	im.ExcludedUntil = o.ExcludeUntil
	im.AccessEnds = o.ExcludeUntil != nil ||
		!slices.ContainsFunc(im.ReasonsRemaining, func(r grant.GrantReason) bool { return r.State == ledger.Active })
	return im, o.judge(g, &im)
}

const (
	scopeAll    = "all"
	scopeReason = "reason"
)

// ends says whether the revocation ends this reason.
func (o GrantRevocation) ends(r grant.GrantReason) bool {
	return o.Scope == scopeAll || strings.EqualFold(*r.ID, o.ReasonID)
}

// check refuses what cannot be revoked at all.
func (o GrantRevocation) check(g grant.Grant, e entitlement.Entitlement, now time.Time) error {
	live := slices.ContainsFunc(
		g.Reasons,
		func(r grant.GrantReason) bool { return r.IsLive() && r.Effect == ledger.Allow },
	)
	switch {
	case g.IdentityID == nil:
		return fault.Coded(
			fault.Conflict,
			"account_without_owner",
			"the account has no owner: link it to its owner, or remove its access in the target system",
		)
	case g.Status == "revoking" && !live:
		return fault.Coded(fault.Conflict, "invalid_transition", "The access is already being revoked.").
			Also("allowed", []string{})
	case !g.Observed && !live:
		return fault.Coded(fault.Conflict, "invalid_transition", "there is nothing to revoke: it is %s, and no "+
			"reason asks for it", g.Status).
			Also("allowed", []string{"grant"})
	case !live && o.Scope == scopeAll && !g.IsNative() && g.Directness == "direct" && o.ExcludeUntil == nil:
		return fault.Coded(fault.Conflict, "invalid_transition", "All reasons of this access have ended, and it will "+
			"be removed. Explain shows why it still exists.").
			Also("allowed", []string{"grant"})
	case g.Immutable && o.Scope == scopeAll:
		return fault.Coded(
			fault.Conflict,
			"immutable_grant",
			"The system does not allow the grant to be revoked here. Revoke it in the system.",
		)
	case !e.Revocable && g.Observed && o.Scope == scopeAll:
		return fault.Coded(
			fault.Conflict,
			"not_revocable",
			"%s cannot be revoked here; it can only be changed in its target system",
			e.Label(),
		)
	case g.Directness == "inherited" && o.Scope == scopeAll:
		return inheritedFault(g)
	case o.ExcludeUntil != nil && !o.ExcludeUntil.After(now):
		return fault.New(fault.Invalid, "exclude_until must be in the future.").
			With(fault.Field{Pointer: "#/exclude_until", Code: "invalid", Detail: "choose an instant to come"})
	case o.Scope == scopeReason:
		return o.checkReason(g)
	}
	return nil
}

// inheritedFault names what brings a grant: it ends with that, and no order of ours would have an effect.
func inheritedFault(g grant.Grant) error {
	sources, names := g.Sources()
	instead := "the entitlement that brings it"
	if len(names) > 0 {
		instead = strings.Join(names, " and ")
	}
	return fault.Coded(fault.Conflict, "inherited_grant", "The account has this access only through another "+
		"entitlement. Revoke %s instead.", instead).
		Also("entitlement_ids", sources).
		Also("paths", g.Paths)
}

// checkReason refuses scope reason without a live reason of the grant, or with a denial.
func (o GrantRevocation) checkReason(g grant.Grant) error {
	at := slices.IndexFunc(g.Reasons, func(r grant.GrantReason) bool {
		return r.IsLive() && r.Effect == ledger.Allow && strings.EqualFold(*r.ID, o.ReasonID)
	})
	wrong := func(code, detail string) error {
		return fault.New(fault.Invalid, "%s", detail).
			With(fault.Field{Pointer: "#/reason_id", Code: code, Detail: detail})
	}
	switch {
	case o.ReasonID == "":
		return wrong("required", "no reason is given: set reason_id to the reason to end")
	case at < 0:
		return wrong("unknown_reason", "the grant has no such reason that has not ended")
	case o.ExcludeUntil != nil:
		return fault.New(fault.Invalid, "exclude_until denies the whole access, so it requires scope all.").
			With(fault.Field{Pointer: "#/exclude_until", Code: "invalid", Detail: "only with scope all"})
	}
	return nil
}

// judge refuses what would come back by itself, and says what else there is to know.
func (o GrantRevocation) judge(g grant.Grant, im *RevocationImpact) error {
	if len(im.WouldReturn) > 0 && o.ExcludeUntil == nil {
		names := im.WouldReturn[0].Source.Display
		f := fault.Coded(fault.Conflict, "rule_gives_it_again", "the policy %q would grant this access again: "+
			"change the policy, or revoke with scope all and deny the access until exclude_until", names).
			Also("would_return", im.WouldReturn)
		if o.Scope == scopeAll {
			f = f.With(
				fault.Field{
					Pointer: "#/exclude_until",
					Code:    "required",
					Detail:  "until when a denial is to stand against the rule",
				},
			)
		}
		return f
	}
	if im.Native {
		im.Notes = append(im.Notes, "The target had it without a reason of ours; it is revoked by this order.")
	}
	if o.ExcludeUntil != nil {
		im.Notes = append(
			im.Notes,
			"The access is denied until "+grant.FormatTime(
				*o.ExcludeUntil,
			)+". After that date, policies can grant it again.",
		)
	}
	if !im.AccessEnds {
		im.Notes = append(
			im.Notes,
			fmt.Sprintf("The access stays: %d other reasons ask for it.", len(im.ReasonsRemaining)),
		)
	}
	if im.AccessEnds && g.Directness == "inherited" {
		im.Notes = append(im.Notes, "The account goes on holding it through nesting.")
	}
	return nil
}

// Revoke ends a grant's reasons, or one of them. With dryRun it only says what that would do.
func (s *Service) Revoke(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	o GrantRevocation,
	dryRun bool,
) (im RevocationImpact, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		im, err = Revoke(ctx, tx, id, o, dryRun, s.Now())
		return err
	})
	return im, err
}

// Revoke is Revoke within a transaction.
func Revoke(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	o GrantRevocation,
	dryRun bool,
	now time.Time,
) (im RevocationImpact, err error) {
	g, err := grant.Find(ctx, tx, id)
	if err != nil {
		return im, err
	}
	e, err := entitlement.Lookup(ctx, tx, g.EntitlementID, "")
	if err != nil {
		return im, err
	}
	if im, err = o.withScope().plan(g, e, now); err != nil {
		return im, err
	}
	im.DryRun, im.Links = dryRun, grant.LinksOfPair(*g.IdentityID, g.EntitlementID)
	if dryRun {
		return im, nil
	}
	return im, carryOut(ctx, tx, o.withScope(), []revoked{{g, im}})
}

// withScope fills in the default scope.
func (o GrantRevocation) withScope() GrantRevocation {
	if o.Scope == "" {
		o.Scope = scopeAll
	}
	o.Reason = strings.TrimSpace(o.Reason)
	return o
}

// revoked is a grant with what is to become of it.
type revoked struct {
	grant.Grant
	RevocationImpact
}

// carryOut writes revocations: denials first, so that nothing can give again in between. A native grant is taken into
// the ledger, to be ended there: its history then shows that it was there, and who ended it.
func carryOut(ctx context.Context, tx *pg.Tx, o GrantRevocation, all []revoked) error {
	var enter []ledger.Reason
	var end, people, native []string
	entries := make([]audit.Entry, 0, len(all))
	for _, r := range all {
		if o.ExcludeUntil != nil {
			enter = append(enter, r.denial(tx.Viewer, o))
		}
		if r.Native {
			found := r.found()
			enter, end, native = append(enter, found), append(end, found.ID), append(native, r.Grant.ID)
		}
		for _, reason := range r.ReasonsEnded {
			end = append(end, *reason.ID)
		}
		people, entries = append(people, *r.IdentityID), append(entries, r.entry(o))
	}
	if _, err := ledger.Add(ctx, tx, enter); err != nil {
		return err
	}
	if len(end) > 0 {
		if _, err := ledger.End(
			ctx,
			tx,
			ledger.Which{ReasonIDs: end},
			time.Time{},
			"it was revoked: "+o.Reason,
			false,
		); err != nil {
			return err
		}
	}
	// One that came back by itself is none of ours to provisioning, until a reason has asked for it: the one that has
	// just ended did.
	if err := grantstatus.MarkWanted(ctx, tx, native); err != nil {
		return err
	}
	if err := ledger.Touch(ctx, tx, false, people...); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}

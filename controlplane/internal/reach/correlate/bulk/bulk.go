package bulk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/explanation"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
)

// maxBulk is how many accounts can be decided at once.
const maxBulk = 10_000

// BulkLink names the owners of many accounts.
type BulkLink struct {
	// Accounts and their owners, in place of filter.
	Pairs []LinkPair `json:"pairs,omitempty" maxItems:"10000"`
	// Whose accounts external_id speaks of. Without it an external_id that several connectors know is ambiguous.
	ConnectorID string `json:"connector_id,omitempty"`
	// In place of pairs: these accounts.
	Filter *BulkFilter `json:"filter,omitempty"`
	// With filter: the owner is the person who has the value of the account in this field. For external_id, it is the
	// value of the account's identity_external_id.
	IdentityField string `json:"identity_field,omitempty" enum:"employee_number,email,username,external_id"`
	// Why the accounts are linked, in the words of the user.
	Reason string `json:"reason,omitempty" maxLength:"1000"`
	// Tell what would be done, and write nothing.
	DryRun bool `json:"dry_run,omitempty"`
}

// LinkPair is an account and its owner, each named in one way.
type LinkPair struct {
	// ID of the account, in place of external_id.
	AccountID string `json:"account_id,omitempty" maxLength:"64"`
	// The account's native id in its target system.
	ExternalID string `json:"external_id,omitempty" maxLength:"512"`
	// ID of the owner, in place of employee_number and email.
	IdentityID string `json:"identity_id,omitempty" maxLength:"64"`
	// Employee number of the owner, in place of identity_id and email.
	EmployeeNumber string `json:"employee_number,omitempty" maxLength:"256"`
	// E-mail address of the owner, in place of identity_id and employee_number.
	Email string `json:"email,omitempty" maxLength:"320"`
}

// BulkFilter chooses accounts; each member given must hold.
type BulkFilter struct {
	// ID of the connector whose accounts are chosen.
	ConnectorID string `json:"connector_id,omitempty" format:"uuid"`
	// The default is uncorrelated and disputed.
	Correlation []string `json:"correlation,omitempty" enum:"linked,uncorrelated,disputed,manual,ignored"`
	// Types of the accounts that are chosen; every type when absent.
	AccountType []string `json:"account_type,omitempty" enum:"person,privileged,service,shared,system,bot,ai_agent,break_glass,unknown"`
}

// BulkLinked is the outcome of each item.
type BulkLinked struct {
	// Whether the links were only computed, and nothing was written.
	DryRun bool `json:"dry_run"`
	// Number of items by result.
	Counts BulkCounts `json:"counts"`
	// In the order of the pairs; with filter, one for each account.
	Results []LinkResult `json:"results" nullable:"false"`
}

// BulkCounts are how many items ended in each way.
type BulkCounts struct {
	// Linked, or with dry_run those that would be.
	Linked int `json:"linked"`
	// A user has already linked it to this owner.
	Unchanged int `json:"unchanged"`
	// Items that could not be linked.
	Failed int `json:"failed"`
}

// LinkResult is what became of one item.
type LinkResult struct {
	// Position of the item, from 0: among the pairs or, with filter, among the chosen accounts.
	Index int `json:"index"`
	// ID of the account; absent when it was not found.
	AccountID string `json:"account_id,omitempty"`
	// ID of the owner; absent when no owner was found.
	IdentityID string `json:"identity_id,omitempty"`
	// Result of the item: linked to the owner, linked to this owner before (unchanged), or failed.
	Status string `json:"status" enum:"linked,unchanged,failed"`
	// Why it failed: account_not_found, ambiguous_account, account_deleted, duplicate_account, identity_not_found,
	// ambiguous_identity, no_value, invalid_item, separation_of_duties.
	Code string `json:"code,omitempty"`
	// Why the item failed, in words.
	Detail string `json:"detail,omitempty"`

	account *holder
}

// The ways in which an item can end.
const (
	itemLinked    = "linked"
	itemUnchanged = "unchanged"
	itemFailed    = "failed"
)

// fail marks the item as failed. The first reason stays.
func (r *LinkResult) fail(code, format string, args ...any) {
	if r.Status != itemFailed {
		r.Status, r.Code, r.Detail = itemFailed, code, fmt.Sprintf(format, args...)
	}
}

// Service assigns the owners of many accounts at once. All fields but Admit are needed.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
	// Admit checks the links before they are written. Nil: nothing is refused.
	Admit account.Admission
}

// admit marks the links as failed that must not be made.
func (s *Service) admit(ctx context.Context, tx *pg.Tx, results []LinkResult) error {
	var links []account.Ownership
	for _, r := range results {
		if r.Status != itemFailed && r.account != nil {
			links = append(links, account.Ownership{AccountID: r.AccountID, IdentityID: r.IdentityID})
		}
	}
	if s.Admit == nil || len(links) == 0 {
		return nil
	}
	refused, err := s.Admit(ctx, tx, links)
	if err != nil {
		return err
	}
	for i := range results {
		var why *fault.Fault
		if errors.As(refused[results[i].AccountID], &why) {
			results[i].fail(why.Code, "%s", why.Message)
		}
	}
	return nil
}

const aboutBulk = "Give either pairs, or filter with identity_field. Each item has a result of its own: what can be " +
	"done is done, and what cannot says why. " +
	"At most 10,000 accounts at once. With dry_run nothing is written."

// Route is the path by which owners are assigned in bulk.
func (s *Service) Route() httpapi.Route {
	return httpapi.Handle("POST", "/accounts/bulk-link", "Assign account owners in bulk", s.bulk).
		For(viewer.Admin).
		Bulk().
		Errors(404).
		Describe(aboutBulk)
}

// bulkIn is the input of bulk.
type bulkIn struct{ Body BulkLink }

// bulk is POST …/bulk-link.
func (s *Service) bulk(ctx context.Context, v viewer.Viewer, in *bulkIn) (*httpapi.One[BulkLinked], error) {
	out, err := s.BulkLink(ctx, v, in.Body)
	return &httpapi.One[BulkLinked]{Body: out}, err
}

// BulkLink names the owners of many accounts at once: it does what can be done, and says of the rest why it cannot.
func (s *Service) BulkLink(ctx context.Context, v viewer.Viewer, b BulkLink) (out BulkLinked, err error) {
	if err := b.check(); err != nil {
		return out, err
	}
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		resolve := b.resolvePairs
		if b.Filter != nil {
			resolve = b.resolveFilter
		}
		results, err := resolve(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.admit(ctx, tx, results); err != nil {
			return err
		}
		out = BulkLinked{DryRun: b.DryRun, Results: results}
		out.judge()
		if b.DryRun || out.Counts.Linked == 0 {
			return nil
		}
		return s.apply(ctx, tx, b, out)
	})
	return out, err
}

// check is a fault if the request is neither a list of pairs nor a filter with a field, or too
// long.
func (b BulkLink) check() error {
	var wrong matching.Problems
	switch {
	case (len(b.Pairs) > 0) == (b.Filter != nil):
		wrong.Add("#/pairs", "required", "give either pairs or filter with identity_field")
	case b.Filter != nil && b.IdentityField == "":
		wrong.Add("#/identity_field", "required", "set the field of the identity by which the owner is found")
	case b.Filter == nil && b.IdentityField != "":
		wrong.Add(
			"#/identity_field",
			"not_allowed",
			"it is only allowed with filter; pairs name their owners themselves",
		)
	case len(b.Pairs) > maxBulk:
		wrong.Add("#/pairs", "too_many", "give at most %d at once", maxBulk)
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "The accounts cannot be linked. See errors.").With(wrong...)
}

// judge decides about each item once it is known whom it means, and counts.
func (out *BulkLinked) judge() {
	seen := map[string]int{}
	for i := range out.Results {
		r := &out.Results[i]
		if r.account != nil {
			if first, twice := seen[r.account.ID]; twice {
				r.fail("duplicate_account", "item %d names the same account", first)
			} else {
				seen[r.account.ID] = r.Index
			}
			if r.account.Status == "deleted" {
				r.fail("account_deleted", "this account no longer exists in its target system")
			}
		}
		switch {
		case r.Status == itemFailed:
			out.Counts.Failed++
		case r.account.State == "manual" && r.account.Owner != nil && *r.account.Owner == r.IdentityID:
			r.Status = itemUnchanged
			out.Counts.Unchanged++
		default:
			r.Status = itemLinked
			out.Counts.Linked++
		}
	}
}

// apply writes the links in one statement, and one entry of the audit log that names them all.
func (s *Service) apply(ctx context.Context, tx *pg.Tx, b BulkLink, out BulkLinked) error {
	var accounts, owners []string
	var changes []audit.Change
	for _, r := range out.Results {
		if r.Status == itemLinked {
			accounts, owners = append(accounts, r.AccountID), append(owners, r.IdentityID)
			changes = append(
				changes,
				audit.Change{Field: "account." + r.AccountID + ".identity_id", From: r.account.Owner, To: r.IdentityID},
			)
		}
	}
	const sql = `
		update account a
		   set identity_id = l.owner, correlation_state = 'manual', correlation = $3, correlation_keys = null,
		       correlation_rules = null, correlation_rejected = array_remove(a.correlation_rejected, l.owner),
		           unowned_since = null,
		       updated_at = $4, version = a.version + 1
		  from unnest($1::uuid[], $2::uuid[]) as l (account, owner)
		 where a.tenant_id = current_tenant()
		   and a.id = l.account`
	why := map[string]any{
		"by":         matching.ByUser,
		"decided_by": tx.Viewer.Display,
		"decided_at": explanation.Instant(s.Now()),
		"reason":     b.Reason,
	}
	if err := pg.Exec(ctx, tx, "link accounts", sql, accounts, owners, why, s.Now()); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "accounts.bulk_linked",
		Changes: changes,
		Subject: audit.Subject{
			Type: "tenant",
			ID:   tx.Viewer.Tenant,
		},
		Context: map[string]any{"reason": b.Reason, "counts": out.Counts},
	})
}

package grant

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Review states of a grant that is in the target and that no reason here asks for.
const (
	// it was there when the connector was first synced: no review is needed
	FoundAtFirstImport = "found_at_first_import"
	Unmanaged          = "unmanaged" // it appeared later
	Returned           = "returned"  // it was revoked here and came back in the target
	Accepted           = "accepted"  // accepted as it was found
)

// ReviewStateSQL is the state of a grant g of accounts a with what the ledger says as s; null where a reason asks for
// it.
const ReviewStateSQL = `
	(case when not ` + NativeSQL + ` then null
	      when exists (select from grant_review rv where rv.tenant_id = g.tenant_id and rv.grant_id = g.id
	        and rv.state = 'accepted') then '` + Accepted + `'
	      when g.reappeared then '` + Returned + `'
	      when exists (select from grant_review rv where rv.tenant_id = g.tenant_id and rv.grant_id = g.id) then '` +
	Unmanaged + `'
	      else '` + FoundAtFirstImport + `' end)`

// fillAcceptance adds who accepted a grant, and when.
func fillAcceptance(ctx context.Context, tx *pg.Tx, g *Grant) error {
	if g.ReviewState == nil || *g.ReviewState != Accepted {
		return nil
	}
	const sql = `
		select r.accepted_at, coalesce(r.accepted_by ->> 'display', ''), r.comment
		  from grant_review r
		 where r.tenant_id = current_tenant()
		   and r.grant_id = $1`
	g.AcceptedAsFound = &GrantAcceptedAsFound{}
	if err := tx.QueryRow(ctx, sql, g.ID).
		Scan(&g.AcceptedAsFound.At, &g.AcceptedAsFound.By, &g.AcceptedAsFound.Comment); err != nil {
		return fmt.Errorf("read who accepted a grant: %w", err)
	}
	return nil
}

// GrantAcceptedAsFound is who took a grant as it was found.
type GrantAcceptedAsFound struct {
	// Time the grant was accepted.
	At time.Time `json:"at"`
	// Display name of the user or service token that accepted the grant.
	By string `json:"by"`
	// Why the access is right, as stated at the acceptance.
	Comment string `json:"comment"`
}

// NativeSentence says of a native grant why it is there and what is done about it.
func (g Grant) NativeSentence() string {
	state := ""
	if g.ReviewState != nil {
		state = *g.ReviewState
	}
	switch state {
	case Accepted:
		said := "It was given in the target, and accepted as found"
		if a := g.AcceptedAsFound; a != nil {
			said += " by " + a.By + " on " + FormatTime(a.At)
			if a.Comment != "" {
				return said + ": " + a.Comment
			}
		}
		return said + "."
	case FoundAtFirstImport:
		return "This grant existed at the first sync of the system. It needs no decision, but can be accepted or " +
			"revoked."
	}
	return "This grant was made in the target system after the first sync. The native_grant_policy of the connector " +
		"determines what happens next."
}

package grant

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
)

// Compliance says what a grant stands on.
const (
	Approved = "approved" // a decision
	Implied  = "implied"  // it follows from a rule, a role, or what the account holds besides
	Native   = "native"   // the target has it, and nothing here assigned it
	Orphaned = "orphaned" // the account has no owner, or one who has left
	Ending   = "ending"   // it should end, or will within the week
)

// decided are the kinds of reason behind which a decision about this very grant stands.
const decided = `('request', 'emergency', 'certified', 'exception', 'imported', 'manual')`

// mainAccount is the condition that a reason which names no account means account a: one of its owner's own in the
// system, and of several the one that provisioning takes.
const mainAccount = `
	(a.account_type in ('person', 'unknown')
	 and not exists (select from account o
	                  where o.identity_id = a.identity_id
	                    and o.connector_id = a.connector_id
	                    and o.account_type in ('person', 'unknown')
	                    and o.status not in ('deleted', 'disconnected')
	                    and (o.status in ('missing', 'failed'), o.managed in ('protected', 'unmanaged'),
	                      o.account_type <> 'person', o.created_at, o.id)
	                      < (a.status in ('missing', 'failed'), a.managed in ('protected', 'unmanaged'),
	                        a.account_type <> 'person', a.created_at, a.id)))`

// StandingSQL joins what the ledger says, as s, to the grants g of accounts a.
const StandingSQL = `
	cross join lateral (
	    select ` + mainAccount + ` as is
	) main
	cross join lateral (
	    select coalesce(bool_or(r.state = 'active'), false) as allowed,
	           coalesce(bool_or(r.state = 'active' and r.ends_at is null), false) as lasting,
	           coalesce(bool_or(r.state = 'active' and r.kind in ` + decided + `), false) as decided,
	           coalesce(bool_or(r.state = 'ended'), false) as past,
	           max(r.ends_at) filter (where r.state = 'active') as until
	      from access_reason r
	     where r.identity_id = a.identity_id
	       and r.entitlement_id = g.entitlement_id
	       and r.effect = 'allow'
	       and (r.account_id = a.id or r.account_id is null and main.is)
	) given
	cross join lateral (
	    select given.*, given.allowed and not no.denied as desired, no.denied, ` + nesting.HeldSQL + ` as observed
	      from (select exists (select from access_reason d
	                            where d.identity_id = a.identity_id
	                              and d.connector_id = g.connector_id
	                              and d.effect = 'deny'
	                              and d.state = 'active'
	                              and (d.entitlement_id is null or d.entitlement_id = g.entitlement_id)
	                              and (d.account_id = a.id or d.account_id is null)) as denied) no
	) s`

// NativeSQL is the condition that the target shows a grant which nothing here assigned.
const NativeSQL = `(s.observed and g.directness = 'direct' and not s.allowed and (g.reappeared or not s.past))`

// complianceSQL returns a grant's compliance status. A grant that is neither there nor wanted has none.
const complianceSQL = `
	case when not s.observed and not s.desired then null
	     when s.observed and (i.id is null or i.status in ('deactivated', 'archived')) then 'orphaned'
	     when g.status in ('ending', 'revoking') or s.observed and s.denied or s.observed and not s.allowed and s.past
	         and not g.reappeared then 'ending'
	     when s.desired and not s.lasting and s.until <= now() + interval '7 days' then 'ending'
	     when s.desired and s.decided then 'approved'
	     when s.desired or g.directness = 'inherited' then 'implied'
	     else 'native' end`

// GrantReason is why a person should hold a grant, or why not.
type GrantReason struct {
	// Null for a native one: that the target has it is all there is to it.
	ID *string `json:"id"`
	// A denial beats every other reason.
	Effect string `json:"effect" enum:"allow,deny"`
	// Kind of the reason. native: found in the target system and assigned by nothing in Grantwright. imported: found in
	// the target system and recorded as a reason. certified: kept in a review. exception: decided in deviation from the
	// policies. manual: assigned by an administrator.
	Kind string `json:"kind" enum:"birthright,policy,role,request,emergency,native,certified,exception,imported,manual"`
	// State of the reason. scheduled: it begins later. active: it applies now. ended: it applies no longer.
	State string `json:"state" enum:"scheduled,active,ended"`
	// What created the reason, such as a policy, a role, a request or a user.
	Source ReasonSource `json:"source"`
	// The role through which it comes.
	Role *entitlement.NamedParty `json:"role"`
	// Start of the reason. With kind native: the time the grant was first recorded.
	Since time.Time `json:"since"`
	// The end. Null: no end.
	Until *time.Time `json:"until"`
	// Time the reason ended. Null: it has not ended.
	EndedAt *time.Time `json:"ended_at"`
	// Why it ended, or will.
	EndReason *string `json:"end_reason"`
	// Who approved the access. Empty: no person did.
	ApprovedBy []entitlement.NamedParty `json:"approved_by" nullable:"false"`
	// ID of the access request. Null: the reason comes from no request.
	RequestID *string `json:"request_id"`
	// Reference of the request in another system, such as a ticket number. Null: none.
	ExternalReference *string `json:"external_reference"`
	// Text entered with the reason, such as the justification of a request or an assignment. Null: none.
	Note *string `json:"note"`

	// The account that it is for, where that was said; null: the person's main one of the system.
	Account *string `json:"account_id"`
}

// ReasonSource is what a reason comes from.
type ReasonSource struct {
	// Type of the source, such as policy, role, access_request, user, service or connector.
	Type string `json:"type"`
	// ID of the policy, role, request, user, service token or connector.
	ID string `json:"id"`
	// Name of the source.
	Display string `json:"display"`
	// Of the policy or role, as it was when it first gave this.
	Version int `json:"version"`
}

// reasonSources joins the names of what the reasons r come from.
const reasonSources = `
	left join access_policy policy on policy.id = r.source_id and r.source_type = 'policy'
	left join role source_role on source_role.id = r.source_id and r.source_type = 'role'
	left join app_user source_user on source_user.id = r.source_id and r.source_type = 'user'
	left join identity source_person on source_person.id = source_user.identity_id
	left join api_token token on token.id = r.source_id and r.source_type = 'service'
	left join connector source_connector on source_connector.id = r.source_id and r.source_type = 'connector'
	left join role through on through.id = r.role_id`

// reasonObject renders a reason r as the JSON of GrantReason.
const reasonObject = `
	jsonb_build_object('id', r.id, 'effect', r.effect, 'kind', r.kind, 'state', r.state,
	    'source', jsonb_build_object('type', r.source_type, 'id', r.source_id, 'version', r.source_version,
	        'display', coalesce(policy.name, source_role.name, nullif(source_person.display_name, ''),
	                            nullif(source_user.display_name, ''), source_user.email, token.name,
	    source_connector.name, r.details->>'source', r.created_by->>'display', r.source_type)), 'role',
	    case when through.id is not null then jsonb_build_object('id', through.id, 'display', through.name) end,
	    'since', r.starts_at, 'until', r.ends_at, 'ended_at', r.ended_at, 'end_reason', r.end_reason, 'note', r.note,
	        'account_id', r.account_id, 'approved_by', coalesce(r.details->'approved_by', case
	            when r.kind in ('manual', 'exception') and r.created_by ? 'id'
	             then jsonb_build_array(jsonb_build_object('id', r.created_by->>'id', 'display',
	    r.created_by->>'display')) end, '[]'), 'request_id', r.details->>'request_id',
	    'external_reference', r.details->>'external_reference')`

// maxHistory is how many reasons a grant is shown with that have ended: the last ones.
const maxHistory = 50

// standings tell, for the grants of a page, what the ledger says of each.
const standings = `
	select g.id::text, s.desired, s.observed, ` + complianceSQL + `, case when s.desired and not s.lasting then s.until
		end, ` + NativeSQL + `, ` + ReviewStateSQL + `,
	       coalesce((select jsonb_agg(x.reason order by x.ended, x.at, x.id)
	                   from (select ` + reasonObject + ` as reason, r.state = 'ended' as ended, r.starts_at as at, r.id,
	                                row_number() over (partition by r.state = 'ended' order by r.created_at desc,
	                                    r.id desc) as nth
	                           from access_reason r` + reasonSources + `
	                          where r.identity_id = a.identity_id
	                            and r.connector_id = g.connector_id
	                            and (r.entitlement_id = g.entitlement_id or r.entitlement_id is null
	                                and r.effect = 'deny')
	                            and (r.account_id = a.id or r.account_id is null and (main.is or r.effect = 'deny'))
	                            and (r.state <> 'ended' or @history)) x
	                  where not x.ended or x.nth <= @most), '[]')
	  from access_grant g
	  join account a on a.id = g.account_id
	  left join identity i on i.id = a.identity_id` + StandingSQL + `
	 where g.id = any(@ids::text[]::uuid[])`

// FillStanding fills in what the ledger says of a page of grants, in one statement. With history their ended reasons
// are included.
func FillStanding(ctx context.Context, tx *pg.Tx, grants []Grant, history bool) error {
	index := make(map[string]*Grant, len(grants))
	ids := make([]string, len(grants))
	for i := range grants {
		index[grants[i].ID], ids[i] = &grants[i], grants[i].ID
		grants[i].Reasons = []GrantReason{}
	}
	if len(grants) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, standings, pgx.NamedArgs{"ids": ids, "history": history, "most": maxHistory})
	if err != nil {
		return fmt.Errorf("reasons of grants: %w", err)
	}
	for rows.Next() {
		if err := scanStanding(rows, index); err != nil {
			rows.Close()
			return fmt.Errorf("reasons of grants: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reasons of grants: %w", err)
	}
	return nil
}

// scanStanding reads a row about the reasons of a grant into the grant. The end is the earlier of
// the grant's own and that of its reasons.
func scanStanding(rows pgx.Rows, index map[string]*Grant) error {
	var id string
	var desired, observed, isNative bool
	var status, review *string
	var until *time.Time
	var reasons []GrantReason
	if err := rows.Scan(&id, &desired, &observed, &status, &until, &isNative, &review, &reasons); err != nil {
		return err
	}
	g := index[id]
	g.Desired, g.Observed, g.ComplianceStatus, g.ReviewState, g.Reasons = desired, observed, status, review, reasons
	if isNative {
		g.Reasons = append(g.Reasons, g.nativeReason())
	}
	if until != nil && (g.EndsAt == nil || until.Before(*g.EndsAt)) {
		g.EndsAt = until
	}
	return nil
}

// nativeReason stands for a reason where there is none: the target has it.
func (g Grant) nativeReason() GrantReason {
	return GrantReason{
		Effect:     "allow",
		Kind:       Native,
		State:      "active",
		Since:      g.FirstSeenAt,
		ApprovedBy: []entitlement.NamedParty{},
		Source:     ReasonSource{Type: "connector", ID: g.ConnectorID, Display: "found in the target", Version: 1},
	}
}

package native

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/order"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// Sizes of unmanaged access.
const (
	maxListed  = 100 // grants that one task asks about; the others follow when these are decided
	maxRevoked = 25  // grants that the policy revoke ends at once without a person; more are asked about
)

// unmanagedNeeded are connectors with access that was given in the target itself after the first import. The pause of
// two minutes lets policies that are being evaluated take what is theirs.
const unmanagedNeeded = `
		select distinct u.connector_id
		  from unmanaged_grants() u
		 where u.policy <> 'tolerate'
		   and u.found_at <= now() - interval '2 minutes'`

// unmanagedGrant is one grant that was given in the target itself.
type unmanagedGrant struct {
	ID          string             `db:"id" json:"id"`
	ConnectorID string             `db:"connector_id" json:"-"`
	Connector   string             `db:"connector" json:"-"`
	Policy      string             `db:"policy" json:"-"`
	Total       int                `db:"total" json:"-"`
	Identity    identity.Reference `db:"identity" json:"identity"`
	Account     identity.Reference `db:"account" json:"account"`
	Entitlement identity.Reference `db:"entitlement" json:"entitlement"`
	Risk        string             `db:"risk_level" json:"risk_level"`
	Privileged  bool               `db:"privileged" json:"privileged"`
	FoundAt     time.Time          `db:"found_at" json:"found_at"`
}

// unmanagedOf reads the first unmanaged grants of connectors, the riskiest first.
func unmanagedOf(ctx context.Context, tx *pg.Tx, connectors []string) (map[string][]unmanagedGrant, error) {
	const sql = `
		select x.id::text, x.connector_id::text, c.name as connector, x.policy, x.total,
		       jsonb_build_object('id', i.id, 'display', i.display_name) as identity,
		       jsonb_build_object('id', a.id, 'display', ` + account.Display + `) as account,
		       jsonb_build_object('id', x.entitlement_id, 'display', x.entitlement) as entitlement, x.risk_level,
		           x.privileged, x.found_at
		  from (select u.*, e.risk_level, e.privileged,
		               coalesce(nullif(e.display_name, ''), nullif(e.name, ''), e.external_id) as entitlement,
		               count(*) over (partition by u.connector_id)::int as total,
		                   row_number() over (partition by u.connector_id
		                                      order by e.privileged desc, array_position(array['critical', 'high',
		                                          'medium', 'low'], e.risk_level), u.id) as nth
		          from unmanaged_grants() u
		          join entitlement e on e.id = u.entitlement_id
		         where u.connector_id = any(@ids::text[]::uuid[])
		           and u.found_at <= now() - interval '2 minutes') x
		  join connector c on c.id = x.connector_id
		  join account a on a.id = x.account_id
		  join identity i on i.id = x.identity_id
		 where x.nth <= ` + "@most" + `
		 order by x.connector_id, x.nth`
	list, err := pg.All[unmanagedGrant](
		ctx,
		tx,
		"find unmanaged access",
		sql,
		pgx.NamedArgs{"ids": connectors, "most": maxListed},
	)
	if err != nil {
		return nil, err
	}
	found := map[string][]unmanagedGrant{}
	for _, g := range list {
		found[g.ConnectorID] = append(found[g.ConnectorID], g)
	}
	return found, nil
}

// askUnmanaged asks about the unmanaged access of connectors, one task each, or revokes it where the connector's policy
// says so.
func (s *Service) askUnmanaged(ctx context.Context, tx *pg.Tx, connectors []string) ([]decision.New, error) {
	if len(connectors) == 0 {
		return nil, nil
	}
	found, err := unmanagedOf(ctx, tx, connectors)
	if err != nil {
		return nil, err
	}
	var questions []decision.New
	for _, id := range connectors {
		list := found[id]
		if len(list) == 0 {
			continue
		}
		if list[0].Policy == "revoke" && list[0].Total <= maxRevoked {
			if list, err = s.revokeByPolicy(ctx, tx, list); err != nil {
				return nil, err
			}
		}
		if len(list) > 0 {
			questions = append(questions, unmanagedQuestion(list))
		}
	}
	return questions, nil
}

// revokeByPolicy orders the revocation of grants, and gives those that cannot be revoked, which people are asked about.
func (s *Service) revokeByPolicy(
	ctx context.Context,
	tx *pg.Tx,
	list []unmanagedGrant,
) (left []unmanagedGrant, err error) {
	ids := make([]string, len(list))
	for i, g := range list {
		ids[i] = g.ID
	}
	out, err := order.RevokeAll(
		ctx,
		tx,
		ids,
		"given in the target itself, which native_grant_policy revoke does not allow",
		s.Now(),
	)
	if err != nil {
		return nil, err
	}
	for _, r := range out.Results {
		for _, g := range list {
			if r.Outcome == "refused" && r.ID == g.ID {
				left = append(left, g)
			}
		}
	}
	return left, nil
}

// unmanagedQuestion asks what is to become of unmanaged access in one system.
func unmanagedQuestion(list []unmanagedGrant) decision.New {
	first, ids, risk := list[0], make([]string, len(list)), "low"
	for i, g := range list {
		ids[i] = g.ID
		risk = riskier(risk, g.risk())
	}
	what := fmt.Sprintf("%d grants in %s were given outside Grantwright", first.Total, first.Connector)
	if first.Total == 1 {
		what = fmt.Sprintf(
			"%s has %s in %s, given outside Grantwright",
			first.Identity.Display,
			first.Entitlement.Display,
			first.Connector,
		)
	}
	summary := "They appeared in the target after its first sync, and no policy, role or request asks for them. " +
		"Accept them as found, or revoke them."
	if first.Total > len(list) {
		summary += fmt.Sprintf(" This task lists the first %d; the others follow.", len(list))
	}
	if first.Policy == "revoke" && first.Total > maxRevoked {
		summary += fmt.Sprintf(
			" The policy of the system is to revoke, but more than %d at once are not revoked without a person.",
			maxRevoked,
		)
	}
	system := decision.Ref{Type: "connector", ID: first.ConnectorID, Display: first.Connector}
	return decision.New{
		Key:     first.ConnectorID,
		Subject: system,
		Source:  system,
		Title:   what,
		Summary: summary,
		Context: map[string]any{
			"connector": system,
			"policy":    first.Policy,
			"total":     first.Total,
			"grants":    list,
			"grant_ids": ids,
			"links": map[string]string{
				"grants": httpapi.Prefix + "/entitlements/grants?review_state=unmanaged&connector_id=" +
					first.ConnectorID,
			},
		},
		Actions: []decision.Action{
			{Key: "accept", Label: "Accept as found", Style: "positive", Requires: []string{"comment"}},
			{Key: "revoke", Label: "Revoke", Style: "negative", Requires: []string{"comment"}},
		},
		Roles:     kind.Admins,
		Priority:  "normal",
		RiskLevel: risk,
		GroupKey:  kind.NativeGrant + "/" + first.ConnectorID,
	}
}

// risk is the entitlement's risk, at least high if it is privileged.
func (g unmanagedGrant) risk() string {
	if g.Privileged {
		return riskier(g.Risk, "high")
	}
	return g.Risk
}

// riskier is the higher of two levels.
func riskier(a, b string) string {
	rank := map[string]int{"low": 1, "medium": 2, "high": 3, "critical": 4}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// answerUnmanaged accepts or revokes the grants that the task lists, or those of them that inputs.grant_ids names.
func (s *Service) answerUnmanaged(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	ids, err := chosenGrants(a)
	if err != nil {
		return err
	}
	if a.Decision.Action == "accept" {
		_, err = order.Accept(
			ctx,
			tx,
			order.GrantAcceptance{IDs: ids, ConnectorID: a.Task.Key, Comment: a.Decision.Comment},
			false,
		)
	} else {
		_, err = order.RevokeAll(ctx, tx, ids, a.Decision.Comment, s.Now())
	}
	if err != nil {
		return err
	}
	return queue.Enqueue(
		ctx,
		tx,
		queue.Work{Kind: kind.WorkOn(kind.NativeGrant), Subjects: []string{a.Task.Key}, Cause: "answered"},
	)
}

// chosenGrants are the grants that a decision is about: all that the task lists, or the chosen ones of them.
func chosenGrants(a decision.Answered) ([]string, error) {
	listed := map[string]bool{}
	var all []string
	shown, _ := a.Task.Context["grant_ids"].([]any)
	for _, id := range shown {
		text, _ := id.(string)
		listed[text], all = true, append(all, text)
	}
	given, chosen := a.Decision.Inputs["grant_ids"].([]any)
	if !chosen {
		return all, nil
	}
	var ids []string
	for _, id := range given {
		text, _ := id.(string)
		if !listed[text] {
			return nil, fault.New(fault.Invalid, "grant_ids names %q, which this task does not list.", text).
				With(fault.Field{Pointer: "#/inputs/grant_ids", Code: "not_listed", Detail: "only grants of this task"})
		}
		ids = append(ids, text)
	}
	return ids, nil
}

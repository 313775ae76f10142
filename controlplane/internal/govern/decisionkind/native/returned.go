package native

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/order"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// revokeReturned revokes grants again that came back where the policy of the connector is to revoke, and gives the
// others.
func (s *Service) revokeReturned(ctx context.Context, tx *pg.Tx, ids []string) (rest []string, err error) {
	const sql = `
		select g.id::text
		  from access_grant g
		  join connector_provisioning p on p.tenant_id = g.tenant_id and p.connector_id = g.connector_id
		 where g.id = any($1::text[]::uuid[])
		   and p.native_grant_policy = 'revoke'`
	revoke, err := pg.All[string](ctx, tx, "find grants to revoke", sql, ids)
	if err != nil {
		return nil, err
	}
	if len(revoke) == 0 || len(revoke) > maxRevoked {
		return ids, nil
	}
	out, err := order.RevokeAll(
		ctx,
		tx,
		revoke,
		"it came back in the target, which native_grant_policy revoke does not allow",
		s.Now(),
	)
	if err != nil {
		return nil, err
	}
	for _, r := range out.Results {
		if r.Outcome == "revoked" {
			ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == r.ID })
		}
	}
	return ids, nil
}

// returnedGrant is a grant that came back in its target after it was revoked.
type returnedGrant struct {
	ID          string             `db:"id"`
	ConnectorID string             `db:"connector_id"`
	Connector   string             `db:"connector"`
	Identity    identity.Reference `db:"identity"`
	Account     identity.Reference `db:"account"`
	Entitlement identity.Reference `db:"entitlement"`
	Description *string            `db:"description"`
	Risk        string             `db:"risk_level"`
	Privileged  bool               `db:"privileged"`
	Directness  string             `db:"directness"`
	RevokedAt   *time.Time         `db:"revoked_at"`
	LastUsed    *time.Time         `db:"last_used_at"`
	Owners      []string           `db:"owners"` // who may see it as those who own the entitlement
	// LastEnding is why the last reason for it ended, and LastEndingAt when.
	LastEnding   *string    `db:"last_ending"`
	LastEndingAt *time.Time `db:"last_ending_at"`
}

// askReturned makes the decision tasks for returned grants. The lateral join takes the last of the
// ended reasons; the owners are those of the entitlement who can decide now.
func askReturned(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	const sql = `
		select g.id, g.connector_id, c.name as connector,
		       jsonb_build_object('id', i.id, 'display', i.display_name) as identity,
		           jsonb_build_object('id', a.id, 'display', ` + account.Display + `) as account,
		       jsonb_build_object('id', e.id, 'display',
		       coalesce(nullif(e.display_name, ''), nullif(e.name, ''), e.external_id)) as entitlement,
		       coalesce(e.business_description, e.description) as description, e.risk_level, e.privileged, g.directness,
		           g.revoked_at, g.last_used_at, array(select distinct u.identity_id::text
		               from app_user u
		              where u.identity_id = any(e.owner_ids)
		                and unable_to_decide(u.identity_id) = ''
		                and 'resource_owner' = any(u.roles)) as owners,
		       r.end_reason as last_ending, r.ended_at as last_ending_at
		  from access_grant g
		  join account a on a.tenant_id = g.tenant_id and a.id = g.account_id
		  join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id
		  join entitlement e on e.tenant_id = g.tenant_id and e.id = g.entitlement_id
		  join connector c on c.id = g.connector_id
		  left join lateral (select r.end_reason, r.ended_at
		                       from access_reason r
		                      where r.tenant_id = g.tenant_id and r.identity_id = i.id and r.entitlement_id = e.id
		                          and r.state = 'ended'
		                      order by r.ended_at desc
		                      limit 1) r on true
		 where g.id = any(@ids::text[]::uuid[])`
	found, err := kind.ReadFacts[returnedGrant](ctx, tx, sql, ids)
	out := make([]decision.New, len(found))
	for i, g := range found {
		out[i] = g.question()
	}
	return out, err
}

// question asks whether a person is to have what came back.
func (g returnedGrant) question() decision.New {
	summary := "This access was revoked in " + g.Connector
	if g.LastEndingAt != nil {
		summary += " on " + g.LastEndingAt.UTC().Format("2006-01-02")
	}
	if g.LastEnding != nil && *g.LastEnding != "" {
		summary += " (" + *g.LastEnding + ")"
	}
	summary += ". It was granted again in the target system, and no reason exists for it."
	risk := g.Risk
	if g.Privileged && (risk == "low" || risk == "medium") {
		risk = "high"
	}
	q := decision.New{
		Key:     g.ID,
		Subject: decision.Ref{Type: "grant", ID: g.ID, Display: g.Identity.Display + " · " + g.Entitlement.Display},
		Source:  decision.Ref{Type: "connector", ID: g.ConnectorID, Display: g.Connector},
		Title: fmt.Sprintf(
			"%s was granted to %s again in the target system",
			g.Entitlement.Display,
			g.Identity.Display,
		),
		Summary: summary,
		Context: map[string]any{
			"identity":                g.Identity,
			"account":                 g.Account,
			"entitlement":             g.Entitlement,
			"entitlement_description": g.Description,
			"connector": decision.Ref{
				Type:    "connector",
				ID:      g.ConnectorID,
				Display: g.Connector,
			},
			"directness":   g.Directness,
			"privileged":   g.Privileged,
			"last_used_at": g.LastUsed,
			"ended_at":     g.LastEndingAt,
			"end_reason":   g.LastEnding,
			"links": map[string]string{
				"grant":   httpapi.Prefix + "/entitlements/grants/" + g.ID,
				"explain": httpapi.Prefix + "/entitlements/grants/" + g.ID + "/explain",
			},
		},
		Actions: []decision.Action{
			{Key: "revoke", Label: "Take it away again", Style: "negative", Requires: []string{"comment"}},
			{Key: "keep", Label: "Leave it", Style: "positive", Requires: []string{"comment"}},
		},
		Roles:     kind.Admins,
		NotFor:    []string{g.Identity.ID},
		Priority:  "normal",
		RiskLevel: risk,
		GroupKey:  kind.NativeGrant + "/" + g.Entitlement.ID,
		Links: []decision.Ref{
			{Type: "identity", ID: g.Identity.ID, Display: g.Identity.Display},
			{Type: "entitlement", ID: g.Entitlement.ID, Display: g.Entitlement.Display},
		},
	}
	for _, owner := range g.Owners {
		if owner != g.Identity.ID {
			q.Assignees = append(q.Assignees, decision.Assignee{IdentityID: owner})
		}
	}
	return q
}

// answerReturned carries a decision about a returned grant out: revoke it again, perhaps with a
// denial until a time, or keep it until a time.
func (s *Service) answerReturned(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	if a.Decision.Action == "revoke" {
		until, err := kind.FutureTime(a.Decision.Inputs, "exclude_until", s.Now())
		if err != nil {
			return err
		}
		_, err = order.Revoke(
			ctx,
			tx,
			a.Task.Key,
			order.GrantRevocation{Reason: a.Decision.Comment, ExcludeUntil: until},
			false,
			s.Now(),
		)
		return kind.PointIntoInputs(err)
	}
	until, err := kind.FutureTime(a.Decision.Inputs, "until", s.Now())
	if err != nil {
		return err
	}
	g, err := grant.Find(ctx, tx, a.Task.Key)
	if err != nil {
		return err
	}
	if err := kind.Keep(ctx, tx, kind.NativeGrant, a, kind.TextOf(g.IdentityID), until); err != nil {
		return err
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "grant.kept",
			Subject: audit.Subject(a.Task.Subject),
			Reason:  a.Decision.Comment,
			Context: map[string]any{"until": until},
		},
	)
}

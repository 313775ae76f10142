package policytask

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/breaker"
)

// breakers are systems to which nothing is written any more because too much failed or changed.
func (s *Service) breakers() kind.Kind {
	return kind.Kind{
		Name:    kind.BreakerOpen,
		About:   "open circuit breakers",
		Subject: "connector",
		Needed: `select p.connector_id
		           from connector_provisioning p
		           join connector c on c.tenant_id = p.tenant_id and c.id = p.connector_id and c.deleted_at is null
		          where p.breaker_open_since is not null`,
		Over: `select c.id::text, case when c.deleted_at is not null then 'the connector was deleted'
		            else 'writing to the system goes on' end
		         from connector c
		        where c.id = any(@ids::text[]::uuid[])`,
		Within: kind.Day,
		Ask:    askBreakers,
		Answer: s.answerBreaker,
	}
}

// openBreaker is a connector whose circuit breaker is open, with the tasks that wait and those that
// failed.
type openBreaker struct {
	ID      string    `db:"id"`
	Name    string    `db:"name"`
	Since   time.Time `db:"since"`
	Reason  string    `db:"reason"`
	Waiting int       `db:"waiting"`
	Failed  int       `db:"failed"`
}

// askBreakers makes the decision tasks for open circuit breakers.
func askBreakers(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	const sql = `
		select c.id::text, c.name, p.breaker_open_since as since, coalesce(p.breaker_reason, '') as reason,
		       (select count(*)::int from provisioning_task t where t.tenant_id = c.tenant_id and t.connector_id = c.id
		       and t.state in ('queued', 'retrying')) as waiting,
		           (select count(*)::int from provisioning_task t where t.tenant_id = c.tenant_id
		           and t.connector_id = c.id and t.state = 'failed') as failed
		  from connector_provisioning p
		  join connector c on c.tenant_id = p.tenant_id and c.id = p.connector_id
		 where c.id = any(@ids::text[]::uuid[])`
	found, err := kind.ReadFacts[openBreaker](ctx, tx, sql, ids)
	out := make([]decision.New, len(found))
	for i, b := range found {
		out[i] = b.question()
	}
	return out, err
}

// question is the decision task: what has happened, what waits, and the one action.
func (b openBreaker) question() decision.New {
	system := decision.Ref{Type: "connector", ID: b.ID, Display: b.Name}
	return decision.New{
		Key:     b.ID,
		Subject: system,
		Source:  system,
		Title:   "Writing to " + b.Name + " has stopped",
		Summary: fmt.Sprintf(
			"Since %s nothing is written to this system: %s. Changes that wait: %d; changes that failed: %d. Resume "+
				"writing when the cause is removed.",
			b.Since.UTC().Format("2006-01-02 15:04 UTC"),
			b.Reason,
			b.Waiting,
			b.Failed,
		),
		Context: map[string]any{
			"connector": system,
			"since":     b.Since,
			"reason":    b.Reason,
			"waiting":   b.Waiting,
			"failed":    b.Failed,
			"links": map[string]string{"connector": httpapi.Prefix + "/connectors/" + b.ID,
				"tasks": httpapi.Prefix + "/accounts/provisioning-tasks?connector_id=" + b.ID + "&state=failed"},
		},
		Actions: []decision.Action{
			{Key: "resume", Label: "Resume writes", Style: "positive", Requires: []string{"comment"}},
		},
		Roles:     kind.Admins,
		Priority:  "high",
		RiskLevel: "high",
		GroupKey:  kind.BreakerOpen,
	}
}

// answerBreaker closes the breaker, as POST /connectors/{id}/breaker/reset does.
func (s *Service) answerBreaker(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	_, err := breaker.ResumeWrites(ctx, tx, a.Task.Key, a.Decision.Comment)
	return err
}

package order

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/planner"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

func (s *Service) retry(ctx context.Context, v viewer.Viewer, in *changeIn) (*taskview.TaskOut, error) {
	return s.changed(ctx, v, in.ID, func(tx *pg.Tx) error { return Retry(ctx, tx, in.ID, in.IfMatch) })
}

// Retry has a task sent again within a transaction.
func Retry(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch) error {
	return change(ctx, tx, id, "retry", match, audit.Entry{Action: "provisioning.retried"}, func(t stored) error {
		_, err := planner.RetryTasks(ctx, tx, []string{t.ID})
		return err
	})
}

type retryAllIn struct{ Body RetryFailed }

// RetryFailed says whose failed tasks are sent again.
type RetryFailed struct {
	// ID of the connector whose failed tasks are sent again.
	ConnectorID string `json:"connector_id" format:"uuid"`
	// Only those with this error code, as GET /accounts/provisioning-tasks/groups names it.
	Cause string `json:"cause,omitempty" maxLength:"200"`
	// Only failed tasks with this operation are sent again; all of them if it is absent.
	Operation string `json:"operation,omitempty" enum:"create_account,update_account,rename_account,enable,disable,delete_account,unlock,set_password,grant,revoke"`
}

// Retried says what is sent again.
type Retried struct {
	// Tasks that are sent again.
	Retried int `json:"retried"`
	// Accounts whose template still cannot be filled.
	Skipped int `json:"skipped"`
	// Failed tasks of the group that are left, with those that were skipped: ask again for the next ones.
	Remaining int `json:"remaining"`
	// The first 1000 of them.
	TaskIDs []string `json:"task_ids" nullable:"false"`
}

type retriedOut struct{ Body Retried }

// mostRetried bounds how many tasks one request sends again; the rest by the next one.
const mostRetried = 10_000

// chosen is the SQL of which failed tasks t are sent again, by their cause and their operation.
const chosen = `($2 = '' or ` + taskview.CauseSQL + ` = $2) and ($3 = '' or t.operation = $3)`

func (s *Service) retryAll(ctx context.Context, v viewer.Viewer, in *retryAllIn) (*retriedOut, error) {
	out := &retriedOut{Body: Retried{TaskIDs: []string{}}}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		out.Body = Retried{TaskIDs: []string{}}
		name, err := ability.FindBusinessID(ctx, tx, in.Body.ConnectorID)
		if err != nil {
			return err
		}
		const sql = `select id::text, operation = 'create_account' 
			  from provisioning_task t
			 where t.connector_id = $1 and t.state = 'failed' and ` + chosen + `
			 order by t.id limit $4 for update skip locked`
		var id string
		var creates bool
		var plain, made []string
		if err := pg.Each(ctx, tx, "find failed tasks", []any{&id, &creates}, func() error {
			if creates {
				made = append(made, id)
			} else {
				plain = append(plain, id)
			}
			return nil
		}, sql, in.Body.ConnectorID, in.Body.Cause, in.Body.Operation, mostRetried); err != nil {
			return err
		}
		all, err := planner.RetryTasks(ctx, tx, plain)
		if err != nil {
			return err
		}
		for _, id := range made {
			one, err := s.remadeAlone(ctx, tx, id)
			if err != nil {
				return err
			}
			all = append(all, one...)
		}
		out.Body.Retried, out.Body.Skipped = len(all), len(plain)+len(made)-len(all)
		const left = `select count(*) from provisioning_task t where t.connector_id = $1 and t.state = 'failed'
			and ` + chosen
		if err := tx.QueryRow(ctx, left, in.Body.ConnectorID, in.Body.Cause, in.Body.Operation).
			Scan(&out.Body.Remaining); err != nil {
			return fmt.Errorf("count failed tasks: %w", err)
		}
		out.Body.TaskIDs = append(out.Body.TaskIDs, all[:min(len(all), 1000)]...)
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "provisioning.retried",
				Subject: audit.Subject{Type: "connector", ID: in.Body.ConnectorID, Display: name},
				Context: map[string]any{"tasks": len(all), "cause": in.Body.Cause},
			},
		)
	})
	return out, err
}

// remadeAlone retries the making of one account, and leaves it failed where its template still cannot be filled.
func (s *Service) remadeAlone(ctx context.Context, tx *pg.Tx, id string) ([]string, error) {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("retry task: %w", err)
	}
	one, err := planner.RetryTasks(ctx, &pg.Tx{Tx: inner, Viewer: tx.Viewer}, []string{id})
	if fault.IsCode(err, "account_not_makeable") {
		return nil, inner.Rollback(ctx)
	}
	if err != nil {
		return nil, err
	}
	return one, inner.Commit(ctx)
}

package order

import (
	"context"
	"fmt"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func lacking(field, detail string) error {
	return fault.New(fault.Invalid, "%s", detail).
		With(fault.Field{Pointer: "#/" + field, Code: "required", Detail: detail})
}

// accept places an order and answers with its task, or returns what would be sent.
func (s *Service) accept(ctx context.Context, v viewer.Viewer, o Order, dryRun bool) (*acceptedOut, error) {
	if dryRun {
		return s.dryRun(ctx, v, o)
	}
	var out *acceptedOut
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		d, err := s.Accept(ctx, tx, o)
		if err != nil {
			return err
		}
		self := httpapi.Prefix + "/accounts/provisioning-tasks/" + d.ID
		out = &acceptedOut{
			Status:   http.StatusAccepted,
			Location: self,
			Body: Accepted{
				TaskID: &d.ID,
				State:  d.State,
				Mode:   d.Mode,
				Links:  map[string]string{"self": self},
				Plan:   []v1.PlannedRequest{},
			},
		}
		return nil
	})
	return out, err
}

// Accept places an order within a transaction, and gives its task.
func (s *Service) Accept(ctx context.Context, tx *pg.Tx, o Order) (taskview.TaskDetail, error) {
	if err := s.Planner.Refresh(ctx, tx); err != nil {
		return taskview.TaskDetail{}, err
	}
	id, err := Place(ctx, tx, o)
	if err != nil {
		return taskview.TaskDetail{}, err
	}
	d, err := taskview.Find(ctx, tx, id)
	if err != nil {
		return d, err
	}
	e := taskstore.AuditEntry(
		"provisioning.ordered",
		audit.Success,
		id,
		o.Operation,
		task.TextOf(d.AccountID),
		d.ConnectorID,
		nil,
	)
	e.Reason = o.Note
	return d, audit.Record(ctx, tx, e)
}

// dryRun does all that an order does, undoes it, and asks the connector what it would send.
func (s *Service) dryRun(ctx context.Context, v viewer.Viewer, o Order) (*acceptedOut, error) {
	var first rehearsed
	var opened callable.Connector
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := s.Planner.Refresh(ctx, tx); err != nil {
			return err
		}
		// What is placed within is undone alone: the dry run may share its transaction with the answer that is kept of
		// it.
		inner, err := tx.Begin(ctx)
		if err != nil {
			return fmt.Errorf("rehearse: %w", err)
		}
		first, err = rehearse(ctx, &pg.Tx{Tx: inner, Viewer: tx.Viewer}, o)
		if back := inner.Rollback(ctx); back != nil {
			return fmt.Errorf("rehearse: %w", back)
		}
		if err != nil {
			return err
		}
		if first.failed != nil {
			return nil
		}
		opened, err = s.Connectors.Open(ctx, tx, first.connectorID)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := &acceptedOut{
		Status: http.StatusOK,
		Body: Accepted{
			State: "planned",
			Mode:  task.ModeSimulate,
			Links: map[string]string{},
			Plan:  []v1.PlannedRequest{},
		},
	}
	if first.failed != nil {
		out.Body.Error = first.failed
		return out, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.CallLimit)
	defer cancel()
	first.Mode = task.ModeSimulate
	res, err := s.Dispatch.Provision(ctx, opened.Target, first.Request(opened))
	switch {
	case err != nil:
		out.Body.Error = dispatch.Detail(err)
	case !res.Success:
		out.Body.Error = res.ErrorDetail
	}
	if res.Plan != nil {
		out.Body.Plan = res.Plan
	}
	return out, nil
}

// rehearsed is the change that an order would have sent.
type rehearsed struct {
	attempt.Job
	connectorID string
	failed      *v1.ErrorDetail // it cannot be made at all
}

// rehearse places an order in a transaction that is undone, and gives the change that would be sent.
func rehearse(ctx context.Context, tx *pg.Tx, o Order) (j rehearsed, err error) {
	id, err := Place(ctx, tx, o)
	if err != nil {
		return j, err
	}
	const sql = `
		select t.id, t.operation, t.mode, t.lane, t.idempotency_key, t.payload, t.created_from, t.identity_id,
		       t.account_id, t.grant_id, case when a.status in ('provisioning', 'failed') then ''
		       else coalesce(a.external_id, '') end as remote_id,
		           coalesce(a.native_ref, a.native_identity, '') as native_ref, coalesce(a.username, '') as username,
		           t.connector_id::text, t.error
		  from provisioning_task t
		  left join account a on a.tenant_id = t.tenant_id and a.id = t.account_id
		 where t.id = $1`
	err = tx.QueryRow(ctx, sql, id).
		Scan(&j.ID, &j.Operation, &j.Mode, &j.Lane, &j.Key, &j.Payload, &j.CreatedFrom, &j.IdentityID, &j.AccountID,
			&j.GrantID,
			&j.RemoteID, &j.NativeRef, &j.Username, &j.connectorID, &j.failed)
	if err != nil {
		return j, fmt.Errorf("rehearse: %w", err)
	}
	return j, nil
}

package taskstore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Channel is where it is announced that there is something to do.
const Channel = "provisioning"

// Row is a draft as the statement reads it.
type Row struct {
	// ID of the task, chosen by the planner.
	ID string `json:"id"`
	// Connector whose target is changed.
	ConnectorID string `json:"connector_id"`
	// Change to make, such as create_account or grant.
	Operation string `json:"operation"`
	// Person that the task is for. Nil: none.
	IdentityID *string `json:"identity_id"`
	// Account that is changed.
	AccountID *string `json:"account_id"`
	// Grant that is made or revoked. Nil: the task changes an account.
	GrantID *string `json:"grant_id"`
	// Entitlement of the grant.
	EntitlementID *string `json:"entitlement_id"`
	// Data for the target.
	Payload task.Payload `json:"payload"`
	// Records that the task is for. Never nil: the column is not null.
	ReasonRefs []task.Ref `json:"reason_refs"`
	// Origin of the task: a kind of reason, or lifecycle, drift or manual.
	CreatedFrom string `json:"created_from"`
	// Mode of the task: auto, manual or simulate.
	Mode string `json:"mode"`
	// Queue of the connector: normal or urgent.
	Lane string `json:"lane"`
	// First state of the task: queued, blocked, manual or failed.
	State string `json:"state"`
	// Idempotency key that the target is given, the same for every attempt.
	Key string `json:"idempotency_key"`
	// Tasks that must be done first. Never nil.
	DependsOn []string `json:"depends_on"`
	// Remark for people.
	Note *string `json:"note"`
	// Whether the target may already have the change.
	Unsure bool `json:"unsure"`
	// Error because of which the task begins as manual or failed.
	Error *v1.ErrorDetail `json:"error"`
	// Hint for the person who has to act.
	Advice *string `json:"advice"`
}

// RowOf is the row of a draft. advice says what a person has to do, if one has to do it.
func RowOf(d task.Draft, advice string) Row {
	r := Row{
		ID:            d.ID,
		ConnectorID:   d.ConnectorID,
		Operation:     d.Operation,
		IdentityID:    task.OptionalText(d.IdentityID),
		AccountID:     task.OptionalText(d.AccountID),
		GrantID:       task.OptionalText(d.GrantID),
		EntitlementID: task.OptionalText(d.EntitlementID),
		Payload:       d.Payload,
		ReasonRefs:    slices.Clone(d.Refs),
		CreatedFrom:   d.CreatedFrom,
		Mode:          d.Mode,
		Lane:          task.Normal,
		State:         task.Queued,
		Key:           uuid.NewString(),
		DependsOn:     d.After,
		Note:          task.OptionalText(d.Note),
		Unsure:        d.Unsure && d.Mode == task.ModeAuto,
		Advice:        task.OptionalText(advice),
	}
	for _, id := range d.Reasons {
		r.ReasonRefs = append(r.ReasonRefs, task.Ref{Type: "access_reason", ID: id})
	}
	if r.ReasonRefs == nil {
		r.ReasonRefs = []task.Ref{}
	}
	if r.DependsOn == nil {
		r.DependsOn = []string{}
	}
	if d.Urgent {
		r.Lane = task.Urgent
	}
	switch {
	case len(d.After) > 0:
		r.State = task.Blocked
	case d.Mode == task.ModeManual:
		r.State, r.Error = task.Manual, d.Failed
	case d.Failed != nil:
		r.State, r.Error = task.Failed, d.Failed
	}
	return r
}

// Insert writes tasks down, and gives the ids of those that are new. A simulated task that is there already stays as it
// is. Everything else is new: where another task of the same kind is open, the statement fails with a unique violation
// and nothing is written.
func Insert(ctx context.Context, tx *pg.Tx, rows []Row) ([]string, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	const sql = `
		insert into provisioning_task (tenant_id, id, connector_id, operation, identity_id, account_id, grant_id,
		                               entitlement_id, payload, reason_refs, created_from, mode, lane, state,
		                                   idempotency_key, depends_on, note, unsure, error, error_class, advice,
		                                   created_by, finished_at)
		select current_tenant(), r.id, r.connector_id, r.operation, r.identity_id, r.account_id, r.grant_id,
		       r.entitlement_id, r.payload, r.reason_refs, r.created_from, r.mode, r.lane, r.state, r.idempotency_key,
		       array(select jsonb_array_elements_text(r.depends_on)::uuid), r.note, r.unsure, nullif(r.error, 'null'),
		           case when r.state = 'failed' then case when r.error ->> 'class' = 'conflict' then 'conflict'
		           else 'invalid' end end, r.advice, $2, case when r.state = 'failed' then now() end
		  from jsonb_to_recordset($1::jsonb) r (id uuid, connector_id uuid, operation text, identity_id uuid,
		       account_id uuid, grant_id uuid, entitlement_id uuid, payload jsonb, reason_refs jsonb, created_from text,
		       mode text, lane text, state text, idempotency_key uuid, depends_on jsonb, note text, unsure boolean,
		           error jsonb, advice text)
		    on conflict (tenant_id, connector_id, identity_id, account_id, entitlement_id, operation)
		       where mode = 'simulate' and created_from <> 'manual' and state <> 'cancelled' do nothing
		returning id::text`
	text, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	const lanes = `
		insert into provisioning_lane (tenant_id, connector_id)
		select distinct current_tenant(), r.connector_id
		  from jsonb_to_recordset($1::jsonb) r (connector_id uuid)
		    on conflict do nothing`
	if err := pg.Exec(ctx, tx, "open lanes", lanes, string(text)); err != nil {
		return nil, err
	}
	found, err := tx.Query(ctx, sql, string(text), Maker(tx))
	if err != nil {
		return nil, fmt.Errorf("write tasks: %w", err)
	}
	ids, err := pgx.CollectRows(found, pgx.RowTo[string])
	if isTaken(err) {
		return nil, fmt.Errorf("write tasks: %w: %w", ErrOvertaken, err)
	}
	if err != nil {
		return nil, fmt.Errorf("write tasks: %w", err)
	}
	return ids, pg.Notify(ctx, tx, Channel, tx.Viewer.Tenant)
}

// Maker is the viewer of a transaction as records name who made them.
func Maker(tx *pg.Tx) map[string]any {
	m := map[string]any{"type": string(tx.Viewer.Kind), "display": tx.Viewer.Display}
	if tx.Viewer.ID != "" {
		m["id"] = tx.Viewer.ID
	}
	return m
}

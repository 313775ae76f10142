// Package audit keeps who did what. An entry is written in the doer's own transaction: what was done and the record of it
// come true together, or not at all.
package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Outcome says how the action ended.
type Outcome string

// Outcomes.
const (
	Success Outcome = "success"
	Failure Outcome = "failure"
	Denied  Outcome = "denied"
)

// Entry is what happened. Who did it is the viewer of the transaction.
type Entry struct {
	Action  string   // domain.verb, e.g. auth.login or connector.created
	Outcome Outcome  // Success when empty
	Subject Subject  // what it was done to
	Changes []Change // what became different; values of secret fields are left out
	Context map[string]any
}

// Subject is what an action was done to.
type Subject struct {
	Type    string `json:"type"` // user, session, connector, identity, …
	ID      string `json:"id"`
	Display string `json:"display,omitempty"`
}

// Change is one field that became different.
type Change struct {
	Field string `json:"field"`
	From  any    `json:"from"`
	To    any    `json:"to"`
}

type actor struct {
	Kind              string `json:"kind"`
	ID                string `json:"id,omitempty"`
	Display           string `json:"display,omitempty"`
	Session           string `json:"session,omitempty"`
	IP                string `json:"ip,omitempty"`
	ControlPlaneAdmin bool   `json:"control_plane_admin,omitempty"`
}

// Record adds an entry to the log of the transaction's tenant. Its number follows the last one without a gap: the row of
// audit_head stays locked until the transaction ends, so a tenant's audited transactions commit one after the other. It
// returns a fault of kind Unavailable when it cannot write, and the action must then not happen.
func Record(ctx context.Context, tx *pg.Tx, e Entry) error {
	if e.Outcome == "" {
		e.Outcome = Success
	}
	documents, err := e.documents(tx)
	if err != nil {
		return err
	}
	const sql = `
		with head as (
			insert into audit_head (tenant_id, seq)
			values (current_tenant(), 1)
			    on conflict (tenant_id) do update set seq = audit_head.seq + 1
			returning seq)
		insert into audit_event (tenant_id, seq, action, outcome, actor, subject, changes, context, at)
		select current_tenant(), head.seq, $1, $2, $3, $4, $5, $6, clock_timestamp()
		  from head`
	if _, err := tx.Exec(ctx, sql, e.Action, string(e.Outcome), documents[0], documents[1], documents[2], documents[3]); err != nil {
		f := fault.Coded(fault.Unavailable, "audit_unavailable", "this could not be recorded in the audit log, so it was not done; try again")
		return fmt.Errorf("%w (%s: %w)", f, e.Action, err)
	}
	return nil
}

// documents are actor, subject, changes and context as JSON.
func (e Entry) documents(tx *pg.Tx) ([4][]byte, error) {
	v := tx.Viewer
	who := actor{Kind: string(v.Kind), ID: v.ID, Display: v.Display, Session: v.Session, IP: v.IP, ControlPlaneAdmin: v.ControlPlaneAdmin}
	var out [4][]byte
	for i, part := range []any{who, e.Subject, withoutSecrets(e.Changes), e.context(v.RequestID)} {
		b, err := json.Marshal(part)
		if err != nil {
			return out, fmt.Errorf("encode audit entry %s: %w", e.Action, err)
		}
		out[i] = b
	}
	return out, nil
}

func (e Entry) context(requestID string) map[string]any {
	out := map[string]any{}
	for k, v := range e.Context {
		if isSecret(k) {
			v = "[secret]"
		}
		out[k] = v
	}
	if requestID != "" {
		out["request_id"] = requestID
	}
	return out
}

// withoutSecrets is the last net under callers: a field whose name speaks of a secret is recorded as changed, without its
// values.
func withoutSecrets(changes []Change) []Change {
	out := make([]Change, 0, len(changes))
	for _, c := range changes {
		if isSecret(c.Field) {
			c.From, c.To = "[secret]", "[secret]"
		}
		out = append(out, c)
	}
	return out
}

func isSecret(name string) bool {
	lower := strings.ToLower(name)
	for _, word := range []string{"password", "secret", "token", "credential", "private_key", "api_key"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

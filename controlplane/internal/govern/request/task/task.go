package task

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Tasks are the ids of the approval tasks of an item: those of the viewer, the open ones, and all.
type Tasks struct{ Mine, Open, All []string }

// Find returns the approval tasks of a request, by item.
func Find(ctx context.Context, tx *pg.Tx, r *accessrequest.AccessRequest) (map[string]*Tasks, error) {
	const sql = `
		select t.subject ->> 'id', t.id::text, t.state in ('open', 'claimed'),
		       t.roles && @roles::text[]
		       or exists (select from decision_assignee a where a.task_id = t.id
		           and a.identity_id = nullif(@me, '')::uuid and a.dropped_at is null)
		  from decision_task t
		 where t.source ->> 'id' = @request
		   and t.kind = @kind
		 order by t.id`
	roles := make([]string, len(tx.Viewer.Roles))
	for i, role := range tx.Viewer.Roles {
		roles[i] = string(role)
	}
	found := map[string]*Tasks{}
	var item, id string
	var open, mine bool
	if err := pg.Each(ctx, tx, "find approvals of request", []any{&item, &id, &open, &mine}, func() error {
		a := found[item]
		if a == nil {
			a = &Tasks{}
			found[item] = a
		}
		if a.All = append(a.All, id); open {
			a.Open = append(a.Open, id)
			if mine {
				a.Mine = append(a.Mine, id)
			}
		}
		return nil
	}, sql, pgx.NamedArgs{"request": r.ID, "kind": chain.Kind, "roles": roles, "me": tx.Viewer.Identity}); err != nil {
		return nil, err
	}
	return found, nil
}

// NotAsked is the fault of a viewer who sees the request and is no approver of the item.
func NotAsked(r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem, v viewer.Viewer) error {
	if r.IsParty(v) && !item.Plan.SelfApproval {
		return fault.Coded(
			fault.Forbidden,
			"own_request",
			"this is about your own access or your own request: another approver must decide it",
		)
	}
	return fault.Coded(
		fault.Forbidden,
		"not_assigned",
		"you see %s and are not among those who decide about %s; its open stage names them",
		r.Number,
		item.Display,
	)
}

// Choose returns the task that is meant: the named one, else that of the viewer, else the only open one.
func Choose(i *accessrequest.AccessRequestItem, of *Tasks, named string) (string, error) {
	if of == nil || len(of.Open) == 0 {
		return "", accessrequest.InvalidTransition(
			i.Display+" is "+i.Status+" and does not wait for a decision",
			i.Allowed,
		)
	}
	candidates := of.Mine
	if len(candidates) == 0 {
		candidates = of.Open
	}
	for _, id := range of.Open {
		if id == named {
			return id, nil
		}
	}
	switch {
	case named != "":
		return "", fault.New(fault.Invalid, "the task %s is not an open one of %s", named, i.Display).
			With(fault.Field{Pointer: "#/task_id", Code: "unknown_task",
				Detail: "see the slots of the item's open stage"})
	case len(candidates) > 1:
		return "", fault.Coded(fault.Conflict, "several_tasks", "several people are asked about %s: say by task_id "+
			"whose task is meant", i.Display).
			Also("task_ids", candidates)
	}
	return candidates[0], nil
}

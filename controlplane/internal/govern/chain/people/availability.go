package people

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/question"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Availability is what is known of the people who are asked in a stage.
type Availability struct {
	There    map[string]bool            // people who can answer; a role can
	Assigned map[string]map[string]bool // of tasks: who decides them
}

// ReadAvailability reads who of those that a stage asks can answer, and who decides its open tasks.
func ReadAvailability(ctx context.Context, tx *pg.Tx, st *state.Stage) (Availability, error) {
	at := Availability{There: map[string]bool{}, Assigned: map[string]map[string]bool{}}
	var ids []string
	for _, s := range st.Open() {
		if s.IdentityID == nil {
			at.There[s.Key()] = true
			continue
		}
		ids = append(ids, *s.IdentityID)
	}
	people, err := question.People(ctx, tx, ids)
	if err != nil {
		return at, err
	}
	for id, p := range people {
		at.There[id] = p.Unable == ""
	}
	const sql = `
		select a.task_id::text, a.identity_id::text
		  from decision_assignee a
		 where a.tenant_id = current_tenant()
		   and a.task_id = any(@tasks::text[]::uuid[])
		   and a.dropped_at is null`
	var task, person string
	if err := pg.Each(ctx, tx, "look who decides", []any{&task, &person}, func() error {
		if at.Assigned[task] == nil {
			at.Assigned[task] = map[string]bool{}
		}
		at.Assigned[task][person] = true
		return nil
	}, sql, pgx.NamedArgs{"tasks": state.NonNil(st.OpenTasks())}); err != nil {
		return at, err
	}
	return at, nil
}

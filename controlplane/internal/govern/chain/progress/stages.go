package progress

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/store"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/handover"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Stages reads the stages of items, in their order. Of a stage that is still to come it shows who is expected to be
// asked.
func Stages(ctx context.Context, tx *pg.Tx, itemIDs []string) (map[string][]StageInstance, error) {
	found := map[string][]StageInstance{}
	if len(itemIDs) == 0 {
		return found, nil
	}
	const sql = `select ` + store.Columns + `
		  from chain c
		 where c.tenant_id = current_tenant()
		   and c.item_id = any(@items::text[]::uuid[])`
	flows, err := store.Read(ctx, tx, sql, pgx.NamedArgs{"items": itemIDs})
	if err != nil {
		return nil, err
	}
	logs, err := readLog(ctx, tx, itemIDs)
	if err != nil {
		return nil, err
	}
	handed, err := handover.HandedOnTasks(ctx, tx, openTasks(flows))
	if err != nil {
		return nil, err
	}
	for _, f := range flows {
		list := make([]StageInstance, len(f.Stages))
		for i, st := range f.Stages {
			list[i] = instance(f, st, handed)
			list[i].Log = append(list[i].Log, logs[stageOf{f.ItemID, st.Stage}]...)
		}
		found[f.ItemID] = list
	}
	return found, nil
}

// openTasks are the tasks that flows wait for.
func openTasks(flows []*state.Flow) (tasks []string) {
	for _, f := range flows {
		for _, st := range f.Stages {
			for _, each := range st.Slots {
				if each.State == state.SlotOpen && each.TaskID != nil {
					tasks = append(tasks, *each.TaskID)
				}
			}
		}
	}
	return tasks
}

type stageOf struct {
	item  string
	stage int
}

func readLog(ctx context.Context, tx *pg.Tx, itemIDs []string) (map[stageOf][]state.LogEntry, error) {
	const sql = `
		select l.item_id::text, l.stage, l.at, l.step, l.detail
		  from chain_log l
		 where l.tenant_id = current_tenant()
		   and l.item_id = any(@items::text[]::uuid[])
		 order by l.item_id, l.id`
	logs := map[stageOf][]state.LogEntry{}
	var at stageOf
	var e state.LogEntry
	if err := pg.Each(
		ctx,
		tx,
		"read what happened in stages",
		[]any{&at.item, &at.stage, &e.At, &e.Step, &e.Detail},
		func() error {
			logs[at] = append(logs[at], e)
			return nil
		},
		sql,
		pgx.NamedArgs{"items": itemIDs},
	); err != nil {
		return nil, err
	}
	return logs, nil
}

// instance is a stage as others see it. handed are tasks that those who were asked have given to others.
func instance(f *state.Flow, st *state.Stage, handed map[string]*handover.HandedOn) StageInstance {
	d := f.Definition(st.Stage)
	s := StageInstance{
		Index:       st.Stage,
		Name:        d.Name,
		State:       st.State,
		Groups:      []GroupInstance{},
		OpenedAt:    st.OpenedAt,
		DueAt:       st.DueAt,
		ClosedAt:    st.ClosedAt,
		Escalations: state.NonNil(st.Escalations),
		Log:         []state.LogEntry{},

		ExceptionPolicies: []string{},
	}
	for _, e := range f.ExceptionsOf(st.Stage) {
		s.ExceptionPolicies = append(s.ExceptionPolicies, e.Policy)
	}
	if st.OpenedAt == nil && st.State == state.StageWaiting {
		planned := f.Plan.Stages[st.Stage]
		s.Groups, s.DueAt = expected(planned), planned.DueAt
		if st.WaitSince != nil && !st.Waited && d.Wait != nil {
			s.WaitsFor = WaitsFor(*d.Wait)
		}
		return s
	}
	for _, t := range f.Tallies(st) {
		s.Groups = append(
			s.Groups,
			GroupInstance{Needed: t.Needed, Approved: t.Approved, Rejected: t.Rejected, Slots: []SlotInstance{}},
		)
	}
	for _, each := range st.Slots {
		if each.Group < len(s.Groups) {
			g := &s.Groups[each.Group]
			g.Slots = append(g.Slots, current(each, g.Slots, handed)...)
		}
	}
	return s
}

// current is a slot as it stands: that of whoever was given its task, when that was handed on, unless they are among
// those before it.
func current(
	s *state.Slot,
	before []SlotInstance,
	handed map[string]*handover.HandedOn,
) (now []SlotInstance) {
	asked := slotInstance(s)
	if s.State != state.SlotOpen || s.TaskID == nil {
		return []SlotInstance{asked}
	}
	h := handed[*s.TaskID]
	if h == nil || len(h.To) == 0 || !h.All && (s.IdentityID == nil || !h.From[*s.IdentityID]) {
		return []SlotInstance{asked}
	}
	for _, to := range h.To {
		there := slices.ContainsFunc(before, func(b SlotInstance) bool {
			return b.State == state.SlotOpen && b.IdentityID != nil && *b.IdentityID == to.IdentityID
		})
		if !there {
			now = append(
				now,
				SlotInstance{
					IdentityID: &to.IdentityID,
					Display:    to.Display,
					Via:        decision.Reassigned,
					ActingFor:  s.IdentityID,
					TaskID:     s.TaskID,
					State:      state.SlotOpen,
				},
			)
		}
	}
	return now
}

func slotInstance(s *state.Slot) SlotInstance {
	i := SlotInstance{
		IdentityID:         s.IdentityID,
		Role:               s.Role,
		Display:            s.Display,
		Via:                s.Via,
		ActingFor:          s.ActingFor,
		TaskID:             s.TaskID,
		State:              s.State,
		DecidedAt:          s.DecidedAt,
		Comment:            s.Comment,
		AgreedByRequesting: s.ByRequesting(),
	}
	if s.DecidedBy != nil {
		i.DecidedBy = s.DecidedBy.Display
	}
	return i
}

// expected are the groups of a stage to come.
func expected(p approval.PlanStage) []GroupInstance {
	groups := make([]GroupInstance, len(p.Groups))
	for g, group := range p.Groups {
		groups[g] = GroupInstance{Needed: group.Needed, Slots: make([]SlotInstance, len(group.Slots))}
		for i, each := range group.Slots {
			s := SlotInstance{
				Role:               each.Role,
				Display:            each.Display,
				Via:                each.Via,
				State:              state.SlotOpen,
				AgreedByRequesting: each.Agreed,
			}
			if each.IdentityID != "" {
				s.IdentityID = &each.IdentityID
			}
			if each.ActingFor != "" {
				s.ActingFor = &each.ActingFor
			}
			groups[g].Slots[i] = s
		}
	}
	return groups
}

package chain

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Stages reads the stages of items, in their order. Of a stage that is still to come it shows who is expected to be
// asked.
func Stages(ctx context.Context, tx *pg.Tx, itemIDs []string) (map[string][]StageInstance, error) {
	found := map[string][]StageInstance{}
	if len(itemIDs) == 0 {
		return found, nil
	}
	const sql = `select ` + columns + `
		  from chain c
		 where c.tenant_id = current_tenant()
		   and c.item_id = any(@items::text[]::uuid[])`
	flows, err := read(ctx, tx, sql, pgx.NamedArgs{"items": itemIDs})
	if err != nil {
		return nil, err
	}
	logs, err := readLog(ctx, tx, itemIDs)
	if err != nil {
		return nil, err
	}
	handed, err := decision.HandedOnTasks(ctx, tx, openTasks(flows))
	if err != nil {
		return nil, err
	}
	for _, f := range flows {
		list := make([]StageInstance, len(f.steps))
		for i, st := range f.steps {
			list[i] = f.instance(st, handed)
			list[i].Log = append(list[i].Log, logs[stageOf{f.ItemID, st.Stage}]...)
		}
		found[f.ItemID] = list
	}
	return found, nil
}

// openTasks are the tasks that flows wait for.
func openTasks(flows []*flow) (tasks []string) {
	for _, f := range flows {
		for _, st := range f.steps {
			for _, each := range st.slots {
				if each.State == slotOpen && each.TaskID != nil {
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

func readLog(ctx context.Context, tx *pg.Tx, itemIDs []string) (map[stageOf][]LogEntry, error) {
	const sql = `
		select l.item_id::text, l.stage, l.at, l.step, l.detail
		  from chain_log l
		 where l.tenant_id = current_tenant()
		   and l.item_id = any(@items::text[]::uuid[])
		 order by l.item_id, l.id`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"items": itemIDs})
	if err != nil {
		return nil, fmt.Errorf("read what happened in stages: %w", err)
	}
	logs := map[stageOf][]LogEntry{}
	var at stageOf
	var e LogEntry
	_, err = pgx.ForEachRow(rows, []any{&at.item, &at.stage, &e.At, &e.Step, &e.Detail}, func() error {
		logs[at] = append(logs[at], e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what happened in stages: %w", err)
	}
	return logs, nil
}

// instance is a stage as others see it. handed are tasks that those who were asked have given to others.
func (f *flow) instance(st *step, handed map[string]*decision.HandedOn) StageInstance {
	d := f.definition(st.Stage)
	s := StageInstance{
		Index:       st.Stage,
		Name:        d.Name,
		State:       st.State,
		Groups:      []GroupInstance{},
		OpenedAt:    st.OpenedAt,
		DueAt:       st.DueAt,
		ClosedAt:    st.ClosedAt,
		Escalations: list(st.Escalations),
		Log:         []LogEntry{},
	}
	if st.OpenedAt == nil && st.State == stageWaiting {
		planned := f.Plan.Stages[st.Stage]
		s.Groups, s.DueAt = expected(planned), planned.DueAt
		if st.WaitSince != nil && !st.Waited && d.Wait != nil {
			s.WaitsFor = waitsFor(*d.Wait)
		}
		return s
	}
	for _, t := range f.tallies(st) {
		s.Groups = append(
			s.Groups,
			GroupInstance{Needed: t.needed, Approved: t.approved, Rejected: t.rejected, Slots: []SlotInstance{}},
		)
	}
	for _, each := range st.slots {
		if each.Group < len(s.Groups) {
			g := &s.Groups[each.Group]
			g.Slots = append(g.Slots, each.now(g.Slots, handed)...)
		}
	}
	return s
}

// now is a slot as it stands: that of whoever was given its task, when that was handed on, unless they are among those
// before it.
func (s *slot) now(before []SlotInstance, handed map[string]*decision.HandedOn) (now []SlotInstance) {
	asked := s.instance()
	if s.State != slotOpen || s.TaskID == nil {
		return []SlotInstance{asked}
	}
	h := handed[*s.TaskID]
	if h == nil || len(h.To) == 0 || !h.All && (s.IdentityID == nil || !h.From[*s.IdentityID]) {
		return []SlotInstance{asked}
	}
	for _, to := range h.To {
		there := slices.ContainsFunc(before, func(b SlotInstance) bool {
			return b.State == slotOpen && b.IdentityID != nil && *b.IdentityID == to.IdentityID
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
					State:      slotOpen,
				},
			)
		}
	}
	return now
}

func (s *slot) instance() SlotInstance {
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
		AgreedByRequesting: s.byRequesting(),
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
				State:              slotOpen,
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

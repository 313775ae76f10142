package mitigation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Service serves mitigations and advances them. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
	// Ask asks the stored query of a control for mitigations whose evidence is due, and stores the answers as evidence.
	// The answers are in the order of the mitigations.
	Ask func(ctx context.Context, tx *pg.Tx, c control.Control, of []Mitigation, now time.Time) ([]Answer, error)
}

// Answer is what a stored query has answered about a mitigation: QueryPass, QueryFail or QueryOpen, and why.
type Answer struct {
	Event  Event
	Reason string
}

// group is that of the work of this package.
const group = "mitigation"

// Kinds are the work of this package.
func (s *Service) Kinds() []queue.Kind {
	const due = `
		select distinct m.tenant_id::text
		  from mitigation m
		  join tenant t on t.id = m.tenant_id and t.status = 'active'
		 where m.turn_at <= $1`
	return []queue.Kind{
		{
			Name:    "mitigation",
			Title:   "Mitigations of changed violations",
			About:   "Ends mitigations whose violations were remediated or raised, or whose requests ended.",
			Subject: "mitigation",
			Group:   group,
			Batch:   100,
			Work: func(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
				return follow(ctx, tx, queue.Subjects(items), s.Now())
			},
		},
		{
			Name:  "mitigation_dates",
			Title: "Dates of mitigations",
			About: "Asks people and stored queries for evidence when it is due, reminds of it, and ends mitigations " +
				"whose time is over.",
			Group: group,
			Part:  s.Turn,
			Due:   &queue.Due{SQL: due, Args: func() []any { return []any{s.Now()} }},
		},
	}
}

// Turn advances mitigations of a tenant that have a turn, each by one event, and says how many.
func (s *Service) Turn(ctx context.Context, tenant string) (n int, err error) {
	const sql = `
		select m.id::text
		  from mitigation m
		 where m.turn_at <= $1
		 order by m.turn_at, m.id
		 limit 50
		   for update of m skip locked`
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		now := s.Now()
		ids, err := pg.All[string](ctx, tx, "find mitigations with a turn", sql, now)
		if err != nil {
			return err
		}
		n = len(ids)
		asked := map[string][]Mitigation{} // by the ID of the control
		for _, id := range ids {
			m, due, err := advance(ctx, tx, id, now)
			if err != nil {
				return err
			}
			if due {
				asked[m.Control.ID] = append(asked[m.Control.ID], m)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(asked)) {
			if err := s.ask(ctx, tx, id, asked[id], now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("advance mitigations: %w", err)
	}
	return n, nil
}

// advance does what time has brought to one mitigation. due reports that its stored query is to be asked instead.
func advance(ctx context.Context, tx *pg.Tx, id string, now time.Time) (m Mitigation, due bool, err error) {
	if m, err = find(ctx, tx, id, "mitigation m", " for update of m"); err != nil {
		return m, false, err
	}
	c, err := control.Find(ctx, tx, m.Control.ID, "")
	if err != nil {
		return m, false, err
	}
	switch e, when := m.turn(c.Fields); {
	case e == "" || when.After(now): // the control was changed since
		return m, false, m.write(ctx, tx, c.Fields)
	case e == queryDue:
		return m, true, nil
	default:
		m, err = m.advance(ctx, tx, c.Fields, e, "", now)
		return m, false, err
	}
}

// ask asks the stored query of a control for all of its mitigations that are due, and advances them by the answers.
func (s *Service) ask(ctx context.Context, tx *pg.Tx, controlID string, due []Mitigation, now time.Time) error {
	c, err := control.Find(ctx, tx, controlID, "")
	if err != nil {
		return err
	}
	answers, err := s.Ask(ctx, tx, c, due, now)
	if err != nil {
		return err
	}
	for i, m := range due {
		if _, err := m.advance(ctx, tx, c.Fields, answers[i].Event, answers[i].Reason, now); err != nil {
			return err
		}
	}
	return nil
}

// follow ends mitigations whose violations were remediated since they were proposed, or are graver than approved, and
// proposals of requests that have ended.
func follow(ctx context.Context, tx *pg.Tx, ids []string, now time.Time) error {
	const sql = `
		select m.id::text,
		       count(v.id) filter (where v.state <> 'remediated') = 0
		           and count(v.id) filter (where v.remediated_at >= m.requested_at) > 0
		           or m.state = 'proposed' and m.request_id is not null
		           and not exists (select
		                             from access_request_item i
		                            where i.request_id = m.request_id
		                              and i.status not in ('rejected', 'cancelled', 'expired', 'failed', 'closed'))
		           as settled,
		       count(v.id) filter (where v.state <> 'remediated' and array_position(r.ranks, v.severity)
		           > array_position(r.ranks, m.severity)) > 0 as raised
		  from mitigation m
		 cross join (select array['low', 'medium', 'high', 'critical'] as ranks) r
		  left join violation v on v.identity_id = m.identity_id and v.policy_id = m.policy_id
		                       and m.sides in ('', v.sides)
		 where m.id = any($1::text[]::uuid[])
		   and (m.state = 'proposed' or mitigating(m.state))
		 group by m.id, m.severity, m.state, m.request_id, m.requested_at, r.ranks
		 order by m.id`
	type finding struct {
		ID      string `db:"id"`
		Settled bool   `db:"settled"`
		Raised  bool   `db:"raised"`
	}
	found, err := pg.All[finding](ctx, tx, "compare mitigations with violations", sql, ids)
	if err != nil {
		return err
	}
	for _, f := range found {
		m, err := find(ctx, tx, f.ID, "mitigation m", " for update of m")
		if err != nil {
			return err
		}
		switch {
		case m.State.hasEnded():
		case f.Settled:
			_, err = Advance(ctx, tx, m, Settle, "", now)
		case f.Raised && m.State.Mitigates():
			_, err = Advance(ctx, tx, m, Raise, "", now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

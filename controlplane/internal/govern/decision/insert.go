package decision

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// asking is a call of Ask on its way into the tables.
type asking struct {
	asked  []question // one for each kind and key
	place  []int      // of each question of the call, its place in asked
	events []HistoryEntry
}

// question is a question as it is stored.
type question struct {
	ID           string   `json:"id"`
	Kind         string   `json:"kind"`
	Key          string   `json:"key"`
	Subject      Ref      `json:"subject"`
	Source       Ref      `json:"source"`
	Title        string   `json:"title"`
	Summary      string   `json:"summary"`
	Context      any      `json:"context"`
	Actions      []Action `json:"actions"`
	Roles        []string `json:"roles"`
	NotFor       []string `json:"not_for"`
	Delegable    bool     `json:"delegable"`
	Reassignable bool     `json:"reassignable"`
	ReassignTo   []string `json:"reassign_to"`
	Priority     string   `json:"priority"`
	RiskLevel    *string  `json:"risk_level"`
	DueAt        any      `json:"due_at"`
	GroupKey     *string  `json:"group_key"`
	Links        []Ref    `json:"links"`

	people []Assignee
	fresh  bool // it was not open before
}

// prepare brings questions into the form in which they are stored. Of several of a kind and key the last one counts.
func prepare(questions []New) (*asking, error) {
	p := &asking{}
	known := map[[2]string]int{}
	for _, n := range questions {
		q := stored(n)
		at, there := known[[2]string{q.Kind, q.Key}]
		switch {
		case q.Kind == "":
			return nil, fmt.Errorf("a question has no kind: %s", q.Title)
		case there:
			q.ID = p.asked[at].ID
			p.asked[at] = q
		default:
			at = len(p.asked)
			known[[2]string{q.Kind, q.Key}] = at
			p.asked = append(p.asked, q)
		}
		p.place = append(p.place, at)
	}
	return p, nil
}

func stored(n New) question {
	q := question{
		ID:      n.ID,
		Kind:    n.Kind,
		Key:     n.Key,
		Subject: n.Subject,
		Source:  n.Source,
		Title:   n.Title,
		Summary: n.Summary,
		Context: n.Context,
		Actions: make(
			[]Action,
			len(n.Actions),
		),
		Roles:        NonNil(n.Roles),
		NotFor:       NonNil(n.NotFor),
		Delegable:    !n.Undelegable,
		Reassignable: !n.Fixed,
		ReassignTo:   NonNil(n.ReassignTo),
		Priority:     n.Priority,
		RiskLevel:    orNull(n.RiskLevel),
		GroupKey:     orNull(n.GroupKey),
		Links:        n.Links,
		people:       n.Assignees,
	}
	if q.ID == "" {
		q.ID = uuid.Must(uuid.NewV7()).String()
	}
	if q.Key == "" {
		q.Key = q.ID
	}
	if q.Priority == "" {
		q.Priority = "normal"
	}
	if n.Context == nil {
		q.Context = map[string]any{}
	}
	if n.DueAt != nil {
		q.DueAt = *n.DueAt
	}
	if n.Links == nil {
		q.Links = []Ref{}
	}
	for i, a := range n.Actions {
		a.Requires = NonNil(a.Requires)
		q.Actions[i] = a
	}
	return q
}

// NonNil is the list without empty texts, and never nil, which would be null in a column.
func NonNil(list []string) []string {
	out := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
	if out == nil {
		return []string{}
	}
	return out
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// store writes questions, or brings up to date what is open. Nothing is written where nothing is different.
func (p *asking) store(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		insert into decision_task as t (tenant_id, id, kind, key, subject, source, title, summary, context, actions,
		       roles, not_for, delegable, reassignable, reassign_to, priority, risk_level, due_at, group_key, links)
		select current_tenant(), q.id, q.kind, q.key, q.subject, q.source, q.title, q.summary, q.context, q.actions,
		       q.roles, people_behind(q.not_for), q.delegable, q.reassignable, q.reassign_to, q.priority, q.risk_level,
		           q.due_at, q.group_key, q.links
		  from jsonb_to_recordset(@questions) as q (id uuid, kind text, key text, subject jsonb, source jsonb,
		       title text, summary text, context jsonb, actions jsonb, roles text[], not_for uuid[], delegable boolean,
		           reassignable boolean, reassign_to uuid[], priority text, risk_level text, due_at timestamptz,
		       group_key text, links jsonb)
		 order by q.kind, q.key
		    on conflict (tenant_id, kind, key) where state in ('open', 'claimed') or apply_at is not null
		    do update
		   set subject = excluded.subject, source = excluded.source, title = excluded.title, summary = excluded.summary,
		       context = excluded.context, actions = excluded.actions,
		       not_for = people_kept(t.not_for, excluded.not_for), delegable = excluded.delegable,
		           reassignable = excluded.reassignable, reassign_to = excluded.reassign_to,
		           priority = excluded.priority, risk_level = excluded.risk_level, due_at = excluded.due_at,
		       group_key = excluded.group_key, links = excluded.links,
		       roles = case when t.handed_on or t.stranded and excluded.roles = '{}' then t.roles
		       else excluded.roles end, stranded = t.stranded and (t.handed_on or excluded.roles = '{}'),
		       updated_at = now(), version = t.version + 1
		 where (t.subject, t.source, t.title, t.summary, t.context, t.actions, t.not_for, t.delegable, t.reassignable,
		        t.reassign_to, t.priority, t.risk_level, t.due_at, t.group_key, t.links)
		       is distinct from
		       (excluded.subject, excluded.source, excluded.title, excluded.summary, excluded.context, excluded.actions,
		        people_kept(t.not_for, excluded.not_for), excluded.delegable,
		        excluded.reassignable, excluded.reassign_to, excluded.priority, excluded.risk_level, excluded.due_at,
		            excluded.group_key, excluded.links)
		    or not t.handed_on and t.roles <> excluded.roles and not (t.stranded and excluded.roles = '{}')
		returning t.id::text, t.xmax = 0`
	b, err := json.Marshal(p.asked)
	if err != nil {
		return fmt.Errorf("encode questions: %w", err)
	}
	fresh := map[string]bool{}
	var id string
	var isNew bool
	if err := pg.Each(ctx, tx, "ask", []any{&id, &isNew}, func() error {
		fresh[id] = isNew
		p.events = append(
			p.events,
			HistoryEntry{TaskID: id, Event: map[bool]string{true: "asked", false: "refreshed"}[isNew]},
		)
		return nil
	}, sql, pgx.NamedArgs{"questions": string(b)}); err != nil {
		return err
	}
	return p.findIDs(ctx, tx, fresh)
}

// findIDs finds out under which ids the questions are open.
func (p *asking) findIDs(ctx context.Context, tx *pg.Tx, fresh map[string]bool) error {
	const sql = `
		select u.n - 1, t.id::text
		  from unnest(@kinds::text[], @keys::text[]) with ordinality u (kind, key, n)
		  join decision_task t on t.kind = u.kind and t.key = u.key
		 where t.tenant_id = current_tenant()
		   and (t.state in ('open', 'claimed') or t.apply_at is not null)`
	kinds, keys := make([]string, len(p.asked)), make([]string, len(p.asked))
	for i, q := range p.asked {
		kinds[i], keys[i] = q.Kind, q.Key
	}
	var n int
	var id string
	return pg.Each(ctx, tx, "find what was asked", []any{&n, &id}, func() error {
		p.asked[n].ID, p.asked[n].fresh = id, fresh[id]
		return nil
	}, sql, pgx.NamedArgs{"kinds": kinds, "keys": keys})
}

func (p *asking) tasks() []string {
	ids := make([]string, len(p.asked))
	for i, q := range p.asked {
		ids[i] = q.ID
	}
	return ids
}

// ids are the tasks in the order of the call.
func (p *asking) ids() []string {
	ids := make([]string, len(p.place))
	for i, at := range p.place {
		ids[i] = p.asked[at].ID
	}
	return ids
}

package requirement

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/constraint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Found is what an evaluation found of a person to whom an enforced policy applies. Missing is empty if they have
// everything.
type Found struct {
	IdentityID, PolicyID, Policy string
	PolicyVersion                int
	Missing                      []constraint.MissingItem
}

// key is what makes two findings the same gap.
type key struct{ identity, policy string }

// stored is a gap as Record needs it.
type stored struct {
	ID, IdentityID, PolicyID, Policy string
	State                            State
	Missing                          []constraint.MissingItem
}

// change is one row to write.
type change struct {
	ID            string                   `json:"id"`
	IdentityID    string                   `json:"identity_id"`
	PolicyID      string                   `json:"policy_id"`
	PolicyVersion int                      `json:"policy_version"`
	State         State                    `json:"state"`
	Missing       []constraint.MissingItem `json:"missing"`
	Reopened      bool                     `json:"reopened"`
	Resolution    string                   `json:"resolution,omitempty"`
	policy        string                   // its name
	action        string                   // of the audit log; empty: none
}

// Record writes what an evaluation of people found: new gaps, those that came back or changed, and those that are
// closed. It writes once, whatever the number.
func Record(ctx context.Context, tx *pg.Tx, people []string, found []Found, now time.Time) error {
	known, err := readStored(ctx, tx, people)
	if err != nil {
		return err
	}
	var changes []change
	for _, f := range found {
		k := key{f.IdentityID, f.PolicyID}
		before, exists := known[k]
		delete(known, k)
		c, changed, err := difference(before, exists, f)
		if err != nil {
			return err
		}
		if changed {
			changes = append(changes, c)
		}
	}
	for k, before := range known {
		if before.State != Closed {
			changes = append(changes, change{ID: before.ID, IdentityID: k.identity, PolicyID: k.policy, State: Closed,
				Missing: before.Missing, Resolution: "not_required", policy: before.Policy, action: closed})
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		return slices.Compare([]string{a.IdentityID, a.PolicyID}, []string{b.IdentityID, b.PolicyID})
	})
	return write(ctx, tx, changes, now)
}

// Actions of the audit log.
const (
	opened   = "requirement_gap.opened"
	reopened = "requirement_gap.reopened"
	closed   = "requirement_gap.closed"
)

// difference compares what was found with the gap that is stored.
func difference(before stored, exists bool, f Found) (c change, changed bool, err error) {
	c = change{ID: before.ID, IdentityID: f.IdentityID, PolicyID: f.PolicyID, PolicyVersion: f.PolicyVersion,
		Missing: f.Missing, policy: f.Policy}
	event := Lacking
	switch {
	case len(f.Missing) == 0:
		event = Satisfied
	case before.State == Exempted && !covers(before.Missing, f.Missing):
		event = Beyond
	}
	if !exists {
		c.ID, c.State, c.action = uuid.Must(uuid.NewV7()).String(), Open, opened
		return c, event != Satisfied, nil
	}
	if c.State, err = before.State.On(event); err != nil {
		return c, false, err
	}
	switch {
	case c.State == Closed:
		c.Missing, c.Resolution, c.action = before.Missing, "satisfied", closed
	case before.State.reopens(c.State):
		c.Reopened, c.action = true, reopened
	case c.State == Exempted:
		c.Missing = before.Missing // the exemption is for what was missing then
	}
	return c, c.State != before.State || !same(c.Missing, before.Missing), nil
}

// covers reports whether everything that is missing now was missing then.
func covers(then, now []constraint.MissingItem) bool {
	return !slices.ContainsFunc(now, func(m constraint.MissingItem) bool {
		return !slices.ContainsFunc(then, func(t constraint.MissingItem) bool { return t.Same(m) })
	})
}

// same reports whether two lists say the same, in the same words.
func same(a, b []constraint.MissingItem) bool {
	return slices.EqualFunc(a, b, func(x, y constraint.MissingItem) bool { return x.Same(y) && x.Display == y.Display })
}

// readStored reads and locks all gaps of people, by their keys.
func readStored(ctx context.Context, tx *pg.Tx, people []string) (map[key]stored, error) {
	const sql = `
		select g.id::text, g.identity_id::text, g.policy_id::text, coalesce(p.name, ''), g.state, g.missing
		  from requirement_gap g
		  left join access_policy p on p.id = g.policy_id
		 where g.identity_id = any(@people::text[]::uuid[])
		   for update of g`
	all, err := pg.AllBy(ctx, tx, "read requirement gaps of people", pgx.RowToStructByPos[stored], sql,
		pgx.NamedArgs{"people": people})
	known := make(map[key]stored, len(all))
	for _, s := range all {
		known[key{s.IdentityID, s.PolicyID}] = s
	}
	return known, err
}

const upsert = `
	insert into requirement_gap as g (tenant_id, id, policy_id, policy_version, identity_id, state, missing, opened_at,
	                                  updated_at)
	select current_tenant(), c.id, c.policy_id, c.policy_version, c.identity_id, c.state, c.missing, @now, @now
	  from jsonb_to_recordset(@changes::jsonb) c (id uuid, policy_id uuid, policy_version int, identity_id uuid,
	       state text, missing jsonb, resolution text)
	 where c.state <> 'closed'
	    on conflict (tenant_id, identity_id, policy_id) do update
	   set policy_version = excluded.policy_version, missing = excluded.missing, state = excluded.state,
	       reopened_at = case when excluded.state = 'open' and g.state <> 'open' then excluded.updated_at
	                          else g.reopened_at end,
	       exemption = case when excluded.state = 'exempted' then g.exemption end,
	       exempt_until = case when excluded.state = 'exempted' then g.exempt_until end,
	       closed_at = null, resolution = null, updated_at = excluded.updated_at, version = g.version + 1`

const settle = `
	update requirement_gap g
	   set state = 'closed', closed_at = @now, resolution = c.resolution, exemption = null, exempt_until = null,
	       updated_at = @now, version = g.version + 1
	  from jsonb_to_recordset(@changes::jsonb) c (id uuid, state text, resolution text)
	 where g.id = c.id
	   and c.state = 'closed'`

// write writes changes and audits what people must know.
func write(ctx context.Context, tx *pg.Tx, changes []change, now time.Time) error {
	if len(changes) == 0 {
		return nil
	}
	text, err := json.Marshal(changes)
	if err != nil {
		return fmt.Errorf("write requirement gaps: %w", err)
	}
	args := pgx.NamedArgs{"changes": string(text), "now": now}
	if err := pg.Exec(ctx, tx, "write requirement gaps", upsert, args); err != nil {
		return err
	}
	if err := pg.Exec(ctx, tx, "close requirement gaps", settle, args); err != nil {
		return err
	}
	var entries []audit.Entry
	for _, c := range changes {
		if c.action == "" {
			continue
		}
		e := audit.Entry{Action: c.action, Subject: subject(c.ID, c.policy), Objects: objects(c.IdentityID, c.PolicyID),
			Context: map[string]any{"missing": c.Missing}}
		if c.Resolution != "" {
			e.Context = map[string]any{"resolution": c.Resolution}
		}
		entries = append(entries, e)
	}
	return audit.RecordAll(ctx, tx, entries)
}

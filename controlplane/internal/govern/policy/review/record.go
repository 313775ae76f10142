package review

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Found is access of a person that their policy no longer gives. ReasonIDs are the reasons that no decision covers;
// empty: all have an end, or the policy is stopped.
type Found struct {
	IdentityID, PolicyID, Policy string
	PolicyVersion                int
	ReasonIDs                    []string
}

// key is what makes two findings the same review.
type key struct{ identity, policy string }

// stored is a review as Record needs it.
type stored struct {
	ID, IdentityID, PolicyID, Policy string
	State                            State
	ReasonIDs                        []string
}

// change is one row to write.
type change struct {
	ID            string   `json:"id"`
	IdentityID    string   `json:"identity_id"`
	PolicyID      string   `json:"policy_id"`
	PolicyVersion int      `json:"policy_version"`
	State         State    `json:"state"`
	ReasonIDs     []string `json:"reason_ids"`
	policy        string
	action        string
}

// Record writes what an evaluation of people found: new reviews, those that are asked again, and those that need no
// decision any more. It writes once, whatever the number.
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
		slices.Sort(f.ReasonIDs)
		event := Unmatched
		if len(f.ReasonIDs) == 0 {
			event = Unchanged
		}
		if !exists {
			if event == Unmatched {
				changes = append(changes, f.change(uuid.Must(uuid.NewV7()).String(), Open, "policy_review.opened"))
			}
			continue
		}
		next, err := before.State.On(event)
		if err != nil {
			return err
		}
		switch {
		case next != before.State:
			changes = append(changes, f.change(before.ID, next, "policy_review.opened"))
		case event == Unmatched && !slices.Equal(f.ReasonIDs, before.ReasonIDs):
			changes = append(changes, f.change(before.ID, next, ""))
		}
	}
	for k, before := range known {
		next, err := before.State.On(Settled)
		if err != nil {
			return err
		}
		if next != before.State {
			changes = append(changes, change{ID: before.ID, IdentityID: k.identity, PolicyID: k.policy, State: next,
				ReasonIDs: []string{}, policy: before.Policy, action: "policy_review.closed"})
		}
	}
	return write(ctx, tx, changes, now)
}

// change is the row of a finding.
func (f Found) change(id string, state State, action string) change {
	return change{ID: id, IdentityID: f.IdentityID, PolicyID: f.PolicyID, PolicyVersion: f.PolicyVersion, State: state,
		ReasonIDs: f.ReasonIDs, policy: f.Policy, action: action}
}

// readStored reads and locks all reviews of people, by their keys.
func readStored(ctx context.Context, tx *pg.Tx, people []string) (map[key]stored, error) {
	const sql = `
		select r.id::text, r.identity_id::text, r.policy_id::text, coalesce(p.name, ''), r.state, r.reason_ids::text[]
		  from policy_review r
		  left join access_policy p on p.id = r.policy_id
		 where r.identity_id = any(@people::text[]::uuid[])
		   for update of r`
	all, err := pg.AllBy(ctx, tx, "read policy reviews of people", pgx.RowToStructByPos[stored], sql,
		pgx.NamedArgs{"people": people})
	known := make(map[key]stored, len(all))
	for _, s := range all {
		slices.Sort(s.ReasonIDs)
		known[key{s.IdentityID, s.PolicyID}] = s
	}
	return known, err
}

const upsert = `
	insert into policy_review as r (tenant_id, id, policy_id, policy_version, identity_id, state, reason_ids, opened_at,
	                                updated_at)
	select current_tenant(), c.id, c.policy_id, c.policy_version, c.identity_id, c.state, c.reason_ids, @now, @now
	  from jsonb_to_recordset(@changes::jsonb) c (id uuid, policy_id uuid, policy_version int, identity_id uuid,
	       state text, reason_ids uuid[])
	    on conflict (tenant_id, identity_id, policy_id) do update
	   set policy_version = case when excluded.state = 'closed' then r.policy_version else excluded.policy_version end,
	       state = excluded.state, reason_ids = excluded.reason_ids,
	       opened_at = case when r.state = excluded.state or excluded.state = 'closed' then r.opened_at
	                        else excluded.opened_at end,
	       decision = null, updated_at = excluded.updated_at`

// write writes changes and audits what people must know.
func write(ctx context.Context, tx *pg.Tx, changes []change, now time.Time) error {
	if len(changes) == 0 {
		return nil
	}
	slices.SortFunc(changes, func(a, b change) int {
		return slices.Compare([]string{a.IdentityID, a.PolicyID}, []string{b.IdentityID, b.PolicyID})
	})
	text, err := json.Marshal(changes)
	if err != nil {
		return fmt.Errorf("write policy reviews: %w", err)
	}
	args := pgx.NamedArgs{"changes": string(text), "now": now}
	if err := pg.Exec(ctx, tx, "write policy reviews", upsert, args); err != nil {
		return err
	}
	var entries []audit.Entry
	for _, c := range changes {
		if c.action != "" {
			entries = append(entries, audit.Entry{Action: c.action, Subject: subject(c.ID, c.policy),
				Objects: objects(c.IdentityID, c.PolicyID)})
		}
	}
	return audit.RecordAll(ctx, tx, entries)
}

// subject is the review in audit events.
func subject(id, policy string) audit.Subject {
	return audit.Subject{Type: "policy_review", ID: id, Display: policy}
}

// objects are the person and the policy in audit events.
func objects(identity, policy string) []audit.Subject {
	return []audit.Subject{{Type: "identity", ID: identity}, {Type: "policy", ID: policy}}
}

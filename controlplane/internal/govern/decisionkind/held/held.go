package held

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/changes"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/hold"
)

// Service asks about held sync runs, and releases or discards what they hold.
type Service struct {
	Now func() time.Time
}

// Kind is one kind of decision task: when one is needed, how it is asked, and what its answers do.
func (s *Service) Kind() kind.Kind {
	return kind.Kind{
		Name:    kind.SyncHold,
		About:   "held sync runs",
		Subject: "sync_run",
		Needed:  `select r.id from sync_run r where r.status = 'held' and r.purpose = 'apply'`,
		Over: `select r.id::text,
		              case when r.error ->> 'code' = 'superseded' then
		                  'a newer run of this connector has computed the changes anew'
		                   when r.status = 'expired' then
		                       'nobody decided in time; nothing of what was held has been applied'
		                   when r.status = 'discarded' then 'what was held has been discarded'
		                   when r.release is not null then 'what was held has been released'
		                   else 'the run is ' || r.status end
		         from sync_run r
		        where r.id = any(@ids::text[]::uuid[])`,
		Bulk: true, Ask: askHolds, Answer: s.answerHold,
	}
}

// heldRun is a run that waits.
type heldRun struct {
	ID          string `db:"id"`
	ConnectorID string `db:"connector_id"`
	Connector   string `db:"connector"`
	BusinessID  string `db:"business_id"`
	// HeldUntil is when the hold is discarded without a decision.
	HeldUntil *time.Time `db:"held_until"`
	StartedAt *time.Time `db:"started_at"`
}

// askHolds makes the decision tasks for held sync runs, with the summary of what each would change.
func askHolds(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	const sql = `
		select r.id, r.connector_id, c.name as connector, c.business_id, r.held_until, r.started_at
		  from sync_run r
		  join connector c on c.id = r.connector_id
		 where r.id = any(@ids::text[]::uuid[])`
	found, err := kind.ReadFacts[heldRun](ctx, tx, sql, ids)
	if err != nil {
		return nil, err
	}
	var out []decision.New
	for _, r := range found {
		d, err := changes.FindDiff(ctx, tx, r.ConnectorID, r.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, r.question(d))
	}
	return out, nil
}

// question asks what becomes of what a run holds.
func (r heldRun) question(d changes.Diff) decision.New {
	var why []string
	risk := "medium"
	for _, h := range d.Holds {
		if h.Held == 0 {
			continue
		}
		why = append(why, reason(h))
		if h.Rule != "limit" || h.Kind == "identity_deactivation" {
			risk = "high"
		}
	}
	run := httpapi.Prefix + "/connectors/" + r.ConnectorID + "/sync-runs/" + r.ID
	return decision.New{
		Key:     r.ID,
		Subject: decision.Ref{Type: "connector", ID: r.ConnectorID, Display: r.Connector},
		Source:  decision.Ref{Type: "sync_run", ID: r.ID, Display: "sync of " + r.BusinessID},
		Title:   fmt.Sprintf("%s of %s wait for a decision", kind.CountOf(d.Held, "change"), r.Connector),
		Summary: "The last sync run exceeds its safety limits: " + strings.Join(
			why,
			"; ",
		) + ". None of the held changes were applied.",
		Context: map[string]any{
			"connector":  map[string]any{"id": r.ConnectorID, "business_id": r.BusinessID, "name": r.Connector},
			"run_id":     r.ID,
			"held":       d.Held,
			"total":      d.Total,
			"digest":     d.Digest,
			"started_at": r.StartedAt,
			"expires_at": r.HeldUntil,
			"holds":      d.Holds,
			"groups":     largest(d.Groups),
			"links": map[string]string{
				"run":     run,
				"diff":    run + "/diff",
				"changes": run + "/changes?state=held",
				"holds":   run + "/holds",
			},
		},
		Actions: []decision.Action{
			{Key: "release", Label: "Apply everything that is held", Style: "positive", Requires: []string{"comment"}},
			{
				Key:      "release_part",
				Label:    "Apply a part of it",
				Style:    "neutral",
				Requires: []string{"comment", "inputs.subset", "inputs.expected_count"},
			},
			{Key: "discard", Label: "Discard held changes", Style: "negative", Requires: []string{"comment"}},
		},
		Roles:     kind.Admins,
		Priority:  "high",
		RiskLevel: risk,
		DueAt:     r.HeldUntil,
		GroupKey:  kind.SyncHold + "/" + r.ConnectorID,
		Links: []decision.Ref{
			{Type: "sync_run", ID: r.ID},
			{Type: "connector", ID: r.ConnectorID, Display: r.Connector},
		},
	}
}

// reason says in words why a kind of change is held.
func reason(h reconcile.Hold) string {
	words := strings.NewReplacer("_", " ", ".", " of ").Replace(h.Kind)
	text := fmt.Sprintf("%s: %d of %d", words, h.Observed, h.Population)
	switch h.Rule {
	case "total_loss":
		text += ", which is most of them"
	case "settings_changed":
		text += ", after the connection's settings were changed"
	default:
		text += fmt.Sprintf(", where %d may pass", h.Allowed)
		if h.Recent > 0 {
			text += fmt.Sprintf(" and %d have within the last day", h.Recent)
		}
	}
	if h.Cause != "" {
		text += " (" + h.Cause + ")"
	}
	return text
}

// largest are the groups of what is held, with the greatest shares alone.
func largest(groups []changes.Group) []changes.Group {
	out := []changes.Group{}
	for _, g := range groups {
		if g.Held == 0 {
			continue
		}
		for _, list := range []*[]changes.Share{&g.Departments, &g.Containers, &g.Managers, &g.Fields} {
			*list = (*list)[:min(len(*list), 5)]
		}
		out = append(out, g)
	}
	return out
}

// answerHold releases or discards, as what was shown says.
func (s *Service) answerHold(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	var run struct {
		Connector string
		Held      int64
	}
	const sql = `select connector_id::text, (select count(*) from sync_change c where c.run_id = r.id
		and c.state = 'held') from sync_run r where r.id = $1`
	if err := tx.QueryRow(ctx, sql, a.Task.Key).Scan(&run.Connector, &run.Held); err != nil {
		return fmt.Errorf("find held run: %w", err)
	}
	d := hold.Decision{Comment: a.Decision.Comment}
	d.Digest, _ = a.Task.Context["digest"].(string)
	if seen, given := a.Decision.Inputs["digest"].(string); given {
		d.Digest = seen
	}
	switch a.Decision.Action {
	case "discard":
		return hold.Discard(ctx, tx, run.Connector, a.Task.Key, d.Comment)
	case "release_part":
		if err := part(a.Decision.Inputs, &d); err != nil {
			return err
		}
	default:
		held, _ := a.Task.Context["held"].(float64)
		d.ExpectedCount = int64(held)
	}
	_, err := hold.Release(ctx, tx, run.Connector, a.Task.Key, d, s.Now())
	return err
}

// part reads which part of what is held is to be applied.
func part(inputs map[string]any, d *hold.Decision) error {
	text, err := json.Marshal(inputs["subset"])
	if err != nil {
		return fmt.Errorf("read subset: %w", err)
	}
	if err := jsonvalue.Strict(text, &d.Subset); err != nil || d.Subset == nil {
		return kind.BadInput(
			"subset",
			"an object with some of kinds, objects, changes, departments, containers and external_ids, each a list "+
				"of texts",
		)
	}
	n, isNumber := inputs["expected_count"].(float64)
	if !isNumber || n < 1 || n != float64(int64(n)) {
		return kind.BadInput(
			"expected_count",
			"how many held changes the subset is expected to match: a whole number of at least 1",
		)
	}
	d.ExpectedCount = int64(n)
	return nil
}

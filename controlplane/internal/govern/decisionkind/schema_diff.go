package decisionkind

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/onboard/schemadiff"
)

// schemaDiffs are fields of sources that have changed since they were mapped.
func (s *Service) schemaDiffs() kind.Kind {
	return kind.Kind{
		Name:    kind.SchemaDiff,
		About:   "schema differences",
		Subject: "schema_diff",
		Needed: `select d.id
		           from schema_diff d
		           join connector c on c.tenant_id = d.tenant_id and c.id = d.connector_id
		          where d.closed_at is null
		            and c.deleted_at is null`,
		Over: `select d.id::text,
		              case when d.replaced_by_id is not null then 'a later look at the source has taken its place'
		                   when d.closed_at is null then 'the connector was deleted'
		                   when d.state = 'dismissed' then 'the changes were dismissed, or are there no more'
		                   else 'somebody has decided about the fields' end
		         from schema_diff d
		        where d.id = any(@ids::text[]::uuid[])`,
		Within: 14 * kind.Day, Ask: askDiffs, Answer: s.answerDiff,
	}
}

// askDiffs makes the decision tasks for fields of a source that have changed.
func askDiffs(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	found, err := schemadiff.Undecided(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	type named struct {
		ID         string `db:"id"`
		Name       string `db:"name"`
		BusinessID string `db:"business_id"`
	}
	const sql = `
		select d.id, c.name, c.business_id
		  from schema_diff d
		  join connector c on c.tenant_id = d.tenant_id and c.id = d.connector_id
		 where d.id = any(@ids::text[]::uuid[])`
	list, err := kind.ReadFacts[named](ctx, tx, sql, ids)
	if err != nil {
		return nil, err
	}
	names := map[string]named{}
	for _, n := range list {
		names[n.ID] = n
	}
	out := make([]decision.New, len(found))
	for i, d := range found {
		out[i] = fieldsChanged(d, names[d.ID].Name, names[d.ID].BusinessID)
	}
	return out, nil
}

// fieldsChanged asks what becomes of changed fields.
func fieldsChanged(d schemadiff.SchemaDiff, name, businessID string) decision.New {
	broken := 0
	for _, f := range d.Removed {
		broken += len(f.Breaks)
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{len(d.Added), "new"}, {len(d.Removed), "gone"}, {len(d.TypeChanged), "of another type"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	risk, consequence := "low", "No mapping uses the removed fields."
	if broken > 0 {
		risk, consequence = "medium", fmt.Sprintf(
			"%s what is gone.",
			map[bool]string{true: "1 mapping uses", false: fmt.Sprintf("%d mappings use", broken)}[broken == 1],
		)
	}
	self := httpapi.Prefix + "/connectors/" + d.ConnectorID + "/schema-diffs/" + d.ID
	return decision.New{
		Key:     d.ID,
		Subject: decision.Ref{Type: "connector", ID: d.ConnectorID, Display: name},
		Source:  decision.Ref{Type: "schema_diff", ID: d.ID},
		Title:   "The fields of " + name + " have changed",
		Summary: fmt.Sprintf(
			"Fields of %s: %s. %s Syncs continue as before until a decision.",
			name,
			strings.Join(parts, ", "),
			consequence,
		),
		Context: map[string]any{
			"connector": map[string]any{
				"id":          d.ConnectorID,
				"business_id": businessID,
				"name":        name,
			},
			"added":        d.Added,
			"removed":      d.Removed,
			"type_changed": d.TypeChanged,
			"undecided":    d.Undecided,
			"version":      d.Version,
			"links": map[string]string{
				"diff":     self,
				"decide":   self + "/decide",
				"mappings": httpapi.Prefix + "/connectors/" + d.ConnectorID + "/mappings",
			},
		},
		Actions: []decision.Action{
			{Key: "accept_all", Label: "Accept all that is undecided", Style: "positive", Requires: []string{}},
			{Key: "decide", Label: "Decide field by field", Style: "neutral", Requires: []string{"inputs.decisions"}},
			{Key: "dismiss", Label: "Leave the mappings as they are", Style: "negative", Requires: []string{}},
		},
		Roles:     kind.Admins,
		RiskLevel: risk,
		Priority:  map[string]string{"low": "low", "medium": "normal"}[risk],
		GroupKey:  kind.SchemaDiff + "/" + d.ConnectorID,
		Links:     []decision.Ref{{Type: "connector", ID: d.ConnectorID, Display: name}},
	}
}

// answerDiff carries a decision about changed fields out: accept all proposals, dismiss them, or
// decide field by field.
func (s *Service) answerDiff(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	connector := a.Task.Subject.ID
	var asked schemadiff.SchemaDecisions
	switch a.Decision.Action {
	case "accept_all":
		asked.AcceptAll = true
	case "dismiss":
		asked.Dismiss = true
	default:
		text, err := json.Marshal(a.Decision.Inputs["decisions"])
		if err != nil {
			return fmt.Errorf("read decisions: %w", err)
		}
		if err := jsonvalue.Strict(text, &asked.Decisions); err != nil {
			return kind.BadInput(
				"decisions",
				"a list of objects with object, path, decision (accept, override or ignore), and with override mapping",
			)
		}
		if err := known(asked.Decisions); err != nil {
			return err
		}
	}
	_, err := s.Fields.Decide(ctx, tx, connector, a.Task.Key, kind.SeenVersion(a.Task), asked)
	return kind.Outdated(kind.PointIntoInputs(err))
}

// known refuses decisions that there are not; a path of their own checks that before it comes to them.
func known(list []schemadiff.NewSchemaDecision) error {
	for i, d := range list {
		if d.Decision != "accept" && d.Decision != "override" && d.Decision != "ignore" {
			return kind.BadInput(fmt.Sprintf("decisions/%d/decision", i), "accept, override or ignore")
		}
	}
	return nil
}

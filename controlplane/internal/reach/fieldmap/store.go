package fieldmap

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// ConnectorMapping is a mapping as it is kept.
type ConnectorMapping struct {
	// ID of the mapping.
	ID string `json:"id"`
	mapping.Mapping
}

func rulesOf(stored []ConnectorMapping) []mapping.Mapping {
	out := make([]mapping.Mapping, len(stored))
	for i, m := range stored {
		out[i] = m.Mapping
	}
	return out
}

// Rules are a connector's mappings in their order, with their version; none at version 0.
func Rules(ctx context.Context, tx *pg.Tx, connectorID string) (stored []ConnectorMapping, version int, err error) {
	const sql = `
		select m.id, m.object, m.source_path, m.action, m.target_field, m.transform, m.heuristic, m.confidence, m.note,
		    m.overridden
		  from field_mapping m
		 where m.tenant_id = current_tenant()
		   and m.connector_id = $1
		 order by m.position`
	if err := tx.QueryRow(ctx, `select mapping_version from connector where tenant_id = current_tenant()
		and id = $1`, connectorID).
		Scan(&version); err != nil {
		return nil, 0, fmt.Errorf("find version of mappings: %w", err)
	}
	stored, err = pg.AllBy(ctx, tx, "read mappings", func(row pgx.CollectableRow) (m ConnectorMapping, err error) {
		err = row.Scan(
			&m.ID,
			&m.Object,
			&m.Source,
			&m.Action,
			&m.Target,
			&m.Transform,
			&m.Heuristic,
			&m.Confidence,
			&m.Note,
			&m.Overridden,
		)
		return m, err
	}, sql, connectorID)
	if err != nil {
		return nil, 0, err
	}
	return stored, version, nil
}

// Replace writes the whole of a connector's mappings and returns them with their new version. A mapping that stays
// keeps its id. Its fault lists all that is wrong with them; nothing is written then. why names the action in the audit
// log's context.
func (s *Service) Replace(
	ctx context.Context,
	tx *pg.Tx,
	c connector.Connector,
	rules []mapping.Mapping,
	why string,
) (stored []ConnectorMapping, version int, err error) {
	rules = mapping.Normalise(rules)
	if err := s.check(rules, "#/mappings"); err != nil {
		return nil, 0, err
	}
	if err := pg.Exec(
		ctx,
		tx,
		"lock connector",
		`select from connector where tenant_id = current_tenant() and id = $1 for update`,
		c.ID,
	); err != nil {
		return nil, 0, err
	}
	before, _, err := Rules(ctx, tx, c.ID)
	if err != nil {
		return nil, 0, err
	}
	stored = identified(rules, before)
	if err := write(ctx, tx, c.ID, stored); err != nil {
		return nil, 0, err
	}
	const sql = `
		update connector
		   set mapping_version = mapping_version + 1, updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = $1
		returning mapping_version`
	if err := tx.QueryRow(ctx, sql, c.ID).Scan(&version); err != nil {
		return nil, 0, fmt.Errorf("raise version of mappings: %w", err)
	}
	return stored, version, audit.Record(ctx, tx, audit.Entry{
		Action:  "connector.mappings_changed",
		Subject: audit.Subject{Type: "connector", ID: c.ID, Display: c.BusinessID},
		Changes: changesOf(before, stored),
		Context: map[string]any{"why": why, "mapping_version": version},
	})
}

// check is a fault with all that is wrong with rules, each below pointer.
func (s *Service) check(rules []mapping.Mapping, pointer string) error {
	wrong := mapping.Check(rules, s.Compile)
	if len(wrong) == 0 {
		return nil
	}
	f := fault.New(fault.Invalid, "%d of the mappings are invalid. See errors.", distinct(wrong))
	for _, w := range wrong[:min(len(wrong), 100)] {
		at := fmt.Sprintf("%s/%d", pointer, w.Index)
		if w.Member != "" {
			at += "/" + w.Member
		}
		f = f.With(fault.Field{Pointer: at, Code: w.Code, Detail: w.Detail})
	}
	return f
}

func distinct(wrong []mapping.Wrong) int {
	seen := map[int]bool{}
	for _, w := range wrong {
		seen[w.Index] = true
	}
	return len(seen)
}

// identified gives each rule the id that it had before: that of the rule from the same field of the source to the same
// field of ours, else one from the same field of the source that is no more.
func identified(rules []mapping.Mapping, before []ConnectorMapping) []ConnectorMapping {
	same, left := map[mapping.Pair]string{}, map[[2]string][]string{}
	for _, m := range before {
		same[m.Pair()] = m.ID
	}
	for _, r := range rules {
		delete(same, r.Pair()) // those that remain are no more
	}
	for _, m := range before {
		if _, gone := same[m.Pair()]; gone {
			key := [2]string{m.Object, m.Source}
			left[key] = append(left[key], m.ID)
		}
	}
	ids := map[mapping.Pair]string{}
	for _, m := range before {
		ids[m.Pair()] = m.ID
	}
	out := make([]ConnectorMapping, len(rules))
	for i, r := range rules {
		key := [2]string{r.Object, r.Source}
		out[i] = ConnectorMapping{ids[r.Pair()], r}
		if free := left[key]; out[i].ID == "" && len(free) > 0 {
			out[i].ID, left[key] = free[0], free[1:]
		}
		if out[i].ID == "" {
			out[i].ID = uuid.Must(uuid.NewV7()).String()
		}
	}
	return out
}

func write(ctx context.Context, tx *pg.Tx, connectorID string, stored []ConnectorMapping) error {
	if err := pg.Exec(
		ctx,
		tx,
		"clear mappings",
		`delete from field_mapping where tenant_id = current_tenant() and connector_id = $1`,
		connectorID,
	); err != nil {
		return err
	}
	type positioned struct {
		ConnectorMapping
		Position int `json:"position"`
	}
	rows := make([]positioned, len(stored))
	for i, m := range stored {
		rows[i] = positioned{m, i}
	}
	const sql = `
		insert into field_mapping (tenant_id, id, connector_id, position, object, source_path, action, target_field,
		    transform, heuristic, confidence, note, overridden)
		select current_tenant(), m.id, $1, m.position, m.object, m.source_path, m.action, coalesce(m.target_field, ''),
		       coalesce(m.transform, ''), coalesce(m.heuristic, ''), m.confidence, coalesce(m.note, ''), m.overridden
		  from jsonb_to_recordset($2) as m (id uuid, position int, object text, source_path text, action text,
		                                    target_field text, transform text, heuristic text, confidence float8,
		                                        note text, overridden boolean)`
	_, err := tx.Exec(ctx, sql, connectorID, rows)
	if err != nil {
		return fmt.Errorf("write mappings: %w", err)
	}
	return nil
}

// changesOf names the fields that are treated otherwise than before. Names of fields and texts of transforms are
// settings, not data.
func changesOf(before, after []ConnectorMapping) (changes []audit.Change) {
	was, is := treatments(before), treatments(after)
	for _, m := range append(slices.Clone(after), before...) {
		key := [2]string{m.Object, m.Source}
		if was[key] != is[key] {
			changes = append(
				changes,
				audit.Change{Field: m.Object + ":" + m.Source, From: some(was[key]), To: some(is[key])},
			)
		}
		delete(was, key)
		delete(is, key)
	}
	return changes
}

// treatments decide about each field.
func treatments(of []ConnectorMapping) map[[2]string]string {
	all := map[[2]string]string{}
	for _, m := range of {
		key := [2]string{m.Object, m.Source}
		if all[key] != "" {
			all[key] += "; "
		}
		all[key] += treatment(m)
	}
	return all
}

func treatment(m ConnectorMapping) string {
	if m.Action == mapping.ActionIgnore {
		return m.Action
	}
	if m.Transform != "" {
		return string(m.Target) + " = " + m.Transform
	}
	return string(m.Target)
}

func some(s string) any {
	if s == "" {
		return nil
	}
	return s
}

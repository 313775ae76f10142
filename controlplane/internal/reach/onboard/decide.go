package onboard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// SchemaDecisions are decisions about some fields of a diff, or all that are left.
type SchemaDecisions struct {
	// Decisions about single fields of the schema diff.
	Decisions []NewSchemaDecision `json:"decisions,omitempty" maxItems:"2000" nullable:"false"`
	// Accept all that is undecided.
	AcceptAll bool `json:"accept_all,omitempty"`
	// Leave all that is undecided as it was, and close the diff.
	Dismiss bool `json:"dismiss,omitempty"`
}

// NewSchemaDecision is a decision about one field.
type NewSchemaDecision struct {
	// Kind of record that the field belongs to.
	Object string `json:"object" maxLength:"40"`
	// Name of the source field.
	Path string `json:"path" maxLength:"10000"`
	// Whether to follow the proposal (accept), use the given mapping (override), or not use the field (ignore).
	Decision string `json:"decision" enum:"accept,override,ignore"`
	// Required with override, and only allowed with it.
	Mapping *OverrideMapping `json:"mapping,omitempty"`
}

// OverrideMapping is what is to be done with the field.
type OverrideMapping struct {
	// Whether the field fills target_field (map) or is not used (ignore).
	Action string `json:"action,omitempty" enum:"map,ignore" default:"map"`
	// Field of the object, or attributes.<name>, that the source field fills.
	Target string `json:"target_field,omitempty" maxLength:"100"`
	// A Python expression of value and record; without it, the value is used as it is.
	Transform string `json:"transform,omitempty" maxLength:"4096"`
}

const (
	decisionAccept   = "accept"
	decisionOverride = "override"
	decisionIgnore   = "ignore"
)

type decideIn struct {
	ID     string `path:"id"`
	DiffID string `path:"diff_id"`
	httpapi.IfMatch
	Body SchemaDecisions
}

func (s *Service) decide(ctx context.Context, v viewer.Viewer, in *decideIn) (*httpapi.One[SchemaDiff], error) {
	var d SchemaDiff
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		d, err = s.Decide(ctx, tx, in.ID, in.DiffID, in.IfMatch, in.Body)
		return err
	})
	return shown(d, err)
}

// Decide takes decisions about a diff within a transaction.
func (s *Service) Decide(
	ctx context.Context,
	tx *pg.Tx,
	connectorID, id string,
	match httpapi.IfMatch,
	asked SchemaDecisions,
) (SchemaDiff, error) {
	if err := lock(ctx, tx, connectorID); err != nil {
		return SchemaDiff{}, err
	}
	d, err := find(ctx, tx, connectorID, id, "for update")
	if err != nil {
		return d, err
	}
	if err := match.Check(d.Version); err != nil {
		return d, err
	}
	if err := s.carryOut(ctx, tx, d, asked); err != nil {
		return d, err
	}
	return find(ctx, tx, connectorID, id, "")
}

// carryOut applies decisions to a diff, to the mappings and to the snapshot that these are about.
func (s *Service) carryOut(ctx context.Context, tx *pg.Tx, d SchemaDiff, asked SchemaDecisions) error {
	if d.ClosedAt != nil {
		return fault.Coded(
			fault.Conflict,
			"schema_diff_closed",
			"this diff is closed; rediscover to see what differs now",
		)
	}
	c, err := connector.Find(ctx, tx, d.ConnectorID)
	if err != nil {
		return err
	}
	base, err := fieldmap.Current(ctx, tx, c.ID)
	switch {
	case err != nil:
		return err
	case base.ID != d.BaseID:
		return fault.Coded(
			fault.Conflict,
			"schema_diff_outdated",
			"the fields were discovered again in the meantime; rediscover to see the current differences",
		)
	}
	decisions, err := asked.about(d)
	if err != nil {
		return err
	}
	if err := s.applyRules(ctx, tx, c, base, d, decisions); err != nil {
		return err
	}
	by, at := tx.Viewer.Display, s.Now().UTC()
	for _, n := range decisions {
		d.Decisions = append(
			d.Decisions,
			SchemaDecision{Object: n.Object, Path: n.Path, Decision: n.Decision, Mapping: n.rule(), By: by, At: at},
		)
	}
	waiting := d.undecided()
	if len(decisions) > 0 {
		if d.BaseID, err = s.adopt(ctx, tx, c, base, d, waiting); err != nil {
			return err
		}
	}
	d.State = stateOf(d, asked.Dismiss, len(waiting))
	if len(waiting) == 0 || asked.Dismiss {
		d.ClosedAt = &at
	}
	if err := keep(ctx, tx, d); err != nil {
		return err
	}
	return note(ctx, tx, c, d, decisions, asked.Dismiss)
}

func stateOf(d SchemaDiff, dismissed bool, waiting int) string {
	switch {
	case waiting == 0:
		return stateAccepted
	case len(d.Decisions) > 0:
		return statePartially
	case dismissed:
		return stateDismissed
	}
	return stateOpen
}

// about are the decisions one by one. Its fault lists those that cannot be taken.
func (a SchemaDecisions) about(d SchemaDiff) ([]NewSchemaDecision, error) {
	ways := 0
	for _, way := range []bool{len(a.Decisions) > 0, a.AcceptAll, a.Dismiss} {
		if way {
			ways++
		}
	}
	if ways != 1 {
		return nil, fault.New(fault.Invalid, "give one of decisions, accept_all and dismiss").
			With(fault.Field{Pointer: "#/decisions", Code: "required", Detail: "decide about fields one by one, or " +
				"accept all, or dismiss the diff"})
	}
	waiting := d.undecided()
	if a.AcceptAll {
		for _, k := range waiting {
			a.Decisions = append(a.Decisions, NewSchemaDecision{Object: k[0], Path: k[1], Decision: decisionAccept})
		}
	}
	return a.Decisions, wrongOf(a.Decisions, d.fields(), waiting)
}

func wrongOf(decisions []NewSchemaDecision, all, waiting []fieldKey) error {
	var wrong []fault.Field
	seen := map[fieldKey]bool{}
	for i, n := range decisions {
		k := fieldKey{n.Object, n.Path}
		say := func(member, code, detail string) {
			wrong = append(
				wrong,
				fault.Field{Pointer: fmt.Sprintf("#/decisions/%d/%s", i, member), Code: code, Detail: detail},
			)
		}
		switch {
		case !slices.Contains(all, k):
			say("path", "unknown_field", "the diff does not contain this field")
		case !slices.Contains(waiting, k):
			say("path", "already_decided", "this field is decided; change its mapping at /mappings")
		case seen[k]:
			say("path", "duplicate", "there is another decision about this field")
		case n.Decision == decisionOverride && n.Mapping == nil:
			say("mapping", "required", "set what happens to the field instead")
		case n.Decision != decisionOverride && n.Mapping != nil:
			say("mapping", "not_allowed", "it is only allowed with override")
		}
		seen[k] = true
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "%d of the decisions are invalid. See errors.", len(wrong)).With(wrong...)
}

// adopt makes the later look the one that mappings are about, but for the fields that wait. It returns the snapshot's
// id.
func (s *Service) adopt(
	ctx context.Context,
	tx *pg.Tx,
	c connector.Connector,
	base fieldmap.SchemaSnapshot,
	d SchemaDiff,
	waiting []fieldKey,
) (string, error) {
	after, err := fieldmap.Snapshot(ctx, tx, c.ID, d.ToSnapshotID)
	if err != nil {
		return "", err
	}
	objects, whole := settled(base, after, waiting)
	if !whole {
		answer := v1.DiscoverResponse{
			Success:      true,
			Objects:      objects,
			Warnings:     after.Warnings,
			SchemaDigest: digest(objects),
		}
		if after, err = s.Fields.Take(ctx, tx, c.ID, fieldmap.SourceRediscover, answer); err != nil {
			return "", err
		}
	}
	return after.ID, fieldmap.Adopt(ctx, tx, c.ID, after.ID)
}

// digest changes when names or types of fields change.
func digest(objects []v1.DiscoveredObject) string {
	var lines []string
	for _, o := range objects {
		for _, f := range o.Fields {
			b, _ := json.Marshal(
				[]any{o.Kind, o.NativeType, f.Name, f.Type, f.Format, f.Multi},
			) // texts and a boolean always encode
			lines = append(lines, string(b))
		}
	}
	slices.Sort(lines)
	b, _ := json.Marshal(lines)
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func note(
	ctx context.Context,
	tx *pg.Tx,
	c connector.Connector,
	d SchemaDiff,
	decisions []NewSchemaDecision,
	dismissed bool,
) error {
	var changes []audit.Change
	for _, n := range decisions {
		changes = append(changes, audit.Change{Field: n.Object + ":" + n.Path, To: n.Decision})
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "connector.schema_decided",
		Subject: audit.Subject{Type: "connector", ID: c.ID, Display: c.BusinessID},
		Changes: changes,
		Context: map[string]any{"schema_diff_id": d.ID, "state": d.State, "dismissed": dismissed},
	})
}

package fieldmap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Why a look was taken.
const (
	SourceWizard     = "wizard"
	SourceRediscover = "rediscover"
)

// SchemaSnapshot is what one look at a target showed. It never changes.
type SchemaSnapshot struct {
	// ID of the schema snapshot.
	ID string `json:"id" db:"id"`
	// ID of the connector whose system was sampled.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// Origin of the snapshot: the onboarding wizard, a later discovery (rediscover), or an automatic one (auto).
	Source string `json:"source" db:"source" enum:"wizard,rediscover,auto"`
	// Time the snapshot was taken.
	TakenAt time.Time `json:"taken_at" db:"taken_at"`
	// Changes when names or types of fields change.
	Digest string `json:"digest" db:"digest"`
	// Whether the mappings are about this one.
	Current bool `json:"current" db:"current"`
	// Problems that did not stop the discovery.
	Warnings []v1.Warning `json:"warnings" db:"warnings" nullable:"false"`
	// Kinds of record that the system returned, with their fields.
	Objects []SchemaObject `json:"objects" db:"objects" nullable:"false"`
}

// SchemaObject is a kind of record of the target.
type SchemaObject struct {
	// What it becomes here: identity, account, entitlement, grant.
	Kind string `json:"kind"`
	// What it is called there.
	NativeType string `json:"native_type"`
	// Their number, if the target reports it.
	CountHint *int `json:"count_hint,omitempty"`
	// Source field that is suggested as the unique key of the records; absent when none is.
	SuggestedKey string `json:"suggested_key,omitempty"`
	// Fields that the sampled records have.
	Fields []SchemaField `json:"fields" nullable:"false"`
}

// SchemaField is one field of the target's records.
type SchemaField struct {
	v1.DiscoveredField
	// What kind of data it seems to hold, by its name.
	PII string `json:"pii" enum:"none,personal,sensitive,secret"`
}

// Discovered are the objects as mapping wants them.
func (s SchemaSnapshot) Discovered() []v1.DiscoveredObject {
	out := make([]v1.DiscoveredObject, len(s.Objects))
	for i, o := range s.Objects {
		out[i] = v1.DiscoveredObject{
			Kind:         o.Kind,
			NativeType:   o.NativeType,
			CountHint:    o.CountHint,
			SuggestedKey: o.SuggestedKey,
		}
		for _, f := range o.Fields {
			out[i].Fields = append(out[i].Fields, f.DiscoveredField)
		}
	}
	return out
}

var (
	sensitive = regexp.MustCompile(
		`(?i)birth|gender|sex$|religion|ethnic|race$|nationality|disabilit|` +
			`health|marital|ssn|social.?security|national.?id|passport|iban|salary|union`,
	)
	personal = regexp.MustCompile(
		`(?i)mail|name|phone|mobile|fax|street|postal|zip|address|` +
			`photo|home|location|city|employee|manager|title|login|uid$|^cn$|^sn$|upn`,
	)
)

// shownObjects are the objects of an answer with the kind of data that each field seems to hold.
func shownObjects(objects []v1.DiscoveredObject) []SchemaObject {
	out := make([]SchemaObject, 0, len(objects))
	for _, o := range objects {
		shown := SchemaObject{
			Kind:         o.Kind,
			NativeType:   o.NativeType,
			CountHint:    o.CountHint,
			SuggestedKey: o.SuggestedKey,
			Fields:       make([]SchemaField, 0, len(o.Fields)),
		}
		for _, f := range o.Fields {
			shown.Fields = append(shown.Fields, SchemaField{f, piiOf(f)})
		}
		out = append(out, shown)
	}
	return out
}

func piiOf(f v1.DiscoveredField) string {
	name := f.Name[strings.LastIndexAny(f.Name, ":.")+1:]
	switch {
	case f.Secret:
		return "secret"
	case sensitive.MatchString(name):
		return "sensitive"
	case f.Format == "email" || f.Format == "phone" || f.Format == "dn" || personal.MatchString(f.Name):
		return "personal"
	}
	return "none"
}

// Take keeps what a look at a target showed, and returns it. It is the one that mappings are about only after Adopt.
func (s *Service) Take(
	ctx context.Context,
	tx *pg.Tx,
	connectorID, source string,
	answer v1.DiscoverResponse,
) (SchemaSnapshot, error) {
	snap := SchemaSnapshot{
		ID: uuid.Must(uuid.NewV7()).
			String(),
		ConnectorID: connectorID,
		Source:      source,
		TakenAt:     s.Now().UTC().Truncate(time.Microsecond),
		Digest:      answer.SchemaDigest,
		Warnings:    answer.Warnings,
		Objects:     shownObjects(answer.Objects),
	}
	if snap.Warnings == nil {
		snap.Warnings = []v1.Warning{}
	}
	by, err := json.Marshal(
		map[string]string{"type": string(tx.Viewer.Kind), "id": tx.Viewer.ID, "display": tx.Viewer.Display},
	)
	if err != nil {
		return snap, fmt.Errorf("encode who looked: %w", err)
	}
	const sql = `
		insert into schema_snapshot (tenant_id, id, connector_id, source, objects, warnings, digest, taken_by, taken_at)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8)`
	if err := pg.Exec(
		ctx,
		tx,
		"keep snapshot",
		sql,
		snap.ID,
		connectorID,
		source,
		snap.Objects,
		snap.Warnings,
		snap.Digest,
		by,
		snap.TakenAt,
	); err != nil {
		return snap, err
	}
	return snap, nil
}

// Adopt makes a snapshot the one that the connector's mappings are about.
func Adopt(ctx context.Context, tx *pg.Tx, connectorID, snapshotID string) error {
	_, err := tx.Exec(
		ctx,
		`update connector set schema_snapshot_id = $2, updated_at = now(), version = version + 1 where id = $1`,
		connectorID,
		snapshotID,
	)
	if err != nil {
		return fmt.Errorf("adopt snapshot: %w", err)
	}
	return nil
}

const snapshotColumns = `s.id, s.connector_id, s.source, s.taken_at, s.digest, s.warnings, s.objects,
	coalesce(c.schema_snapshot_id = s.id, false) as current`

// Current is the snapshot that a connector's mappings are about. Its fault is of kind Conflict if there is none
// yet.
func Current(ctx context.Context, tx *pg.Tx, connectorID string) (SchemaSnapshot, error) {
	if _, err := connector.Find(ctx, tx, connectorID); err != nil {
		return SchemaSnapshot{}, err
	}
	const sql = `
		select ` + snapshotColumns + `
		  from connector c
		  join schema_snapshot s on s.tenant_id = c.tenant_id and s.id = c.schema_snapshot_id
		 where c.id = $1`
	snap, err := oneSnapshot(ctx, tx, sql, connectorID)
	if errors.Is(err, pgx.ErrNoRows) {
		return snap, fault.Coded(
			fault.Conflict,
			"discovery_required",
			"the fields of this target were not discovered yet; discover them first",
		)
	}
	return snap, err
}

// Snapshot reads a snapshot of a connector. Its fault is of kind NotFound where there is none.
func Snapshot(ctx context.Context, tx *pg.Tx, connectorID, id string) (SchemaSnapshot, error) {
	if _, err := connector.Find(ctx, tx, connectorID); err != nil {
		return SchemaSnapshot{}, err
	}
	missing := fault.New(fault.NotFound, "Snapshot %s of this connector was not found.", id)
	if !listing.IsID(id) {
		return SchemaSnapshot{}, missing
	}
	const sql = `
		select ` + snapshotColumns + `
		  from schema_snapshot s
		  join connector c on c.tenant_id = s.tenant_id and c.id = s.connector_id
		 where s.connector_id = $1
		   and s.id = $2`
	snap, err := oneSnapshot(ctx, tx, sql, connectorID, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return snap, missing
	}
	return snap, err
}

func oneSnapshot(ctx context.Context, tx *pg.Tx, sql string, args ...any) (SchemaSnapshot, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return SchemaSnapshot{}, fmt.Errorf("find snapshot: %w", err)
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[SchemaSnapshot])
}

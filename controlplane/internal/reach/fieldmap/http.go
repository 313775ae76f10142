package fieldmap

import (
	"context"
	"net/http"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	aboutDiscover = "Reads the target's schema and a sample of its records. Errors of the target, the network or an " +
		"agent are part of the result: success is false, and error contains the cause. A successful discovery is " +
		"stored as a snapshot. Until the first sync, mappings refer to the newest snapshot; later, rediscover " +
		"compares. With stream=true the response is a stream of server-sent events: progress for each step, then " +
		"result."
	aboutSuggest = "Proposes a mapping for every field of the current snapshot, with the matching rule and its " +
		"confidence. Nothing is written: send the mappings that you want by PUT."
	aboutPut = "Replaces all mappings of the connector. A target field is filled by one source field; a source field " +
		"can fill several target fields, with one mapping each. All mappings are checked before they are written. " +
		"They apply from the next sync run, which is a full sync."
	aboutPreview = "Reads a few records of the target, in the connector's mode. Returns the mapped values of each " +
		"record, and the findings about all records. " +
		"Nothing is written. If mappings are omitted, the saved mappings are used, or the proposals if none are saved."
	aboutCopy = "Takes over the mappings of another connector, as far as they fit the fields of this one; what does " +
		"not fit is shown. With dry_run nothing is written."
)

// Routes are the paths of discovery and mappings. Administrators write; auditors read as well.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.JSONOrStream("POST", "/connectors/{id}/discover", "Discover the schema of a connector",
			(*discoverIn).streams, s.discover, s.streamDiscover).
			For(viewer.Admin).
			Describe(aboutDiscover),
		httpapi.Handle("GET", "/connectors/{id}/schema", "Get the schema of a connector", s.schema).
			For(both...).
			Errors(409),
		httpapi.Handle("GET", "/connectors/{id}/schema/snapshots", "List schema snapshots", s.snapshots).For(both...),
		httpapi.Handle("GET", "/connectors/{id}/schema/snapshots/{snapshot_id}", "Retrieve a schema snapshot",
			s.snapshot).
			For(both...),
		httpapi.Handle("GET", "/connectors/{id}/mappings", "List the field mappings of a connector", s.read).
			For(both...),
		httpapi.Handle("PUT", "/connectors/{id}/mappings", "Replace the field mappings of a connector", s.put).
			For(viewer.Admin).
			Errors(412).
			Describe(aboutPut),
		httpapi.Handle("PATCH", "/connectors/{id}/mappings/{mapping_id}", "Update a field mapping", s.patch).
			For(viewer.Admin).
			Errors(412),
		httpapi.Handle("POST", "/connectors/{id}/mappings/suggest", "Suggest field mappings", s.suggest).
			For(viewer.Admin).
			Errors(409).
			Describe(aboutSuggest),
		httpapi.Handle("POST", "/connectors/{id}/mappings/preview", "Preview field mappings", s.preview).
			For(viewer.Admin).
			LongRunning().
			Errors(502).
			Describe(aboutPreview),
		httpapi.Handle("POST", "/connectors/{id}/mappings/copy-from/{other_id}",
			"Copy field mappings from another connector", s.copyFrom).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutCopy),
	}
}

// Mappings are all of a connector's.
type Mappings struct {
	// ID of the connector that the mappings belong to.
	ConnectorID string `json:"connector_id"`
	// How often they were written. 0: never; people are mapped by what suggest proposes by name, other records by what
	// the connector names itself.
	Version int `json:"mapping_version"`
	// The look at the target that they are about.
	SnapshotID *string `json:"schema_snapshot_id"`
	// ID of the connector whose mappings were copied; null when none were.
	CopiedFromID *string `json:"copied_mapping_from_id"`
	// Mappings of the connector's source fields.
	Mappings []ConnectorMapping `json:"mappings" nullable:"false"`
	// What there is to fill.
	TargetFields   TargetFields `json:"target_fields"`
	connectorState connector.Connector
}

// TargetFields are the fields of ours by kind of record; attributes.<name> goes as well.
type TargetFields struct {
	// Fields of an identity.
	Identity []mapping.Field `json:"identity" nullable:"false"`
	// Fields of an account.
	Account []mapping.Field `json:"account" nullable:"false"`
	// Fields of an entitlement.
	Entitlement []mapping.Field `json:"entitlement" nullable:"false"`
	// Fields of a grant.
	Grant []mapping.Field `json:"grant" nullable:"false"`
}

func targetFields(of func(object string) []mapping.Field) TargetFields {
	return TargetFields{
		of(mapping.ObjectIdentity), of(mapping.ObjectAccount), of(mapping.ObjectEntitlement), of(mapping.ObjectGrant),
	}
}

type oneIn struct {
	ID string `path:"id"`
}

func (s *Service) read(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[Mappings], error) {
	var out Mappings
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = Read(ctx, tx, in.ID)
		return err
	})
	return shown(out, err)
}

func shown(m Mappings, err error) (*httpapi.One[Mappings], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Mappings]{ETag: httpapi.ETag(m.Version), Body: m}, nil
}

// Read reads a connector's mappings. Its fault is of kind NotFound when there is no such connector.
func Read(ctx context.Context, tx *pg.Tx, connectorID string) (m Mappings, err error) {
	c, err := connector.Find(ctx, tx, connectorID)
	if err != nil {
		return m, err
	}
	m = Mappings{ConnectorID: c.ID, connectorState: c, TargetFields: targetFields(mapping.FieldsOf)}
	if m.Mappings, m.Version, err = Rules(ctx, tx, c.ID); err != nil {
		return m, err
	}
	const sql = `select schema_snapshot_id, copied_mapping_from_id from connector where tenant_id = current_tenant()
		and id = $1`
	err = tx.QueryRow(ctx, sql, c.ID).Scan(&m.SnapshotID, &m.CopiedFromID)
	return m, err
}

// NewMapping is a mapping as a client writes it.
type NewMapping struct {
	// Kind of record that the source field belongs to.
	Object string `json:"object" enum:"identity,account,entitlement,grant"`
	// The field's name in the source, as discovery shows it.
	Source string `json:"source_path" minLength:"1" maxLength:"10000"`
	// Whether the field fills target_field (map) or is not used (ignore).
	Action string `json:"action,omitempty" enum:"map,ignore" default:"map"`
	// A field of ours in any spelling, or attributes.<name>.
	Target string `json:"target_field,omitempty" maxLength:"100"`
	// A Python expression of value and record; see POST /connectors/transforms/validate.
	Transform string `json:"transform,omitempty" maxLength:"4096"`
}

type putIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		// Fields that are not named are ignored.
		Mappings []NewMapping `json:"mappings" nullable:"false" maxItems:"2000"`
	}
}

func (s *Service) put(ctx context.Context, v viewer.Viewer, in *putIn) (*httpapi.One[Mappings], error) {
	return shown(
		s.change(ctx, v, in.ID, in.IfMatch, "written", func(tx *pg.Tx, before Mappings) ([]mapping.Mapping, error) {
			known, err := s.known(ctx, tx, before)
			return written(in.Body.Mappings, known), err
		}),
	)
}

// known are a connector's mappings and, for fields that none is about, the proposals. One to ignore a field for no
// reason is none: the user who ignores that field has decided it.
func (s *Service) known(ctx context.Context, tx *pg.Tx, m Mappings) ([]mapping.Mapping, error) {
	rules := rulesOf(m.Mappings)
	snap, err := Current(ctx, tx, m.ConnectorID)
	if fault.IsCode(err, "discovery_required") {
		return rules, nil
	}
	if err != nil {
		return nil, err
	}
	proposals, err := s.Propose(ctx, tx, m.connectorState, snap)
	for _, p := range proposals {
		if p.Action == mapping.ActionMap || p.Note != "" {
			rules = append(rules, p)
		}
	}
	return rules, err
}

// change replaces a connector's mappings by what fn makes of them.
func (s *Service) change(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	why string,
	fn func(*pg.Tx, Mappings) ([]mapping.Mapping, error),
) (out Mappings, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := Read(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		rules, err := fn(tx, before)
		if err != nil {
			return err
		}
		if _, _, err := s.Replace(ctx, tx, before.connectorState, rules, why); err != nil {
			return err
		}
		out, err = Read(ctx, tx, id)
		return err
	})
	return out, err
}

// written are mappings as a client wrote them. If one says what a proposal or an earlier mapping said, it keeps
// where that came from.
func written(given []NewMapping, known []mapping.Mapping) []mapping.Mapping {
	out := make([]mapping.Mapping, len(given))
	for i, g := range given {
		out[i] = mapping.Mapping{
			Object:    g.Object,
			Source:    g.Source,
			Action:    g.Action,
			Target:    mapping.Field(g.Target),
			Transform: g.Transform,
		}
	}
	out = mapping.Normalise(out)
	for i := range out {
		at := slices.IndexFunc(known, func(k mapping.Mapping) bool { return k.Pair() == out[i].Pair() })
		if at >= 0 && known[at].Action == out[i].Action && known[at].Target == out[i].Target &&
			known[at].Transform == out[i].Transform {
			out[i] = known[at]
			continue
		}
		out[i].Heuristic, out[i].Confidence, out[i].Overridden = mapping.Manual, 1, true
	}
	return out
}

// MappingPatch changes one mapping by merge patch (RFC 7396).
type MappingPatch struct {
	// Whether the field fills target_field (map) or is not used (ignore).
	Action *string `json:"action,omitempty" enum:"map,ignore"`
	// Field of the object in any spelling, or attributes.<name>; null clears it.
	Target *string `json:"target_field,omitempty" maxLength:"100" nullable:"true"`
	// A Python expression of value and record; null removes it, so that the value is used as it is.
	Transform *string `json:"transform,omitempty" maxLength:"4096" nullable:"true"`
}

type patchIn struct {
	ID        string `path:"id"`
	MappingID string `path:"mapping_id"`
	httpapi.IfMatch
	Body    MappingPatch
	RawBody []byte
}

func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[Mappings], error) {
	return shown(
		s.change(ctx, v, in.ID, in.IfMatch, "patched", func(_ *pg.Tx, before Mappings) ([]mapping.Mapping, error) {
			at := slices.IndexFunc(before.Mappings, func(m ConnectorMapping) bool { return m.ID == in.MappingID })
			if at < 0 {
				return nil, fault.New(fault.NotFound, "Mapping %s of this connector was not found.", in.MappingID)
			}
			return patched(rulesOf(before.Mappings), at, in.RawBody)
		}),
	)
}

// discoverIn asks for a look.
type discoverIn struct {
	ID string `path:"id"`
	// Answer in server-sent events.
	Stream bool `query:"stream"`
	Body   *connector.DiscoverOptions
}

func (in *discoverIn) streams() bool { return in.Stream }

// Discovery is what a look at a target gave.
type Discovery struct {
	// Whether the discovery succeeded.
	Success bool `json:"success"`
	// The look as it was kept; null when it did not succeed.
	SnapshotID *string `json:"schema_snapshot_id"`
	// Digest of the schema, which changes when names or types of fields change.
	SchemaDigest string `json:"schema_digest"`
	// Kinds of record that the system returned, with their fields.
	Objects []SchemaObject `json:"objects" nullable:"false"`
	// Problems that did not stop the discovery.
	Warnings []v1.Warning `json:"warnings" nullable:"false"`
	// What the target, the network or an agent answered.
	Error *v1.ErrorDetail `json:"error"`
}

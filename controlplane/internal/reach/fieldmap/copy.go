package fieldmap

import (
	"context"
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/proposal"
)

// CopiedMappings is what came of copying another connector's mappings.
type CopiedMappings struct {
	// Whether the copy was only computed, and nothing was written.
	DryRun bool `json:"dry_run"`
	// How many were taken over.
	Copied int `json:"copied"`
	// Those that do not fit the fields of this source.
	Misfits []proposal.Misfit `json:"misfits" nullable:"false"`
	// All mappings of this connector, as they are now, or with dry_run as they would be.
	Mappings []mapping.Mapping `json:"mappings" nullable:"false"`
	// Version number of this connector's mappings.
	Version int `json:"mapping_version"`
}

type copyIn struct {
	ID      string `path:"id"`
	OtherID string `path:"other_id"`
	// Show what would be taken over, and write nothing.
	DryRun bool `query:"dry_run"`
	httpapi.IfMatch
}

func (s *Service) copyFrom(ctx context.Context, v viewer.Viewer, in *copyIn) (*httpapi.One[CopiedMappings], error) {
	var out CopiedMappings
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = s.copyMappings(ctx, tx, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[CopiedMappings]{ETag: httpapi.ETag(out.Version), Body: out}, nil
}

func (s *Service) copyMappings(ctx context.Context, tx *pg.Tx, in *copyIn) (CopiedMappings, error) {
	here, err := Read(ctx, tx, in.ID)
	if err != nil {
		return CopiedMappings{}, err
	}
	if err := in.Check(here.Version); err != nil {
		return CopiedMappings{}, err
	}
	there, err := Read(ctx, tx, in.OtherID)
	switch {
	case err != nil:
		return CopiedMappings{}, err
	case in.ID == in.OtherID:
		return CopiedMappings{}, fault.New(fault.Conflict, "these are the connector's own mappings")
	case there.Version == 0:
		return CopiedMappings{}, fault.Coded(
			fault.Conflict,
			"no_mappings",
			"the other connector has no saved mappings; save its mappings first",
		)
	}
	snap, err := Current(ctx, tx, in.ID)
	if err != nil {
		return CopiedMappings{}, err
	}
	other, err := Current(ctx, tx, in.OtherID)
	if err != nil && !fault.IsCode(err, "discovery_required") {
		return CopiedMappings{}, err
	}
	present := rulesOf(here.Mappings)
	if here.Version == 0 {
		if present, err = s.Propose(ctx, tx, here.connectorState, snap); err != nil {
			return CopiedMappings{}, err
		}
	}
	rules, misfits := proposal.Fit(rulesOf(there.Mappings), other.Discovered(), snap.Discovered(), present)
	out := CopiedMappings{
		DryRun:   in.DryRun,
		Copied:   len(there.Mappings) - len(misfits),
		Misfits:  misfits,
		Mappings: rules,
		Version:  here.Version,
	}
	if out.Misfits == nil {
		out.Misfits = []proposal.Misfit{}
	}
	if in.DryRun {
		return out, s.check(mapping.Normalise(rules), "#/mappings")
	}
	if _, out.Version, err = s.Replace(
		ctx,
		tx,
		here.connectorState,
		rules,
		"copied from "+there.connectorState.BusinessID,
	); err != nil {
		return out, err
	}
	return out, noteCopied(ctx, tx, here.connectorState, in.OtherID)
}

func noteCopied(ctx context.Context, tx *pg.Tx, c connector.Connector, from string) error {
	return pg.Exec(
		ctx,
		tx,
		"note whose mappings were copied",
		`update connector set copied_mapping_from_id = $2 where id = $1`,
		c.ID,
		from,
	)
}

// treated is what a merge patch changes in a mapping.
type treated struct {
	Action    string `json:"action"`
	Target    string `json:"target_field"`
	Transform string `json:"transform"`
}

// patched are rules with one of them changed by a merge patch, which a person has written.
func patched(rules []mapping.Mapping, at int, patch json.RawMessage) ([]mapping.Mapping, error) {
	if err := mergepatch.Keep(patch, "action"); err != nil {
		return nil, err
	}
	r := &rules[at]
	t, err := mergepatch.Apply(treated{r.Action, string(r.Target), r.Transform}, patch)
	if err != nil {
		return nil, err
	}
	changed := written(
		[]NewMapping{{Object: r.Object, Source: r.Source, Action: t.Action, Target: t.Target, Transform: t.Transform}},
		rules,
	)
	*r = changed[0]
	return rules, nil
}

package connector

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
)

// drafted takes what is missing out of the problems of a draft; the connector is ready once nothing is.
func (r *row) drafted(p connection.Problems) connection.Problems {
	missing, wrong := p.Parted()
	r.Status = connectorstate.Ready
	if len(missing) > 0 {
		r.Status = connectorstate.Draft
	}
	return wrong
}

// Missing are the settings that a draft still needs before its target can be called; none for a connector that is no
// draft. Their pointers are those of the payload that makes a connector.
func (s *Service) Missing(ctx context.Context, tx *pg.Tx, id string) ([]fault.Field, error) {
	r, err := read(ctx, tx, id, "")
	if err != nil || r.Status != connectorstate.Draft {
		return nil, err
	}
	secrets, err := s.unseal(ctx, tx, r)
	if err != nil {
		return nil, err
	}
	return r.missing(secrets), nil
}

func (r row) missing(secrets map[string]any) []fault.Field {
	missing, _ := r.settings(secrets).Check().Parted()
	return missing
}

// callable is a fault of kind Conflict for a draft whose target cannot be called yet.
func (r row) callable(secrets map[string]any) error {
	if r.Status != connectorstate.Draft {
		return nil
	}
	return fault.Coded(fault.Conflict, "connector_incomplete", "this is a draft that lacks settings; give them by "+
		"PATCH first").
		With(r.missing(secrets)...)
}

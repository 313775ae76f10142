package connector

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/deletion"
)

type impactOut struct{ Body deletion.ConnectorImpact }

func (s *Service) impact(ctx context.Context, v viewer.Viewer, in *oneIn) (*impactOut, error) {
	out := &impactOut{}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		c, err := Find(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		out.Body, err = deletion.FindImpact(ctx, tx, c.ID)
		return err
	})
	return out, err
}

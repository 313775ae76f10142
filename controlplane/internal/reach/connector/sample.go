package connector

import (
	"context"
	"errors"
	"slices"

	v1 "github.com/grantwright/grantwright/protocol/v1"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Sample are a few whole records of a target.
type Sample struct {
	Identities []v1.RemoteIdentity
	Accounts   []v1.RemoteAccount
	Error      *v1.ErrorDetail // what the target, the network or an agent answered, where it did not go well
}

// errEnough ends a read when there are as many records as were wanted.
var errEnough = errors.New("there are enough records")

// Sample reads up to n people and n accounts of a connector's target, by the same read that a run does. only, where not empty,
// are the external ids of the records that are wanted; the read then goes on until it has found them, for a minute at most.
func (s *Service) Sample(ctx context.Context, v viewer.Viewer, id string, n int, only []string) (Sample, error) {
	c, err := s.toCall(ctx, v, id)
	if err != nil {
		return Sample{}, err
	}
	out, err := within(ctx, discoverLimit, c.scrub, func(ctx context.Context) (Sample, error) { return s.sample(ctx, c, c.saved.Purpose, n, only) })
	if err != nil {
		detail, err := s.detail(ctx, c, err)
		if err != nil {
			return Sample{}, err
		}
		out = Sample{Error: detail}
	}
	return out, s.afterwards(ctx, v, func(ctx context.Context, tx *pg.Tx) error {
		return recordCall(ctx, tx, actionSampled, c, out.Error == nil, out.Error)
	})
}

func (s *Service) sample(ctx context.Context, c call, purpose string, n int, only []string) (out Sample, err error) {
	req := v1.SyncRequest{ConnectorBusinessID: c.businessID, AuthConfig: c.auth, Options: &v1.SyncOptions{
		ChunkSize: n, Objects: []v1.ObjectKind{v1.Identities, v1.Accounts}, Mode: v1.ModeRead,
	}}
	switch purpose {
	case "source":
		req.Options.Objects = []v1.ObjectKind{v1.Identities}
	case "target":
		req.Options.Objects = []v1.ObjectKind{v1.Accounts}
	}
	if len(only) == 0 {
		req.Options.MaxRecords = &n
	}
	wanted := func(id string) bool { return len(only) == 0 || slices.Contains(only, id) }
	err = s.Dispatch.Sync(ctx, c.target, req, func(_ context.Context, page v1.SyncResponse) error {
		for _, r := range page.Identities {
			if len(out.Identities) < n && wanted(r.ExternalID) {
				out.Identities = append(out.Identities, r)
			}
		}
		for _, r := range page.Accounts {
			if len(out.Accounts) < n && wanted(r.ExternalID) {
				out.Accounts = append(out.Accounts, r)
			}
		}
		if len(only) > 0 && len(out.Identities) >= len(only) && len(out.Accounts) >= len(only) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return out, err
}

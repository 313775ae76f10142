package request

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/replay"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// replayIn is the input of replay.
type replayIn struct{ Body replay.ApprovalReplay }

// replay is POST …/replay: how past requests would have been decided by a rule.
func (s *Service) replay(ctx context.Context, v viewer.Viewer,
	in *replayIn) (*httpapi.One[replay.ApprovalReplayed], error) {
	out, err := s.Replay(ctx, v, in.Body)
	return &httpapi.One[replay.ApprovalReplayed]{Body: out}, err
}

// Replay resolves past requests by a rule, in the organisation of today, and tells what would differ. It changes
// nothing.
func (s *Service) Replay(ctx context.Context, v viewer.Viewer,
	r replay.ApprovalReplay) (replay.ApprovalReplayed, error) {
	now := s.Now().UTC()
	out, err := replay.New(r, now)
	if err != nil {
		return out, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error { return out.Run(ctx, tx, r, now) })
	return out, err
}

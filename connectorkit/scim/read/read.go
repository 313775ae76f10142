package read

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/group"
	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/syncrun"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Sync runs one sync with a session that the caller closes.
func Sync(ctx context.Context, s *provider.Session, req v1.SyncRequest, emit connectorkit.Emit) error {
	p, err := s.ReadDeclaration(ctx)
	if err != nil {
		return err
	}
	r := &reader{syncrun.New(s, p, req.Options, emit)}
	if err := r.start(ctx, req); err != nil {
		return err
	}
	for _, w := range s.Client.Warnings() {
		r.Warn(w.Code, w.Message, "")
	}
	if err := r.legs(ctx); err != nil {
		return err
	}
	return r.Finish(ctx)
}

// reader reads leg by leg.
type reader struct{ *syncrun.Run }

// start takes up where another attempt ended, or decides how to read.
func (r *reader) start(ctx context.Context, req v1.SyncRequest) error {
	if o := req.Options; o != nil && o.Checkpoint != "" {
		at, why := checkpoint.Decode(o.Checkpoint, r.State.Settings)
		if why == "" {
			r.State, r.Resumed, r.Earlier = at, true, at.Stats
			for _, id := range at.Rights {
				r.Rights[id] = true
			}
			return nil
		}
		r.Warn("checkpoint_unusable", "a full sync runs instead: the checkpoint cannot be used, because "+why, "")
	}
	if err := r.decide(ctx, req); err != nil {
		return err
	}
	for _, id := range r.State.Rights {
		r.Rights[id] = true
	}
	r.State.Began = r.Clock
	return nil
}

// legs reads leg by leg. One may add another.
func (r *reader) legs(ctx context.Context) error {
	for r.State.Leg < len(r.State.Plan.Legs) {
		leg := r.State.Plan.Legs[r.State.Leg]
		phase := resource.PhaseGroups
		if leg != checkpoint.LegGroups && leg != checkpoint.LegGroupsChanged {
			phase = resource.PhaseUsers
		}
		connectorkit.ReportOf(ctx).Send(v1.Progress{Phase: phase})
		if err := r.leg(ctx, leg); err != nil {
			return err
		}
		if r.LegRestarted {
			r.LegRestarted = false
			continue
		}
		r.State.Leg, r.State.List, r.LegEnded = r.State.Leg+1, nil, true
		if err := r.EmitCheckpoint(ctx); err != nil {
			return err
		}
	}
	return nil
}

// leg does one leg of the plan to its end, or goes on with it where a checkpoint left it. No plan
// of this version has a leg of another name; a checkpoint that does is an error.
func (r *reader) leg(ctx context.Context, leg string) error {
	switch leg {
	case checkpoint.LegUsers:
		return r.users(ctx)
	case checkpoint.LegUsersChanged:
		return r.usersChanged(ctx)
	case checkpoint.LegUsersPresent:
		return r.usersPresent(ctx)
	case checkpoint.LegGroups:
		return group.Read(ctx, r.Run)
	case checkpoint.LegMemberships:
		return r.memberships(ctx)
	case checkpoint.LegGroupsChanged:
		return group.ReadChanged(ctx, r.Run)
	}
	return fmt.Errorf("a read has no leg %q", leg)
}

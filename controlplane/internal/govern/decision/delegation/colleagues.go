package delegation

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/colleague"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Colleagues finds people who may decide for somebody, for who may delegate it; everybody else is answered as there.
func (s *Service) Colleagues(
	ctx context.Context,
	v viewer.Viewer,
	delegator, q string,
) (found colleague.DecisionColleagues, err error) {
	if delegator == "" {
		delegator = v.Identity
	}
	if delegator == "" {
		return found, fault.Coded(fault.Malformed, "invalid_parameter", "Set delegator_id to the person whose tasks "+
			"are delegated. Your user is not linked to an identity.").
			With(fault.Field{Parameter: "delegator_id", Code: "required", Detail: "an identity"})
	}
	for _, err := range []error{colleague.CheckWriter(v), checkDelegator(v, delegator)} {
		if err != nil {
			return found, err
		}
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		names, err := nameOf(ctx, tx, []string{delegator})
		if err != nil {
			return err
		}
		if _, there := names[delegator]; !there {
			return fault.New(fault.NotFound, "Identity %s was not found.", delegator)
		}
		found, err = colleague.Query{Q: q, Not: []string{delegator}}.Find(ctx, tx)
		return err
	})
	return found, err
}

package write

import (
	"context"
	"errors"

	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// change is one Provision under way.
type change struct {
	*provider.Session
	cache    *provider.Cache
	provider provider.Declaration
	req      v1.ProvisionRequest
	// resp is filled while the operation runs, so that an error in its middle still reports what
	// was done before.
	resp v1.ProvisionResponse
}

// errPlanned ends a dry run where the first change would be sent.
var errPlanned = errors.New("nothing is sent in a dry run")

// Provision makes one change and reads back its result. An outcome that is not known is part of the response; an error
// means that nothing was changed.
func Provision(
	ctx context.Context, s *provider.Session, known *provider.Cache, req v1.ProvisionRequest,
) (_ v1.ProvisionResponse, err error) {
	c := &change{Session: s, cache: known, req: req}
	c.resp.Warnings = s.Client.Warnings()
	if why := s.Unsupported(req.Op); why != "" {
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:   v1.ClassConfig,
			Code:    "operation_not_supported",
			Phase:   resource.PhaseUsers,
			Message: string(req.Op) + " cannot be done: " + why,
			Hint:    "The settings of the connector define how its target is changed.",
		}
	}
	if c.provider, err = known.Declaration(ctx, s, req.AuthConfig); err != nil {
		return v1.ProvisionResponse{}, err
	}
	return c.answer(c.do(ctx))
}

// do performs the operation of the request. An operation that is not one of accounts is one of
// grants.
func (c *change) do(ctx context.Context) error {
	switch c.req.Op {
	case v1.OpAccountCreate:
		return c.create(ctx)
	case v1.OpAccountUpdate, v1.OpAccountRename:
		return c.update(ctx)
	case v1.OpAccountEnable:
		return c.setActive(ctx, true)
	case v1.OpAccountDisable:
		return c.setActive(ctx, false)
	case v1.OpAccountUnlock:
		return c.unlock(ctx)
	case v1.OpAccountPassword:
		return c.resetPassword(ctx)
	case v1.OpAccountDelete:
		return c.delete(ctx)
	default:
		return c.changeGrant(ctx)
	}
}

// answer is what the caller gets.
func (c *change) answer(err error) (v1.ProvisionResponse, error) {
	var (
		u unknownOutcome
		d *v1.ErrorDetail
	)
	if c.Env.By != (v1.ExecutedBy{}) {
		by := c.Env.By
		c.resp.ExecutedBy = &by
	}
	switch {
	case err == nil:
		c.resp.Success = true
	case errors.Is(err, errPlanned):
		c.resp.Success, c.resp.Outcome = true, v1.OutcomePlanned
	case errors.As(err, &u):
		text := u.Message
		c.resp.Outcome, c.resp.Error, c.resp.ErrorDetail, c.resp.Verified = v1.OutcomeUnknown, &text, u.ErrorDetail,
			false
	case errors.As(err, &d):
		return v1.ProvisionResponse{}, d
	default:
		return v1.ProvisionResponse{}, err
	}
	return c.resp, nil
}

// warn adds a warning to the answer; id is the record's that it concerns.
func (c *change) warn(code, message, id string) {
	c.resp.Warnings = append(c.resp.Warnings, v1.Warning{Code: code, Message: message, ExternalID: id})
}

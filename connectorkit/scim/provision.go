package scim

import (
	"context"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/scim/write"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Writes says which changes the profile and the settings allow. What the target itself declares is heeded when a change
// is made.
func (k *Connector) Writes(auth v1.AuthConfig) connectorkit.Writes {
	set, err := settings.Read(auth)
	if err != nil {
		return connectorkit.Writes{Ops: []v1.ProvisionOp{}, Why: err.Error()}
	}
	out := connectorkit.Writes{Ops: []v1.ProvisionOp{}}
	var why []string
	for _, op := range settings.Operations {
		if reason := set.Unsupported(op); reason != "" {
			why = append(why, string(op)+": "+reason)
			continue
		}
		out.Ops = append(out.Ops, op)
	}
	out.Why = strings.Join(why, "; ")
	return out
}

// Provision makes one change and reads back what became of it.
func (k *Connector) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	s, err := k.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	defer s.Close()
	return write.Provision(ctx, s, &k.cache, req)
}

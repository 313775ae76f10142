package pyexpr

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

func (c *compiler) lambda(x *syntax.Lambda) evaluation.Node {
	def := &evaluation.Definition{Params: x.Params, Defaults: make([]evaluation.Node, len(x.Params))}
	for i, p := range x.Params {
		if p.Default != nil {
			def.Defaults[i] = c.expr(p.Default)
		}
	}
	c.scope = newScope(c.scope, false)
	for _, p := range x.Params {
		c.scope.add(p.Name.ID)
	}
	c.assigned(x.Body)
	def.Body = c.expr(x.Body)
	def.Size = len(c.scope.names)
	c.scope = c.scope.up
	return def.Lambda
}

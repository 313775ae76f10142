package breaker

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	aboutSwitch  = "If writing is off, nothing is sent to any target of the tenant. Tasks are still planned, and wait."
	aboutBreaker = "The circuit breaker opens when too many changes in a row fail, or when removals and " +
		"alterations within its window exceed its limit. Tasks wait until it is reset; earlier changes do not count " +
		"after that."
)

// Service lets people stop and resume writing.
type Service struct{ DB *pg.DB }

// Routes are the switches that stop and resume writing.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/settings/provisioning", "Get the provisioning switch", s.readSwitch).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutSwitch),
		httpapi.Handle("PUT", "/settings/provisioning", "Set the provisioning switch", s.putSwitch).
			For(viewer.Admin).
			Errors(412).
			Describe(aboutSwitch),
		httpapi.Handle("POST", "/connectors/{id}/provisioning/breaker/reset", "Resume writes of a connector",
			s.resetBreaker).
			For(viewer.Admin).
			Status(200).
			Errors(409).
			Describe(aboutBreaker),
	}
}

package install

import (
	"context"
	"net/http"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Available is a version of a pack that can be installed.
type Available struct {
	*format.Source
	// Version and Checksum identify the content.
	Version  string
	Checksum string
	Origin   string // built_in or uploaded
}

// Service installs, upgrades and uninstalls sector packs. It needs all fields; DB only for its routes.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
	// Find reads a version of a pack: an empty version is the latest one. Its fault is of kind NotFound.
	Find func(ctx context.Context, tx *pg.Tx, key, version string) (Available, error)
}

const (
	aboutPlan = "Returns what installing this version, or upgrading to it, would change, and whose access would " +
		"change. Nothing is written. separation has the violations of separation-of-duties policies that the " +
		"change would cause and end. People are counted with their access, current and pending, and with what the " +
		"policies of the pack would give them."
	aboutInstall = "Everything is installed in one transaction. Birthright policies are enforced at once unless the " +
		"pack sets shadow; other policies start as the pack states. If the tenant already has an object that the " +
		"pack would create, the object stays and is a conflict. Installing the same version with the same parameters " +
		"again changes nothing. If a role that the pack adds or changes would violate an enforced " +
		"separation-of-duties policy, the installation is refused (409 separation_of_duties). If more than 10 % of " +
		"the people are affected, confirm must be the plan_hash of the plan."
	aboutUpgrade = "Merges field by field: the installed version of the pack, the changes of the tenant, and the new " +
		"version. If both sides changed the same " +
		"field, the tenant's value stays, and a conflict is open until a decision. To change parameters, upgrade to " +
		"the same version."
	aboutUninstall = "detach keeps all objects as the tenant's own. remove_unused removes the objects that are " +
		"unchanged and unused. remove_all removes all objects that the pack has " +
		"created; access from its policies ends at once, or after their grace period. remove_all always requires " +
		"confirm, the plan_hash of a dry run. Objects that the tenant " +
		"had before the pack are never removed, and grants with other reasons stay."
)

// Routes are the paths that install, upgrade and uninstall. Administrators write; auditors read.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", installation.PackPath+"/plan", "Plan a sector pack installation", s.plan).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409).
			Describe(aboutPlan),
		httpapi.Handle("POST", installation.PackPath+"/install", "Install a sector pack", s.install).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409).
			Describe(aboutInstall),
		httpapi.Handle("POST", installation.PackPath+"/upgrade", "Upgrade a sector pack", s.upgrade).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutUpgrade),
		httpapi.Handle("POST", installation.PackPath+"/uninstall", "Uninstall a sector pack", s.remove).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutUninstall),
		httpapi.Handle("GET", installation.PackPath+"/installation", "Retrieve a sector pack installation",
			s.readInstallation).
			For(viewer.Admin, viewer.Auditor),
	}
}

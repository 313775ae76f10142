package install

import (
	"cmp"
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// PackRequest asks for a version of a pack with values for its parameters.
type PackRequest struct {
	// The default is the latest version.
	Version string `json:"version,omitempty" maxLength:"100"`
	// For an upgrade, the default is the parameters of the installation.
	Parameters map[string]any `json:"parameters,omitempty"`
}

// PackOrder asks for it to be done.
type PackOrder struct {
	PackRequest
	// The plan_hash of the plan that you have seen. It is needed when more than 10 % of all people gain or lose
	// something.
	Confirm string `json:"confirm,omitempty" maxLength:"64"`
}

// planIn is the input of plan.
type planIn struct {
	installation.PackKey
	Body PackRequest
}

// plan is POST …/plan: what an installation would do. It makes the changes in a transaction and
// rolls it back.
func (s *Service) plan(ctx context.Context, v viewer.Viewer, in *planIn) (*httpapi.One[PlannedChange], error) {
	_, planned, err := s.work(
		ctx,
		v,
		Request{Key: in.Key, Version: in.Body.Version, Parameters: in.Body.Parameters, Dry: true},
	)
	return &httpapi.One[PlannedChange]{Body: planned}, err
}

// installIn is the input of install and upgrade.
type installIn struct {
	installation.PackKey
	Body PackOrder
}

// install is POST …/install. The body names the plan_hash of the plan that was shown.
func (s *Service) install(ctx context.Context, v viewer.Viewer, in *installIn) (*httpapi.One[PackInstallation], error) {
	out, _, err := s.work(
		ctx,
		v,
		Request{Key: in.Key, Version: in.Body.Version, Parameters: in.Body.Parameters, Confirm: in.Body.Confirm},
	)
	return shown(out, err)
}

// shown is the response with an installation and its version as ETag.
func shown(i PackInstallation, err error) (*httpapi.One[PackInstallation], error) {
	return &httpapi.One[PackInstallation]{ETag: httpapi.ETag(i.revision), Body: i}, err
}

// upgrade is POST …/upgrade.
func (s *Service) upgrade(ctx context.Context, v viewer.Viewer, in *installIn) (*httpapi.One[PackInstallation], error) {
	out, _, err := s.work(
		ctx,
		v,
		Request{
			Key:        in.Key,
			Version:    in.Body.Version,
			Parameters: in.Body.Parameters,
			Confirm:    in.Body.Confirm,
			Upgrade:    true,
		},
	)
	return shown(out, err)
}

type removeIn struct {
	installation.PackKey
	// Says what would be done, and does not do it.
	DryRun bool `query:"dry_run"`
	Body   struct {
		// Way to uninstall: detach keeps all objects. remove_unused removes objects that are unchanged and unused.
		// remove_all removes all objects that the pack created and ends their access.
		Mode string `json:"mode,omitempty" enum:"detach,remove_unused,remove_all" default:"remove_unused"`
		// The plan_hash of a dry run.
		Confirm string `json:"confirm,omitempty" maxLength:"64"`
	}
}

// remove is POST …/uninstall.
func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *removeIn) (*httpapi.One[PackRemoval], error) {
	out, err := s.uninstall(ctx, v, in.Key, cmp.Or(in.Body.Mode, removeUnused), in.Body.Confirm, in.DryRun)
	return &httpapi.One[PackRemoval]{Body: out}, err
}

// readInstallation is GET of a pack's installation.
func (s *Service) readInstallation(
	ctx context.Context,
	v viewer.Viewer,
	in *installation.PackKey,
) (*httpapi.One[PackInstallation], error) {
	var out PackInstallation
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		i, err := installation.Find(ctx, tx, in.Key)
		if err != nil {
			return err
		}
		out, err = view(ctx, tx, i)
		return err
	})
	return shown(out, err)
}

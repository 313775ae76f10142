package pack

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const base = "/sector-packs"

const (
	aboutPacks = "A sector pack holds the field mappings, roles, birthrights, policies, approval rules and lifecycle " +
		"that suit a sector. Some come with " +
		"the service; others are uploaded. " +
		"Kinds that the service does not have yet are kept with the installation and told under skip."
	aboutUpload = "Takes a .gwpack archive: as the body itself (application/gzip or application/octet-stream), as " +
		"the part archive of a multipart/form-data, or in base64 in a JSON object. " +
		"It is signed by a key that the operator trusts, unless the operator lets unsigned ones in. The same archive " +
		"again changes nothing."
	aboutValidate = "Checks an archive as uploading it would, and runs its tests. Nothing is kept. What is wrong is " +
		"the answer, each with file, line and how to mend it."
	aboutPlan = "Says what installing this version would do here, or upgrading to it where the pack is " +
		"installed, and whose access would change. Nothing is written."
	aboutInstall = "One transaction. Birthrights are enforced at once unless the pack says shadow; other policies " +
		"start as their pack states. An object of the tenant's own " +
		"that stands where the pack would make one stays, and is a conflict. The same version and parameters again " +
		"change nothing. Beyond 10 % of all people confirm " +
		"takes the plan_hash of the plan."
	aboutUpgrade = "Merges field by field: the installed version of the pack, the changes of the tenant, and the new " +
		"version. If both sides changed the same " +
		"field, the tenant's value stays, and a conflict is open until a decision. To change parameters, upgrade to " +
		"the same version."
	aboutUninstall = "detach keeps all objects as the tenant's own. remove_unused removes the objects that are " +
		"unchanged and unused. remove_all removes all objects that the pack has " +
		"created; access from its policies ends at once, or after their grace period. remove_all always requires " +
		"confirm, the plan_hash of a dry run. Objects that the tenant " +
		"had before the pack are never removed, and grants with other reasons stay."
	aboutResolve = "mine: the tenant's stays. theirs: the fields in conflict become what the pack wants. merged: " +
		"they become what is sent."
	aboutObjects = "pristine: the object is unchanged since the pack created it. Selectors without a match are bound " +
		"automatically when a sync adds a matching entitlement."
)

// Routes are the paths under /sector-packs. Administrators write; auditors read.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	const one = base + "/{key}"
	routes := []httpapi.Route{
		httpapi.Handle("GET", base, "List sector packs", s.list).For(both...).Describe(aboutPacks),
		httpapi.Handle("POST", base+"/upload", "Upload a sector pack", s.upload).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Archive().
			Errors(409, 413, 415).
			Describe(aboutUpload),
		httpapi.Handle("POST", base+"/validate", "Validate a sector pack", s.validate).
			For(viewer.Admin).
			Status(http.StatusOK).
			Archive().
			Errors(413, 415).
			Describe(aboutValidate),
		httpapi.Handle("GET", one, "Retrieve a sector pack", s.read).For(both...),
		httpapi.Handle("GET", one+"/versions/{version}", "Retrieve a sector pack version", s.readVersion).For(both...),
		httpapi.Handle("POST", one+"/plan", "Plan a sector pack installation", s.plan).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409).
			Describe(aboutPlan),
		httpapi.Handle("POST", one+"/install", "Install a sector pack", s.install).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409).
			Describe(aboutInstall),
		httpapi.Handle("POST", one+"/upgrade", "Upgrade a sector pack", s.upgrade).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutUpgrade),
		httpapi.Handle("POST", one+"/uninstall", "Uninstall a sector pack", s.remove).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutUninstall),
		httpapi.Handle("GET", one+"/installation", "Retrieve a sector pack installation", s.readInstallation).
			For(both...),
		httpapi.Handle("GET", one+"/objects", "List the objects of a sector pack", s.listObjects).
			For(both...).
			Describe(aboutObjects),
		httpapi.Handle("GET", one+"/conflicts", "List sector pack conflicts", s.listConflicts).For(both...),
		httpapi.Handle("POST", base+"/conflicts/{id}/resolve", "Decide a sector pack conflict", s.resolveConflict).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutResolve),
	}
	return routes
}

// PackKey names a pack in a path.
type PackKey struct {
	Key string `path:"key" minLength:"1" maxLength:"63"`
}

type listIn struct {
	httpapi.Paging
}

func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[SectorPack], error) {
	walk, err := s.Cursors.Walk(v, "sector-packs", in.Paging, nil)
	if err != nil {
		return nil, err
	}
	var all []SectorPack
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		all, err = catalogue(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	total := int64(len(all))
	if len(walk.Page.After) > 0 {
		for len(all) > 0 && all[0].Key <= walk.Page.After[0] {
			all = all[1:]
		}
	}
	all = all[min(walk.Page.Offset, len(all)):]
	return httpapi.Out(walk, all, total, func(p SectorPack) []string { return []string{p.Key} }), nil
}

func (s *Service) read(ctx context.Context, v viewer.Viewer, in *PackKey) (*httpapi.One[SectorPack], error) {
	var out httpapi.One[SectorPack]
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		all, err := catalogue(ctx, tx)
		if err != nil {
			return err
		}
		for _, p := range all {
			if p.Key == in.Key {
				out.Body = p
				return nil
			}
		}
		return fault.New(fault.NotFound, "there is no sector pack %q", in.Key)
	})
	return &out, err
}

// PackContent is a version of a pack with everything in it.
type PackContent struct {
	SectorPack
	Objects []PackContentObject `json:"objects" nullable:"false" doc:"In the order in which they are installed, filled in with the defaults of the parameters."`
}

// PackContentObject is an object as a pack has it.
type PackContentObject struct {
	Kind      string `json:"kind"`
	ObjectKey string `json:"object_key"`
	Supported bool   `json:"supported" doc:"Whether the service has what it is installed as."`
	Content   any    `json:"content"`
}

type versionIn struct {
	PackKey
	Version string `path:"version" maxLength:"100"`
}

func (s *Service) readVersion(ctx context.Context, v viewer.Viewer, in *versionIn) (*httpapi.One[PackContent], error) {
	out := httpapi.One[PackContent]{Body: PackContent{Objects: []PackContentObject{}}}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		a, err := find(ctx, tx, in.Key, in.Version)
		if err != nil {
			return err
		}
		all, err := catalogue(ctx, tx)
		if err != nil {
			return err
		}
		out.Body.SectorPack = a.entry
		for _, p := range all {
			if p.Key == in.Key {
				out.Body.Versions, out.Body.Installation = p.Versions, p.Installation
			}
		}
		objects, err := a.Pack.Objects()
		for _, o := range objects {
			out.Body.Objects = append(out.Body.Objects, PackContentObject{o.Kind, o.Key, o.Supported, o.Content})
		}
		return err
	})
	return &out, err
}

// PackRequest asks for a version of a pack with values for its parameters.
type PackRequest struct {
	Version    string         `json:"version,omitempty" maxLength:"100" doc:"The default is the latest version."`
	Parameters map[string]any `json:"parameters,omitempty" doc:"For an upgrade, the default is the parameters of the installation."`
}

// PackOrder asks for it to be done.
type PackOrder struct {
	PackRequest
	Confirm string `json:"confirm,omitempty" maxLength:"64" doc:"The plan_hash of the plan that you have seen. It is needed when more than 10 % of all people gain or lose something."`
}

type planIn struct {
	PackKey
	Body PackRequest
}

func (s *Service) plan(ctx context.Context, v viewer.Viewer, in *planIn) (*httpapi.One[PlannedChange], error) {
	_, planned, err := s.work(
		ctx,
		v,
		request{Key: in.Key, Version: in.Body.Version, Parameters: in.Body.Parameters, Dry: true},
	)
	return &httpapi.One[PlannedChange]{Body: planned}, err
}

type installIn struct {
	PackKey
	Body PackOrder
}

func (s *Service) install(ctx context.Context, v viewer.Viewer, in *installIn) (*httpapi.One[PackInstallation], error) {
	out, _, err := s.work(
		ctx,
		v,
		request{Key: in.Key, Version: in.Body.Version, Parameters: in.Body.Parameters, Confirm: in.Body.Confirm},
	)
	return shown(out, err)
}

func shown(i PackInstallation, err error) (*httpapi.One[PackInstallation], error) {
	return &httpapi.One[PackInstallation]{ETag: httpapi.ETag(i.revision), Body: i}, err
}

func (s *Service) upgrade(ctx context.Context, v viewer.Viewer, in *installIn) (*httpapi.One[PackInstallation], error) {
	out, _, err := s.work(
		ctx,
		v,
		request{
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
	PackKey
	DryRun bool `query:"dry_run" doc:"Says what would be done, and does not do it."`
	Body   struct {
		Mode    string `json:"mode,omitempty" enum:"detach,remove_unused,remove_all" default:"remove_unused"`
		Confirm string `json:"confirm,omitempty" maxLength:"64" doc:"The plan_hash of a dry run."`
	}
}

func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *removeIn) (*httpapi.One[PackRemoval], error) {
	out, err := s.uninstall(ctx, v, in.Key, or(in.Body.Mode, removeUnused), in.Body.Confirm, in.DryRun)
	return &httpapi.One[PackRemoval]{Body: out}, err
}

func (s *Service) readInstallation(
	ctx context.Context,
	v viewer.Viewer,
	in *PackKey,
) (*httpapi.One[PackInstallation], error) {
	var out PackInstallation
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		i, err := findInstallation(ctx, tx, in.Key)
		if err != nil {
			return err
		}
		out, err = view(ctx, tx, i)
		return err
	})
	return shown(out, err)
}

type conflictsIn struct {
	PackKey
	httpapi.Paging
	ConflictFilters
}

// ConflictFilters narrow the list of conflicts.
type ConflictFilters struct {
	State string `query:"state" enum:"open,resolved,superseded"`
}

func (s *Service) listConflicts(
	ctx context.Context,
	v viewer.Viewer,
	in *conflictsIn,
) (*httpapi.ListOut[PackConflict], error) {
	walk, err := s.Cursors.Walk(v, "sector-packs/"+in.Key+"/conflicts", in.Paging, in.ConflictFilters)
	if err != nil {
		return nil, err
	}
	var items []PackConflict
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		i, err := findInstallation(ctx, tx, in.Key)
		if err != nil {
			return err
		}
		items, total, err = conflicts(ctx, tx, i.ID, in.State, walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, func(c PackConflict) []string { return []string{c.ID} }), err
}

type objectsIn struct {
	PackKey
	httpapi.Paging
	ObjectFilters
}

// ObjectFilters narrow the list of objects.
type ObjectFilters struct {
	Kind  string `query:"kind" maxLength:"64"`
	State string `query:"state" enum:"installed,pending_binding,conflict,skipped,leaving"`
}

func (s *Service) listObjects(
	ctx context.Context,
	v viewer.Viewer,
	in *objectsIn,
) (*httpapi.ListOut[InstalledObject], error) {
	walk, err := s.Cursors.Walk(v, "sector-packs/"+in.Key+"/objects", in.Paging, in.ObjectFilters)
	if err != nil {
		return nil, err
	}
	var items []InstalledObject
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		i, err := findInstallation(ctx, tx, in.Key)
		if err != nil {
			return err
		}
		items, total, err = listed(ctx, tx, i.ID, in.ObjectFilters, walk.Page)
		return err
	})
	return httpapi.Out(
		walk,
		items,
		total,
		func(o InstalledObject) []string { return []string{o.Kind, o.ObjectKey} },
	), err
}

type resolveIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		Use    string         `json:"use" enum:"mine,theirs,merged"`
		Merged map[string]any `json:"merged,omitempty" doc:"With use merged: the fields and what they are to be."`
	}
}

func (s *Service) resolveConflict(
	ctx context.Context,
	v viewer.Viewer,
	in *resolveIn,
) (*httpapi.One[PackConflict], error) {
	c, err := s.resolve(ctx, v, in.ID, in.Body.Use, in.Body.Merged, in.Check)
	return &httpapi.One[PackConflict]{ETag: httpapi.ETag(c.Version), Body: c}, err
}

// PackVerdict is what a check of a pack finds.
type PackVerdict struct {
	Valid    bool          `json:"valid"`
	Tests    int           `json:"tests" doc:"How many of its own tests were run."`
	Pack     *SectorPack   `json:"pack" doc:"null where it cannot be read."`
	Problems []PackProblem `json:"problems" nullable:"false"`
}

// PackProblem is something that is wrong with a pack, and how it is mended.
type PackProblem format.Problem

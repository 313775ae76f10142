package catalog

import (
	"context"
	"crypto/ed25519"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
}

// list is GET /sector-packs, in the order of keys. The catalog is small, so a page is cut out of
// all of it.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[SectorPack], error) {
	walk, err := s.Cursors.Walk(v, "sector-packs", in.Paging, nil)
	if err != nil {
		return nil, err
	}
	var all []SectorPack
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		all, err = list(ctx, tx)
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

// read is GET of a pack with its latest version.
func (s *Service) read(
	ctx context.Context,
	v viewer.Viewer,
	in *installation.PackKey,
) (*httpapi.One[SectorPack], error) {
	var out httpapi.One[SectorPack]
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		all, err := list(ctx, tx)
		if err != nil {
			return err
		}
		for _, p := range all {
			if p.Key == in.Key {
				out.Body = p
				return nil
			}
		}
		return fault.New(fault.NotFound, "Sector pack %q was not found.", in.Key)
	})
	return &out, err
}

// PackContent is a version of a pack with everything in it.
type PackContent struct {
	SectorPack
	// In the order in which they are installed, filled in with the defaults of the parameters.
	Objects []PackContentObject `json:"objects" nullable:"false"`
}

// PackContentObject is an object as a pack has it.
type PackContentObject struct {
	// Kind of the object, such as role, birthright, access_grant_policy, approval_rule or field_mapping.
	Kind string `json:"kind"`
	// Key of the object, unique within its kind in the sector pack.
	ObjectKey string `json:"object_key"`
	// Whether the service has what it is installed as.
	Supported bool `json:"supported"`
	// Definition of the object in the pack format, with default values of parameters filled in.
	Content any `json:"content"`
}

type versionIn struct {
	installation.PackKey
	// Version of the sector pack.
	Version string `path:"version" maxLength:"100"`
}

// readVersion is GET of one version with its objects, filled in with the defaults of the
// parameters.
func (s *Service) readVersion(ctx context.Context, v viewer.Viewer, in *versionIn) (*httpapi.One[PackContent], error) {
	out := httpapi.One[PackContent]{Body: PackContent{Objects: []PackContentObject{}}}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		a, err := Find(ctx, tx, in.Key, in.Version)
		if err != nil {
			return err
		}
		all, err := list(ctx, tx)
		if err != nil {
			return err
		}
		out.Body.SectorPack = a.Entry
		for _, p := range all {
			if p.Key == in.Key {
				out.Body.Versions, out.Body.Installation = p.Versions, p.Installation
			}
		}
		objects, err := a.Pack.Objects()
		for _, o := range objects {
			out.Body.Objects = append(out.Body.Objects, PackContentObject{o.Kind, o.Key, o.Kept == "", o.Content})
		}
		return err
	})
	return &out, err
}

// Service lists sector packs and takes uploaded ones. It needs all fields but Trusted and AllowUnsigned.
type Service struct {
	DB            *pg.DB
	Cursors       *httpapi.Cursors
	Trusted       []ed25519.PublicKey // whose packs may be uploaded
	AllowUnsigned bool                // unsigned packs may be uploaded too
}

const (
	aboutPacks = "A sector pack contains field mappings, roles, birthright policies, other policies, approval rules " +
		"and lifecycle settings for an industry. Some packs are built in; others are uploaded. Objects of kinds that " +
		"the service does not support yet are stored with the installation and listed under skip."
	aboutUpload = "Takes a .gwpack archive: as the body (application/gzip or application/octet-stream), as the part " +
		"archive of a multipart/form-data body, or in base64 in a JSON object. The archive must be signed with a key " +
		"that the operator trusts, unless the operator allows unsigned archives. Uploading the same archive again " +
		"changes nothing."
	aboutValidate = "Checks an archive like an upload and runs its tests. Nothing is stored. Returns each problem " +
		"with its file, line and correction."
)

// Routes are the paths of the sector packs themselves. Administrators upload; auditors read.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.Handle("GET", installation.Path, "List sector packs", s.list).For(both...).Describe(aboutPacks),
		httpapi.Handle("POST", installation.Path+"/upload", "Upload a sector pack", s.upload).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Archive().
			Errors(409, 413, 415).
			Describe(aboutUpload),
		httpapi.Handle("POST", installation.Path+"/validate", "Validate a sector pack", s.validate).
			For(viewer.Admin).
			Status(http.StatusOK).
			Archive().
			Errors(413, 415).
			Describe(aboutValidate),
		httpapi.Handle("GET", installation.PackPath, "Retrieve a sector pack", s.read).For(both...),
		httpapi.Handle("GET", installation.PackPath+"/versions/{version}", "Retrieve a sector pack version",
			s.readVersion).
			For(both...),
	}
}

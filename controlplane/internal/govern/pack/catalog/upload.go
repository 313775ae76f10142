package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/builtin"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// keep stores an uploaded pack, and reports whether it is new here.
func keep(ctx context.Context, tx *pg.Tx, entry SectorPack, packed []byte) (bool, error) {
	if s, ok := builtin.Find(entry.Key); ok && s.Pack.Metadata.Version == entry.Version {
		return false, fault.Coded(
			fault.Conflict,
			"pack_exists",
			"the pack %s %s comes with the service; give yours another version or key",
			entry.Key,
			entry.Version,
		)
	}
	var n int
	var checksum *string
	const sql = `
		select count(*), max(checksum) filter (where pack_key = $1 and pack_version = $2)
		  from sector_pack_upload`
	if err := tx.QueryRow(ctx, sql, entry.Key, entry.Version).Scan(&n, &checksum); err != nil {
		return false, fmt.Errorf("look for uploaded pack: %w", err)
	}
	switch {
	case checksum != nil && *checksum == entry.Checksum:
		return false, nil
	case checksum != nil:
		return false, fault.Coded(
			fault.Conflict,
			"pack_exists",
			"there is a pack %s %s already, and it has another content; count the version up",
			entry.Key,
			entry.Version,
		)
	case n >= maxUploads:
		return false, fault.Coded(
			fault.Conflict,
			"too_many_packs",
			"there are %d uploaded packs; %d are allowed",
			n,
			maxUploads,
		)
	}
	raw, err := json.Marshal(entry)
	if err != nil {
		return false, errors.Join(errors.New("describe pack"), err)
	}
	const insert = `
		insert into sector_pack_upload (tenant_id, pack_key, pack_version, checksum, key_id, entry, archive,
		    uploaded_by)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7)`
	if err := pg.Exec(
		ctx,
		tx,
		"keep uploaded pack",
		insert,
		entry.Key,
		entry.Version,
		entry.Checksum,
		entry.Signature.KeyID,
		raw,
		packed,
		installation.Actor(tx),
	); err != nil {
		return false, err
	}
	return true, nil
}

// maxUploads is how many packs a tenant may bring.
const maxUploads = 50

// upload is POST of a pack. It is validated first; then, under the lock of the tenant's packs, it
// is kept. The same content again changes nothing and writes no audit entry, so that an upload can
// be repeated.
func (s *Service) upload(ctx context.Context, v viewer.Viewer, in *uploadIn) (*httpapi.Created[SectorPack], error) {
	packed := in.Body.Archive
	verdict, source, problems := s.judge(packed, in.Lenient)
	if source == nil {
		return nil, refused(problems)
	}
	entry := *verdict.Pack
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := installation.Lock(ctx, tx); err != nil {
			return err
		}
		fresh, err := keep(ctx, tx, entry, packed)
		if err != nil || !fresh {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "sector_pack.uploaded",
				Subject: audit.Subject{Type: "sector_pack", ID: entry.Key, Display: entry.Key + " " + entry.Version},
				Context: map[string]any{
					"version":   entry.Version,
					"checksum":  entry.Checksum,
					"signed_by": entry.Signature.KeyID,
				},
			},
		)
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[SectorPack]{
		Location: httpapi.Prefix + installation.Path + "/" + entry.Key + "/versions/" + entry.Version,
		Body:     entry,
	}, nil
}

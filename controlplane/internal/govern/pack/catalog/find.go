package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/builtin"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// list reads the packs of the transaction's tenant: the latest version of each, by key, with its installation.
func list(ctx context.Context, tx *pg.Tx) ([]SectorPack, error) {
	all, err := versions(ctx, tx, "")
	if err != nil {
		return nil, err
	}
	installed, err := briefs(ctx, tx)
	if err != nil {
		return nil, err
	}
	var out []SectorPack
	for _, p := range all { // by key, the newest first
		if last := len(out) - 1; last >= 0 && out[last].Key == p.Key {
			out[last].Versions = append(out[last].Versions, p.Version)
			continue
		}
		p.Versions = []string{p.Version}
		if b, ok := installed[p.Key]; ok {
			p.Installation = &b
		}
		out = append(out, p)
	}
	return out, nil
}

// versions are all packs, or those with a key, by key and the newest first.
func versions(ctx context.Context, tx *pg.Tx, key string) ([]SectorPack, error) {
	var all []SectorPack
	for _, s := range builtin.All() {
		if key == "" || s.Pack.Metadata.Key == key {
			all = append(all, entryOf(s, builtIn, nil))
		}
	}
	more, err := pg.AllBy(
		ctx,
		tx,
		"list uploaded packs",
		pgx.RowTo[SectorPack],
		`select entry from sector_pack_upload where $1 = '' or pack_key = $1`,
		key,
	)
	if err != nil {
		return nil, err
	}
	all = append(all, more...)
	slices.SortFunc(all, func(a, b SectorPack) int {
		if c := strings.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		return format.Compare(b.Version, a.Version)
	})
	return all, nil
}

// briefs are the tenant's installations by key of the pack.
func briefs(ctx context.Context, tx *pg.Tx) (map[string]InstallationBrief, error) {
	out := map[string]InstallationBrief{}
	var key string
	var b InstallationBrief
	if err := pg.Each(
		ctx,
		tx,
		"list installations",
		[]any{&key, &b.Version, &b.State, &b.InstalledAt},
		func() error { out[key] = b; return nil },
		`select pack_key, pack_version, state, installed_at from sector_pack_installation`,
	); err != nil {
		return nil, err
	}
	return out, nil
}

// readable is a pack with its content.
type readable struct {
	*format.Source
	Entry SectorPack
}

// Find reads a version of a pack. An empty version is the latest one that is no preview, or the latest preview if there
// is nothing else. Its fault is of kind NotFound and names the versions that there are.
func Find(ctx context.Context, tx *pg.Tx, key, version string) (a readable, err error) {
	all, err := versions(ctx, tx, key)
	if err != nil {
		return a, err
	}
	if len(all) == 0 {
		return a, fault.New(fault.NotFound, "Sector pack %q was not found.", key)
	}
	i := slices.IndexFunc(all, func(p SectorPack) bool {
		return p.Version == version || version == "" && !strings.Contains(p.Version, "-")
	})
	if version == "" && i < 0 {
		i = 0
	}
	if i < 0 {
		var there []string
		for _, p := range all {
			there = append(there, p.Version)
		}
		return a, fault.New(
			fault.NotFound,
			"there is no version %q of the sector pack %s; there is %s",
			version,
			key,
			strings.Join(there, ", "),
		)
	}
	a.Entry = all[i]
	if a.Entry.Source == builtIn {
		a.Source, _ = builtin.Find(key)
		return a, nil
	}
	a.Source, err = stored(ctx, tx, key, a.Entry.Version)
	return a, err
}

// stored reads an uploaded pack.
func stored(ctx context.Context, tx *pg.Tx, key, version string) (*format.Source, error) {
	var packed []byte
	const sql = `select archive from sector_pack_upload where pack_key = $1 and pack_version = $2`
	if err := tx.QueryRow(ctx, sql, key, version).Scan(&packed); err != nil {
		return nil, fmt.Errorf("read uploaded pack: %w", err)
	}
	files, problems := archive.Unpack(packed)
	if diagnostic.Failed(problems) {
		return nil, fmt.Errorf("the stored pack %s %s cannot be unpacked: %s", key, version, problems[0])
	}
	source, problems := format.Read(files, format.Options{Lenient: true})
	if source == nil {
		return nil, diagnostic.Fault(problems)
	}
	return source, nil
}

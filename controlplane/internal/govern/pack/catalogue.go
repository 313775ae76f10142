package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/builtin"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Where a pack is from.
const (
	builtIn  = "built_in"
	uploaded = "uploaded"
)

// SectorPack is a version of a pack that can be installed.
type SectorPack struct {
	Key            string             `json:"key"`
	Name           string             `json:"name"`
	Sector         string             `json:"sector"`
	Version        string             `json:"version"`
	Publisher      string             `json:"publisher"`
	Description    string             `json:"description"`
	Languages      []string           `json:"languages" nullable:"false"`
	RegulationRefs []string           `json:"regulation_refs" nullable:"false"`
	Source         string             `json:"source" enum:"built_in,uploaded"`
	Signature      PackSignature      `json:"signature"`
	Checksum       string             `json:"checksum" doc:"The SHA-256 of the list of its files and theirs."`
	Size           int64              `json:"size" doc:"Bytes of all files."`
	Contents       map[string]int     `json:"contents" doc:"How many objects of each kind it has."`
	Requires       PackRequires       `json:"requires"`
	Parameters     []PackParameter    `json:"parameters" nullable:"false"`
	Versions       []string           `json:"versions" nullable:"false" doc:"All that there are here, the newest first."`
	Installation   *InstallationBrief `json:"installation" doc:"null: it is not installed here."`
}

// PackSignature says who vouches for a pack.
type PackSignature struct {
	Alg      string  `json:"alg" enum:"ed25519,none" doc:"none: it came with the service, or is not signed."`
	KeyID    *string `json:"key_id"`
	Verified bool    `json:"verified" doc:"It came with the service, or one of the operator's trusted keys has signed it."`
}

// PackRequires says what a pack needs.
type PackRequires struct {
	Service        string   `json:"service"`
	ConnectorTypes []string `json:"connector_types" nullable:"false" doc:"Without one of each, a part of it waits."`
}

// PackParameter is something that a tenant says about itself.
type PackParameter struct {
	Key      string   `json:"key"`
	Type     string   `json:"type" enum:"string,string[],integer,boolean,duration"`
	Default  any      `json:"default"`
	Prompt   string   `json:"prompt"`
	Required bool     `json:"required"`
	Values   []string `json:"values" doc:"The values that there are; null: any."`
	Minimum  *int64   `json:"minimum"`
	Maximum  *int64   `json:"maximum"`
}

// InstallationBrief is whether a pack is installed.
type InstallationBrief struct {
	Version     string    `json:"version"`
	State       string    `json:"state" enum:"installed,uninstalled"`
	InstalledAt time.Time `json:"installed_at"`
}

// entryOf describes a pack.
func entryOf(s *format.Source, source string, keyID *string) SectorPack {
	p := s.Pack
	out := SectorPack{
		Key:            p.Metadata.Key,
		Name:           p.Metadata.Name,
		Sector:         p.Metadata.Sector,
		Version:        p.Metadata.Version,
		Publisher:      p.Metadata.Publisher,
		Description:    p.Metadata.Description,
		Languages:      filled(p.Metadata.Languages),
		RegulationRefs: filled(p.Metadata.Regulations),
		Source:         source,
		Signature: PackSignature{
			Alg:      "none",
			KeyID:    keyID,
			Verified: source == builtIn || keyID != nil,
		},
		Checksum:   s.Files.Checksum(),
		Size:       s.Files.Size(),
		Contents:   p.Contents(),
		Requires:   PackRequires{p.Requires.Service, filled(p.Requires.ConnectorTypes)},
		Parameters: []PackParameter{},
	}
	if keyID != nil {
		out.Signature.Alg = "ed25519"
	}
	for _, q := range p.Parameters {
		out.Parameters = append(
			out.Parameters,
			PackParameter{
				q.Key,
				q.Type,
				q.Default,
				q.Prompt,
				q.Required || q.Default == nil,
				q.Values,
				q.Minimum,
				q.Maximum,
			},
		)
	}
	return out
}

// filled is a list that JSON does not write as null.
func filled[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// catalogue are the packs of the transaction's tenant: the newest version of each, by key.
func catalogue(ctx context.Context, tx *pg.Tx) ([]SectorPack, error) {
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
	rows, err := tx.Query(ctx, `select entry from sector_pack_upload where $1 = '' or pack_key = $1`, key)
	if err != nil {
		return nil, fmt.Errorf("list uploaded packs: %w", err)
	}
	more, err := pgx.CollectRows(rows, pgx.RowTo[SectorPack])
	if err != nil {
		return nil, fmt.Errorf("list uploaded packs: %w", err)
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

func briefs(ctx context.Context, tx *pg.Tx) (map[string]InstallationBrief, error) {
	rows, err := tx.Query(ctx, `select pack_key, pack_version, state, installed_at from sector_pack_installation`)
	if err != nil {
		return nil, fmt.Errorf("list installations: %w", err)
	}
	out := map[string]InstallationBrief{}
	var key string
	var b InstallationBrief
	_, err = pgx.ForEachRow(
		rows,
		[]any{&key, &b.Version, &b.State, &b.InstalledAt},
		func() error { out[key] = b; return nil },
	)
	if err != nil {
		return nil, fmt.Errorf("list installations: %w", err)
	}
	return out, nil
}

// available is a pack that can be installed.
type available struct {
	*format.Source
	entry SectorPack
}

// find reads a pack; without a version, the newest one that is no preview. Its fault is of kind NotFound and names what
// there is.
func find(ctx context.Context, tx *pg.Tx, key, version string) (a available, err error) {
	all, err := versions(ctx, tx, key)
	if err != nil {
		return a, err
	}
	if len(all) == 0 {
		return a, fault.New(fault.NotFound, "there is no sector pack %q", key)
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
	a.entry = all[i]
	if a.entry.Source == builtIn {
		a.Source, _ = builtin.Find(key)
		return a, nil
	}
	a.Source, err = stored(ctx, tx, key, a.entry.Version)
	return a, err
}

// stored reads an uploaded pack.
func stored(ctx context.Context, tx *pg.Tx, key, version string) (*format.Source, error) {
	var packed []byte
	const sql = `select archive from sector_pack_upload where pack_key = $1 and pack_version = $2`
	if err := tx.QueryRow(ctx, sql, key, version).Scan(&packed); err != nil {
		return nil, fmt.Errorf("read uploaded pack: %w", err)
	}
	files, problems := format.Unpack(packed)
	if format.Failed(problems) {
		return nil, fmt.Errorf("the stored pack %s %s cannot be unpacked: %s", key, version, problems[0])
	}
	source, problems := format.Read(files, format.Options{Lenient: true})
	if source == nil {
		return nil, invalid(problems)
	}
	return source, nil
}

// invalid is what is wrong with a pack, as a fault.
func invalid(problems []format.Problem) error {
	f := fault.Coded(fault.Invalid, "invalid_pack", "the pack cannot be used; see problems").Also("problems", problems)
	for _, p := range problems {
		if p.Severity == format.Error && len(f.Fields) < 20 {
			f = f.With(fault.Field{Pointer: p.Pointer, Code: p.Code, Detail: p.String()})
		}
	}
	return f
}

// parametersOf completes the values that a tenant gives a pack.
func parametersOf(p format.Pack, given map[string]any) (map[string]any, error) {
	values, wrong := format.Values(p.Parameters, given)
	if len(wrong) == 0 {
		return values, nil
	}
	f := fault.New(fault.Invalid, "the parameters of the pack %s do not fit; see errors", p.Metadata.Key)
	for _, w := range wrong {
		f = f.With(
			fault.Field{
				Pointer: "#/parameters/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(w.Key),
				Code:    w.Code,
				Detail:  w.Detail,
			},
		)
	}
	return nil, f
}

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
	if _, err := tx.Exec(
		ctx,
		insert,
		entry.Key,
		entry.Version,
		entry.Checksum,
		entry.Signature.KeyID,
		raw,
		packed,
		actor(tx),
	); err != nil {
		return false, fmt.Errorf("keep uploaded pack: %w", err)
	}
	return true, nil
}

// maxUploads is how many packs a tenant may bring.
const maxUploads = 50

package catalog

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
)

// Where a pack is from.
const (
	builtIn  = "built_in"
	uploaded = "uploaded"
)

// SectorPack is a version of a pack that can be installed.
type SectorPack struct {
	Key            string        `json:"key"`
	Name           string        `json:"name"`
	Sector         string        `json:"sector"`
	Version        string        `json:"version"`
	Publisher      string        `json:"publisher"`
	Description    string        `json:"description"`
	Languages      []string      `json:"languages" nullable:"false"`
	RegulationRefs []string      `json:"regulation_refs" nullable:"false"`
	Source         string        `json:"source" enum:"built_in,uploaded"`
	Signature      PackSignature `json:"signature"`
	// The SHA-256 of the list of its files and theirs.
	Checksum string `json:"checksum"`
	// Bytes of all files.
	Size int64 `json:"size"`
	// How many objects of each kind it has.
	Contents   map[string]int  `json:"contents"`
	Requires   PackRequires    `json:"requires"`
	Parameters []PackParameter `json:"parameters" nullable:"false"`
	// All that there are here, the newest first.
	Versions []string `json:"versions" nullable:"false"`
	// null: it is not installed here.
	Installation *InstallationBrief `json:"installation"`
}

// PackSignature says who vouches for a pack.
type PackSignature struct {
	// none: it came with the service, or is not signed.
	Alg   string  `json:"alg" enum:"ed25519,none"`
	KeyID *string `json:"key_id"`
	// It came with the service, or one of the operator's trusted keys has signed it.
	Verified bool `json:"verified"`
}

// PackRequires says what a pack needs.
type PackRequires struct {
	Service string `json:"service"`
	// Without one of each, a part of it waits.
	ConnectorTypes []string `json:"connector_types" nullable:"false"`
}

// PackParameter is something that a tenant says about itself.
type PackParameter struct {
	Key      string `json:"key"`
	Type     string `json:"type" enum:"string,string[],integer,boolean,duration"`
	Default  any    `json:"default"`
	Prompt   string `json:"prompt"`
	Required bool   `json:"required"`
	// The values that there are; null: any.
	Values  []string `json:"values"`
	Minimum *int64   `json:"minimum"`
	Maximum *int64   `json:"maximum"`
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
		Languages:      installation.NotNull(p.Metadata.Languages),
		RegulationRefs: installation.NotNull(p.Metadata.Regulations),
		Source:         source,
		Signature: PackSignature{
			Alg:      "none",
			KeyID:    keyID,
			Verified: source == builtIn || keyID != nil,
		},
		Checksum:   s.Files.Checksum(),
		Size:       s.Files.Size(),
		Contents:   p.Contents(),
		Requires:   PackRequires{p.Requires.Service, installation.NotNull(p.Requires.ConnectorTypes)},
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

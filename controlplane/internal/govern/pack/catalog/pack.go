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
	// Key of the sector pack, the same in all its versions.
	Key string `json:"key"`
	// Display name of the sector pack.
	Name string `json:"name"`
	// Key of the industry that the sector pack is for.
	Sector string `json:"sector"`
	// Semantic version of the sector pack, such as 1.4.0.
	Version string `json:"version"`
	// Name of the publisher of the sector pack.
	Publisher string `json:"publisher"`
	// Description of the sector pack. Empty if it has none.
	Description string `json:"description"`
	// Languages of the sector pack as language tags, such as en or pt-BR.
	Languages []string `json:"languages" nullable:"false"`
	// Regulations that the sector pack refers to.
	RegulationRefs []string `json:"regulation_refs" nullable:"false"`
	// Origin of the sector pack: built_in if it is part of the product, uploaded if an administrator uploaded it.
	Source string `json:"source" enum:"built_in,uploaded"`
	// Signature of the sector pack.
	Signature PackSignature `json:"signature"`
	// The SHA-256 of the list of its files and theirs.
	Checksum string `json:"checksum"`
	// Bytes of all files.
	Size int64 `json:"size"`
	// How many objects of each kind it has.
	Contents map[string]int `json:"contents"`
	// Requirements of the sector pack.
	Requires PackRequires `json:"requires"`
	// Parameters that an installation of the sector pack takes.
	Parameters []PackParameter `json:"parameters" nullable:"false"`
	// All that there are here, the newest first.
	Versions []string `json:"versions" nullable:"false"`
	// Installation of the sector pack. Null if it was never installed.
	Installation *InstallationBrief `json:"installation"`
}

// PackSignature says who vouches for a pack.
type PackSignature struct {
	// Algorithm of the signature. It is none if the pack is part of the product or not signed.
	Alg string `json:"alg" enum:"ed25519,none"`
	// ID of the trusted key that signed the sector pack. Null if there is none.
	KeyID *string `json:"key_id"`
	// It came with the service, or one of the operator's trusted keys has signed it.
	Verified bool `json:"verified"`
}

// PackRequires says what a pack needs.
type PackRequires struct {
	// Versions of the control plane that the sector pack works with, such as ">=1.0 <2". Empty if any.
	Service string `json:"service"`
	// Without one of each, a part of it waits.
	ConnectorTypes []string `json:"connector_types" nullable:"false"`
}

// PackParameter is something that a tenant says about itself.
type PackParameter struct {
	// Key of the parameter, as used in parameters of an installation.
	Key string `json:"key"`
	// Type of the value of the parameter. A duration is written in ISO 8601, such as P14D.
	Type string `json:"type" enum:"string,string[],integer,boolean,duration"`
	// Default value of the parameter. Null if there is none.
	Default any `json:"default"`
	// Question that the administrator answers with the value of the parameter.
	Prompt string `json:"prompt"`
	// Whether the parameter is required. A parameter without a default is always required.
	Required bool `json:"required"`
	// The values that there are; null: any.
	Values []string `json:"values"`
	// Smallest value of an integer parameter. Null if there is no limit.
	Minimum *int64 `json:"minimum"`
	// Largest value of an integer parameter. Null if there is no limit.
	Maximum *int64 `json:"maximum"`
}

// InstallationBrief is whether a pack is installed.
type InstallationBrief struct {
	// Version of the sector pack that is or was installed.
	Version string `json:"version"`
	// Whether the sector pack is installed or has been uninstalled.
	State string `json:"state" enum:"installed,uninstalled"`
	// Time of the last installation or upgrade.
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

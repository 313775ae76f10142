package tenant

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// SectorPackChoice is a sector pack that a tenant begins with. In JSON it is an object, or its key alone.
type SectorPackChoice struct {
	// Key of the sector pack.
	Key string `json:"key" minLength:"1" maxLength:"63"`
	// The default is the latest version.
	Version string `json:"version,omitempty" maxLength:"100"`
	// What the pack asks for; see GET /sector-packs/{key}.
	Parameters map[string]any `json:"parameters,omitempty"`
}

// Schema says that a key alone will do.
func (SectorPackChoice) Schema(r huma.Registry) *huma.Schema {
	type object SectorPackChoice
	key := &huma.Schema{Type: huma.TypeString}
	least, most := 1, 63
	key.MinLength, key.MaxLength = &least, &most
	key.PrecomputeMessages()
	s := &huma.Schema{OneOf: []*huma.Schema{key, huma.SchemaFromType(r, reflect.TypeFor[object]())}}
	s.PrecomputeMessages()
	return s
}

// UnmarshalJSON reads an object, or a key alone.
func (c *SectorPackChoice) UnmarshalJSON(raw []byte) error {
	if strings.HasPrefix(strings.TrimSpace(string(raw)), `"`) {
		return json.Unmarshal(raw, &c.Key)
	}
	type object SectorPackChoice
	return json.Unmarshal(raw, (*object)(c))
}

// Packs installs sector packs. Without it there are none.
type Packs struct {
	Check   func([]SectorPackChoice) error // a fault of kind Invalid unless all of them can be installed
	Install func(ctx context.Context, tx *pg.Tx, choices []SectorPackChoice) error
}

// check refuses choices that cannot be installed.
func (p Packs) check(choices []SectorPackChoice) error {
	switch {
	case len(choices) == 0:
		return nil
	case p.Check == nil:
		return fault.Coded(fault.Invalid, "unknown_sector_pack", "there is no sector pack %q; none is available here",
			choices[0].Key).
			With(fault.Field{Pointer: "#/sector_packs/0", Code: "unknown_sector_pack",
				Detail: "leave sector_packs out, or empty"})
	}
	return p.Check(choices)
}

// install installs the packs in the transaction that makes the tenant: there is no moment in which it is there without
// them.
func (p Packs) install(ctx context.Context, tx *pg.Tx, choices []SectorPackChoice) error {
	if len(choices) == 0 {
		return nil
	}
	if err := p.Install(ctx, tx, choices); err != nil {
		return fmt.Errorf("install what the tenant begins with: %w", err)
	}
	return nil
}

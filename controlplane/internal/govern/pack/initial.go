package pack

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/builtin"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/install"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Choice is a pack that a tenant is to begin with.
type Choice struct {
	// Key is the pack's, Version its version; empty: the latest.
	Key, Version string
	// Parameters are the values by key; those that are not given have their defaults.
	Parameters map[string]any
}

// CheckChoices is a fault of kind Invalid unless all packs come with the service and take their parameters: a tenant
// that was promised a pack must not begin without it.
func CheckChoices(choices []Choice) error {
	seen := map[string]bool{}
	for n, c := range choices {
		at := fmt.Sprintf("#/sector_packs/%d", n)
		s, ok := builtin.Find(c.Key)
		switch {
		case !ok:
			return fault.Coded(fault.Invalid, "unknown_sector_pack", "there is no sector pack %q; there are %s", c.Key,
				there()).
				With(fault.Field{Pointer: at, Code: "unknown_sector_pack", Detail: "name one of " + there()})
		case c.Version != "" && c.Version != s.Pack.Metadata.Version:
			return fault.Coded(fault.Invalid, "unknown_sector_pack", "there is no version %q of the sector pack %s; "+
				"there is %s", c.Version, c.Key, s.Pack.Metadata.Version).
				With(fault.Field{Pointer: at + "/version", Code: "unknown_sector_pack",
					Detail: "leave version out, or write " + s.Pack.Metadata.Version})
		case seen[c.Key]:
			return fault.New(fault.Invalid, "Sector pack %s is listed twice.", c.Key).
				With(fault.Field{Pointer: at, Code: "duplicate", Detail: "name it once"})
		}
		seen[c.Key] = true
		values, wrong := format.Values(s.Pack.Parameters, c.Parameters)
		if len(wrong) > 0 {
			return fault.New(fault.Invalid, "the parameter %s of the sector pack %s does not fit: %s", wrong[0].Key,
				c.Key, wrong[0].Detail).
				With(fault.Field{Pointer: at + "/parameters/" + wrong[0].Key, Code: wrong[0].Code,
					Detail: wrong[0].Detail})
		}
		if _, problems := s.Fill(values); diagnostic.Failed(problems) {
			return diagnostic.Fault(problems)
		}
	}
	return nil
}

// there lists the keys of the packs that come with the product, for an error message.
func there() string {
	var keys []string
	for _, s := range builtin.All() {
		keys = append(keys, s.Pack.Metadata.Key)
	}
	return strings.Join(keys, ", ")
}

// Found installs the packs that a tenant begins with, in the transaction that makes it.
func (s *Service) Found(ctx context.Context, tx *pg.Tx, choices []Choice) error {
	for _, c := range choices {
		if _, _, err := s.installations().InTx(
			ctx,
			tx,
			install.Request{Key: c.Key, Version: c.Version, Parameters: c.Parameters, Trusting: true},
		); err != nil {
			return fmt.Errorf("install the sector pack %s: %w", c.Key, err)
		}
	}
	return nil
}

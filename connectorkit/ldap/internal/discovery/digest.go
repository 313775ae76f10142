package discovery

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// digest changes when names or types change, and not with the entries that happened to be sampled: fields known from
// samples alone count only where no schema could be read.
func digest(objects []v1.DiscoveredObject) string {
	h := sha256.New()
	for _, o := range objects {
		fmt.Fprintf(h, "%s\n", o.Kind)
		schemaKnown := slices.ContainsFunc(o.Fields, func(f v1.DiscoveredField) bool { return f.Source != "sample" })
		for _, f := range o.Fields {
			if !schemaKnown || f.Source != "sample" {
				fmt.Fprintf(h, "%s %s %s\n", f.Name, f.Type, f.Format)
			}
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

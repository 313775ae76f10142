package incoming

import (
	"strings"
	"testing"
)

func FuzzTraceparent(f *testing.F) {
	for _, seed := range []string{
		"", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x", strings.Repeat("-", 55), strings.Repeat("0", 55),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		id, parent, ok := parseTraceparent(value)
		if ok &&
			(len(id) != 32 || len(parent) != 16 || !lowerHex(id) || !lowerHex(parent) ||
				!strings.Contains(value, "-"+id+"-"+parent+"-")) {
			t.Errorf("%q gives %q and %q", value, id, parent)
		}
	})
}

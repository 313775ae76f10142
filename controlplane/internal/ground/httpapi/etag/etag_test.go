package etag

import (
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

func FuzzEntityTags(f *testing.F) {
	for _, seed := range []string{"", "*", `"7"`, `W/"7"`, `"6", "7"`, `"6",`, `"a,b"`, `7`, `"`, "\"\x00\"", `""`,
		` * `} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		tags, all, err := Parse("If-Match", value)
		if err != nil {
			if !fault.Is(err, fault.Malformed) {
				t.Errorf("%q: %v", value, err)
			}
			return
		}
		if all == (len(tags) > 0) {
			t.Errorf("%q is all (%v) and %q", value, all, tags)
		}
		again, _, err := Parse("If-Match", strings.Join(tags, ", "))
		if !all && (err != nil || !slices.Equal(tags, again)) {
			t.Errorf("%q gives %q, then %q (%v)", value, tags, again, err)
		}
	})
}

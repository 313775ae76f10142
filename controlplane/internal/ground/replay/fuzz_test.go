package replay_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/replay"
)

// FuzzKey holds what a key may be against the parser of UUIDs: every key that is taken is one in its usual form,
// whichever way it was written, and is taken again as it came out.
func FuzzKey(f *testing.F) {
	for _, seed := range []string{
		key, `"` + key + `"`, strings.ToUpper(key), " " + key + "\t", "", `""`, `"`, "{" + key + "}", "urn:uuid:" + key,
		strings.ReplaceAll(key, "-", ""),
		key + "," + key, `"` + key, key + `"`, strings.Repeat("0", 36), strings.Repeat("-", 36),
		"0198f5c3-4f9e-7a6b-8c1d-2e3f4a5b6c7\x00", strings.Repeat(" ", 70),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got, err := replay.Key([]string{value})
		if err != nil {
			if !fault.IsCode(err, "invalid_idempotency_key") || got != "" {
				t.Errorf("%q gives %q, %v", value, got, err)
			}
			return
		}
		if len(got) != 36 || uuid.Validate(got) != nil || strings.ToLower(got) != got ||
			!strings.Contains(strings.ToLower(value), got) {
			t.Errorf("%q gives %q", value, got)
		}
		if again, err := replay.Key([]string{got}); again != got || err != nil {
			t.Errorf("%q gives %q, then %q (%v)", value, got, again, err)
		}
		if _, err := replay.Key([]string{value, value}); err == nil {
			t.Errorf("%q is taken twice", value)
		}
	})
}

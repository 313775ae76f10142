package text

import (
	"golang.org/x/text/unicode/norm"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// forms are the normal forms of Unicode.
var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

func normalize(t *thread, form, s string) string {
	f, ok := forms[form]
	if !ok {
		t.ValueError("invalid normalization form")
	}
	t.Steps(len(s) / 4)
	if !object.IsASCII(s) {
		t.Alloc(18 * len(s)) // what the longest decomposition makes of it
	}
	return f.String(s)
}

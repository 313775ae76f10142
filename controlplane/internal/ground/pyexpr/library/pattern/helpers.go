package pattern

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/regex"
)

// The helpers are what mappings need often and Python says at length. All of them give None for None, so that a field
// which a record lacks needs no question of its own.
func init() {
	library.AddHelper("re_sub", "pattern repl value count? flags?", func(t *thread, a values) value {
		s, _ := substitute(t, compiled(t, a[0], a[4]), a[1], t.Str(a[2]), a[3])
		return s
	})
	library.AddHelper("re_match", "pattern value flags?", func(t *thread, a values) value {
		return matchOnce(t, compiled(t, a[0], a[2]), t.Str(a[1]), object.Missing, object.Missing, regex.Search) != nil
	})
	library.AddHelper("re_extract", "pattern value group? flags?", func(t *thread, a values) value {
		p, s := compiled(t, a[0], a[3]), t.Str(a[1])
		m, ok := matchOnce(t, p, s, object.Missing, object.Missing, regex.Search).(*match)
		if !ok {
			return nil
		}
		if !library.Omitted(a[2]) {
			return m.group(t, m.number(t, a[2]), nil)
		}
		return m.group(t, min(1, m.p.Groups), nil)
	})
}

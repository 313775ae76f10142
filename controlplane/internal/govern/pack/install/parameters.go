package install

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// parametersOf completes the values that a tenant gives a pack.
func parametersOf(p format.Pack, given map[string]any) (map[string]any, error) {
	values, wrong := format.Values(p.Parameters, given)
	if len(wrong) == 0 {
		return values, nil
	}
	f := fault.New(fault.Invalid, "the parameters of the pack %s do not fit; see errors", p.Metadata.Key)
	for _, w := range wrong {
		f = f.With(
			fault.Field{
				Pointer: "#/parameters/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(w.Key),
				Code:    w.Code,
				Detail:  w.Detail,
			},
		)
	}
	return nil, f
}

// kept are the values of parameters that a version has as well.
func kept(values map[string]any, parameters []format.Parameter) map[string]any {
	out := map[string]any{}
	for _, p := range parameters {
		if v, ok := values[p.Key]; ok {
			out[p.Key] = v
		}
	}
	return out
}

// sameValues says whether two sets of parameters are equal, however their values are typed.
func sameValues(a, b map[string]any) bool {
	x, errX := merge.Fields(a).Normal()
	y, errY := merge.Fields(b).Normal()
	return errX == nil && errY == nil && merge.Equal(x, y)
}

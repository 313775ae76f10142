package diagnostic

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Fault is a fault of kind Invalid with the code invalid_pack. It has all problems as problems, and the first 20 errors
// as fields.
func Fault(problems []Problem) error {
	f := fault.Coded(fault.Invalid, "invalid_pack", "the pack cannot be used; see problems").Also("problems", problems)
	for _, p := range problems {
		if p.Severity == Error && len(f.Fields) < 20 {
			f = f.With(fault.Field{Pointer: p.Pointer, Code: p.Code, Detail: p.String()})
		}
	}
	return f
}

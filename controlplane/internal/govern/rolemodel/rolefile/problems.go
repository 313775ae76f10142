package rolefile

import (
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// problems of a file, with the lines that they are in.
type problems []fault.Field

// most is how many are reported.
const most = 100

// add adds a problem with a line of the file, up to a limit.
func (p *problems) add(line int, code, format string, args ...any) {
	if len(*p) < most {
		*p = append(
			*p,
			fault.Field{
				Pointer: "#/yaml",
				Code:    code,
				Detail:  fmt.Sprintf("line %d: ", line) + fmt.Sprintf(format, args...),
			},
		)
	}
}

// fault is the fault with all problems; nil without any.
func (p problems) fault() error {
	if len(p) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "this file cannot be imported: %s", p[0].Detail).With(p...)
}

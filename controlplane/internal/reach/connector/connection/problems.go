package connection

import (
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Parted distinguishes missing settings from wrong ones. A connector without a name is wrong at any time.
func (p Problems) Parted() (missing, wrong Problems) {
	for _, f := range p {
		if f.Code == catalog.Required && f.Pointer != "#/name" {
			missing = append(missing, f)
		} else {
			wrong = append(wrong, f)
		}
	}
	return missing, wrong
}

// Problems are all that is wrong with a payload.
type Problems []fault.Field

// Add notes something that is wrong: where, as a JSON pointer into the payload, its code, and what to do about it.
func (p *Problems) Add(pointer, code, detail string) {
	*p = append(*p, fault.Field{Pointer: pointer, Code: code, Detail: detail})
}

// Fault is a fault of kind Invalid with all that is wrong; nil where nothing is.
func (p Problems) Fault() error {
	if len(p) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "The connector's settings are invalid. See errors.").With(p...)
}

// Escape writes a member's name into a JSON pointer (RFC 6901 section 3).
func Escape(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

func (p Problems) at(pointer string) bool {
	return slices.ContainsFunc(p, func(f fault.Field) bool { return f.Pointer == pointer })
}

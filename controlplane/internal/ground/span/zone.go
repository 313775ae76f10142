package span

import (
	"errors"
	"strings"
	"time"
	_ "time/tzdata" // the zones' rules, where the machine has none
)

var errUnknownZone = errors.New(
	"there is no time zone of this name; IANA names look like Europe/Berlin, America/New_York or UTC",
)

// FindZone finds a time zone by its IANA name. Local would be another one on each machine, and the trees right and
// posix are no IANA names. The error is written to be shown to users.
func FindZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" || strings.HasPrefix(name, "right/") || strings.HasPrefix(name, "posix/") {
		return nil, errUnknownZone
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil, errUnknownZone
	}
	return z, nil
}

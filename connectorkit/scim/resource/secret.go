package resource

import (
	"regexp"
	"sync"
	"sync/atomic"
)

// secretPattern finds attributes that must never leave the target: RFC 7643 has password, vendors have more.
var secretPattern = regexp.MustCompile(
	`(?i)(password|passwd|passphrase|secret|private[_-]?key|api[_-]?key|credential|` +
		`access[_-]?token|refresh[_-]?token|otp[_-]?seed)`,
)

// secretNames remembers which names are secret: a run asks for the same few dozen names for every record, and the
// expression costs more than the rest of the record. The names come from the target, so there is an end to how many
// are kept.
var secretNames struct {
	names sync.Map // name -> bool
	count atomic.Int32
}

const maxSecretNames = 4096

// IsSecret reports whether an attribute of this name must never leave the target.
func IsSecret(name string) bool {
	if known, ok := secretNames.names.Load(name); ok {
		return known.(bool)
	}
	is := secretPattern.MatchString(name)
	if secretNames.count.Load() < maxSecretNames {
		secretNames.count.Add(1)
		secretNames.names.Store(name, is)
	}
	return is
}

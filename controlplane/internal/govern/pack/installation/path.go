package installation

import ()

// NotNull is a list that JSON does not write as null.
func NotNull[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// base is the path of sector packs, and one that of a sector pack.
const (
	Path     = "/sector-packs"
	PackPath = Path + "/{key}"
)

// PackKey names a pack in a path.
type PackKey struct {
	// Key of the sector pack.
	Key string `path:"key" minLength:"1" maxLength:"63"`
}

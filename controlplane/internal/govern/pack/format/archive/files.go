package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// Limits of a pack.
const (
	MaxPacked   = 5 << 20  // bytes of an archive
	MaxUnpacked = 50 << 20 // bytes of all files together
	MaxEntries  = 1000     // files and folders
	MaxRatio    = 100      // how many times as large as its archive a pack may be
	maxPath     = 200      // bytes of a path
	maxDepth    = 4        // names in a path
)

// Files are the files of a pack by their path.
type Files map[string][]byte

// The files with a meaning of their own.
const (
	ManifestName  = "pack.yaml"
	signatureName = "SIGNATURE"
)

// Digest lists the files but for the signature, sorted by path, one "sha256  path" a line: what a signature signs.
func (f Files) Digest() []byte {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if name == signatureName {
			continue
		}
		sum := sha256.Sum256(f[name])
		b.WriteString(hex.EncodeToString(sum[:]) + "  " + name + "\n")
	}
	return []byte(b.String())
}

// Checksum identifies the content: the hash of its digest.
func (f Files) Checksum() string {
	sum := sha256.Sum256(f.Digest())
	return hex.EncodeToString(sum[:])
}

// Size is the bytes of all files.
func (f Files) Size() (n int64) {
	for _, content := range f {
		n += int64(len(content))
	}
	return n
}

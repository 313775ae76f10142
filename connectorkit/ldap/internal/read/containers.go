package read

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// maxContainers is how many places are remembered one by one, six bytes each. Of more only the sum is.
const maxContainers = 3000

const hashBytes = 6

// Containers is the set of places in a directory, as a cursor remembers it. When a place is renamed or moved,
// everything in it gets another DN, yet no directory counts that as a change of any entry but the place
// itself.
type Containers struct {
	Count  int    `json:"n"`
	Sum    string `json:"sum"`
	Hashes []byte `json:"hashes,omitempty"` // of the DNs, in order
}

// HashOf is the hash by which a container is remembered; dn is in normal form.
func HashOf(dn string) string {
	sum := sha256.Sum256([]byte(dn))
	return string(sum[:hashBytes])
}

// NewContainers makes a set of hashes, in any order and with repetitions.
func NewContainers(hashes []string) *Containers {
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	all := strings.Join(hashes, "")
	sum := sha256.Sum256([]byte(all))
	c := &Containers{Count: len(hashes), Sum: hex.EncodeToString(sum[:8])}
	if c.Count <= maxContainers {
		c.Hashes = []byte(all)
	}
	return c
}

// Has reports whether the set holds a hash. A set of more than maxContainers has a count and a sum only.
func (c *Containers) Has(hash string) bool {
	low, high := 0, len(c.Hashes)/hashBytes
	for low < high {
		mid := (low + high) / 2
		switch at := string(c.Hashes[mid*hashBytes : (mid+1)*hashBytes]); {
		case at == hash:
			return true
		case at < hash:
			low = mid + 1
		default:
			high = mid
		}
	}
	return false
}

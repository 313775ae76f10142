package wire

import (
	"crypto/rand"
	"time"
)

// crockford is the alphabet of Crockford's base 32, which has no letters that look like digits.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// NewID makes a frame id: a ULID (48 bits of Unix milliseconds, 80 random bits, 26 characters of Crockford's base 32).
func NewID(now time.Time) string {
	var b [16]byte
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	rand.Read(b[6:]) // never fails
	var id [26]byte
	// 128 bits in 26 characters of 5 bits: the first carries the top 3 bits alone.
	for i := range id {
		low := 125 - 5*i // position of the character's lowest bit
		var v byte
		for bit := 4; bit >= 0; bit-- {
			v = v<<1 | bitAt(b, low+bit)
		}
		id[i] = crockford[v]
	}
	return string(id[:])
}

// bitAt is the bit at position n, counted from the lowest; beyond the top it is 0.
func bitAt(b [16]byte, n int) byte {
	if n >= 128 {
		return 0
	}
	return b[15-n/8] >> (n % 8) & 1
}

package syntax

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
)

// ParseGUID reads the text of a GUID, in the order of its digits.
func ParseGUID(s string) ([]byte, bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return nil, false
	}
	b, err := hex.DecodeString(s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:])
	return b, err == nil
}

// SwapGUID is a GUID as Microsoft stores it: the first three groups are little-endian.
func SwapGUID(b []byte) []byte {
	return append([]byte{b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6]}, b[8:]...)
}

// FormatUUID writes 16 bytes as a UUID in the order of its bytes (RFC 9562).
func FormatUUID(b []byte) string {
	s, _ := FormatGUID([]byte{
		b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15],
	})
	return s
}

// FormatGUID writes a binary GUID (objectGUID) as Microsoft does: the first three groups are little-endian.
// It gives false for anything but 16 bytes.
func FormatGUID(b []byte) (string, bool) {
	if len(b) != 16 {
		return "", false
	}
	g := [16]byte{b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6]}
	copy(g[8:], b[8:])
	var out [36]byte
	hex.Encode(out[0:8], g[0:4])
	hex.Encode(out[9:13], g[4:6])
	hex.Encode(out[14:18], g[6:8])
	hex.Encode(out[19:23], g[8:10])
	hex.Encode(out[24:36], g[10:16])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:]), true
}

// FormatSID writes a binary security identifier as S-1-5-… (MS-DTYP section 2.4.2.1). It gives false for anything else.
func FormatSID(b []byte) (string, bool) {
	if len(b) < 8 || len(b) != 8+4*int(b[1]) {
		return "", false
	}
	var authority [8]byte
	copy(authority[2:], b[2:8])
	var out strings.Builder
	out.WriteString(
		"S-" + strconv.Itoa(int(b[0])) + "-" + strconv.FormatUint(binary.BigEndian.Uint64(authority[:]), 10),
	)
	for rest := b[8:]; len(rest) > 0; rest = rest[4:] {
		out.WriteString("-" + strconv.FormatUint(uint64(binary.LittleEndian.Uint32(rest)), 10))
	}
	return out.String(), true
}

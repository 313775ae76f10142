// Package password says what a password must look like and how it is kept: argon2id (RFC 9106), in the PHC string form.
// Hashing costs much memory and time on purpose, so only as many hashes run at once as there are processors.
package password

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Lengths of a password in characters, after Unicode normalization.
const (
	MinLength = 12
	MaxLength = 256
	maxBytes  = 4 * MaxLength
)

// Normal is a password as it is hashed: in Unicode's form NFC, so that the same keys give the same password on every
// keyboard.
func Normal(plain string) string { return norm.NFC.String(plain) }

// Check refuses a password that is too short, too long, or among the first that anybody would guess. account is the
// user's e-mail address. It returns a fault of kind Invalid, which points to #/password and never quotes it.
func Check(plain, account string) error {
	if len(plain) > maxBytes || !utf8.ValidString(plain) {
		return weak("too_long", "a password may have at most 256 characters")
	}
	p := Normal(plain)
	n := utf8.RuneCountInString(p)
	switch {
	case n < MinLength:
		return weak("too_short", "a password needs at least 12 characters; a few words together are easy to remember")
	case n > MaxLength:
		return weak("too_long", "a password may have at most 256 characters")
	case isCommon(p) || strings.EqualFold(p, account):
		return weak("too_common", "this password is among the first that anybody would try; choose another")
	}
	return nil
}

func weak(code, detail string) error {
	return fault.Coded(fault.Invalid, "weak_password", "%s", detail).
		With(fault.Field{Pointer: "#/password", Code: code, Detail: detail})
}

// common are the passwords of twelve and more characters that lead the published lists. Shorter ones are refused for their
// length; digits or marks at the end make none of them better.
var common = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`
		password passwordpassword passw0rd p@ssword p@ssw0rd mypassword password1password
		qwerty qwertyuiop qwertyqwerty qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm asdfghjkl asdfghjklasdfghjkl zxcvbnm
		1q2w3e4r5t6y 1q2w3e4r5t6y7u8i 1qaz2wsx3edc 1qaz2wsx3edc4rfv q1w2e3r4t5y6 zaq12wsxcde3
		abcdefghijkl abcdefghijklm abcdefghijklmnopqrstuvwxyz abcabcabcabc
		administrator adminadmin adminadminadmin admin letmein letmeinletmein welcome welcomewelcome changeme changemechangeme
		iloveyou iloveyouiloveyou sunshine princess football baseball trustno1 monkey dragon master superman whatever
		default secret test testtest testtesttest guest login root rootroot user`) {
		common[w] = true
	}
}

// isCommon looks at the word without the digits and marks that people put at its end to satisfy a rule.
func isCommon(p string) bool {
	lower := strings.ToLower(p)
	stem := strings.TrimRight(lower, "0123456789!?.,*#$@%&-_+ ")
	return common[lower] || common[stem] || stem == "" || isOneCharacter(lower) || isStaircase(lower)
}

func isOneCharacter(s string) bool {
	first, size := utf8.DecodeRuneInString(s)
	return strings.Trim(s[size:], string(first)) == ""
}

// isStaircase reports a run such as 234567890123 or lmnopqrstuvw, up or down.
func isStaircase(s string) bool {
	up, down := true, true
	for i := 1; i < len(s); i++ {
		step := int(s[i]) - int(s[i-1])
		up = up && (step == 1 || s[i-1] == '9' && s[i] == '0')
		down = down && (step == -1 || s[i-1] == '0' && s[i] == '9')
	}
	return up || down
}

// Package password says what a password must look like and how it is kept: argon2id (RFC 9106), in the PHC string form.
// Hashing costs much memory and time on purpose, so only as many hashes run at once as there are processors.
package password

import (
	_ "embed" // the list of common passwords
	"strings"
	"sync"
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
		return weak("too_common", "this password is too common; choose another")
	}
	return nil
}

func weak(code, detail string) error {
	return fault.Coded(fault.Invalid, "weak_password", "%s", detail).
		With(fault.Field{Pointer: "#/password", Code: code, Detail: detail})
}

// commonList holds, a line each, the 3,000 passwords that lead the lists of leaked ones, and the long ones among the
// 30,000 first. It is taken from the frequency lists of zxcvbn (MIT licence, Dropbox, Inc.). Shorter ones are there for
// what people make of them: digits or marks at the end, or the word twice, make none of them better.
//
//go:embed common.txt
var commonList string

var common = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(commonList) {
		words[strings.ToLower(w)] = true
	}
	for w := range strings.FieldsSeq(staircases) {
		words[w] = true
	}
	return words
})

// staircases are ways over the keyboard and words of our trade that the list lacks.
const staircases = `
	passwordpassword mypassword qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm asdfghjklasdfghjkl
	1q2w3e4r5t6y7u8i 1qaz2wsx3edc4rfv q1w2e3r4t5y6 zaq12wsxcde3
	abcdefghijkl abcdefghijklm abcdefghijklmnopqrstuvwxyz
	administrator adminadmin letmein changeme p@ssword p@ssw0rd default root`

// isCommon looks at the word without the digits and marks that people put at its end to satisfy a rule.
func isCommon(p string) bool {
	lower := strings.ToLower(p)
	stem := strings.TrimRight(lower, "0123456789!?.,*#$@%&-_+ ")
	return common()[lower] || common()[stem] || common()[once(lower)] || common()[once(stem)] || stem == "" ||
		isOneCharacter(lower) ||
		isStaircase(lower)
}

// once is the word that a text repeats, or the text.
func once(s string) string {
	for n := 3; n <= len(s)/2; n++ {
		if len(s)%n == 0 && strings.Repeat(s[:n], len(s)/n) == s {
			return s[:n]
		}
	}
	return s
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

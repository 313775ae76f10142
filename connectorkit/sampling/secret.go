package sampling

import (
	"regexp"
	"strings"
)

var secretName = regexp.MustCompile(
	`(?i)(passw(or)?d|passphrase|pwd$|secret|(^|[._-])token$|[a-z]Token$|` +
		`api_?key|private_?key|credential|salt$|hash$|(^|[._-])pin$|otp)`,
)

// secretValue are the beginnings of well known kinds of secret.
var secretValue = regexp.MustCompile(`^(\$2[aby]?\$|\$argon2|\{SSHA|\{SHA|\{CRYPT|-----BEGIN|eyJ[A-Za-z0-9_-]+\.eyJ)`)

// secret says whether the field looks like a secret, by its name or by its sample values.
func (f *ObservedField) secret(name string) bool {
	if secretName.MatchString(name[strings.LastIndexByte(name, '.')+1:]) {
		return true
	}
	for _, s := range f.samples {
		if secretValue.MatchString(s) {
			return true
		}
	}
	return false
}

// maskValue hides a value but for its first letter and its punctuation: j***@e***.com becomes of jane@example.com.
func maskValue(s string) string {
	var b strings.Builder
	inWord := false
	for _, r := range s {
		switch {
		case strings.ContainsRune("@.-_/: ,+", r):
			b.WriteRune(r)
			inWord = false
		case !inWord:
			b.WriteRune(r)
			b.WriteString("***")
			inWord = true
		}
	}
	return b.String()
}

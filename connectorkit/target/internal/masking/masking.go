package masking

import (
	"regexp"
)

// namedSecret finds values whose names show that they are secrets, in JSON and in forms, so that secrets that were not
// configured (such as another user's password in an answer) are masked too.
var namedSecret = regexp.MustCompile(
	`(?i)("?[a-z0-9_.-]*(?:access_token|refresh_token|id_token|client_secret|password|` +
		`passphrase|passwd|api_?key|private_key)"?\s*[:=]\s*)` +
		`("(?:[^"\\]|\\.)*"?|[^"&\s,;}<{[][^"&\s,;}<]*)`,
)

// WithoutSecrets masks such values. What can be no secret stays: yes or no, nothing, and an object or list,
// whose members have names of their own.
func WithoutSecrets(s string) string {
	return namedSecret.ReplaceAllStringFunc(s, func(found string) string {
		m := namedSecret.FindStringSubmatch(found)
		switch m[2] {
		case "true", "false", "null":
			return found
		}
		return m[1] + `"[secret]"`
	})
}

// IsSecretName reports whether the name of a member says that its value is a secret.
func IsSecretName(name string) bool { return namedSecret.MatchString(name + "=x") }

package connectorkit

import (
	"encoding/base64"
	"net/url"
	"slices"
	"sort"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Scrubber masks the secrets of one call in text that leaves it: excerpts of answers, diagnostics, error messages.
type Scrubber struct{ replacer *strings.Replacer }

const masked = "[secret]"

// minSecret keeps very short secrets from blanking out half of a text; such a secret is hardly one.
const minSecret = 4

// minPart is the same for a part of a secret, which a text is more likely to have by chance.
const minPart = 8

// NewScrubber masks the given secrets, plain and as they look in a URL, in base64 and in a JSON string. Of a secret
// that is the value of a header, such as "Bearer abc", its parts are masked as well: a target may repeat the token
// alone.
func NewScrubber(secrets ...string) *Scrubber {
	seen := map[string]bool{}
	var forms []string
	all := slices.Clone(secrets)
	for _, s := range secrets {
		all = append(all, headerParts(s)...)
	}
	for _, s := range all {
		for _, form := range []string{
			s, url.QueryEscape(s), url.PathEscape(s),
			base64.StdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)),
			strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s),
		} {
			if len(form) >= minSecret && !seen[form] {
				seen[form] = true
				forms = append(forms, form)
			}
		}
	}
	// The longest first, so that a secret which contains another is masked whole.
	sort.Slice(forms, func(i, j int) bool { return len(forms[i]) > len(forms[j]) })
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range forms {
		pairs = append(pairs, f, masked)
	}
	return &Scrubber{replacer: strings.NewReplacer(pairs...)}
}

// headerParts are the parts of a header's value that are secrets of their own: what follows the scheme of an
// Authorization header (RFC 9110 section 11.4), the values of its parameters and of cookies, and what basic credentials
// hold.
func headerParts(value string) []string {
	if len(value) > maxHeader || strings.ContainsAny(value, "\r\n{") {
		return nil
	}
	var parts []string
	if scheme, rest, two := strings.Cut(strings.TrimSpace(value), " "); two {
		rest = strings.TrimSpace(rest)
		if schemes[strings.ToLower(scheme)] {
			parts = append(parts, rest)
			if plain, err := base64.StdEncoding.DecodeString(rest); err == nil && strings.EqualFold(scheme, "Basic") {
				_, password, _ := strings.Cut(string(plain), ":")
				parts = append(parts, string(plain), password)
			}
		}
	}
	for _, field := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t,;", r) }) {
		_, part, named := strings.Cut(field, "=")
		if part = strings.Trim(part, `"`); !named || part == "" {
			part = field
		}
		if len(part) >= minPart {
			parts = append(parts, part)
		}
	}
	return parts
}

// maxHeader is longer than the value of any header.
const maxHeader = 8 << 10

// schemes are words before credentials, in lower case.
var schemes = map[string]bool{
	"bearer":    true,
	"basic":     true,
	"token":     true,
	"apikey":    true,
	"api-key":   true,
	"key":       true,
	"ssws":      true,
	"digest":    true,
	"negotiate": true,
	"hmac":      true,
	"genie":     true,
	"geniekey":  true,
	"oauth":     true,
	"jwt":       true,
}

// ScrubberFor masks the values of the secret fields in auth. Members of secret objects count as secrets too.
func ScrubberFor(auth v1.AuthConfig, fields []Field) *Scrubber {
	var secrets []string
	for _, f := range fields {
		if f.Secret {
			secrets = append(secrets, TextsIn(auth[f.Key])...)
		}
	}
	return NewScrubber(secrets...)
}

// TextsIn lists every text in a setting, however deep it lies in objects and lists.
func TextsIn(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case map[string]any:
		var out []string
		for _, e := range v {
			out = append(out, TextsIn(e)...)
		}
		return out
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, TextsIn(e)...)
		}
		return out
	}
	return nil
}

// Clean masks secrets in s.
func (c *Scrubber) Clean(s string) string {
	if c == nil || s == "" {
		return s
	}
	return c.replacer.Replace(s)
}

// Excerpt is at most n bytes of s, cut at a rune, with secrets masked, and whether something was cut.
func (c *Scrubber) Excerpt(s string, n int) (string, bool) {
	s = strings.ToValidUTF8(c.Clean(s), "\uFFFD")
	if len(s) <= n {
		return s, false
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n], true
}

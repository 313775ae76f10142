package connector

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
)

// problems are all that is wrong with a payload.
type problems []fault.Field

func (p *problems) add(pointer, code, detail string) {
	*p = append(*p, fault.Field{Pointer: pointer, Code: code, Detail: detail})
}

func (p problems) fault() error {
	if len(p) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "the connector cannot be used like this; see errors").With(p...)
}

var businessID = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$`)

func (n NewConnector) check(id string) (wrong problems) {
	if !businessID.MatchString(id) {
		wrong.add("#/business_id", "invalid", "it has lower-case letters and digits, with - _ . between them")
	}
	if strings.TrimSpace(n.Name) == "" {
		wrong.add("#/name", "required", "it must not be blank")
	}
	return wrong
}

// check holds settings against the rules of their type, as far as can be told without asking the target.
func (s Settings) check() (wrong problems) {
	entry, ok := catalog.Find(s.key())
	switch {
	case s.Type == catalog.VendorType && (!ok || entry.Type != catalog.VendorType):
		wrong.add("#/vendor_key", "vendor_not_available", "there are the vendors "+strings.Join(keysOf(true), ", "))
		ok = false
	case !ok || entry.Type != s.Type:
		wrong.add(
			"#/type",
			"type_not_available",
			"there are the types "+strings.Join(append(keysOf(false), catalog.VendorType), ", "),
		)
		ok = false
	case s.VendorKey != "" && s.Type != catalog.VendorType:
		wrong.add("#/vendor_key", "not_allowed", "it is only allowed with type vendor")
	}
	s.checkAgent(&wrong)
	if !ok {
		return wrong
	}
	for _, p := range catalog.Validate(entry.Key, s.Connection, s.Credentials) {
		wrong.add(s.pointer(p.Key), p.Code, s.detail(p))
	}
	s.checkAddresses(&wrong)
	s.checkHidden(&wrong)
	if on, _ := s.Connection["tls_insecure_skip_verify"].(bool); on && s.Mode == dispatch.Hosted {
		wrong.add(
			"#/connection/tls_insecure_skip_verify",
			"not_allowed",
			"only an agent can be set to skip certificate checks",
		)
	}
	return wrong
}

// key is that of the catalog's entry which describes these settings.
func (s Settings) key() string { return catalog.KeyOf(s.Type, s.VendorKey) }

// keysOf are those of the vendors' entries, or of the types themselves.
func keysOf(vendors bool) []string {
	var keys []string
	for _, e := range catalog.Entries() {
		if (e.Type == catalog.VendorType) == vendors {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

func (s Settings) checkAgent(wrong *problems) {
	switch {
	case s.Mode == dispatch.Agent && s.AgentID == "" && s.AgentGroup == "":
		wrong.add("#/agent_id", "required", "agent mode needs agent_id or agent_group")
	case s.Mode == dispatch.Agent && s.AgentID != "" && s.AgentGroup != "":
		wrong.add("#/agent_group", "not_allowed", "give either agent_id or agent_group")
	case s.Mode != dispatch.Agent && s.AgentID != "":
		wrong.add("#/agent_id", "not_allowed", "it is only allowed with mode agent")
	case s.Mode != dispatch.Agent && s.AgentGroup != "":
		wrong.add("#/agent_group", "not_allowed", "it is only allowed with mode agent")
	}
}

// pointer finds where a setting stands in the payload, or where it would have to stand.
func (s Settings) pointer(key string) string {
	_, shown := s.Connection[key]
	_, hidden := s.Credentials[key]
	switch {
	case key == "":
		return "#/connection"
	case !shown && (hidden || slices.Contains(catalog.SecretKeys(s.key()), key)):
		return "#/credentials/" + escape(key)
	}
	return "#/connection/" + escape(key)
}

func (s Settings) detail(p catalog.Problem) string {
	if p.Code == catalog.SecretInConnection {
		return "a secret is accepted at #/credentials/" + escape(p.Key) + " alone"
	}
	return p.Message
}

// escape writes a member's name into a JSON pointer (RFC 6901 section 3).
func escape(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

// checkAddresses refuses addresses that two parsers could read in two ways, and passwords in them.
func (s Settings) checkAddresses(wrong *problems) {
	_, settings := catalog.Resolve(s.key(), given(s.Connection))
	for _, key := range endpointAddresses {
		raw, ok := settings[key].(string)
		pointer := "#/connection/" + catalog.Feeds(s.key(), key)
		if !ok || raw == "" || wrong.at(pointer) || wrong.at("#/connection") {
			continue
		}
		var d *v1.ErrorDetail
		if _, err := target.ParseURL(key, raw); errors.As(err, &d) {
			wrong.add(pointer, d.Code, d.Message)
		}
	}
}

func (p problems) at(pointer string) bool {
	return slices.ContainsFunc(p, func(f fault.Field) bool { return f.Pointer == pointer })
}

// telltale are words in the names of headers and query parameters that carry secrets.
var telltale = regexp.MustCompile(`(?i)authorization|cookie|token|secret|password|api[-_]?key|credential`)

// hideouts are the objects that are shown, with where what looks like a secret in them belongs instead.
var hideouts = []struct{ key, instead string }{
	{"headers", "use the settings of auth_method, or #/credentials/extra_headers"},
	{"query", "use the settings of auth_method, or #/credentials/extra_headers"},
	{"settings", "use #/credentials/secret_settings"},
}

// checkHidden finds secrets where everybody could read them: in headers, parameters and settings that are shown.
func (s Settings) checkHidden(wrong *problems) {
	for _, h := range hideouts {
		key := h.key
		if slices.Contains(catalog.SecretKeys(s.key()), key) {
			continue
		}
		object, _ := s.Connection[key].(map[string]any)
		for _, name := range sortedKeys(object) {
			if telltale.MatchString(name) {
				wrong.add("#/connection/"+key+"/"+escape(name), catalog.SecretInConnection,
					"it looks like a secret, which everybody could read here; "+h.instead)
			}
		}
	}
}

// slug makes a business id out of a name: Müller & Söhne (HR) becomes muller-sohne-hr. A name without any letter that
// can be written so gives the type with a part of the connector's own id.
func slug(name, connectorType, id string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ToLower(name)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r):
			gap = true
		}
	}
	if b.Len() == 0 {
		return connectorType + "-" + id[len(id)-8:]
	}
	return strings.TrimRight(b.String()[:min(b.Len(), 64)], "-")
}

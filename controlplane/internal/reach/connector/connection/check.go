package connection

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/target"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Check holds settings against the rules of their type, as far as possible without a call to the target.
func (s Settings) Check() (wrong Problems) {
	entry, ok := catalog.Find(s.Key())
	switch {
	case s.Type == catalog.VendorType && (!ok || entry.Type != catalog.VendorType):
		wrong.Add("#/vendor_key", "vendor_not_available", "there are the vendors "+strings.Join(keysOf(true), ", "))
		ok = false
	case !ok || entry.Type != s.Type:
		wrong.Add(
			"#/type",
			"type_not_available",
			"there are the types "+strings.Join(append(keysOf(false), catalog.VendorType), ", "),
		)
		ok = false
	case s.VendorKey != "" && s.Type != catalog.VendorType:
		wrong.Add("#/vendor_key", "not_allowed", "it is only allowed with type vendor")
	}
	s.checkAgent(&wrong)
	if !ok {
		return wrong
	}
	for _, p := range catalog.Validate(entry.Key, s.Connection, s.Credentials) {
		wrong.Add(s.pointer(p.Key), p.Code, s.detail(p))
	}
	s.checkAddresses(&wrong)
	s.checkHidden(&wrong)
	if on, _ := s.Connection["tls_insecure_skip_verify"].(bool); on && s.Mode == dispatch.Hosted {
		wrong.Add(
			"#/connection/tls_insecure_skip_verify",
			"not_allowed",
			"only an agent can be set to skip certificate checks",
		)
	}
	return wrong
}

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

func (s Settings) checkAgent(wrong *Problems) {
	switch {
	case s.Mode == dispatch.Agent && s.AgentID == "" && s.AgentGroup == "":
		wrong.Add("#/agent_id", "required", "agent mode needs agent_id or agent_group")
	case s.Mode == dispatch.Agent && s.AgentID != "" && s.AgentGroup != "":
		wrong.Add("#/agent_group", "not_allowed", "give either agent_id or agent_group")
	case s.Mode != dispatch.Agent && s.AgentID != "":
		wrong.Add("#/agent_id", "not_allowed", "it is only allowed with mode agent")
	case s.Mode != dispatch.Agent && s.AgentGroup != "":
		wrong.Add("#/agent_group", "not_allowed", "it is only allowed with mode agent")
	}
}

// pointer finds where a setting stands in the payload, or where it would have to stand.
func (s Settings) pointer(key string) string {
	_, shown := s.Connection[key]
	_, hidden := s.Credentials[key]
	switch {
	case key == "":
		return "#/connection"
	case !shown && (hidden || slices.Contains(catalog.SecretKeys(s.Key()), key)):
		return "#/credentials/" + Escape(key)
	}
	return "#/connection/" + Escape(key)
}

func (s Settings) detail(p catalog.Problem) string {
	if p.Code == catalog.SecretInConnection {
		return "a secret is accepted at #/credentials/" + Escape(p.Key) + " alone"
	}
	return p.Message
}

// checkAddresses refuses addresses that two parsers could read in two ways, and passwords in them.
func (s Settings) checkAddresses(wrong *Problems) {
	_, settings := catalog.Resolve(s.Key(), Given(s.Connection))
	for _, key := range endpointAddresses {
		raw, ok := settings[key].(string)
		pointer := "#/connection/" + catalog.Feeds(s.Key(), key)
		if !ok || raw == "" || wrong.at(pointer) || wrong.at("#/connection") {
			continue
		}
		var d *v1.ErrorDetail
		if _, err := target.ParseURL(key, raw); errors.As(err, &d) {
			wrong.Add(pointer, d.Code, d.Message)
		}
	}
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
func (s Settings) checkHidden(wrong *Problems) {
	for _, h := range hideouts {
		key := h.key
		if slices.Contains(catalog.SecretKeys(s.Key()), key) {
			continue
		}
		object, _ := s.Connection[key].(map[string]any)
		for _, name := range SortedKeys(object) {
			if telltale.MatchString(name) {
				wrong.Add("#/connection/"+key+"/"+Escape(name), catalog.SecretInConnection,
					"it looks like a secret, which everybody could read here; "+h.instead)
			}
		}
	}
}

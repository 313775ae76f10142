package connectorkit

import (
	"fmt"
	"maps"
	"math"
	"sort"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Settings reads a call's auth_config by type. It collects all problems, so that the user sees them at once.
type Settings struct {
	auth     v1.AuthConfig
	problems []string
}

// Canonical returns the settings under their current names. aliases has the current name of each older one. If both are
// set, the value under the current name wins.
func Canonical(auth v1.AuthConfig, aliases map[string]string) v1.AuthConfig {
	out := maps.Clone(auth)
	for alias, name := range aliases {
		if v, ok := out[alias]; ok {
			if _, taken := out[name]; !taken {
				out[name] = v
			}
			delete(out, alias)
		}
	}
	return out
}

// Read wraps an auth_config.
func Read(auth v1.AuthConfig) *Settings { return &Settings{auth: auth} }

// String returns a string setting, or def if it is absent or empty.
func (s *Settings) String(key, def string) string {
	v, ok := s.auth[key]
	if !ok || v == nil {
		return def
	}
	str, ok := v.(string)
	if !ok {
		s.wrong("%s must be a string", key)
		return def
	}
	if str == "" {
		return def
	}
	return str
}

// Required returns a string setting that must be present.
func (s *Settings) Required(key string) string {
	v := s.String(key, "")
	if v == "" {
		s.wrong("%s is missing", key)
	}
	return v
}

// Int returns a whole number between min and max.
func (s *Settings) Int(key string, def, min, max int) int {
	var n int
	switch v := s.auth[key].(type) {
	case nil:
		return def
	case int:
		n = v
	case int64:
		n = int(v)
	case float64:
		if v != math.Trunc(v) {
			s.wrong("%s must be a whole number", key)
			return def
		}
		n = int(v)
	default:
		s.wrong("%s must be a whole number", key)
		return def
	}
	if n < min || n > max {
		s.wrong("%s must be between %d and %d, not %d", key, min, max, n)
		return def
	}
	return n
}

// Bool returns a boolean setting.
func (s *Settings) Bool(key string, def bool) bool {
	switch v := s.auth[key].(type) {
	case nil:
		return def
	case bool:
		return v
	default:
		s.wrong("%s must be true or false", key)
		return def
	}
}

// OneOf returns a string setting that must be one of the allowed values.
func (s *Settings) OneOf(key, def string, allowed ...string) string {
	v := s.String(key, def)
	for _, a := range allowed {
		if v == a {
			return v
		}
	}
	s.wrong("%s must be one of %s, not %q", key, strings.Join(allowed, ", "), v)
	return def
}

// Strings returns a list of strings. A single string counts as a list of one.
func (s *Settings) Strings(key string) []string {
	switch v := s.auth[key].(type) {
	case nil:
		return nil
	case string:
		if v == "" {
			return nil
		}
		return []string{v}
	case []string:
		return v
	case []any:
		out := make([]string, 0, len(v))
		for _, e := range v {
			str, ok := e.(string)
			if !ok {
				s.wrong("%s must be a list of strings", key)
				return nil
			}
			out = append(out, str)
		}
		return out
	default:
		s.wrong("%s must be a list of strings", key)
		return nil
	}
}

// Map returns an object setting.
func (s *Settings) Map(key string) map[string]any {
	switch v := s.auth[key].(type) {
	case nil:
		return nil
	case map[string]any:
		return v
	case v1.AuthConfig:
		return v
	default:
		s.wrong("%s must be an object", key)
		return nil
	}
}

// Wrong adds a problem that the caller found.
func (s *Settings) Wrong(format string, args ...any) { s.wrong(format, args...) }

func (s *Settings) wrong(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// Err returns nil, or one error of class config that lists every problem. It never contains values.
func (s *Settings) Err() error {
	if len(s.problems) == 0 {
		return nil
	}
	sort.Strings(s.problems)
	return &v1.ErrorDetail{
		Class: v1.ClassConfig, Code: "invalid_settings",
		Message: "the connection settings cannot be used: " + strings.Join(s.problems, "; "),
		Hint:    "Correct the named settings and test the connection again.",
	}
}

package connection

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/rest/template"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Settings are all settings of one call.
type Settings struct {
	stream.Config
	// How the target is reached.
	Options target.Options
	// The templates of changes; nil if the target is only read.
	Writes *template.Set
}

// Canonical gives the settings under their first names.
func Canonical(auth v1.AuthConfig) v1.AuthConfig {
	out := connectorkit.Canonical(auth, Aliases())
	method, _ := out["auth_method"].(string)
	if method == target.AuthAPIKey || method == "" && out["api_key_in"] != nil {
		switch out["api_key_in"] {
		case nil, "", "header":
			out["auth_method"] = target.AuthAPIKeyHeader
		case "query":
			out["auth_method"] = target.AuthAPIKeyQuery
		}
	}
	return out
}

// Check validates settings as far as possible without a call to the target; see connectorkit.Settings.
func Check(auth v1.AuthConfig) error {
	_, err := Read(Canonical(auth))
	return err
}

// Read reads all settings; its error names every mistake.
func Read(auth v1.AuthConfig) (*Settings, error) {
	s := connectorkit.Read(auth)
	c := &Settings{
		Options: target.ReadOptions(s),
		Config: stream.Config{
			ProbePath: s.String("probe_path", ""),
			PageSize:  s.Int("page_size", 100, 1, 10000),
			MaxPages:  s.Int("max_pages", 1000000, 1, 1000000),
			Query:     url.Values{},
		},
	}
	if s.String("auth_method", "") == target.AuthAPIKey {
		s.OneOf("api_key_in", "", "header", "query")
	} else {
		c.Options.Auth = target.ReadAuth(s, authMethods[:len(authMethods)-1]...)
	}
	if key, ok := c.Options.Auth.(target.APIKey); ok && key.InQuery {
		c.KeyParam = key.Name
	}
	for name, value := range texts(s, "headers") {
		if c.Options.Headers == nil {
			c.Options.Headers = map[string]string{}
		}
		if _, taken := c.Options.Headers[http.CanonicalHeaderKey(name)]; !taken {
			c.Options.Headers[name] = value
		}
	}
	for name, value := range texts(s, "query") {
		c.Query.Set(name, value)
	}
	c.ReadStreams(s, auth["streams"])
	if len(c.Streams) > 0 {
		var problems []string
		c.Writes, problems = template.Compile(auth["writes"], c.Streams)
		for _, p := range problems {
			s.Wrong("%s", p)
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	base, err := target.ParseURL("base_url", c.Options.BaseURL)
	if err != nil {
		return nil, err
	}
	c.Base = base
	c.Digest, err = stream.DigestOfSettings(&c.Config, auth["streams"])
	return c, err
}

// texts reads an object of strings; numbers and booleans are taken as they are written.
func texts(s *connectorkit.Settings, key string) map[string]string {
	out := map[string]string{}
	for name, v := range s.Map(key) {
		switch v := v.(type) {
		case string:
			out[name] = v
		case bool, int, int64, float64:
			out[name] = fmt.Sprint(v)
		default:
			s.Wrong("%s must have texts as values", key)
			return nil
		}
	}
	return out
}

package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// config is what the settings of one call say.
type config struct {
	options   target.Options
	base      *url.URL
	query     url.Values // of every request
	keyParam  string     // the query parameter that carries the API key
	probePath string
	pageSize  int
	maxPages  int
	streams   []*stream // all, in the order given
	writes    *writes   // nil: the target is only read
	own       bool      // streams were given, not found by ourselves
	digest    string    // of what decides which records are read
}

// canonical gives the settings under their first names.
func canonical(auth v1.AuthConfig) v1.AuthConfig {
	out := maps.Clone(auth)
	for alias, name := range Aliases() {
		if v, ok := out[alias]; ok {
			if _, taken := out[name]; !taken {
				out[name] = v
			}
			delete(out, alias)
		}
	}
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

// Check says what is wrong with settings as far as can be told without asking the target; see connectorkit.Settings.
func Check(auth v1.AuthConfig) error {
	_, err := readConfig(canonical(auth))
	return err
}

// readConfig reads all settings; its error names every mistake.
func readConfig(auth v1.AuthConfig) (*config, error) {
	s := connectorkit.Read(auth)
	c := &config{
		options:   target.ReadOptions(s),
		probePath: s.String("probe_path", ""),
		pageSize:  s.Int("page_size", 100, 1, 10000),
		maxPages:  s.Int("max_pages", 1000000, 1, 1000000),
		query:     url.Values{},
	}
	if s.String("auth_method", "") == target.AuthAPIKey {
		s.OneOf("api_key_in", "", "header", "query")
	} else {
		c.options.Auth = target.ReadAuth(s, authMethods[:len(authMethods)-1]...)
	}
	if key, ok := c.options.Auth.(target.APIKey); ok && key.InQuery {
		c.keyParam = key.Name
	}
	for name, value := range texts(s, "headers") {
		if c.options.Headers == nil {
			c.options.Headers = map[string]string{}
		}
		if _, taken := c.options.Headers[http.CanonicalHeaderKey(name)]; !taken {
			c.options.Headers[name] = value
		}
	}
	for name, value := range texts(s, "query") {
		c.query.Set(name, value)
	}
	c.readStreams(s, auth["streams"])
	if len(c.streams) > 0 {
		var problems []string
		c.writes, problems = compileWrites(auth["writes"], c.streams)
		for _, p := range problems {
			s.Wrong("%s", p)
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	base, err := target.ParseURL("base_url", c.options.BaseURL)
	if err != nil {
		return nil, err
	}
	c.base = base
	c.digest, err = digestSettings(c, auth["streams"])
	return c, err
}

func (c *config) readStreams(s *connectorkit.Settings, setting any) {
	documents, err := documentsOf(setting)
	if err != nil {
		s.Wrong("%v", err)
		return
	}
	if c.own = len(documents) > 0; !c.own {
		documents = []document{{Name: "records", Object: "user", Request: requestDocument{Path: c.probePath}, auto: true}}
	}
	for i, d := range documents {
		st, problems := d.compile(c.pageSize)
		for _, p := range problems {
			s.Wrong("streams[%d]%s: %s", i, named(d.Name), p)
		}
		c.streams = append(c.streams, st)
	}
	for _, p := range relate(c.streams) {
		s.Wrong("streams: %s", p)
	}
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return " (" + name + ")"
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

// digestSettings changes when what was read under other settings is of no use any more: cursors and checkpoints.
func digestSettings(c *config, streams any) (string, error) {
	b, err := json.Marshal([]any{c.base.String(), c.query, c.probePath, streams})
	if err != nil {
		return "", fmt.Errorf("digest the settings: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}

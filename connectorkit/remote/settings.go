package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/signing"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// mostPages bounds a read.
const mostPages = 1000000

// config is what the settings of one call say.
type config struct {
	options  target.Options
	syncPath string
	exact    bool          // the service has this one address
	auth     v1.AuthConfig // passed on
	byTime   bool          // changes are asked for by last_sync_at
	writes   bool          // the service changes its target too
	ops      []v1.ProvisionOp
	maxPages int
	digest   string // of what decides which records are read
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
	return out
}

// Check says what is wrong with settings as far as can be told without asking the service; see connectorkit.Settings.
func Check(auth v1.AuthConfig) error {
	_, err := readConfig(canonical(auth))
	return err
}

// readConfig reads all settings; its error names every mistake.
func readConfig(auth v1.AuthConfig) (*config, error) {
	s := connectorkit.Read(auth)
	c := &config{
		options: target.ReadOptions(s), syncPath: "v1/sync", auth: v1.AuthConfig{},
		byTime:   s.OneOf("changes_by", changesByCursor, changesByCursor, changesByTime) == changesByTime,
		maxPages: s.Int("max_pages", mostPages, 1, mostPages), writes: s.Bool("writes", false),
	}
	c.readAuth(s)
	c.ops = operationsOf(s)
	if path := s.String("sync_path", ""); path != "" {
		c.syncPath, c.exact = path, true
		if strings.Contains(path, "://") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "#\\ ") {
			s.Wrong("sync_path must be a path below base_url")
		}
	}
	c.pass(s)
	if err := s.Err(); err != nil {
		return nil, err
	}
	base, err := target.ParseURL("base_url", c.options.BaseURL)
	if err != nil {
		return nil, err
	}
	shown, err := json.Marshal([]any{base.String(), c.syncPath, s.Map("settings"), c.byTime})
	if err != nil {
		return nil, fmt.Errorf("digest the settings: %w", err)
	}
	sum := sha256.Sum256(shown)
	c.digest = hex.EncodeToString(sum[:8])
	return c, nil
}

func (c *config) readAuth(s *connectorkit.Settings) {
	secret := s.String("signing_secret", "")
	method := s.String("auth_method", "")
	switch {
	case method == authSignature:
		c.options.Auth = target.None{}
		if secret == "" {
			s.Wrong("signing_secret is missing")
		}
	default:
		c.options.Auth = target.ReadAuth(s, authMethods...)
	}
	if _, err := signing.Key(secret); secret != "" && err != nil {
		s.Wrong("signing_secret cannot be used: %v", err)
	}
	c.options.SigningSecret = secret
}

// pass gathers what the service gets as auth_config: its own settings, and none of ours.
func (c *config) pass(s *connectorkit.Settings) {
	maps.Copy(c.auth, s.Map("settings"))
	secret := s.Map("secret_settings")
	for _, name := range slices.Sorted(maps.Keys(secret)) {
		if _, twice := c.auth[name]; twice {
			s.Wrong("%s is in settings and in secret_settings; give it in one of them", name)
		}
		c.auth[name] = secret[name]
	}
}

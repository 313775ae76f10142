package config

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

// Config is what the settings of one call say.
type Config struct {
	Options  target.Options
	SyncPath string
	Exact    bool          // the service has this one address
	Auth     v1.AuthConfig // passed on
	ByTime   bool          // changes are asked for by last_sync_at
	Writes   bool          // the service changes its target too
	Ops      []v1.ProvisionOp
	MaxPages int
	Digest   string // of what decides which records are read
}

// Canonical gives the settings under their first names.
func Canonical(auth v1.AuthConfig) v1.AuthConfig {
	return connectorkit.Canonical(auth, Aliases())
}

// Check validates settings as far as possible without a call to the service; see connectorkit.Settings.
func Check(auth v1.AuthConfig) error {
	_, err := Read(Canonical(auth))
	return err
}

// Read reads all settings; its error names every mistake.
func Read(auth v1.AuthConfig) (*Config, error) {
	s := connectorkit.Read(auth)
	c := &Config{
		Options: target.ReadOptions(s), SyncPath: "v1/sync", Auth: v1.AuthConfig{},
		ByTime:   s.OneOf("changes_by", changesByCursor, changesByCursor, changesByTime) == changesByTime,
		MaxPages: s.Int("max_pages", mostPages, 1, mostPages), Writes: s.Bool("writes", false),
	}
	c.readAuth(s)
	c.Ops = operationsOf(s)
	if path := s.String("sync_path", ""); path != "" {
		c.SyncPath, c.Exact = path, true
		if strings.Contains(path, "://") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "#\\ ") {
			s.Wrong("sync_path must be a path below base_url")
		}
	}
	c.pass(s)
	if err := s.Err(); err != nil {
		return nil, err
	}
	base, err := target.ParseURL("base_url", c.Options.BaseURL)
	if err != nil {
		return nil, err
	}
	shown, err := json.Marshal([]any{base.String(), c.SyncPath, s.Map("settings"), c.ByTime})
	if err != nil {
		return nil, fmt.Errorf("digest the settings: %w", err)
	}
	sum := sha256.Sum256(shown)
	c.Digest = hex.EncodeToString(sum[:8])
	return c, nil
}

func (c *Config) readAuth(s *connectorkit.Settings) {
	secret := s.String("signing_secret", "")
	method := s.String("auth_method", "")
	switch {
	case method == authSignature:
		c.Options.Auth = target.None{}
		if secret == "" {
			s.Wrong("signing_secret is missing")
		}
	default:
		c.Options.Auth = target.ReadAuth(s, authMethods...)
	}
	if _, err := signing.Key(secret); secret != "" && err != nil {
		s.Wrong("signing_secret cannot be used: %v", err)
	}
	c.Options.SigningSecret = secret
}

// pass gathers what the service gets as auth_config: its own settings, and none of ours.
func (c *Config) pass(s *connectorkit.Settings) {
	maps.Copy(c.Auth, s.Map("settings"))
	secret := s.Map("secret_settings")
	for _, name := range slices.Sorted(maps.Keys(secret)) {
		if _, twice := c.Auth[name]; twice {
			s.Wrong("%s is in settings and in secret_settings; give it in one of them", name)
		}
		c.Auth[name] = secret[name]
	}
}

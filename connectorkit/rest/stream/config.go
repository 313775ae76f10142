package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/grantwright/grantwright/connectorkit"
)

// Config is what the settings of one call say about how the target is read.
type Config struct {
	// Base is the address that paths are relative to.
	Base *url.URL
	// Of every request.
	Query url.Values
	// The query parameter that carries the API key.
	KeyParam  string
	ProbePath string
	PageSize  int
	// MaxPages bounds the pages of one list.
	MaxPages int
	// All, in the order given.
	Streams []*Stream
	// Streams were given, not found by ourselves.
	own bool
	// Of what decides which records are read.
	Digest string
}

// ReadStreams compiles the setting streams: a list of objects, or the same as JSON text. Mistakes are noted in s with
// their place. Without the setting there is one stream of people whose list is detected.
func (c *Config) ReadStreams(s *connectorkit.Settings, setting any) {
	documents, err := definitionsOf(setting)
	if err != nil {
		s.Wrong("%v", err)
		return
	}
	if c.own = len(documents) > 0; !c.own {
		documents = []Definition{
			{Name: "records", Object: "user", Request: RequestDefinition{Path: c.ProbePath}, Detected: true},
		}
	}
	for i, d := range documents {
		st, problems := d.compile(c.PageSize)
		for _, p := range problems {
			s.Wrong("streams[%d]%s: %s", i, quotedName(d.Name), p)
		}
		c.Streams = append(c.Streams, st)
	}
	for _, p := range linkParents(c.Streams) {
		s.Wrong("streams: %s", p)
	}
}

// DigestOfSettings changes when what was read under other settings is of no use any more: cursors and checkpoints.
func DigestOfSettings(c *Config, streams any) (string, error) {
	b, err := json.Marshal([]any{c.Base.String(), c.Query, c.ProbePath, streams})
	if err != nil {
		return "", fmt.Errorf("digest the settings: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}

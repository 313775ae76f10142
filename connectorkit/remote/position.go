package remote

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/remote/response"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// positionVersion changes when older checkpoints and cursors can no longer be read.
const positionVersion = 1

// position is how far a read has come: all that another process needs to go on with it, beside the service's own
// checkpoint.
type position struct {
	Token    string                 `json:"token,omitempty"` // of the page to ask for next
	Answers  int                    `json:"answers"`         // read so far
	Count    map[v1.ObjectKind]int  `json:"count,omitempty"` // records that are there
	Keyless  map[v1.ObjectKind]bool `json:"keyless,omitempty"`
	Attested bool                   `json:"attested,omitempty"` // the service has said something about completeness
	Read     int                    `json:"read"`               // records, all kinds together
	Skipped  int                    `json:"skipped"`            // records set aside
	Began    *time.Time             `json:"began,omitempty"`    // the service's clock at the first answer
	How      *v1.Read               `json:"how,omitempty"`      // everything is read though changes were asked for

	own string // the service's checkpoint
}

func (p position) clone() position {
	p.Count, p.Keyless = maps.Clone(p.Count), maps.Clone(p.Keyless)
	if p.Count == nil {
		p.Count = map[v1.ObjectKind]int{}
	}
	if p.Keyless == nil {
		p.Keyless = map[v1.ObjectKind]bool{}
	}
	return p
}

// head stands before a service's own text, which follows after a line feed.
type head struct {
	Version  int        `json:"v"`
	Settings string     `json:"settings"`
	Request  string     `json:"request,omitempty"` // digest of what was asked for
	At       *time.Time `json:"at,omitempty"`      // of a cursor: where changes by last_sync_at begin
	*position
}

func join(h head, own string) string {
	b, _ := json.Marshal(h) // numbers and texts always encode
	return string(b) + "\n" + own
}

func part(text string) (h head, own string, err error) {
	first, own, found := strings.Cut(text, "\n")
	h.position = &position{}
	if err := json.Unmarshal([]byte(first), &h); !found || err != nil || h.Version != positionVersion {
		return h, "", &response.Violation{What: "it is none of this connector's, or of another version"}
	}
	return h, own, nil
}

// asked digests what a request asks for.
func (s *session) asked() string {
	var cursor string
	var fields []string
	if o := s.req.Options; o != nil {
		cursor, fields = o.Cursor, o.FieldAllowlist
	}
	kinds := slices.Sorted(maps.Keys(s.wanted))
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %v %q %q", kinds, s.req.Incremental, cursor, fields))
	return hex.EncodeToString(sum[:8])
}

// checkpoint is where another process continues; empty if that is unknown.
func (s *session) checkpoint() string {
	if s.pos.Token == "" && s.pos.own == "" {
		return ""
	}
	text := join(
		head{Version: positionVersion, Settings: s.cfg.Digest, Request: s.request, position: &s.pos},
		s.pos.own,
	)
	if len(text) > 64<<10 {
		return ""
	}
	return text
}

// resume takes over the position of a read that did not come to its end.
func (s *session) resume() {
	if s.req.Options == nil || s.req.Options.Checkpoint == "" {
		return
	}
	h, own, err := part(s.req.Options.Checkpoint)
	why := ""
	switch {
	case err != nil:
		why = err.Error()
	case h.Settings != s.cfg.Digest:
		why = "the settings have changed since"
	case h.Request != s.request:
		why = "it belongs to another request"
	case h.Token == "" && own == "":
		why = "it says nothing"
	}
	if why != "" {
		s.unusable(why)
		return
	}
	if h.own = own; own != "" {
		h.Token = "" // what the service itself wants to go on from comes first
	}
	s.pos, s.resumed = h.clone(), true
}

func (s *session) unusable(why string) {
	s.warn("checkpoint_unusable", "the checkpoint cannot be used: "+why+"; a full sync runs instead")
}

// changes finds out where reading changes starts. An unreadable cursor leads to a full sync.
func (s *session) changes() {
	if !s.req.Incremental || s.req.Options == nil || s.req.Options.Cursor == "" {
		return
	}
	h, own, err := part(s.req.Options.Cursor)
	why := ""
	switch {
	case err != nil:
		why = err.Error()
	case h.Settings != s.cfg.Digest:
		why = "the settings have changed since"
	case own == "" && h.At == nil:
		why = "it says nothing"
	}
	if why != "" {
		s.everything("the cursor cannot be used: " + why)
		return
	}
	s.cursor, s.since = own, h.At
}

// everything turns an incremental read into a whole one.
func (s *session) everything(why string) {
	s.pos.How = &v1.Read{Strategy: "full", FallbackReason: s.clean(why, maxHint)}
	s.cursor, s.since = "", nil
}

// overlap is how much earlier than the service's own clock changes are asked for the next time: what was written while
// it read may carry a slightly older time.
const overlap = 5 * time.Minute

// next is the cursor for the next read of changes; empty where there is none.
func (s *session) next(p *response.PageInfo) string {
	h := head{Version: positionVersion, Settings: s.cfg.Digest}
	switch {
	case p != nil && p.Cursor != "":
		return join(h, p.Cursor)
	case !s.cfg.ByTime:
		return ""
	case p != nil && p.Watermark != nil:
		at := p.Watermark.UTC()
		h.At = &at
	case s.pos.Began != nil:
		at := s.pos.Began.Add(-overlap)
		h.At = &at
	default:
		s.warn(
			"no_clock",
			"the connector sends no Date header, so that changes since this read cannot be requested",
		)
		return ""
	}
	return join(h, "")
}

// body is the request that is sent from the position in hand.
func (s *session) body() v1.SyncRequest {
	out := s.req
	out.AuthConfig = s.cfg.Auth
	var o v1.SyncOptions
	if s.req.Options != nil {
		o = *s.req.Options
	}
	o.Cursor, o.Checkpoint, o.PageToken = s.cursor, "", s.pos.Token
	if o.PageToken == "" {
		o.Checkpoint = s.pos.own
	}
	if s.pos.How != nil {
		out.Incremental, o.Cursor = false, ""
	}
	if s.since != nil && out.Incremental {
		out.LastSyncAt = s.since
	}
	if out.Options = &o; empty(o) {
		out.Options = nil // then it is the plain request that every service must know
	}
	return out
}

func empty(o v1.SyncOptions) bool {
	b, _ := json.Marshal(o) // numbers and texts always encode
	return bytes.Equal(b, []byte("{}"))
}

package ldap

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// cursorVersion changes whenever an older cursor would be misread.
const cursorVersion = 1

// maxOpaque bounds cursors and checkpoints, in bytes: the protocol allows 64 KiB.
const maxOpaque = 60 << 10

// position is where the next read of changes starts: the content of a cursor. All of it comes from the directory.
type position struct {
	Version  int    `json:"v"`
	Strategy string `json:"strategy"`
	Settings string `json:"settings"` // what was read with: see sumSettings

	People []byte `json:"people,omitempty"` // syncrepl: the cookie of the search for people
	Groups []byte `json:"groups,omitempty"` // syncrepl: that of the search for groups

	Cookie     []byte `json:"cookie,omitempty"`     // dirsync
	Restricted bool   `json:"restricted,omitempty"` // dirsync: with the rights of the login only

	DC         string `json:"dc,omitempty"`         // usn: the server whose numbers these are
	Invocation string `json:"invocation,omitempty"` // usn: its database; changes when that is restored
	USN        int64  `json:"usn,omitempty"`        // usn: the greatest number before the read

	Change int64  `json:"change,omitempty"` // changelog: the last number before the read
	Since  string `json:"since,omitempty"`  // modifytimestamp: generalizedTime

	Containers *containers `json:"containers,omitempty"`
	Odd        []string    `json:"odd,omitempty"` // see oddPlaces
}

func (p *position) encode() (string, error) {
	b, err := json.Marshal(p)
	if err == nil && len(b) > maxOpaque && p.Containers != nil {
		short := *p
		short.Containers = &containers{Count: p.Containers.Count, Sum: p.Containers.Sum}
		b, err = json.Marshal(&short)
	}
	if err != nil {
		return "", fmt.Errorf("write the cursor: %w", err)
	}
	if len(b) > maxOpaque {
		return "", nil // the next read is a full one
	}
	return string(b), nil
}

// openCursor reads a cursor. why says what is wrong with it.
func (r *run) openCursor(s string) (p *position, why string) {
	if s == "" {
		return nil, "there is no position of an earlier read to start from"
	}
	p = &position{}
	if err := json.Unmarshal([]byte(s), p); err != nil || p.Version != cursorVersion {
		return nil, "the position of the last read is of another version"
	}
	if p.Settings != r.settingsSum {
		return nil, "what is read of the directory has been set differently since the last read"
	}
	return p, ""
}

// sumSettings is a fingerprint of everything that decides which records a read gives and what is in them. The host is no part
// of it: every server of a replicated directory shows the same.
func (r *run) sumSettings(o *v1.SyncOptions) string {
	kinds := make([]string, 0, len(o.Objects))
	for k, want := range r.want {
		if want {
			kinds = append(kinds, string(k))
		}
	}
	lists := [][]string{
		kinds, lowered(r.attributes), lowered(o.FieldAllowlist), lowered(r.binary),
		{NormalizeDN(r.people.base), NormalizeDN(r.teams.base), r.people.filter, r.teams.filter, fmt.Sprint(r.scope)},
		{r.flavor.name, strings.ToLower(r.idAttribute), strings.ToLower(r.usernameAttribute), strings.ToLower(r.memberAttribute)},
		{NormalizeDN(r.bindDN), fmt.Sprint(r.anonymous)},
	}
	if w := r.writing; w.closing == closeAttribute || w.closing == closeMove {
		lists = append(lists, []string{strings.ToLower(w.closingAttribute), w.closedValue, NormalizeDN(w.disabledContainer)})
	}
	for _, l := range lists[:4] {
		slices.Sort(l)
	}
	b, _ := json.Marshal(lists) // strings always marshal
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

func lowered(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(s)
	}
	return out
}

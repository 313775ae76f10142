package read

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// CursorVersion changes whenever an older cursor would be misread.
const CursorVersion = 1

// maxTokenBytes bounds cursors and checkpoints, in bytes: the protocol allows 64 KiB.
const maxTokenBytes = 60 << 10

// Position is where the next read of changes starts: the content of a cursor. All of it comes from the directory.
type Position struct {
	Version  int    `json:"v"`
	Strategy string `json:"strategy"`
	Settings string `json:"settings"` // what was read with: see FingerprintSettings

	People []byte `json:"people,omitempty"` // syncrepl: the cookie of the search for people
	Groups []byte `json:"groups,omitempty"` // syncrepl: that of the search for groups

	Cookie     []byte `json:"cookie,omitempty"`     // dirsync
	Restricted bool   `json:"restricted,omitempty"` // dirsync: with the rights of the login only

	DC         string `json:"dc,omitempty"`         // usn: the server whose numbers these are
	Invocation string `json:"invocation,omitempty"` // usn: its database; changes when that is restored
	USN        int64  `json:"usn,omitempty"`        // usn: the greatest number before the read

	Change int64  `json:"change,omitempty"` // changelog: the last number before the read
	Since  string `json:"since,omitempty"`  // modifytimestamp: generalizedTime

	Containers *Containers `json:"containers,omitempty"`
	Undeclared []string    `json:"odd,omitempty"` // see undeclaredContainers
}

// encode writes the cursor as JSON. If it is too long, single places are left out and only their
// sum stays, which still shows that some place has changed. If it is too long even so, it is empty,
// and the next read is a full one.
func (p *Position) encode() (string, error) {
	b, err := json.Marshal(p)
	if err == nil && len(b) > maxTokenBytes && p.Containers != nil {
		short := *p
		short.Containers = &Containers{Count: p.Containers.Count, Sum: p.Containers.Sum}
		b, err = json.Marshal(&short)
	}
	if err != nil {
		return "", fmt.Errorf("write the cursor: %w", err)
	}
	if len(b) > maxTokenBytes {
		return "", nil // the next read is a full one
	}
	return string(b), nil
}

// OpenCursor reads a cursor. why says what is wrong with it.
func (r *Run) OpenCursor(s string) (p *Position, why string) {
	if s == "" {
		return nil, "there is no position of an earlier read to start from"
	}
	p = &Position{}
	if err := json.Unmarshal([]byte(s), p); err != nil || p.Version != CursorVersion {
		return nil, "the position of the last read is of another version"
	}
	if p.Settings != r.SettingsSum {
		return nil, "what is read of the directory has been set differently since the last read"
	}
	return p, ""
}

// FingerprintSettings is a fingerprint of everything that decides which records a read gives and what is in
// them. The host is no part of it: every server of a replicated directory shows the same.
func (r *Run) FingerprintSettings(o *v1.SyncOptions) string {
	kinds := make([]string, 0, len(o.Objects))
	for k, want := range r.Wanted {
		if want {
			kinds = append(kinds, string(k))
		}
	}
	lists := [][]string{
		kinds, lowered(r.Attributes), lowered(o.FieldAllowlist), lowered(r.Binary),
		{
			ldapdn.Normalize(r.Persons.Base), ldapdn.Normalize(r.Groups.Base), r.Persons.Filter, r.Groups.Filter,
			fmt.Sprint(r.Scope),
		},
		{
			r.Flavor.Name, strings.ToLower(r.IdAttribute), strings.ToLower(r.UsernameAttribute),
			strings.ToLower(r.MemberAttribute),
		},
		{ldapdn.Normalize(r.BindDN), fmt.Sprint(r.Anonymous)},
	}
	if w := r.Write; w.DisableStrategy == settings.DisableByAttribute || w.DisableStrategy == settings.DisableByMoving {
		lists = append(
			lists,
			[]string{strings.ToLower(w.DisableAttribute), w.DisabledValue, ldapdn.Normalize(w.DisabledContainer)},
		)
	}
	for _, l := range lists[:4] {
		slices.Sort(l)
	}
	b, _ := json.Marshal(lists) // strings always marshal
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// lowered is the list in lower case, for a fingerprint that does not depend on spelling.
func lowered(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(s)
	}
	return out
}

// NextPosition is where the next read of changes starts, if it can.
func (r *Run) NextPosition() (*Position, error) {
	p := r.Checkpoint.Begin
	switch {
	case p == nil, p.Strategy == settings.StrategyTimestamps && p.Since == "":
		return nil, nil
	case r.Undeclared.Overflow:
		r.Warnings.Add(
			"changes_not_followed", "",
			"more entries have people or groups below them than can be watched for being renamed, so every sync "+
				"reads everything",
		)
		return nil, nil
	}
	var err error
	p.Undeclared, err = r.UndeclaredContainers()
	return p, err
}

// overlap is read again before the greatest time seen: servers of one directory do not quite agree on the time.
const overlap = 5 * time.Minute

// UpdateSince notes for the next read from when on changes count: the greatest time of change that the
// directory has shown, less the time that this read has taken so far, less the overlap. What was changed
// while it was read is thus read again, and no clock but the directory's is asked for more than how long
// something took. A read that was interrupted keeps what it noted before.
func (r *Run) UpdateSince() {
	if p := r.Checkpoint.Begin; p != nil && p.Strategy == settings.StrategyTimestamps && !r.Checkpoint.Resumed {
		p.Since = r.sinceAt(r.Checkpoint.Begin.Since)
	}
}

// sinceAt never goes back behind what an earlier read has noted.
func (r *Run) sinceAt(before string) string {
	if r.watermark.IsZero() {
		return before
	}
	s := r.watermark.Add(-overlap - time.Since(r.Began)).UTC().Format(syntax.GeneralizedTimeLayout)
	return max(s, before)
}

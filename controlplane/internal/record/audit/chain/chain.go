package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// Domain begins what is hashed, so that a hash of the log is a hash of nothing else.
const Domain = "IGA-AUDIT-V1\x00"

// Genesis is what the first entry of a log continues.
var Genesis = make([]byte, sha256.Size)

// Hash is the hash of an entry: SHA-256 over the domain, the hash of the entry before, and the entry in canonical form.
func Hash(prev, event []byte) []byte {
	h := sha256.New()
	h.Write([]byte(Domain))
	h.Write(prev)
	h.Write(event)
	return h.Sum(nil)
}

// Link is an entry as it is kept: Event in canonical form, without Prev and Hash.
type Link struct {
	Seq        int64
	Event      []byte
	Prev, Hash []byte

	names *names // when they were read already
}

// names are what an entry says of itself.
type names struct {
	// Number of the entry, without gaps within a tenant.
	Seq int64 `json:"seq"`
	// Tenant whose log the entry belongs to.
	TenantID string `json:"tenant_id"`
}

// Named is the link with the fields of its entry, for callers that have read the entry already.
func (l Link) Named(seq int64, tenant string) Link {
	l.names = &names{Seq: seq, TenantID: tenant}
	return l
}

// read gives what the entry says of itself.
func (l Link) read() (*names, error) {
	if l.names != nil {
		return l.names, nil
	}
	var n names
	if err := json.Unmarshal(l.Event, &n); err != nil {
		return nil, broken(l.Seq, Unreadable, "not an entry")
	}
	return &n, nil
}

// Kinds of break.
const (
	Missing    = "missing"    // an entry is not there, or not in its place
	Edited     = "edited"     // an entry is not the one that was hashed
	Unlinked   = "unlinked"   // an entry does not continue the one before
	Foreign    = "foreign"    // an entry belongs to another tenant
	Contested  = "contested"  // a signed checkpoint says otherwise
	Truncated  = "truncated"  // a signed checkpoint reaches further than the log
	Unsigned   = "unsigned"   // a checkpoint's signature is not good
	Unreadable = "unreadable" // a line is not an entry at all
)

// Break is where a log stops being the one that was written.
type Break struct {
	// The first number at which the log is not the one that was written.
	Seq int64 `json:"seq"`
	// Kind of the break. Contested means that a signed checkpoint has another hash for the entry.
	Kind string `json:"kind" enum:"missing,edited,unlinked,foreign,contested,truncated,unsigned,unreadable"`
	// Explanation of the break.
	Detail string `json:"detail"`
}

// Error says what is wrong where.
func (b *Break) Error() string { return fmt.Sprintf("entry %d: %s (%s)", b.Seq, b.Detail, b.Kind) }

// broken is a break at an entry.
func broken(seq int64, kind, format string, args ...any) *Break {
	return &Break{Seq: seq, Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// Verifier follows a log from one entry to the next.
type Verifier struct {
	Tenant  string // every entry must name it; empty: that of the first entry
	Seq     int64  // of the last good entry
	Hash    []byte // of the last good entry; nil: the next entry is taken for the start, whatever it continues
	Checked int64

	claimed map[int64][]byte // what checkpoints say about entries to come
	signed  int64            // the furthest of them
}

// From is a verifier of a log from the entry after seq, whose hash is known to be good.
func From(tenant string, seq int64, hash []byte) *Verifier {
	return &Verifier{Tenant: tenant, Seq: seq, Hash: hash}
}

// Next takes the entry that follows. It returns a *Break when that is not the one that was written.
func (v *Verifier) Next(l Link) error {
	if v.Hash == nil {
		if err := v.begin(l); err != nil {
			return err
		}
	}
	if l.Seq != v.Seq+1 {
		return broken(v.Seq+1, Missing, "entry %d is in its place", l.Seq)
	}
	said, err := l.read()
	if err != nil {
		return err
	}
	if v.Tenant == "" {
		v.Tenant = said.TenantID
	}
	switch {
	case !bytes.Equal(l.Prev, v.Hash):
		return broken(l.Seq, Unlinked, "it does not continue the entry before it")
	case !bytes.Equal(Hash(l.Prev, l.Event), l.Hash):
		return broken(l.Seq, Edited, "it is not what was hashed")
	case said.Seq != l.Seq:
		return broken(l.Seq, Edited, "it calls itself entry %d", said.Seq)
	case said.TenantID != v.Tenant:
		return broken(l.Seq, Foreign, "it belongs to another tenant")
	}
	return v.take(l)
}

// begin takes the entry for the start of what there is to verify. What a checkpoint says of the one before holds here
// as well.
func (v *Verifier) begin(l Link) error {
	v.Seq, v.Hash = l.Seq-1, l.Prev
	if l.Seq == 1 {
		v.Hash = Genesis
	}
	if want, known := v.claimed[v.Seq]; known && !bytes.Equal(want, v.Hash) {
		return broken(l.Seq, Unlinked, "it does not continue what a signed checkpoint closes")
	}
	return nil
}

// take moves on to a good entry, and compares it with a checkpoint that names it.
func (v *Verifier) take(l Link) error {
	v.Seq, v.Hash = l.Seq, l.Hash
	v.Checked++
	if want, known := v.claimed[l.Seq]; known {
		delete(v.claimed, l.Seq)
		if !bytes.Equal(want, l.Hash) {
			return broken(
				l.Seq,
				Contested,
				"a signed checkpoint has another hash for it: this entry or an earlier one was replaced",
			)
		}
	}
	return nil
}

// Expect announces what a checkpoint says of an entry to come.
func (v *Verifier) Expect(seq int64, hash []byte) {
	if v.claimed == nil {
		v.claimed = map[int64][]byte{}
	}
	v.claimed[seq] = hash
}

// End says that the log is over, and where. A checkpoint beyond its end shows that something was cut off.
func (v *Verifier) End() error {
	var beyond *Break
	for seq := range v.claimed {
		if seq > v.Seq && (beyond == nil || v.Seq+1 <= beyond.Seq) {
			beyond = broken(v.Seq+1, Truncated, "the log ends here, but a signed checkpoint reaches entry %d", seq)
		}
	}
	if beyond != nil {
		return beyond
	}
	return nil
}

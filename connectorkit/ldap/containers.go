package ldap

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// containerClasses are what directories build their trees of.
var containerClasses = []string{
	"organizationalUnit", "organization", "container", "domain", "dcObject", "domainDNS", "builtinDomain", "locality", "country", "nsContainer",
}

// maxContainers is how many places are remembered one by one, six bytes each. Of more only the sum is.
const maxContainers = 3000

const hashBytes = 6

// containers is the set of places in a directory, as a cursor remembers it. When a place is renamed or moved, everything in it
// gets another DN, yet no directory counts that as a change of any entry but the place itself.
type containers struct {
	Count  int    `json:"n"`
	Sum    string `json:"sum"`
	Hashes []byte `json:"hashes,omitempty"` // of the DNs, in order
}

// moves is what has become of the places since they were remembered.
type moves struct {
	now      *containers
	added    []string // DNs that were not there, the outermost only
	vanished bool     // some are no longer there
	unknown  bool     // they have changed, but which cannot be told
}

// readContainers reads the places below the bases and compares them with an earlier set, which may be nil.
func (r *run) readContainers(before *containers) (moves, error) {
	if r.scope == goldap.ScopeSingleLevel {
		return moves{}, nil
	}
	var hashes []string
	var added []string
	for _, base := range r.bases() {
		req := wire.Request{Base: base, Scope: goldap.ScopeWholeSubtree, Filter: anyClass(containerClasses, nil), Attributes: []string{"1.1"}, TimeLimit: r.timeLimit}
		_, err := r.readAll(r.ctx, "containers", req, func(e *wire.Entry) error {
			h := hashOf(NormalizeDN(string(e.DN)))
			hashes = append(hashes, h)
			if before != nil && !before.has(h) {
				added = append(added, string(e.DN))
			}
			return nil
		}, nil)
		if err != nil {
			return moves{}, err
		}
	}
	m := moves{now: newContainers(hashes)}
	if before == nil || before.Sum == m.now.Sum {
		return m, nil
	}
	if len(before.Hashes) == 0 && before.Count > 0 || len(m.now.Hashes) == 0 && m.now.Count > 0 {
		m.unknown = true
		return m, nil
	}
	m.added = outermost(added)
	m.vanished = before.Count+len(added) > m.now.Count
	return m, nil
}

// bases are where searches start, none of them below another.
func (r *run) bases() []string {
	var list []string
	for _, o := range r.all() {
		list = append(list, o.base)
	}
	return outermost(list)
}

// outermost leaves out the DNs that lie below, or are, others in the list.
func outermost(dns []string) []string {
	var out []string
	for i, dn := range dns {
		inside := slices.ContainsFunc(dns[:i], func(o string) bool { return NormalizeDN(o) == NormalizeDN(dn) }) ||
			slices.ContainsFunc(dns, func(o string) bool { return NormalizeDN(o) != NormalizeDN(dn) && isWithin(dn, o) })
		if !inside {
			out = append(out, dn)
		}
	}
	return out
}

// isWithin tells whether dn is, or lies below, base.
func isWithin(dn, base string) bool {
	dn, base = NormalizeDN(dn), NormalizeDN(base)
	return base == "" || dn == base || strings.HasSuffix(dn, ","+base)
}

func hashOf(dn string) string {
	sum := sha256.Sum256([]byte(dn))
	return string(sum[:hashBytes])
}

func newContainers(hashes []string) *containers {
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	all := strings.Join(hashes, "")
	sum := sha256.Sum256([]byte(all))
	c := &containers{Count: len(hashes), Sum: hex.EncodeToString(sum[:8])}
	if c.Count <= maxContainers {
		c.Hashes = []byte(all)
	}
	return c
}

func (c *containers) has(hash string) bool {
	low, high := 0, len(c.Hashes)/hashBytes
	for low < high {
		mid := (low + high) / 2
		switch at := string(c.Hashes[mid*hashBytes : (mid+1)*hashBytes]); {
		case at == hash:
			return true
		case at < hash:
			low = mid + 1
		default:
			high = mid
		}
	}
	return false
}

// readMoved reads again what lies in places that have come or got another name: its DNs are other ones now.
func (r *run) readMoved(m moves) error {
	if m.unknown {
		return &fallback{reason: "places in the directory were moved or renamed, too many to tell which"}
	}
	for _, place := range m.added {
		for _, o := range r.all() {
			if !isWithin(place, o.base) {
				continue
			}
			p := o.whole()
			p.base = place
			out, err := r.readAll(r.ctx, o.phase, r.search(o, p, r.dict.request()), o.each, r.settled(o))
			if isRefused(err, goldap.LDAPResultNoSuchObject) {
				r.sweepWanted = true // it has gone on moving
				continue
			}
			if err != nil {
				return err
			}
			r.ended(o, out)
		}
	}
	return nil
}

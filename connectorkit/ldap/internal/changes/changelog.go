package changes

import (
	"fmt"
	"strconv"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

// changelog finds changes in a list that the directory keeps of them: the retro changelog of 389 Directory
// Server and its relatives (draft-good-ldap-changelog).
type changelog struct{}

// changelogSpan is how many changes are looked at in one search.
const changelogSpan = 1000

// changelogKeys are the attributes that name the changed entry, by key attribute in lower case.
var changelogKeys = map[string]string{"nsuniqueid": "targetUniqueId", "entryuuid": "targetEntryUUID"}

// begin notes the last number in the changelog. It reads that one change first: a login without the
// right to read the changelog is shown the numbers in the rootDSE all the same, and would find no
// changes for ever.
func (c changelog) begin(r *Reader) (*read.Position, string, error) {
	if changelogKeys[strings.ToLower(r.IdAttribute)] == "" {
		return nil, "the key attribute is not the one by which the changelog names entries", nil
	}
	first, last, err := c.ends(r)
	if err != nil {
		return nil, "", err
	}
	if last < 0 {
		return nil, "the directory keeps no changelog", nil
	}
	if last >= first && first > 0 {
		seen, err := c.read(r, last, last, func(changedKey) {})
		if err != nil || seen == 0 {
			return nil, "the login cannot read the changelog", r.ErrIfBroken(r.Ctx, err)
		}
	}
	return &read.Position{Change: last}, "", nil
}

// ends are the first and the last number in the changelog; last is negative where there is none.
func (changelog) ends(r *Reader) (first, last int64, err error) {
	root, err := session.ReadRootDSE(r.Conn)
	if err != nil {
		return 0, -1, err
	}
	last, err = strconv.ParseInt(root.First("lastChangeNumber"), 10, 64)
	if err != nil {
		return 0, -1, nil
	}
	first, _ = strconv.ParseInt(root.First("firstChangeNumber"), 10, 64)
	return first, last, nil
}

// changelogBase is where the changelog is, by the rootDSE or else by convention.
func (r *Reader) changelogBase() string {
	if dn := r.Root.First("changelog"); dn != "" {
		return dn
	}
	return "cn=changelog"
}

// read gives the entries that the changes from and to, and those between, were made to.
func (changelog) read(r *Reader, from, to int64, each func(changedKey)) (seen int, err error) {
	target := changelogKeys[strings.ToLower(r.IdAttribute)]
	unnamed := false
	req := wire.Request{
		Base: r.changelogBase(), Scope: goldap.ScopeSingleLevel, TimeLimit: r.TimeLimit, Attributes: []string{target},
		Filter: fmt.Sprintf("(&(changeNumber>=%d)(changeNumber<=%d))", from, to),
	}
	_, err = r.Conn.Search(req, func(e *wire.Entry) error {
		seen++
		id := string(wire.FirstValue(e, target))
		if id == "" {
			unnamed = true
			return nil
		}
		each(changedKey{id: id, filter: goldap.EscapeFilter(id)})
		return nil
	})
	if err == nil && unnamed {
		err = &fallback{
			reason: "the changelog does not contain the keys of changed entries",
			avoid:  settings.StrategyChangelog,
		}
	}
	return seen, err
}

// changes reads what was changed since the last number of the cursor, a thousand numbers at a time.
// Numbers are without gaps, so that a first number beyond the next one means that the directory has
// trimmed changes that were not read yet; a last number before it means that the changelog was set
// up again. Both need a full read. The checkpoint moves on with each thousand.
func (c changelog) changes(r *Reader, from *read.Position) (*read.Position, error) {
	first, last, err := c.ends(r)
	switch {
	case err != nil:
		return nil, err
	case last < r.Checkpoint.Begin.Change:
		return nil, &fallback{reason: "the changelog ends before the position of the last sync, so it was reset"}
	case first > r.Checkpoint.Begin.Change+1:
		return nil, &fallback{reason: "the changelog no longer goes back to the last read"}
	}
	again := rereader{Reader: r}
	for at := r.Checkpoint.Begin.Change + 1; at <= last; at += changelogSpan {
		to := min(at+changelogSpan-1, last)
		seen, err := c.read(r, at, to, again.add)
		if err != nil {
			return nil, err
		}
		if seen == 0 && to == last {
			return nil, &fallback{
				reason: "the login can no longer read the changelog", avoid: settings.StrategyChangelog,
			}
		}
		r.Stats.Pages++
		r.ReportAlive("changes", int(at-from.Change))
		if err := again.flush(); err != nil {
			return nil, err
		}
		r.Checkpoint.Begin.Change = to
		if err := r.markChanges(); err != nil {
			return nil, err
		}
	}
	return &read.Position{Change: last}, nil
}

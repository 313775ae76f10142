package ldap_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// retro is a model of a directory with a changelog (draft-good-ldap-changelog), for the faults 389 Directory
// Server has to be driven to.
type retro struct {
	*fake
	people      []string // keys; the last of the UUID
	first, last int
	hidden      bool // the login cannot read the changelog
	nameless    bool // the changelog does not tell keys
}

func newRetro(t *testing.T) *retro {
	t.Helper()
	d := &retro{fake: newFake(t, nil), people: []string{"k1", "k2", "k3"}, first: 1, last: 4}
	d.tell()
	d.search = func(r fakeSearch) fakeAnswer {
		switch {
		case r.base == "cn=changelog":
			return d.log(r)
		case r.wants("inetOrgPerson"):
			var out fakeAnswer
			for _, k := range d.people {
				if !r.wants("nsUniqueId=") || r.wants("nsUniqueId="+k+")") {
					out.entries = append(
						out.entries,
						fakeEntry{
							"uid=" + k + ",dc=x",
							attrs{
								"objectClass": {"inetOrgPerson"}, "nsUniqueId": {k}, "uid": {k},
								"description": {fmt.Sprint(d.last)},
							},
						},
					)
				}
			}
			return out
		}
		return fakeAnswer{}
	}
	d.asked = func(r fakeSearch) bool { return r.base == "cn=changelog" }
	return d
}

func (d *retro) tell() {
	d.root = attrs{
		"vendorName": {"389 Project"}, "namingContexts": {"dc=x"}, "changelog": {"cn=changelog"},
		"firstChangeNumber": {strconv.Itoa(d.first)}, "lastChangeNumber": {strconv.Itoa(d.last)},
	}
}

// log answers with changes: change n is one of person k<n modulo 4>, of whom the last is nobody's.
func (d *retro) log(r fakeSearch) (out fakeAnswer) {
	var from, to int
	if _, err := fmt.Sscanf(r.filter, "(&(changeNumber>=%d)(changeNumber<=%d))", &from, &to); err != nil || d.hidden {
		return out
	}
	for n := max(from, d.first); n <= min(to, d.last); n++ {
		a := attrs{"targetUniqueId": {fmt.Sprintf("k%d", 1+n%4)}}
		if d.nameless {
			a = nil
		}
		out.entries = append(out.entries, fakeEntry{fmt.Sprintf("changenumber=%d,cn=changelog", n), a})
	}
	return out
}

func TestAChangelogTellsWhatToReadAgain(t *testing.T) {
	d := newRetro(t)
	auth := d.auth()
	known := whole(t, auth)
	d.last, d.people = 2500, []string{"k1", "k3"} // more than are looked at at once
	d.tell()
	pages := mustPages(t, auth, true, v1.SyncOptions{Cursor: known.cursor})
	if how := pages[len(pages)-1].Page.Read; !how.Incremental || how.Strategy != "ldap_changelog" {
		t.Errorf("read %+v", how)
	}
	var gone []string
	for _, p := range pages {
		for _, a := range p.Accounts {
			if a.Deleted && !slices.Contains(gone, a.ExternalID) {
				gone = append(gone, a.ExternalID)
			}
		}
	}
	slices.Sort(gone)
	if strings.Join(gone, " ") != "k2 k4" {
		t.Errorf("tombstones for %v", gone)
	}
	known.take(t, pages)
	same(t, "changelog", whole(t, auth), known)
}

func TestAChangelogThatCannotBeUsedLeadsToAFullRead(t *testing.T) {
	for name, tt := range map[string]struct {
		happen func(*retro)
		reason string
		next   string // how the read after that finds changes; empty: in the same way
	}{
		"trimmed":   {func(d *retro) { d.first, d.last = 40, 50 }, "no longer goes back", ""},
		"anew":      {func(d *retro) { d.first, d.last = 1, 2 }, "it was reset", ""},
		"hidden":    {func(d *retro) { d.last, d.hidden = 9, true }, "can no longer read", "none"},
		"without":   {func(d *retro) { d.last, d.nameless = 9, true }, "does not contain the keys", "none"},
		"gone away": {func(d *retro) { d.first, d.last = 0, -1; delete(d.root, "changelog") }, "", "none"},
	} {
		d := newRetro(t)
		auth := d.auth()
		known := whole(t, auth)
		tt.happen(d)
		d.tell()
		how, _ := catchUp(t, auth, known)
		if how.Incremental || !strings.Contains(how.FallbackReason, tt.reason) {
			t.Errorf("%s: read %+v", name, how)
		}
		same(t, name, whole(t, auth), known)
		// The model shows no times, so that without its changelog there is no way.
		if none := known.cursor == ""; none != (tt.next == "none") {
			t.Errorf("%s: cursor %q", name, known.cursor)
		}
	}
}

func TestAReadTellsThatItIsAlive(t *testing.T) {
	d := newRetro(t)
	var told []v1.Progress
	ctx := connectorkit.WithReport(t.Context(), func(p v1.Progress) { told = append(told, p) })
	err := ldap.New(agentEnv()).Sync(ctx, v1.SyncRequest{
		AuthConfig: d.auth(),
	}, func(context.Context, v1.SyncResponse) error {
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var phases []string
	for _, p := range told {
		phases = append(phases, p.Phase)
	}
	if strings.Join(phases, " ") != "users groups" {
		t.Errorf("phases %v", phases)
	}
}

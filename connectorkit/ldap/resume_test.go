package ldap_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"
	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// interrupted reads everything, killed after the given numbers of pages and going on from the last checkpoint
// each time. It gives the pages of all attempts, as they are staged, and how many records came in the
// attempts after the first.
func interrupted(t *testing.T, auth v1.AuthConfig, kills []int, between func()) (pages []v1.SyncResponse, again int) {
	t.Helper()
	var o v1.SyncOptions
	for _, kill := range append(kills, 0) {
		part, err := pagesOf(t, auth, false, o, func(page int) error {
			if page == kill {
				return errKilled
			}
			return nil
		})
		for _, p := range part {
			if p.Page.Checkpoint != "" {
				o.Checkpoint = p.Page.Checkpoint
			}
			if len(pages) > 0 {
				again += p.Len()
			}
		}
		pages = append(pages, part...)
		if err == nil {
			return pages, again
		}
		if !errors.Is(err, errKilled) {
			t.Fatalf("Sync: %v", err)
		}
		if between != nil {
			between()
		}
	}
	return pages, again
}

// starScopes are the attestations for whole kinds.
func starScopes(pages []v1.SyncResponse) map[v1.ObjectKind]v1.Scope {
	out := map[v1.ObjectKind]v1.Scope{}
	for _, p := range pages {
		for _, s := range p.Page.Scopes {
			if s.Key == "*" {
				out[s.Kind] = s
			}
		}
	}
	return out
}

// deep is a directory with enough people below enough places for many checkpoints.
func deep(t *testing.T) *ldaptest.Server {
	t.Helper()
	var people strings.Builder
	people.WriteString(tree)
	for i := range 400 {
		people.WriteString("\n" + somebody(fmt.Sprintf("uid=o%d,ou=oslo,ou=sites,", i)))
	}
	return ldaptest.StartSlapd(
		t,
		ldaptest.Options{Syncprov: true, Refint: true, Users: 1500, Groups: 6, PerGroup: 300, LDIF: people.String()},
	)
}

func TestAReadThatIsKilledAnywhereEndsAsOneThatIsNot(t *testing.T) {
	s := deep(t)
	auth := with(s, map[string]any{"page_size": 90})
	straight := mustPages(t, auth, false, v1.SyncOptions{})
	want := newLedger()
	want.take(t, straight)
	records, marks := 0, 0
	for _, p := range straight {
		records += p.Len()
		if p.Page.Checkpoint != "" {
			marks++
		}
	}
	if marks < 8 {
		t.Fatalf("%d checkpoints in %d pages", marks, len(straight))
	}
	for _, kills := range killPoints(straight) {
		pages, _ := interrupted(t, auth, kills, nil)
		got := newLedger()
		got.take(t, pages)
		what := fmt.Sprintf("killed after pages %v", kills)
		same(t, what, want, got)
		if diff := cmp.Diff(starScopes(straight), starScopes(pages)); diff != "" {
			t.Errorf("%s: scopes (-want +got)\n%s", what, diff)
		}
		if got.cursor == "" {
			t.Errorf("%s: no cursor", what)
		}
	}
}

// killPoints are one kill at each page that carries a checkpoint, and at the page before it; and a few runs
// that are killed thrice.
func killPoints(straight []v1.SyncResponse) [][]int {
	var out [][]int
	for i, p := range straight {
		if p.Page.Checkpoint != "" {
			out = append(out, []int{i + 1})
			if i > 0 {
				out = append(out, []int{i})
			}
		}
	}
	draw := rand.New(rand.NewPCG(3, 14))
	for range 8 {
		out = append(out, []int{1 + draw.IntN(len(straight)), 1 + draw.IntN(5), 1 + draw.IntN(5)})
	}
	return out
}

func TestAReadIsDividedByPlace(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 300, Groups: 2, PerGroup: 3, LDIF: tree})
	var done []string
	for _, p := range mustPages(t, with(s, nil), false, v1.SyncOptions{}) {
		var at struct{ Done []string }
		if p.Page.Checkpoint != "" {
			if err := json.Unmarshal([]byte(p.Page.Checkpoint), &at); err != nil {
				t.Fatal(err)
			}
		}
		if len(at.Done) > len(done) {
			done = at.Done
		}
	}
	want := []string{
		dn("ou=people"), dn("ou=groups"), dn("ou=elsewhere"), dn("ou=oslo,ou=sites"), dn("ou=bergen,ou=sites"),
	}
	slices.Sort(done)
	slices.Sort(want)
	// The places without others below them are read with the rest; it ends the phase and is never seen as
	// done inside of it.
	want = slices.DeleteFunc(want, func(p string) bool { return strings.HasPrefix(p, "ou=elsewhere") })
	if diff := cmp.Diff(want, done); diff != "" {
		t.Errorf("partitions (-want +got)\n%s", diff)
	}
}

func TestWhatWasHandedOnIsNotHandedOnAgain(t *testing.T) {
	s := deep(t)
	auth := with(s, map[string]any{"page_size": 90})
	straight := mustPages(t, auth, false, v1.SyncOptions{})
	for _, p := range straight {
		if p.Page.Checkpoint == "" {
			continue
		}
		rest, sum := 0, 0
		for _, q := range mustPages(t, auth, false, v1.SyncOptions{Checkpoint: p.Page.Checkpoint}) {
			rest += q.Len()
		}
		for _, q := range straight {
			sum += q.Len()
		}
		before := 0
		for _, q := range straight {
			before += q.Len()
			if q.Page.Checkpoint == p.Page.Checkpoint {
				break
			}
		}
		if before+rest != sum {
			t.Errorf("%d records before a checkpoint and %d after it, of %d", before, rest, sum)
		}
	}
}

// TestADirectoryThatChangesWhileAReadIsDownIsReadWhole has the entries behind a checkpoint come in another
// order: the partition is read again then, and nothing is lost or counted twice.
func TestADirectoryThatChangesWhileAReadIsDownIsReadWhole(t *testing.T) {
	s := deep(t)
	auth := with(s, map[string]any{"page_size": 90})
	admin := s.Admin(t)
	for i, kill := range []int{3, 5, 8, 11} {
		change := each(remove(fmt.Sprintf("uid=u%07d,ou=people", 200+i)),
			remove(fmt.Sprintf("uid=o%d,ou=oslo,ou=sites", i)),
			rename(fmt.Sprintf("uid=u%07d,ou=people", 300+i), fmt.Sprintf("uid=x%d", i), "ou=oslo,ou=sites"),
			rename(fmt.Sprintf("uid=o%d,ou=oslo,ou=sites", 100+i), fmt.Sprintf("uid=o%d", 100+i), "ou=people"),
			modify(fmt.Sprintf("cn=g%05d,ou=groups", i), func(m *goldap.ModifyRequest) {
				m.Add("member", []string{ldaptest.UserDN(1300)})
			}))
		pages, _ := interrupted(t, auth, []int{kill}, func() {
			if err := change(admin); err != nil {
				t.Fatal(err)
			}
		})
		got := newLedger()
		got.take(t, pages)
		// What has gone since it was handed on is told by the next read of changes, as after any other read.
		if how, _ := catchUp(t, auth, got); !how.Incremental {
			t.Errorf("read %+v", how)
		}
		samePeople(t, fmt.Sprintf("killed after page %d", kill), whole(t, auth), got)
	}
}

func TestAPlaceThatIsRenamedWhileAReadIsDownIsReadOnce(t *testing.T) {
	s := deep(t)
	auth := with(s, map[string]any{"page_size": 90})
	admin := s.Admin(t)
	for i, names := range [][2]string{{"oslo", "east"}, {"east", "oslo"}, {"oslo", "east"}} {
		pages, _ := interrupted(t, auth, []int{3 + 4*i}, func() {
			if err := rename("ou="+names[0]+",ou=sites", "ou="+names[1], "")(admin); err != nil {
				t.Fatal(err)
			}
		})
		got, want := newLedger(), whole(t, auth)
		got.take(t, pages)
		if scope := starScopes(pages)[v1.Accounts]; !scope.Complete || scope.Count != len(want.records[v1.Accounts]) {
			t.Errorf("%s becomes %s: scope %+v of %d", names[0], names[1], scope, len(want.records[v1.Accounts]))
		}
		if how, _ := catchUp(t, auth, got); !how.Incremental {
			t.Errorf("read %+v", how)
		}
		same(t, names[0]+" becomes "+names[1], want, got)
	}
}

func TestACheckpointThatDoesNotFitStartsTheReadAnew(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 30, Groups: 2, PerGroup: 3, LDIF: tree})
	auth := with(s, nil)
	pages := mustPages(t, auth, false, v1.SyncOptions{})
	checkpoint := pages[0].Page.Checkpoint
	want := newLedger()
	want.take(t, pages)
	for name, tt := range map[string]struct {
		checkpoint string
		settings   map[string]any
	}{
		"nonsense":        {"x", nil},
		"another version": {strings.Replace(checkpoint, `"v":2`, `"v":9`, 1), nil},
		"another filter":  {checkpoint, map[string]any{"user_filter": "(uid=*)"}},
	} {
		pages := mustPages(t, with(s, tt.settings), false, v1.SyncOptions{Checkpoint: tt.checkpoint})
		got := newLedger()
		got.take(t, pages)
		same(t, name, want, got)
		if !hasWarning(warningsOf(pages), "checkpoint_unusable") {
			t.Errorf("%s: warnings %v", name, warningsOf(pages))
		}
	}
}

func TestAReadThatFellBackGoesOnAsAFullOne(t *testing.T) {
	s := deep(t)
	auth := with(s, map[string]any{"page_size": 90})
	part, err := pagesOf(t, auth, true, v1.SyncOptions{Cursor: "lost"}, func(page int) error {
		if page == 12 {
			return errKilled
		}
		return nil
	})
	if !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	checkpoint := ""
	for _, p := range part {
		if p.Page.Checkpoint != "" {
			checkpoint = p.Page.Checkpoint
		}
	}
	pages := mustPages(t, auth, true, v1.SyncOptions{Cursor: "lost", Checkpoint: checkpoint})
	last := pages[len(pages)-1].Page
	if last.Read.Incremental || !strings.Contains(last.Read.FallbackReason, "another version") || last.Cursor == "" {
		t.Errorf("read %+v, cursor %q", last.Read, last.Cursor)
	}
	got := newLedger()
	got.take(t, append(part, pages...))
	same(t, "after the fall back", whole(t, auth), got)
}

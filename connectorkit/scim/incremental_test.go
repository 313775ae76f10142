package scim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/elimity-com/scim"
	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/group"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// same compares what a store knows with a fresh full read of the target.
func (s *store) same(t testing.TB, base string, more ...any) {
	t.Helper()
	fresh := newStore()
	fresh.read(t, base, more...)
	for _, of := range []struct {
		what      string
		want, got any
	}{{"identities", fresh.identities, s.identities}, {"accounts", fresh.accounts, s.accounts},
		{"entitlements", fresh.entitlements, s.entitlements}, {"grants", fresh.grants, s.grants}} {
		if diff := cmp.Diff(of.want, of.got); diff != "" {
			t.Errorf("%s (-target +store):\n%s", of.what, diff)
		}
	}
}

// way is how a read went about it.
func (r reads) way() string {
	if r.last.Read == nil {
		return "untold"
	}
	if r.last.Read.Incremental {
		return r.last.Read.Strategy
	}
	return r.last.Read.Strategy + ": " + r.last.Read.FallbackReason
}

func TestOnlyWhatChangedIsReadAgain(t *testing.T) {
	l := settlement(120, 6)
	base := l.start(t)
	s := newStore()
	if first := s.read(t, base); first.way() != "full: " || first.last.Cursor == "" {
		t.Fatalf("first read: %s, cursor %q", first.way(), first.last.Cursor)
	}
	l.later()
	l.user("u7", func(a scim.ResourceAttributes) { a["displayName"] = "Renamed" })
	l.user("u10", func(a scim.ResourceAttributes) { delete(a, "roles") })
	l.user("u11", func(a scim.ResourceAttributes) { a["roles"] = []any{map[string]any{"value": "admin"}} })
	l.users = append(l.users, scim.Resource{ID: "new", Meta: dated(l.clock), Attributes: person(999)})
	l.regroup("g2", "u1", "new")
	l.groups = append(l.groups, crowd("g9", []string{"u1"}, l.clock))
	l.remove("u50")
	l.remove("g4")
	l.asked = nil
	got := s.read(t, base)
	if got.way() != checkpoint.StrategyLastModified {
		t.Fatalf("read = %s, warnings %v", got.way(), got.warns)
	}
	s.same(t, base)
	changed := []string{}
	for _, a := range got.Accounts {
		changed = append(changed, a.ExternalID)
	}
	if diff := cmp.Diff([]string{"u0", "u7", "u10", "u11", "new"}, changed); diff != "" {
		t.Errorf("accounts told (-want +got):\n%s", diff)
	}
	want := "identities true 120, accounts true 120, entitlements true 8" // six groups, two roles
	if got.complete() != want {
		t.Errorf("scopes = %s; want %s", got.complete(), want)
	}
}

func TestAReadOfChangesAsksForLittle(t *testing.T) {
	l := settlement(120, 6)
	base := l.start(t)
	s := newStore()
	s.read(t, base)
	l.later()
	l.user("u7", func(a scim.ResourceAttributes) { a["displayName"] = "Renamed" })
	l.regroup("g2", "u1")
	l.asked = nil
	s.read(t, base)
	want := []string{
		`/Users filter=meta.lastModified gt "2199-12-31T23:59:59Z" attributes=id count=1`,
		`/Users filter=meta.lastModified gt "1970-01-02T00:00:00Z" attributes=id count=1`,
		`/Users filter=meta.lastModified gt "2026-03-03T07:55:00Z" count=50 startIndex=1`,
		`/Users attributes=id count=50 startIndex=1`,
		`/Users attributes=id count=50 startIndex=51`,
		`/Users attributes=id count=50 startIndex=101`,
		`/Groups excludedAttributes=members count=50 startIndex=1`,
		`/Groups/g2`,
	}
	got := slices.DeleteFunc(
		slices.Clone(l.asked),
		func(a string) bool { return strings.HasPrefix(a, "/Groups/") && a != "/Groups/g2" },
	)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if n := len(l.asked) - len(got); n < 1 || n > group.Audits {
		t.Errorf("%d groups were audited, want at most %d", n, group.Audits)
	}
}

func TestAPositionIsNeverLaterThanTheTargetsClock(t *testing.T) {
	l := settlement(20, 1)
	base := l.start(t)
	l.users[3].Meta = dated(
		l.clock.Add(1000 * 24 * 3600e9),
	) // a record of the far future must not hide what changes until then
	s := newStore()
	s.read(t, base)
	l.clock = l.clock.Add(10 * 60e9)
	l.user("u7", func(a scim.ResourceAttributes) { a["displayName"] = "Renamed" })
	if got := s.read(t, base); got.way() != checkpoint.StrategyLastModified {
		t.Fatalf("read = %s", got.way())
	}
	s.same(t, base)
}

func TestWhatChangesInMidReadIsFoundByTheNext(t *testing.T) {
	l := settlement(120, 6)
	base := l.start(t)
	s := newStore()
	l.beforeAsked = func(n int) { // users 1 to 50 are read; the target's clock goes on an hour a request
		l.clock = l.clock.Add(3600e9)
		if n == 2 {
			l.user("u3", func(a scim.ResourceAttributes) { a["displayName"] = "Renamed in mid-read" })
		}
		if n == 3 {
			l.user("u119", func(a scim.ResourceAttributes) { a["displayName"] = "Seen" })
		}
	}
	s.read(t, base)
	l.beforeAsked = nil
	s.read(t, base)
	s.same(t, base)
}

func TestServersWithoutUsableFiltersAreReadWhole(t *testing.T) {
	for _, tt := range []struct {
		name   string
		filter func(w http.ResponseWriter, r *http.Request, all http.Handler) bool
		setup  func(l *living)
		more   []any
		want   string
	}{
		{"refused with 400", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
			scimError(w, 400, "invalidFilter", "no such attribute")
			return true
		}, nil, nil, "refuses filters by meta.lastModified"},
		{"refused with 501", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
			scimError(w, 501, "", "not implemented")
			return true
		}, nil, nil, "refuses filters by meta.lastModified"},
		{"silently ignored", func(w http.ResponseWriter, r *http.Request, all http.Handler) bool {
			q := r.URL.Query()
			q.Del("filter")
			r.URL.RawQuery, r.Form = q.Encode(), nil
			return false
		}, nil, nil, "ignores filters by meta.lastModified"},
		{"finds nothing whatever is asked", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
			_, _ = w.Write([]byte(noUsers))
			return true
		}, nil, nil, "finds nothing"},
		{"ids are not told alone", nil, func(l *living) { l.whole = true }, nil, "ignores attributes=id"},
		{"known of the vendor", nil, nil, []any{"vendor_profile", "atlassian"}, "of Atlassian cannot be asked"},
		{"filters by equality only", nil, nil, []any{"filter_support", "eq_only"}, "by equality only"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := settlement(30, 2)
			l.noFilter = tt.filter
			if tt.setup != nil {
				tt.setup(l)
			}
			base := l.start(t)
			s := newStore()
			s.read(t, base, tt.more...)
			l.later()
			l.user("u7", func(a scim.ResourceAttributes) { a["displayName"] = "Renamed" })
			l.remove("u9")
			got := s.read(t, base, tt.more...)
			if !strings.HasPrefix(got.way(), "full: ") || !strings.Contains(got.way(), tt.want) {
				t.Errorf("read = %s; want a full one for %q", got.way(), tt.want)
			}
			if !strings.Contains(got.complete(), "accounts true 29") || got.last.Cursor == "" {
				t.Errorf("scopes = %s, cursor %q", got.complete(), got.last.Cursor)
			}
			s.same(t, base, tt.more...)
		})
	}
}

func TestGroupsThatDoNotTellTheirChangesAreReadEachTime(t *testing.T) {
	for _, tt := range []struct {
		name  string
		setup func(l *living)
		more  []any
		warn  string
	}{
		{"no lastModified", func(l *living) { l.undated = true }, nil, "groups_reread"},
		{"as the user says", func(l *living) { l.still = true }, []any{"group_changes", "always"}, ""},
		{"found out by looking", func(l *living) { l.still = true }, nil, "group_changes_unseen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := settlement(60, 2)
			tt.setup(l)
			base := l.start(t)
			s := newStore()
			s.read(t, base, tt.more...)
			for round := range 2 {
				l.later()
				l.regroup("g0", "u1", fmt.Sprintf("u%d", 30+round))
				got := s.read(t, base, tt.more...)
				if got.way() != checkpoint.StrategyLastModified {
					t.Fatalf("read = %s", got.way())
				}
				if tt.warn != "" && round == 0 && !got.warned(tt.warn) {
					t.Errorf("warnings = %v, want %s", got.warns, tt.warn)
				}
				s.same(t, base, tt.more...)
			}
		})
	}
}

func TestPositionsOfOtherSettingsAreNotUsed(t *testing.T) {
	l := settlement(20, 1)
	base := l.start(t)
	s := newStore()
	s.read(t, base)
	got := s.read(t, base, "user_filter", `userName sw "user1"`)
	if want := "full: the settings have changed since the last read"; got.way() != want {
		t.Errorf("read = %q, want %q", got.way(), want)
	}
	s.cursor = "not a position"
	if got := s.read(t, base); got.way() != "full: the position of the last read is of another version" {
		t.Errorf("read = %q", got.way())
	}
}

func TestAFilterOfTheUserHoldsForChangesToo(t *testing.T) {
	l := settlement(20, 1)
	base := l.start(t)
	s := newStore()
	only := []any{"user_filter", `userName sw "user1"`}
	s.read(t, base, only...)
	l.later()
	l.user("u7", func(a scim.ResourceAttributes) { a["displayName"] = "Renamed" })
	l.user("u12", func(a scim.ResourceAttributes) { a["displayName"] = "Renamed" })
	l.user("u13", func(a scim.ResourceAttributes) { a["userName"] = "no longer meant" })
	if got := s.read(t, base, only...); got.way() != checkpoint.StrategyLastModified {
		t.Fatalf("read = %s", got.way())
	}
	s.same(t, base, only...)
}

func TestAnIncompleteReadIsFollowedByAFullOne(t *testing.T) {
	total := 25
	base := users(t, func(start, count int) string { return page(total, people(start-1, min(start-1+count, 20)), "") })
	got := mustSync(t, bearer(base, "count", 10), onlyAccounts)
	o := *onlyAccounts
	o.Cursor = got.last.Cursor
	next, err := gather(
		t,
		connector(),
		v1.SyncRequest{Incremental: true, AuthConfig: bearer(base, "count", 10), Options: &o},
		-1,
	)
	if err != nil || next.way() != "full: the last read did not see all users" {
		t.Errorf("read = %q, %v", next.way(), err)
	}
}

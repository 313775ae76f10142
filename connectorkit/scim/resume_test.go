package scim

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/elimity-com/scim"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
)

// sets is what reads gave together, whatever came twice.
type sets struct {
	Accounts, Entitlements, Grants, Present []string
	Scopes                                  []string
	Cursor, Way                             string
}

func sum(all ...reads) (out sets) {
	for _, r := range all {
		for _, a := range r.Accounts {
			out.Accounts = append(out.Accounts, fmt.Sprintf("%s %v", a.ExternalID, a.Attributes))
		}
		for _, e := range r.Entitlements {
			out.Entitlements = append(out.Entitlements, e.ExternalID)
		}
		for _, g := range r.Grants {
			out.Grants = append(
				out.Grants,
				fmt.Sprintf("%s %s %t", g.EntitlementExternalID, resource.Principal(g), g.Deleted),
			)
		}
		for _, p := range r.present {
			for _, id := range p.ExternalIDs {
				out.Present = append(out.Present, string(p.Kind)+" "+id)
			}
		}
		for _, s := range r.scopes {
			out.Scopes = append(out.Scopes, fmt.Sprintf("%s %s %t %d", s.Kind, s.Key, s.Complete, s.Count))
		}
	}
	last := all[len(all)-1]
	for _, s := range last.last.Scopes {
		out.Scopes = append(out.Scopes, fmt.Sprintf("%s %s %t %d", s.Kind, s.Key, s.Complete, s.Count))
	}
	out.Cursor, out.Way = last.last.Cursor, last.way()
	for _, list := range []*[]string{&out.Accounts, &out.Entitlements, &out.Grants, &out.Present, &out.Scopes} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return out
}

// broken reads with kills after the given numbers of pages, each time going on from the last checkpoint.
func (s *store) broken(t testing.TB, base string, kills []int, more ...any) (all []reads) {
	checkpoint := ""
	for _, stop := range append(slices.Clone(kills), -1) {
		got, err := s.try(t, connector(), base, checkpoint, stop, more...)
		if err != nil && !errors.Is(err, errKilled) {
			t.Fatalf("Sync: %v", err)
		}
		all = append(all, got)
		if err == nil {
			break
		}
		if got.checkpoint != "" {
			checkpoint = got.checkpoint
		}
	}
	return all
}

func TestAReadThatBreaksOffAnywhereGivesTheSame(t *testing.T) {
	type target struct {
		l    *living
		base string
		s    *store
	}
	// A target for each pair of numbers, so that starting servers is not what takes the time.
	targets := map[string]target{}
	rapid.Check(t, func(rt *rapid.T) {
		users, groups := rapid.SampledFrom([]int{0, 7, 60}).
			Draw(rt, "users"),
			rapid.SampledFrom([]int{0, 3, 12}).
				Draw(rt, "groups")
		still := rapid.Bool().Draw(rt, "changes")
		key := fmt.Sprint(users, groups, still)
		tg, ok := targets[key]
		if !ok {
			l := settlement(users, groups)
			tg = target{l, l.start(t), newStore()}
			if still && users > 0 {
				tg.s.read(t, tg.base)
				l.later()
				for i := 0; i < users; i += 4 {
					l.user(
						fmt.Sprintf("u%d", i),
						func(a scim.ResourceAttributes) { a["displayName"] = "Changed"; delete(a, "roles") },
					)
				}
				for i := 0; i < groups; i += 2 {
					l.regroup(fmt.Sprintf("g%d", i), "u1")
				}
			}
			targets[key] = tg
		}
		more := []any{"count", rapid.SampledFrom([]int{2, 9, 50}).Draw(rt, "count"),
			"member_strategy", rapid.SampledFrom([]string{settings.Auto, settings.MembersByGet}).Draw(rt, "members")}
		if cursor := tg.s.cursor; cursor != "" && more[3] != settings.Auto {
			more[3] = settings.Auto // the position is of these settings
		}
		kills := rapid.SliceOfN(rapid.IntRange(0, 12), 1, 4).Draw(rt, "kills")
		want := sum(tg.s.broken(t, tg.base, nil, more...)...)
		got := sum(tg.s.broken(t, tg.base, kills, more...)...)
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("an unbroken read and one killed after %v pages (-want +got):\n%s", kills, diff)
		}
	})
}

func TestAResumedReadAsksForNothingTwiceButAPage(t *testing.T) {
	l := settlement(120, 6)
	base := l.start(t)
	s := newStore()
	s.broken(t, base, nil)
	whole := len(l.asked)
	l.asked = nil
	s.broken(t, base, []int{2, 1, 1})
	if again := len(l.asked) - whole; again > 6 {
		t.Errorf(
			"%d requests more than an unbroken read, want at most two for each of three kills, the page at hand and "+
				"the one on its way: %v",
			again,
			l.asked,
		)
	}
}

func TestCheckpointsOfOthersAreNotUsed(t *testing.T) {
	l := settlement(30, 2)
	base := l.start(t)
	s := newStore()
	broken, err := s.try(t, connector(), base, "", 1)
	if !errors.Is(err, errKilled) || broken.checkpoint == "" {
		t.Fatalf("killed read: %v, checkpoint %q", err, broken.checkpoint)
	}
	for name, checkpoint := range map[string]string{
		"not a checkpoint": "nonsense", "another version": strings.Replace(broken.checkpoint, `"v":1`, `"v":2`, 1),
		"no legs": `{"v":1}`,
	} {
		got, err := s.try(t, connector(), base, checkpoint, -1)
		if err != nil || !got.warned("checkpoint_unusable") || !strings.Contains(got.complete(), "accounts true 30") {
			t.Errorf("%s: %v, warnings %v, scopes %s", name, err, got.warns, got.complete())
		}
	}
	got, err := s.try(t, connector(), base, broken.checkpoint, -1, "user_filter", `userName sw "user1"`)
	if err != nil || !got.warned("checkpoint_unusable") {
		t.Errorf("other settings: %v, warnings %v", err, got.warns)
	}
}

func TestCheckpointsStaySmall(t *testing.T) {
	var at checkpoint.State
	at.V, at.Plan.Legs = checkpoint.Version, []string{checkpoint.LegUsers}
	at.Shapes = map[string]resource.Kind{}
	for i := range 20_000 {
		at.Rights = append(at.Rights, fmt.Sprintf("role:%032d", i))
		at.Shapes[fmt.Sprintf("user urn:vendor:%032d", i)] = resource.KindText
	}
	at.List = &checkpoint.Position{Recent: checkpoint.Pack(make([]uint64, checkpoint.RecentIDs))}
	text := at.Encode()
	if text == "" || len(text) > checkpoint.MaxState {
		t.Fatalf("a checkpoint of %d bytes", len(text))
	}
	back, why := checkpoint.Decode(text, "")
	if why != "" || !back.Vague || back.Rights != nil {
		t.Errorf(
			"resumed: %q, vague %t with %d rights; what does not fit must be told",
			why,
			back.Vague,
			len(back.Rights),
		)
	}
	if w, _ := checkpoint.DecodeWatermark(at.Cursor(time.Second, false), ""); w.Since != nil && !w.Vague {
		t.Errorf("cursor = %+v", w)
	}
	if n := len(at.Cursor(time.Second, false)); n > checkpoint.MaxState {
		t.Errorf("a cursor of %d bytes", n)
	}
}

// forgetful is a cursor target of 60 users that forgets its cursors at the given requests.
func forgetful(t testing.TB, spc string, at map[int]func(w http.ResponseWriter)) (base string, asked *[]string) {
	asked = &[]string{}
	n := 0
	base = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ServiceProviderConfig":
			_, _ = w.Write([]byte(spc))
			return
		case "/Users":
		default:
			scimError(w, 404, "", "")
			return
		}
		n++
		*asked = append(*asked, r.FormValue("cursor"))
		if fault := at[n]; fault != nil {
			fault(w)
			return
		}
		from, _ := strconv.Atoi(strings.TrimPrefix(r.FormValue("cursor"), "c"))
		next := ""
		if from+10 < 60 {
			next = fmt.Sprintf(`"nextCursor":"c%d",`, from+10)
		}
		_, _ = w.Write([]byte(page(60, people(from, from+10), next)))
	}))
	return base, asked
}

func TestAForgottenCursorRestartsTheListNotTheRun(t *testing.T) {
	spc := `{"pagination":{"cursor":true,"index":false,"maxPageSize":10,"cursorTimeout":600}}`
	for name, fault := range map[string]func(w http.ResponseWriter){
		"expired": func(w http.ResponseWriter) { scimError(w, 400, "expiredCursor", "too late") },
		"invalid": func(w http.ResponseWriter) { scimError(w, 400, "invalidCursor", "what is that") },
		"gone":    func(w http.ResponseWriter) { w.WriteHeader(410) },
	} {
		base, _ := forgetful(t, spc, map[int]func(http.ResponseWriter){4: fault})
		got := mustSync(t, bearer(base), nil)
		want := "identities true 60, accounts true 60, entitlements false 0, grants false 0"
		if got.complete() != want ||
			!got.warned("list_restarted") {
			t.Errorf("%s: scopes %s, warnings %v; want %s", name, got.complete(), got.warns, want)
		}
	}
}

func TestAnOldCursorIsNotTriedAgain(t *testing.T) {
	spc := `{"pagination":{"cursor":true,"index":false,"maxPageSize":10,"cursorTimeout":600}}`
	base, asked := forgetful(t, spc, nil)
	s := newStore()
	broken, err := s.try(t, connector(), base, "", 3)
	if !errors.Is(err, errKilled) {
		t.Fatalf("killed read: %v", err)
	}
	for _, tt := range []struct {
		after time.Duration
		first string
	}{{time.Minute, "c30"}, {time.Hour, ""}} {
		*asked = nil
		k := connector()
		k.env.Now = func() time.Time { return time.Now().Add(tt.after) }
		got, err := s.try(t, k, base, broken.checkpoint, -1)
		if err != nil || (*asked)[0] != tt.first || !strings.Contains(got.complete(), "accounts true 60") {
			t.Errorf(
				"after %s: first request with cursor %q, scopes %s, %v; want %q",
				tt.after,
				(*asked)[0],
				got.complete(),
				err,
				tt.first,
			)
		}
	}
}

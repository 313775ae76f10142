package scim

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/connectorkit/scim/response"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestARecordThatCannotBeUsedIsLeftOutAndTheRestIsRead(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	bad := map[string]string{
		"deep":  `{"id":"deep","x":` + deep + `}`,
		"utf8":  "{\"id\":\"utf8\",\"userName\":\"a\xff\xfeb\"}",
		"large": `{"id":"large","x":"` + strings.Repeat("y", response.MaxResource) + `"}`,
		"odd":   `{"id":"odd","x":01}`,
	}
	fine := []string{
		`{"id":"huge number","x":1e400}`,
		`{"id":"same","id":"twice named"}`,
		`{"id":7,"active":"maybe"}`,
		`{"id":"types","name":"none","emails":"a@x.test","meta":[],"groups":{"value":"g"},"roles":7}`,
		`{"id":"nul","userName":"a\u0000b"}`,
		`{"id":"dates","meta":{"lastModified":"the day before","created":"0000-13-45T99:99:99Z"}}`,
	}
	resources := slices.Clone(fine)
	for _, id := range []string{"deep", "utf8", "large", "odd"} {
		resources = append(resources, bad[id])
	}
	body := fmt.Sprintf(`{"totalResults":%d,"Resources":[%s]}`, len(resources), strings.Join(resources, ","))
	got := mustSync(t, bearer(serve(t, answer(map[string]string{"/Users": body, "/Groups": noUsers}))), nil)
	var ids []string
	for _, a := range got.Accounts {
		ids = append(ids, a.ExternalID)
	}
	if diff := cmp.Diff([]string{"huge number", "twice named", "7", "types", "nul", "dates"}, ids); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	if v := got.Accounts[0].Attributes["x"]; v != "1e400" {
		t.Errorf("1e400 became %v", v)
	}
	var left []string
	for _, w := range got.warns {
		if w.Code == "record_skipped" {
			left = append(left, w.ExternalID)
		}
	}
	if diff := cmp.Diff([]string{"deep", "utf8", "large", "odd"}, left); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	// They are there, so that nobody is taken for gone; what they hold is not known.
	if want := "identities true 10, accounts true 10, entitlements true 0, grants false 0"; got.complete() != want {
		t.Errorf("scopes = %s; want %s", got.complete(), want)
	}
	for _, p := range got.present {
		if diff := cmp.Diff([]string{"deep", "utf8", "large", "odd"}, p.ExternalIDs); diff != "" {
			t.Errorf("%s named (-want +got):\n%s", p.Kind, diff)
		}
	}
	if got.last.Stats.Skipped != 4 {
		t.Errorf("skipped = %d, want 4", got.last.Stats.Skipped)
	}
}

func TestOneRecordInAHundredIsPoison(t *testing.T) {
	const n = 5000
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if i%100 == 50 {
			fmt.Fprintf(&b, `{"id":"u%d","userName":"bad`+"\xc3\x28"+`"}`, i)
		} else {
			fmt.Fprintf(&b, `{"id":"u%d","userName":"n%d"}`, i, i)
		}
	}
	body := fmt.Sprintf(`{"totalResults":%d,"Resources":[%s]}`, n, b.String())
	got := mustSync(t, bearer(serve(t, answer(map[string]string{"/Users": body}))), onlyAccounts)
	if len(got.Accounts) != n*99/100 || got.last.Stats.Skipped != n/100 || got.complete() != "accounts true 5000" {
		t.Errorf("%d accounts, %d skipped, scopes %s", len(got.Accounts), got.last.Stats.Skipped, got.complete())
	}
}

func TestDamagedMembersAndAttributesOfAGroup(t *testing.T) {
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	body := `{"totalResults":1,"Resources":[{"id":"g","displayName":"G","odd":` + deep + `,"description":"x` + "\xff" +
		`",
		"members":[{"value":"u1"},` + deep + `,{"value":"u` + "\xff" +
		`"},{"value":null},{"value":"u2","x":1e999},null]}]}`
	got := mustSync(t, bearer(serve(t, answer(map[string]string{"/Users": noUsers, "/Groups": body}))), nil)
	if diff := cmp.Diff(map[string]int{"g": 2}, told(got)); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if len(got.Entitlements) != 1 || got.Entitlements[0].Description != nil || !got.warned("value_skipped") ||
		!strings.Contains(got.complete(), "entitlements true 1, grants false 2") {
		t.Errorf("entitlements %+v, scopes %s, warnings %v", got.Entitlements, got.complete(), got.warns)
	}
}

func TestAnAttributeThatChangesItsTypeInMidReadIsLeftOut(t *testing.T) {
	base := users(t, func(start, count int) string {
		var out []string
		for i := start; i < min(start+count, 31); i++ {
			u := fmt.Sprintf(
				`{"id":"u%d","userName":"n%d","department":"D1","name":{"givenName":"G"},"active":true,"level":3,`+
					`"flag":"true"}`,
				i,
				i,
			)
			if i > 20 {
				u = fmt.Sprintf(
					`{"id":"u%d","userName":"n%d","department":{"id":7,"name":"D1"},"name":{"givenName":["G"]},`+
						`"active":"True","level":"high","flag":false}`,
					i,
					i,
				)
			}
			out = append(out, u)
		}
		return page(30, "["+strings.Join(out, ",")+"]", "")
	})
	got := mustSync(t, bearer(base, "count", 10), onlyAccounts)
	if got.complete() != "accounts true 30" {
		t.Errorf("scopes = %s", got.complete())
	}
	var told []string
	for _, w := range got.warns {
		if w.Code == "type_changed" {
			told = append(
				told,
				strings.TrimPrefix(w.Message, "the attribute ")[:strings.Index(strings.TrimPrefix(w.Message,
					"the attribute "), " was")],
			)
		}
	}
	slices.Sort(told)
	if diff := cmp.Diff([]string{"department", "level", "name.givenname"}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	late := got.Accounts[29]
	if diff := cmp.Diff(
		map[string]any{"id": "u30", "userName": "n30", "active": "True", "flag": false},
		late.Attributes,
	); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	if late.IsDisabled == nil || *late.IsDisabled {
		t.Errorf("disabled = %v, want false: truth values come as text too", late.IsDisabled)
	}
}

func TestPagesThatLeadNowhereAreNoticed(t *testing.T) {
	for name, h := range map[string]func(n int, r *http.Request) string{
		"the same cursor again": func(int, *http.Request) string {
			return page(-1, people(0, 10),
				`"nextCursor":"a",`)
		},
		"cursors in a circle": func(n int, _ *http.Request) string {
			return page(-1, people(n%2*10, n%2*10+10), fmt.Sprintf(`"nextCursor":"%d",`, n%2))
		},
		"the same people in another order": func(n int, _ *http.Request) string {
			return page(1000, fmt.Sprintf(`[{"id":"%d"},{"id":"%d"},{"id":"%d"}]`, n%3, (n+1)%3, (n+2)%3), "")
		},
		"always a cursor, never a user": func(n int,
			_ *http.Request) string {
			return page(-1, "[]", fmt.Sprintf(`"nextCursor":"%d",`, n))
		},
	} {
		n := 0
		base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/Users" {
				scimError(w, 404, "", "")
				return
			}
			if n++; n > 2000 {
				t.Errorf("%s: asked 2000 times", name)
				w.WriteHeader(404)
				return
			}
			_, _ = w.Write([]byte(h(n, r)))
		}))
		_, err := sync_(t, connector(), bearer(base, "count", 10), onlyAccounts)
		if d := detail(t, err); d.Code != "paging_loop" || d.Hint == "" {
			t.Errorf("%s: error = %+v, want paging_loop", name, d)
		}
	}
}

func TestPagesFarLargerThanAskedForAreTold(t *testing.T) {
	base := users(t, func(start, count int) string { return page(45, people(start-1, min(start-1+3*count, 45)), "") })
	got := mustSync(t, bearer(base, "count", 10), onlyAccounts)
	if n := len(slices.DeleteFunc(got.warns, func(w v1.Warning) bool { return w.Code != "page_too_large" })); n != 1 ||
		got.complete() != "accounts true 45" {
		t.Errorf("%d warnings, scopes %s; want it told once", n, got.complete())
	}
}

func TestAListThatChangesALotIsLookedAtTwiceAndNotTrusted(t *testing.T) {
	var starts []int
	total := 60
	base := users(t, func(start, count int) string {
		starts = append(starts, start)
		if len(starts) == 3 {
			total = 40 // a third of the people is gone between two pages
		}
		return page(total, people(start-1, max(start-1, min(start-1+count, total))), "")
	})
	got := mustSync(t, bearer(base, "count", 10), onlyAccounts)
	if !strings.HasPrefix(got.complete(), "accounts false") || !got.warned("users_incomplete") {
		t.Errorf("scopes = %s, warnings %v", got.complete(), got.warns)
	}
	if diff := cmp.Diff([]int{1, 11, 21, 31, 1, 11, 21, 31}, starts); diff != "" {
		t.Errorf("pages asked for (-want +got):\n%s", diff)
	}
}

// Whoever stays in a list from the first page to the last is seen, or the list is not called complete.
func TestNobodyWhoStaysIsTakenForGone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(rt, "users")
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		stay := map[int]bool{}
		for _, i := range list {
			stay[i] = true
		}
		// Who is removed before each request: positions in the list, or nobody.
		removals := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 59), 0, 2), 0, 30).Draw(rt, "removals")
		size := rapid.IntRange(1, 20).Draw(rt, "count")
		h := func(start, count int) string {
			if len(removals) > 0 {
				for _, at := range removals[0] {
					if at < len(list) {
						delete(stay, list[at])
						list = slices.Delete(list, at, at+1)
					}
				}
				removals = removals[1:]
			}
			from := min(start-1, len(list))
			var out []string
			for _, i := range list[from:min(from+count, len(list))] {
				out = append(out, fmt.Sprintf(`{"id":"u%d"}`, i))
			}
			return page(len(list), "["+strings.Join(out, ",")+"]", "")
		}
		got, err := sync_(t, connector(), bearer(users(t, h), "count", size), onlyAccounts)
		if err != nil {
			rt.Fatalf("Sync: %v", err)
		}
		if strings.HasPrefix(got.complete(), "accounts false") {
			return
		}
		for _, a := range got.Accounts {
			i, _ := strconv.Atoi(a.ExternalID[1:])
			delete(stay, i)
		}
		if len(stay) > 0 {
			rt.Fatalf("%v stayed and were not seen, but the list is called complete", stay)
		}
	})
}

func TestBombsAndEndlessAnswersAreGivenUp(t *testing.T) {
	for name, body := range map[string]func(w *gzip.Writer){
		"a bomb in a resource": func(w *gzip.Writer) {
			fmt.Fprint(w, `{"totalResults":1,"Resources":[{"id":"1","x":"`)
			blank := bytes.Repeat([]byte("a"), 1<<20)
			for range 40 {
				_, _ = w.Write(blank)
			}
			fmt.Fprint(w, `"}]}`)
		},
		"a bomb of resources": func(w *gzip.Writer) {
			fmt.Fprint(w, `{"totalResults":1,"Resources":[{"id":"1"}`)
			for range 1_000_000 {
				fmt.Fprint(w, `,{"id":"1"}`)
			}
			fmt.Fprint(w, `]}`)
		},
	} {
		var b bytes.Buffer
		zip := gzip.NewWriter(&b)
		body(zip)
		_ = zip.Close()
		for _, path := range []string{"/Users", "/Groups"} {
			base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != path {
					_, _ = w.Write([]byte(noUsers))
					return
				}
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(b.Bytes())
			}))
			_, err := sync_(t, connector(), bearer(base), nil)
			if d := detail(t, err); d.Code != "compression_bomb" && d.Code != "body_too_large" {
				t.Errorf("%s from %s: error = %+v", name, path, d)
			}
		}
	}
}

package scim

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// people writes users from to (exclusive) as Resources.
func people(from, to int) string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprintf(`{"id":"u%d","userName":"n%d"}`, i, i))
	}
	return "[" + strings.Join(out, ",") + "]"
}

func page(total int, resources, more string) string {
	t := ""
	if total >= 0 {
		t = fmt.Sprintf(`"totalResults":%d,`, total)
	}
	return `{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],` + t + more + `"Resources":` +
		resources + `}`
}

// users answers /Users by a function of startIndex and count, and has no groups.
func users(t testing.TB, f func(start, count int) string) string {
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, _ := strconv.Atoi(r.FormValue("startIndex"))
		count, _ := strconv.Atoi(r.FormValue("count"))
		body := ""
		if r.URL.Path == "/Users" {
			body = f(start, count)
		}
		if body == "" {
			scimError(w, 404, "", "")
			return
		}
		_, _ = w.Write([]byte(body))
	}))
}

var onlyAccounts = &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Accounts}}

func TestIndexPagingTrustsOnlyWhatItReceives(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(start, count int) string
		scopes string
		code   string // of the error
		warn   string
	}{
		{"smaller pages than asked for", func(start,
			_ int) string {
			return page(25, people(start-1, min(start+6, 25)), "")
		}, "accounts true 25", "", ""},
		{"all at once", func(int, int) string { return page(25, people(0, 25), "") }, "accounts true 25", "", ""},
		{"no total, an empty page at the end",
			func(start, count int) string { return page(-1, people(start-1, min(start-1+count, 25)), "") },
			"accounts true 25", "", ""},
		{"no total, page 1 again beyond the end", func(start, count int) string {
			if start > 25 {
				start = 1
			}
			return page(-1, people(start-1, min(start-1+count, 25)), "")
		}, "accounts false 25", "", "users_incomplete"},
		{"startIndex ignored", func(_, count int) string { return page(25, people(0, count), "") }, "", "paging_loop",
			""},
		{"total too high", func(start, count int) string {
			return page(30, people(start-1, min(start-1+count, 25)),
				"")
		}, "accounts false 25", "", "users_incomplete"},
		{"total changes", func(start, count int) string {
			return page(25-start/10, people(start-1, min(start-1+count, 25-start/10)), "")
		}, "accounts false 24", "", "users_incomplete"},
		{"pages overlap", func(start, count int) string {
			if start > 1 {
				start--
			}
			return page(25, people(start-1, min(start-1+count, 25)), "")
		}, "accounts true 25", "", "duplicate"},
		{"a user slips through between two pages", func(start, count int) string {
			if start > 1 {
				start++
			}
			return page(25, people(min(start-1, 25), min(start-1+count, 25)), "")
		}, "accounts true 25", "", ""}, // a second look finds it
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := sync_(t, connector(), bearer(users(t, tt.answer), "count", 10), onlyAccounts)
			if tt.code != "" {
				if d := detail(t, err); d.Code != tt.code || d.Hint == "" {
					t.Errorf("error = %+v, want code %s", d, tt.code)
				}
				return
			}
			if err != nil || got.complete() != tt.scopes {
				t.Errorf("scopes = %s, error %v; want %s", got.complete(), err, tt.scopes)
			}
			if tt.warn != "" && !got.warned(tt.warn) {
				t.Errorf("warnings = %v, want %s", got.warns, tt.warn)
			}
		})
	}
}

func TestAnyPageSizesGiveEveryUserOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		total, most, ask := rapid.IntRange(0, 60).
			Draw(rt, "total"),
			rapid.IntRange(1, 20).
				Draw(rt, "most"),
			rapid.IntRange(1, 20).
				Draw(rt, "ask")
		base := users(t, func(start, count int) string {
			return page(total, people(min(start-1, total), min(start-1+min(count, most), total)), "")
		})
		got, err := sync_(t, connector(), bearer(base, "count", ask), onlyAccounts)
		if want := fmt.Sprintf("accounts true %d", total); err != nil || got.complete() != want {
			rt.Fatalf("scopes = %s, error %v; want %s", got.complete(), err, want)
		}
	})
}

// cursors is a target with cursor paging (RFC 9865) of 25 users, ten a page.
func cursors(
	t testing.TB,
	spc string,
	asked *[]string,
	fault func(cursor string) (status int, scimType string),
) string {
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ServiceProviderConfig":
			_, _ = w.Write([]byte(spc))
			return
		case "/Users":
		default:
			scimError(w, 404, "", "")
			return
		}
		_, sent := r.URL.Query()["cursor"]
		cursor := r.FormValue("cursor")
		*asked = append(*asked, fmt.Sprintf("%t %q %s", sent, cursor, r.FormValue("startIndex")))
		if fault != nil {
			if status, typ := fault(cursor); status != 0 {
				scimError(w, status, typ, "no such position")
				return
			}
		}
		from := 0
		if cursor != "" {
			from, _ = strconv.Atoi(strings.TrimPrefix(cursor, "at/+"))
		}
		next := ""
		if from+10 < 25 {
			next = fmt.Sprintf(`"nextCursor":"at/+%d",`, from+10)
		}
		_, _ = w.Write([]byte(page(-1, people(from, min(from+10, 25)), next)))
	}))
}

func TestCursorPaging(t *testing.T) {
	const cursorSPC = `{"filter":{"supported":true,"maxResults":50},"pagination":{"cursor":true,"index":true,` +
		`"defaultPaginationMethod":"cursor","maxPageSize":10}}`
	for _, tt := range []struct {
		name, spc string
		setting   string
		want      []string
	}{
		{"declared", cursorSPC, settings.Auto, []string{`true "" `, `true "at/+10" `, `true "at/+20" `}},
		{"not declared, but the target insists", `{"filter":{"supported":false}}`, settings.Auto,
			[]string{`false "" 1`, `true "at/+10" `, `true "at/+20" `}},
		{"set by hand", `{}`, settings.PageCursor, []string{`true "" `, `true "at/+10" `, `true "at/+20" `}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked []string
			got := mustSync(t, bearer(cursors(t, tt.spc, &asked, nil), "pagination", tt.setting), onlyAccounts)
			if diff := cmp.Diff(tt.want, asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if got.complete() != "accounts true 25" {
				t.Errorf("scopes = %s", got.complete())
			}
		})
	}
}

func TestLostCursorsAreNamed(t *testing.T) {
	for typ, code := range map[string]string{"expiredCursor": "expired_cursor", "invalidCursor": "invalid_cursor",
		"invalidCount": "invalid_count"} {
		var asked []string
		base := cursors(t, `{"pagination":{"cursor":true}}`, &asked, func(cursor string) (int, string) {
			if cursor == "at/+20" {
				return 400, typ
			}
			return 0, ""
		})
		_, err := sync_(t, connector(), bearer(base), onlyAccounts)
		if d := detail(
			t,
			err,
		); d.Code != code || d.Target.HTTP.SCIMType != typ || d.Target.HTTP.Status != 400 ||
			d.Hint == "" {
			t.Errorf("error = %+v, want code %s", d, code)
		}
	}
}

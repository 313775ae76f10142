package rest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// company serves groups, their members page by page, and what each member may do in the group. Members of later groups
// answer sooner, so that an order by arrival would be another one.
func company(t *testing.T, groups int, underWay func(n int)) string {
	t.Helper()
	var (
		mu  sync.Mutex
		now int
	)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now++
		underWay(now)
		mu.Unlock()
		defer func() { mu.Lock(); now--; mu.Unlock() }()
		parts := strings.Split(strings.Trim(r.URL.EscapedPath(), "/"), "/")
		w.Header().Set("Content-Type", "application/json")
		switch {
		case len(parts) == 1:
			var list []string
			for i := range groups {
				list = append(list, fmt.Sprintf(`{"id":"g/%d","slug":"s%d"}`, i, i))
			}
			fmt.Fprintf(w, `{"items":[%s]}`, strings.Join(list, ","))
		case len(parts) == 3 && parts[1] == "s1":
			http.Error(w, `{}`, http.StatusNotFound)
		case len(parts) == 3:
			var i int
			fmt.Sscanf(parts[1], "s%d", &i)
			time.Sleep(time.Duration(groups-i) * 3 * time.Millisecond)
			switch r.URL.Query().Get("page") {
			case "1":
				fmt.Fprintf(w, `{"items":[{"id":"u%d-a"},{"id":"u%d-b"}]}`, i, i)
			case "2":
				fmt.Fprintf(w, `{"items":[{"id":"u%d-c"}]}`, i)
			default:
				fmt.Fprint(w, `{"items":[]}`)
			}
		case len(parts) == 5:
			fmt.Fprintf(w, `["%s-%s-read"]`, parts[1], parts[3])
		}
	})
}

const companyStreams = `[
	{"name":"rights","object":"grant","request":{"path":"groups/{group}/members/{member}/rights"},"parent":{"stream":"members","param":"member"},
	 "fields":{"account_external_id":"{member}","entitlement_external_id":"$"}},
	{"name":"groups","object":"entitlement","request":{"path":"groups"},"record_selector":"items"},
	{"name":"members","object":"grant","request":{"path":"groups/{group}/members"},"record_selector":"items","key_path":"id",
	 "pagination":{"style":"page"},"parent":{"stream":"groups","param":"group","key_path":"slug","concurrency":4},
	 "fields":{"entitlement_external_id":"{group}","account_external_id":"id"}}]`

func TestChildrenAreReadAtOnceAndComeInTheOrderOfTheirParents(t *testing.T) {
	most := 0
	base := company(t, 6, func(n int) { most = max(most, n) })
	out := mustRead(t, settings(base, companyStreams))
	var want []string
	for i := range 6 {
		if i == 1 {
			continue // the target knows no members of it any more
		}
		for _, m := range []string{"a", "b", "c"} {
			want = append(want, fmt.Sprintf("u%d-%s>s%d", i, m, i))
		}
	}
	for i := range 6 {
		if i == 1 {
			continue
		}
		for _, m := range []string{"a", "b", "c"} {
			want = append(want, fmt.Sprintf("u%d-%s>s%d-u%d-%s-read", i, m, i, i, m))
		}
	}
	if got := ids(out.Grants, grantID); got != strings.Join(want, " ") {
		t.Errorf("grants =\n%s\nwant\n%s", got, strings.Join(want, " "))
	}
	if most < 3 || most > 4 {
		t.Errorf("%d requests at once, want up to 4", most)
	}
	if !warned(out, "parent_not_found") ||
		scopeOf(out, v1.Grants) != `{"kind":"grants","key":"*","complete":true,"count":30}` {
		t.Errorf("warnings %v, scope %s", out.Page.Warnings, scopeOf(out, v1.Grants))
	}
}

func TestParentAndRecordTellAGrantWithoutFields(t *testing.T) {
	base := answers(t, map[string]string{
		"/users":             `[{"id":"u 1"},{"id":"u2"}]`,
		"/groups":            `[{"id":"g1"}]`,
		"/users/u 1/roles":   `["admin"]`,
		"/users/u2/roles":    `[{"id":"dev","since":"2020-01-01"}]`,
		"/groups/g1/members": `[{"id":"u2"},{"note":"?"}]`,
	})
	out := mustRead(t, settings(base, `[
		{"name":"users","object":"account","request":{"path":"users"}},
		{"name":"groups","object":"entitlement","request":{"path":"groups"}},
		{"name":"roles","object":"grant","request":{"path":"users/{id}/roles"},"parent":{"stream":"users"}},
		{"name":"members","object":"grant","request":{"path":"groups/{id}/members"},"parent":{"stream":"groups"}}]`))
	if got := ids(out.Grants, grantID); got != "u 1>admin u2>dev u2>g1" {
		t.Errorf("grants = %s", got)
	}
	if !warned(out, "incomplete_grant") || !strings.Contains(scopeOf(out, v1.Grants), `"complete":false`) {
		t.Errorf("a grant without holder: warnings %v, scope %s", out.Page.Warnings, scopeOf(out, v1.Grants))
	}
}

func TestChildrenThatNobodyHasAreAWrongPath(t *testing.T) {
	base := answers(t, map[string]string{"/users": `[{"id":1},{"id":2}]`})
	d := failing(t, settings(base, `[{"name":"users","object":"account","request":{"path":"users"}},
		{"name":"roles","object":"grant","request":{"path":"users/{id}/rolls"},"parent":{"stream":"users"}}]`))
	if d.Code != "http_404" || d.Phase != "roles" {
		t.Errorf("error = %+v, want the target's 404", d)
	}
}

package scim

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// restless gives its users in another order at each request, unless it is asked to sort.
func restless(t *testing.T, declares bool, refuses int) (base string, asked *[]string) {
	asked = &[]string{}
	base = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ServiceProviderConfig":
			_, _ = fmt.Fprintf(w, `{"sort":{"supported":%v},"filter":{"supported":true,"maxResults":10}}`, declares)
			return
		case "/Users":
		default:
			scimError(w, 404, "", "")
			return
		}
		sorted := r.FormValue("sortBy")
		*asked = append(*asked, sorted)
		if sorted != "" && refuses != 0 {
			scimError(w, refuses, "invalidPath", "sortBy")
			return
		}
		order := rand.Perm(95)
		if sorted == "userName" {
			slices.SortFunc(order, func(a, b int) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		start, _ := strconv.Atoi(r.FormValue("startIndex"))
		var out []string
		for _, i := range order[start-1 : min(start+9, 95)] {
			out = append(out, fmt.Sprintf(`{"id":"u%d","userName":"%d"}`, i, i))
		}
		_, _ = io.WriteString(w, page(95, "["+strings.Join(out, ",")+"]", ""))
	}))
	return base, asked
}

func TestListsAreSortedWhereTheTargetDeclaresIt(t *testing.T) {
	t.Parallel()
	base, asked := restless(t, true, 0)
	if got := mustSync(t, bearer(base), onlyAccounts); got.complete() != "accounts true 95" {
		t.Errorf("scopes = %s; want all 95 accounts", got.complete())
	}
	if slices.ContainsFunc(*asked, func(by string) bool { return by != "userName" }) {
		t.Errorf("sorted by %v; want userName on every page", *asked)
	}
}

func TestATargetThatRefusesToSortIsReadUnsorted(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 422, 501} {
		base, asked := restless(t, true, status)
		mustSync(t, bearer(base), onlyAccounts)
		if (*asked)[0] != "userName" || slices.Contains((*asked)[1:], "userName") {
			t.Errorf("%d: sorted by %v; want one try", status, *asked)
		}
	}
	base, asked := restless(t, false, 0)
	if mustSync(t, bearer(base), onlyAccounts); slices.Contains(*asked, "userName") {
		t.Errorf("sorted by %v without a declaration", *asked)
	}
}

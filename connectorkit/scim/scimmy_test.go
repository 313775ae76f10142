package scim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
)

// change writes to a SCIM service by its own protocol.
func change(t testing.TB, method, url, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	req.Header.Set("Authorization", "Bearer "+canary)
	req.Header.Set("Content-Type", "application/scim+json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		var says any
		_ = json.NewDecoder(resp.Body).Decode(&says)
		t.Fatalf("%s %s: %s %v", method, url, resp.Status, says)
	}
}

func patchOf(operations string) string {
	return `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[` + operations + `]}`
}

func TestScimmyIsReadByItsChanges(t *testing.T) {
	base := "http://" + targettest.StartNode(
		t,
		"testdata/scimmy",
		"TOKEN="+canary,
		"USERS=120",
		"GROUPS=4",
		"MAX=50",
	) + "/scim/v2"
	s := newStore()
	if first := s.read(t, base); first.way() != "full: " {
		t.Fatalf("first read = %s", first.way())
	}
	id := func(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }
	change(t, "PATCH", base+"/Users/"+id(7), patchOf(`{"op":"replace","path":"displayName","value":"Renamed"}`))
	change(
		t,
		"POST",
		base+"/Users",
		`{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"new@example.test"}`,
	)
	change(t, "DELETE", base+"/Users/"+id(119), "")
	change(
		t,
		"PATCH",
		base+"/Groups/g2",
		patchOf(
			fmt.Sprintf(
				`{"op":"add","path":"members","value":[{"value":"%s"}]},{"op":"remove","path":"members[value eq `+
					`\"%s\"]"}`,
				id(60),
				id(21),
			),
		),
	)
	change(t, "DELETE", base+"/Groups/g3", "")
	got := s.read(t, base)
	if got.way() != checkpoint.StrategyLastModified {
		t.Fatalf("read = %s, warnings %v", got.way(), got.warns)
	}
	// The seeded users have one date, the latest of all: they lie in the overlap. The next read starts from the
	// changes.
	s.same(t, base)
	change(t, "PATCH", base+"/Users/"+id(8), patchOf(`{"op":"replace","path":"active","value":false}`))
	got = s.read(t, base)
	s.same(t, base)
	if n := len(got.Accounts); n != 3 || got.last.Stats.APICalls > 14 {
		t.Errorf("%d accounts told by %d requests, want the three that changed", n, got.last.Stats.APICalls)
	}
	if want := "identities true 120, accounts true 120, entitlements true 4"; got.complete() != want {
		t.Errorf("scopes = %s; want %s", got.complete(), want)
	}
}

func TestScimmyIsReadTheSameAfterABreak(t *testing.T) {
	base := "http://" + targettest.StartNode(
		t,
		"testdata/scimmy",
		"TOKEN="+canary,
		"USERS=120",
		"GROUPS=4",
		"MAX=50",
	) + "/scim/v2"
	s := newStore()
	whole := sum(s.broken(t, base, nil, "count", 20)...)
	for _, stop := range []int{0, 2, 5} {
		got := sum(s.broken(t, base, []int{stop}, "count", 20)...)
		got.Cursor, whole.Cursor = "", "" // it holds the server's clock
		if diff := cmp.Diff(whole, got); diff != "" {
			t.Errorf("killed after %d pages (-want +got):\n%s", stop, diff)
		}
	}
	if !strings.Contains(strings.Join(whole.Scopes, " "), "accounts * true 120") {
		t.Errorf("scopes = %v", whole.Scopes)
	}
}

package rest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/rest/connection"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// change sends a request to json-server, as somebody who works with the target would.
func change(t *testing.T, method, url, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %s: %s", method, url, resp.Status, answer)
	}
}

// follow reads once for everything and gives a function that reads for changes, each time from where the last read
// ended.
func follow(t *testing.T, auth v1.AuthConfig) (first v1.SyncResponse, again func() v1.SyncResponse) {
	t.Helper()
	first = mustRead(t, auth)
	if first.Page.Cursor == "" || first.Page.Read.Incremental || first.Page.Read.Strategy != "full" ||
		first.Page.Read.FallbackReason != "" {
		t.Fatalf("the full read ended with cursor %q, read as %+v", first.Page.Cursor, first.Page.Read)
	}
	cursor := first.Page.Cursor
	return first, func() v1.SyncResponse {
		t.Helper()
		out, err := syncOnce(
			newConnector(),
			v1.SyncRequest{AuthConfig: auth, Incremental: true, Options: &v1.SyncOptions{Cursor: cursor}},
		)
		if err != nil {
			t.Fatalf("incremental: %v", err)
		}
		cursor = out.Page.Cursor
		return out
	}
}

const latest = "2023-11-15T02:02:20.000Z" // updatedAt of the last of json-server's 230 people

func TestJSONServerIsReadForChangesOnly(t *testing.T) {
	base := "http://" + targettest.StartNode(t, "testdata/jsonserver", fmt.Sprintf("PEOPLE=%d", people)) + "/none"
	users := `{"name":"users","object":"user","request":{"path":"users"},"pagination":{"style":"page","page_param":"_page","size_param":"_limit","size":50},
		"incremental":{"param":%q,"field":"updatedAt","overlap_s":60,"deletes":{"field":"gone"}},"presence":{"path":"users"},"explode":{"path":"roles"}}`
	groups := `{"name":"groups","object":"entitlement","request":{"path":"groups"}}`
	auth := settings(base, "["+fmt.Sprintf(users, "updatedAt_gte")+","+groups+"]")
	first, again := follow(t, auth)
	if len(first.Accounts) != people || !first.Page.Watermark.Equal(mustTime(t, latest)) {
		t.Fatalf("%d accounts, watermark %v", len(first.Accounts), first.Page.Watermark)
	}

	out := again()
	if len(out.Accounts)+len(out.Grants) != 0 || !out.Page.Read.Incremental ||
		out.Page.Read.Strategy != "rest_parameter" {
		t.Errorf("nothing changed, but %s came, read as %+v", ids(out.Accounts, accountID), out.Page.Read)
	}
	// The streams that cannot be asked for changes were read whole, and what is there was listed; grants were read in
	// part.
	if scopeOf(out, v1.Accounts) != `{"kind":"accounts","key":"*","complete":true,"count":230}` ||
		scopeOf(out, v1.Entitlements) != "" ||
		scopeOf(out, v1.Grants) != "" {
		t.Errorf("scopes = %+v", out.Page.Scopes)
	}

	change(
		t,
		"PATCH",
		base+"/users/7",
		`{"roles":["boss"],"updatedAt":"2023-11-15T02:02:20.000Z"}`,
	) // a tie with the last record
	change(t, "PATCH", base+"/users/9", `{"displayName":"Changed","updatedAt":"2023-11-16T00:00:00.000Z"}`)
	change(t, "PATCH", base+"/users/11", `{"gone":true,"updatedAt":"2023-11-16T00:00:01.000Z"}`)
	change(t, "DELETE", base+"/users/13", "")
	out = again()
	if got := ids(out.Accounts, accountID); got != "7 9 11" || !out.Accounts[2].Deleted || out.Accounts[0].Deleted ||
		*out.Accounts[1].DisplayName != "Changed" {
		t.Errorf("changed accounts = %s", asJSON(t, out.Accounts))
	}
	if !out.Identities[2].Deleted || ids(out.Grants, grantID) != "7>boss 9>r3" {
		t.Errorf("identities %s, grants %s", asJSON(t, out.Identities), ids(out.Grants, grantID))
	}
	if scopeOf(out, v1.Accounts) != `{"kind":"accounts","key":"*","complete":true,"count":229}` {
		t.Errorf("scope after a deletion = %s", scopeOf(out, v1.Accounts))
	}
	if present := presentOf(out, v1.Accounts); present["13"] || !present["12"] || len(present) != people-1 {
		t.Errorf("%d are told to be there, 13 among them: %v", len(present), present["13"])
	}
	if out = again(); len(out.Accounts) != 0 {
		t.Errorf("the same changes came again: %s", ids(out.Accounts, accountID))
	}

	for _, tt := range []struct {
		name, param, cursor, why string
	}{
		{"the parameter is ignored", "changedSince", first.Page.Cursor, "ignores changedSince"},
		{"other settings", "updatedAt_gte", strings.Replace(first.Page.Cursor, `"settings":"`, `"settings":"x`, 1),
			"settings have changed"},
		{"no cursor", "updatedAt_gte", "", "no earlier read"},
		{"another version", "updatedAt_gte", `{"v":99}`, "another version"},
		{"no JSON", "updatedAt_gte", `{{{`, "another version"},
	} {
		auth := settings(base, "["+fmt.Sprintf(users, tt.param)+"]")
		cursor := tt.cursor
		if tt.param == "changedSince" {
			cursor = mustRead(t, auth).Page.Cursor
		}
		out, err := syncOnce(
			newConnector(),
			v1.SyncRequest{AuthConfig: auth, Incremental: true, Options: &v1.SyncOptions{Cursor: cursor}},
		)
		if err != nil || out.Page.Read.Incremental || out.Page.Read.Strategy != "full" ||
			!strings.Contains(out.Page.Read.FallbackReason, tt.why) ||
			len(out.Accounts) != people-1 {
			t.Errorf(
				"%s: %d accounts, read as %+v, %v; want everything because %q",
				tt.name,
				len(out.Accounts),
				out.Page.Read,
				err,
				tt.why,
			)
		}
	}
}

func mustTime(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// presentOf gives what the pages of a read told to be still there, or read.
func presentOf(page v1.SyncResponse, kind v1.ObjectKind) map[string]bool {
	out := map[string]bool{}
	for _, p := range page.Page.Present {
		if p.Kind != kind {
			continue
		}
		for _, id := range p.ExternalIDs {
			out[id] = true
		}
	}
	return out
}

func TestMembershipsAreReadAgainForGroupsThatHaveChanged(t *testing.T) {
	base := "http://" + targettest.StartNode(t, "testdata/jsonserver", "PEOPLE=70") + "/none"
	for id := 1; id <= 7; id++ {
		change(t, "PATCH", fmt.Sprintf("%s/groups/%d", base, id), `{"changed":1700000000}`)
	}
	auth := settings(base, `[{"name":"groups","object":"entitlement","request":{"path":"groups"},
			"incremental":{"param":"changed_gte","format":"epoch_s","field":"changed","overlap_s":0}},
		{"name":"members","object":"grant","request":{"path":"groups/{group}/members"},"parent":{"stream":"groups","param":"group"},
			"pagination":{"style":"page","page_param":"_page","size_param":"_limit","size":4},"fields":{"account_external_id":"userId"}}]`)
	first, again := follow(t, auth)
	if len(first.Grants) != 70 ||
		scopeOf(first, v1.Grants) != `{"kind":"grants","key":"*","complete":true,"count":70}` {
		t.Fatalf("%d grants, scope %s", len(first.Grants), scopeOf(first, v1.Grants))
	}
	change(t, "PATCH", base+"/groups/3", `{"changed":1700000100}`)
	change(t, "PATCH", base+"/groups/4", `{"changed":1700000200}`)
	for _, gone := range []string{"3", "10", "17", "24", "31", "38", "45", "52", "59", "66", "2"} {
		change(t, "DELETE", base+"/members/"+gone, "")
	}
	out := again()
	if got := ids(out.Entitlements, func(e v1.RemoteEntitlement) string { return e.ExternalID }); got != "3 4" {
		t.Errorf("changed groups = %s", got)
	}
	// Those of group 4 are all gone; of group 3 one is.
	if got := ids(out.Grants, grantID); got != "9>3 16>3 23>3 30>3 37>3 44>3 51>3 58>3 65>3" {
		t.Errorf("grants = %s", got)
	}
	if got := asJSON(
		t,
		out.Page.Scopes,
	); got != `[{"kind":"grants","key":"entitlement:3","complete":true,"count":9},{"kind":"grants",`+
		`"key":"entitlement:4","complete":true,"count":0}]` {
		t.Errorf("scopes = %s", got)
	}
}

func TestWhatWasDeletedIsToldByAListOfItsOwn(t *testing.T) {
	since := []string{}
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		w.Header().Set("Date", "Thu, 01 Jan 2026 00:10:00 GMT")
		if q.Has("from") {
			since = append(since, r.URL.Path+" "+q.Get("from")+" "+q.Get("to"))
		}
		switch {
		case strings.HasPrefix(q.Get("from"), "203"): // far ahead
			fmt.Fprint(w, `{"items":[]}`)
		case r.URL.Path == "/gone":
			fmt.Fprint(w, `{"items":[{"who":"b"},{"who":"c"}]}`)
		case r.URL.Path == "/users" && q.Has("from"):
			fmt.Fprint(w, `{"items":[]}`)
		case r.URL.Path == "/users":
			fmt.Fprint(w, `{"items":[{"id":"a","at":"2026-01-01T00:20:00Z"},{"id":"b","at":"2026-01-01T00:00:00Z"}]}`)
		}
	})
	inPath := `[{"name":"users","object":"account","request":{"path":"users"},"record_selector":"items",
		"incremental":{"param":"from","upper_bound_param":"to","field":"at","deletes":{"path":"gone","key_path":"who"}}}]`
	asStream := `[{"name":"users","object":"account","request":{"path":"users"},"record_selector":"items",
		"incremental":{"param":"from","upper_bound_param":"to","field":"at","deletes":{"stream":"gone"}}},
		{"name":"gone","object":"account","request":{"path":"gone"},"record_selector":"items","key_path":"who"}]`
	for _, streams := range []string{inPath, asStream} {
		since = nil
		first, again := follow(t, settings(base, streams))
		if got := ids(first.Accounts, accountID); got != "a b" || len(since) != 0 {
			t.Errorf("full: accounts %s, asked %v", got, since)
		}
		out := again()
		if got := ids(out.Accounts, accountID); got != "b c" || !out.Accounts[0].Deleted || !out.Accounts[1].Deleted ||
			len(out.Page.Scopes) != 0 {
			t.Errorf("accounts %s, scopes %+v", asJSON(t, out.Accounts), out.Page.Scopes)
		}
		// The greatest time lies behind the server's clock when the list was begun, which then counts; five minutes
		// overlap.
		want := "[/users 2030-12-31T00:10:00Z 2031-01-01T00:10:00Z /users 2026-01-01T00:05:00Z 2026-01-02T00:10:00Z " +
			"/gone 2026-01-01T00:05:00Z 2026-01-02T00:10:00Z]"
		if fmt.Sprint(since) != want {
			t.Errorf("asked %v, want %v", since, want)
		}
	}
}

func TestIncrementalSettingsThatDoNotFitAreTold(t *testing.T) {
	for streams, want := range map[string]string{
		`[{"name":"a","object":"user","incremental":{}}]`:                                                                                                      "incremental.param is missing",
		`[{"name":"a","object":"user","incremental":{"param":"p","field":"f","format":"julian"}}]`:                                                             "incremental.format must be one of",
		`[{"name":"a","object":"user","incremental":{"param":"p","field":"f","overlap_s":-1}}]`:                                                                "overlap_s must be between",
		`[{"name":"a","object":"user","incremental":{"param":"p","field":"f","deletes":{}}}]`:                                                                  "needs one of field, path and stream",
		`[{"name":"a","object":"user","incremental":{"param":"p","field":"f","deletes":{"stream":"b"}}}]`:                                                      "no other stream",
		`[{"name":"a","object":"user","presence":{"path":"x"}}]`:                                                                                               "presence needs incremental",
		`[{"name":"a","object":"user"},{"name":"b","object":"grant","parent":{"stream":"a"},"incremental":{"param":"p","field":"f"}}]`:                         "on a stream with a parent",
		`[{"name":"a","object":"user","error":{"rules":[{"action":"shout","status":99}]}}]`:                                                                    "action must be one of",
		`[{"name":"a","object":"user","error":{"rules":[{"action":"retry"}]}}]`:                                                                                "needs status or contains",
		`[{"name":"a","object":"user","incremental":{"param":"p","field":"f","deletes":{"path":"{x}"}}}]`:                                                      "must not have placeholders",
		`[{"name":"a","object":"user","incremental":{"param":"p","field":"f","deletes":{"stream":"b"}}},{"name":"b","object":"user","parent":{"stream":"a"}}]`: "must have no parent",
	} {
		if err := connection.Check(
			settings("https://x.test", streams),
		); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s = %v, want %q", streams, err, want)
		}
	}
	if _, err := syncOnce(
		newConnector(),
		v1.SyncRequest{
			AuthConfig:  settings("http://127.0.0.1:1", "", "rate_limit", map[string]any{"rps": 0, "bursts": 1}),
			Incremental: true,
		},
	); err == nil ||
		!strings.Contains(err.Error(), "rate_limit.rps") ||
		!strings.Contains(err.Error(), "no member bursts") {
		t.Errorf("a wrong rate limit = %v", err)
	}
}

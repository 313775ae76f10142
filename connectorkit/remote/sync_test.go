package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/remote/config"
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/connectorkit/signing"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestOnePlainAnswerIsWholeAndComplete(t *testing.T) {
	s := says(
		t,
		response.MediaJSON,
		`{"success":true,"accounts":[{"external_id":"1"},{"external_id":"2"}],"grants":[],"error":null}`,
	)
	out, err := read(
		t,
		s.auth("settings", map[string]any{"region": "eu"}, "secret_settings", map[string]any{"key": canary}),
		nil,
	)
	if err != nil || len(out.Accounts) != 2 {
		t.Fatalf("%d accounts, %v", len(out.Accounts), err)
	}
	want := []v1.Scope{
		{Kind: v1.Accounts, Key: "*", Complete: true, Count: 2},
		{Kind: v1.Grants, Key: "*", Complete: true},
	}
	if diff := cmp.Diff(want, out.Page.Scopes); diff != "" {
		t.Errorf("what the answer has no list of is not attested (-want +got)\n%s", diff)
	}
	asked := s.asked()[0]
	if diff := cmp.Diff(
		v1.SyncRequest{ConnectorBusinessID: "b", AuthConfig: v1.AuthConfig{"region": "eu", "key": canary}},
		asked,
	); diff != "" {
		t.Errorf("it was asked (-want +got)\n%s", diff)
	}
}

func TestAPlainAnswerToAQuestionForChangesProvesNothing(t *testing.T) {
	s := says(t, response.MediaJSON, whole3)
	out, err := read(t, s.auth(), func(r *v1.SyncRequest) { r.Incremental = true })
	if err != nil || len(out.Page.Scopes) != 0 || out.Page.Read != nil || len(out.Accounts) != 3 {
		t.Errorf("%+v, %v", out.Page, err)
	}
}

func TestPagesAreAskedForByTheirTokens(t *testing.T) {
	s := says(
		t,
		response.MediaJSON,
		answer(accounts(0, 2), `{"next_page_token":"two"}`),
		answer(accounts(2, 2), `{"has_more":true,"next_page_token":"three"}`),
		answer(accounts(4, 1), `{"scopes":[{"kind":"accounts","key":"*","complete":true}]}`),
	)
	out, err := read(t, s.auth(), nil)
	if err != nil || len(out.Accounts) != 5 {
		t.Fatalf("%d accounts, %v", len(out.Accounts), err)
	}
	var tokens []string
	for _, r := range s.asked() {
		if r.Options == nil {
			tokens = append(tokens, "")
		} else {
			tokens = append(tokens, r.Options.PageToken)
		}
	}
	if diff := cmp.Diff([]string{"", "two", "three"}, tokens); diff != "" {
		t.Error(diff)
	}
	if got := scopeOf(out.Page, v1.Accounts); got != (v1.Scope{Kind: v1.Accounts, Key: "*", Complete: true, Count: 5}) {
		t.Errorf("a scope without a number of its own: %+v", got)
	}
}

func TestPagesThatAttestNothingAreWarnedOf(t *testing.T) {
	out, err := read(t, says(t, response.MediaJSON, answer(accounts(0, 2), `{"has_more":false}`)).auth(), nil)
	if err != nil || warned(out.Page, "nothing_attested") != 1 || len(out.Page.Scopes) != 0 {
		t.Errorf("%+v, %v", out.Page, err)
	}
	early := `{"next_page_token":"2","scopes":[{"kind":"accounts","key":"*","complete":true,"count":2}]}`
	out, err = read(
		t,
		says(t, response.MediaJSON, answer(accounts(0, 2), early), answer(accounts(2, 2), `{}`)).auth(),
		nil,
	)
	if err != nil || warned(out.Page, "scope_too_early") != 1 || len(out.Page.Scopes) != 0 {
		t.Errorf("%+v, %v", out.Page, err)
	}
}

func TestAStreamThatBreaksGoesOnFromItsCheckpoint(t *testing.T) {
	s := start(t, func(w http.ResponseWriter, req v1.SyncRequest, n int) {
		w.Header().Set("Content-Type", response.MediaNDJSON)
		from := 0
		if req.Options != nil && req.Options.Checkpoint != "" {
			_, _ = fmt.Sscanf(req.Options.Checkpoint, "at %d", &from)
		}
		for i := from; i < 9; i++ {
			page := fmt.Sprintf(`{"has_more":%v,"checkpoint":"at %d"}`, i < 8, i+1)
			_, _ = io.WriteString(w, answer(accounts(10*i, 10), page)+"\n")
			_ = http.NewResponseController(w).Flush()
			if n <= 3 && i == from+1 { // two lines, then half of one
				_, _ = io.WriteString(w, `{"success":true,"accou`)
				panic(http.ErrAbortHandler)
			}
		}
	})
	out, err := read(t, s.auth(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	for _, a := range out.Accounts {
		ids[a.ExternalID]++
	}
	if len(ids) != 90 || len(out.Accounts) != 90 {
		t.Errorf("%d accounts, %d different ones", len(out.Accounts), len(ids))
	}
	if n := len(s.asked()); n != 4 {
		t.Errorf("%d requests", n)
	}
}

func TestAServiceThatWantsToRestIsLeftAlone(t *testing.T) {
	for asked, want := range map[int]string{7000: "", 600000: "busy"} {
		s := start(t, func(w http.ResponseWriter, req v1.SyncRequest, n int) {
			w.Header().Set("Content-Type", response.MediaNDJSON)
			if n == 1 {
				_, _ = io.WriteString(w, answer(accounts(0, 2), `{"has_more":true,"checkpoint":"2"}`)+"\n")
				_, _ = fmt.Fprintf(
					w,
					`{"success":false,"error":"busy","error_detail":{"class":"rate_limited","code":"busy","message":"busy","retry_after_ms":%d}}`,
					asked,
				)
				return
			}
			_, _ = io.WriteString(w, answer(accounts(2, 2), `{"has_more":false}`))
		})
		var told []v1.Progress
		var slept []time.Duration
		c := newConnector()
		c.sleep = func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }
		ctx := connectorkit.WithReport(t.Context(), func(p v1.Progress) { told = append(told, p) })
		total := 0
		err := c.Sync(
			ctx,
			v1.SyncRequest{AuthConfig: s.auth()},
			func(_ context.Context, p v1.SyncResponse) error { total += len(p.Accounts); return nil },
		)
		if want == "" &&
			(err != nil || total != 4 || !slices.Equal(slept, []time.Duration{7 * time.Second}) || len(told) != 1 ||
				told[0].RateWaitUntil == nil) {
			t.Errorf("%d ms: %d accounts, slept %v, told %v, %v", asked, total, slept, told, err)
		}
		if want != "" && (err == nil || err.Error() != want || len(slept) > 0) {
			t.Errorf("%d ms: slept %v, %v", asked, slept, err)
		}
	}
}

func TestAReadThatIsTakenOverAsksFromTheCheckpoint(t *testing.T) {
	three := []string{
		answer(accounts(0, 30), `{"next_page_token":"2"}`),
		answer(accounts(30, 30), `{"next_page_token":"3"}`),
		answer(accounts(60, 10), `{"scopes":[{"kind":"accounts","key":"*","complete":true}]}`),
	}
	first := start(t, func(w http.ResponseWriter, _ v1.SyncRequest, n int) {
		if n == 3 {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, three[n-1])
	})
	auth := first.auth()
	chunk := func(r *v1.SyncRequest) { r.Options = &v1.SyncOptions{ChunkSize: 10} }
	out, err := read(t, auth, chunk)
	if err == nil || out.Page.Checkpoint == "" {
		t.Fatalf("%+v, %v", out.Page, err)
	}
	// The same address, as it was before it is overtaken: the checkpoint names the settings.
	at := out.Page.Checkpoint
	second := start(t, func(w http.ResponseWriter, req v1.SyncRequest, _ int) {
		switch {
		case req.Options == nil || req.Options.PageToken == "":
			_, _ = io.WriteString(w, three[0])
		default:
			_, _ = io.WriteString(w, three[req.Options.PageToken[0]-'1'])
		}
	})
	digest := func(a v1.AuthConfig) string {
		cfg, err := config.Read(a)
		if err != nil {
			t.Fatal(err)
		}
		return cfg.Digest
	}
	moved := strings.ReplaceAll(at, digest(auth), digest(second.auth()))
	rest, err := read(
		t,
		second.auth(),
		func(r *v1.SyncRequest) { r.Options = &v1.SyncOptions{ChunkSize: 10, Checkpoint: moved} },
	)
	if err != nil || len(rest.Accounts) >= 70 || len(rest.Accounts)+len(out.Accounts) < 70 ||
		scopeOf(rest.Page, v1.Accounts).Count != 70 {
		t.Errorf("%d accounts before, %d after, %+v, %v", len(out.Accounts), len(rest.Accounts), rest.Page.Scopes, err)
	}
	other, err := read(t, second.auth(), func(r *v1.SyncRequest) { r.Options = &v1.SyncOptions{Checkpoint: at} })
	if err != nil || len(other.Accounts) != 70 || warned(other.Page, "checkpoint_unusable") != 1 {
		t.Errorf(
			"the checkpoint of other settings: %d accounts, %+v, %v",
			len(other.Accounts),
			other.Page.Warnings,
			err,
		)
	}
	forgetful := start(t, func(w http.ResponseWriter, req v1.SyncRequest, _ int) {
		if req.Options != nil && req.Options.PageToken != "" {
			w.WriteHeader(http.StatusGone)
			return
		}
		_, _ = io.WriteString(w, whole3)
	})
	moved = strings.ReplaceAll(at, digest(auth), digest(forgetful.auth()))
	anew, err := read(t, forgetful.auth(), func(r *v1.SyncRequest) { r.Options = &v1.SyncOptions{Checkpoint: moved} })
	if err != nil || len(anew.Accounts) != 3 || warned(anew.Page, "checkpoint_unusable") != 1 ||
		!scopeOf(anew.Page, v1.Accounts).Complete {
		t.Errorf("a token that is forgotten: %d accounts, %+v, %v", len(anew.Accounts), anew.Page, err)
	}
}

func TestACursorThatHasExpiredLeadsToAWholeRead(t *testing.T) {
	s := start(t, func(w http.ResponseWriter, req v1.SyncRequest, n int) {
		switch {
		case !req.Incremental:
			_, _ = io.WriteString(
				w,
				answer(accounts(0, 3), `{"cursor":"c2","scopes":[{"kind":"accounts","key":"*","complete":true}]}`),
			)
		case n > 2:
			_, _ = io.WriteString(
				w,
				`{"success":false,"error":"too old","error_detail":{"class":"data","code":"cursor_expired","message":"too old"}}`,
			)
		default:
			_, _ = io.WriteString(
				w,
				answer(accounts(1, 1), `{"cursor":"c3","read":{"incremental":true,"strategy":"by number"}}`),
			)
		}
	})
	full, err := read(t, s.auth(), nil)
	if err != nil || full.Page.Cursor == "" {
		t.Fatalf("%+v, %v", full.Page, err)
	}
	again := func(cursor string) (v1.SyncResponse, error) {
		return read(t, s.auth(), func(r *v1.SyncRequest) {
			r.Incremental, r.Options = true, &v1.SyncOptions{Cursor: cursor}
		})
	}
	changes, err := again(full.Page.Cursor)
	if err != nil || len(changes.Accounts) != 1 || changes.Page.Read == nil || !changes.Page.Read.Incremental ||
		s.asked()[1].Options.Cursor != "c2" {
		t.Fatalf("%+v, %v", changes.Page, err)
	}
	for _, cursor := range []string{changes.Page.Cursor, "nobody's", "{}\nx"} {
		everything, err := again(cursor)
		if err != nil || len(everything.Accounts) != 3 || everything.Page.Read == nil ||
			everything.Page.Read.Incremental ||
			everything.Page.Read.FallbackReason == "" {
			t.Errorf("%s: %+v, %v", cursor, everything.Page, err)
		}
		if !scopeOf(everything.Page, v1.Accounts).Complete {
			t.Errorf("the whole read attests %+v", everything.Page.Scopes)
		}
	}
}

func TestChangesByTimeFollowTheClockOfTheService(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := start(t, func(w http.ResponseWriter, _ v1.SyncRequest, _ int) {
		w.Header().Set("Date", at.Format(http.TimeFormat))
		_, _ = io.WriteString(w, whole3)
	})
	auth := s.auth("changes_by", "last_sync_at")
	full, err := read(t, auth, nil)
	if err != nil || full.Page.Cursor == "" {
		t.Fatalf("%+v, %v", full.Page, err)
	}
	_, err = read(
		t,
		auth,
		func(r *v1.SyncRequest) { r.Incremental, r.Options = true, &v1.SyncOptions{Cursor: full.Page.Cursor} },
	)
	if err != nil {
		t.Fatal(err)
	}
	got := s.asked()[1]
	if !got.Incremental || got.LastSyncAt == nil || !got.LastSyncAt.Equal(at.Add(-overlap)) || got.Options != nil {
		t.Errorf("it was asked for changes by %+v", got)
	}
	if plain, err := read(t, s.auth(), nil); err != nil || plain.Page.Cursor != "" {
		t.Errorf("without the setting there is the cursor %q, %v", plain.Page.Cursor, err)
	}
}

func TestARecordThatDoesNotFitIsSetAsideWithItsPlace(t *testing.T) {
	good := strings.TrimSuffix(accounts(0, 95), "]")
	for name, tt := range map[string]struct {
		record   string
		says     string
		complete bool // whoever it is still counts as there
	}{
		"a text for a truth": {`{"external_id":"x","is_disabled":"no"}`, "accounts[95] is_disabled has a string " +
			"where a boolean is expected", true},
		"a number for a text": {`{"external_id":"x","username":7}`, "accounts[95] username has a number where a " +
			"string is expected", true},
		"a list for attributes": {`{"external_id":"x","attributes":[]}`, "accounts[95] attributes has an array " +
			"where an object is expected", true},
		"a time that is none": {`{"external_id":"x","last_login_at":"yesterday"}`,
			"accounts[95] last_login_at: there is a time", true},
		"inside a list": {`{"external_id":"x","owner_refs":[{"kind":"email","value":1}]}`,
			"accounts[95] owner_refs.value has a number", true},
		"too large": {`{"external_id":"x","display_name":"` + strings.Repeat("x", 300<<10) + `"}`,
			"accounts[95] is larger than 256 KiB", true},
		"too deep": {`{"external_id":"x","attributes":{"a":` + strings.Repeat("[", 40) +
			strings.Repeat("]", 40) + `}}`, "accounts[95] is nested more than 32", true},
		"no key":                 {`{"username":"x"}`, "accounts[95] has no external_id", false},
		"a key that is a number": {`{"external_id":7}`, "accounts[95] external_id has a number", false},
		"no object":              {`"x"`, "accounts[95] is no object", false},
		"null":                   {`null`, "accounts[95] is no object", false},
		"bytes that are no UTF-8": {"{\"external_id\":\"x\",\"username\":\"a\xff\"}", "accounts[95] is not UTF-8",
			false},
	} {
		s := says(t, response.MediaJSON, answer(good+","+tt.record+"]", ""))
		out, err := read(t, s.auth(), nil)
		if err != nil || len(out.Accounts) != 95 || warned(out.Page, "record_unfit") != 1 {
			t.Errorf("%s: %d accounts, %+v, %v", name, len(out.Accounts), out.Page.Warnings, err)
			continue
		}
		if got := out.Page.Warnings[0].Message; !strings.HasPrefix(got, tt.says) {
			t.Errorf("%s: %q; want %q", name, got, tt.says)
		}
		scope := scopeOf(out.Page, v1.Accounts)
		if scope.Complete != tt.complete {
			t.Errorf("%s: %+v is attested", name, scope)
		}
		if tt.complete &&
			(scope.Count != 96 || len(out.Page.Present) != 1 || out.Page.Present[0].ExternalIDs[0] != "x") {
			t.Errorf("%s: %+v, present %+v", name, scope, out.Page.Present)
		}
	}
	grant := `{"success":true,"grants":[{"account_external_id":"1","entitlement_external_id":"g"},{"account_external_id":"2"}],"error":null}`
	if out, err := read(
		t,
		says(t, response.MediaJSON, grant).auth(),
		nil,
	); err != nil || len(out.Grants) != 1 ||
		scopeOf(out.Page, v1.Grants).Complete {
		t.Errorf("a grant of nothing: %+v, %v", out.Page, err)
	}
}

func TestTooManyRecordsThatDoNotFitEndTheRead(t *testing.T) {
	bad := "[" + strings.Repeat(
		`{"external_id":1},`,
		10,
	) + `{"external_id":"1"}` + strings.Repeat(
		`,{"external_id":"2"}`,
		50,
	) + "]"
	_, err := read(t, says(t, response.MediaJSON, answer(bad, "")).auth(), nil)
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Code != "too_many_bad_records" || !strings.Contains(d.Message, "10 of 61") ||
		!strings.Contains(d.Message, "accounts[0] external_id") {
		t.Errorf("%v", err)
	}
}

func TestAttributesHoldTheMembersToo(t *testing.T) {
	s := says(
		t,
		response.MediaJSON,
		`{"success":true,"error":null,"identities":[{"external_id":"1","email":"a@b.c","hire_date":null,"cost":12345678901234567890,
		"manager_ref":{"kind":"email","value":"boss@b.c"},"attributes":{"email":"raw@b.c","office":{"city":"Kyiv"},"langs":["uk","en"],"score":1.5,"level":3}}]}`,
	)
	out, err := read(t, s.auth(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"external_id":       "1",
		"email":             "raw@b.c",
		"cost":              "12345678901234567890",
		"manager_ref.kind":  "email",
		"manager_ref.value": "boss@b.c",
		"office.city":       "Kyiv",
		"langs":             []any{"uk", "en"},
		"score":             1.5,
		"level":             int64(3),
	}
	if diff := cmp.Diff(want, out.Identities[0].Attributes); diff != "" || *out.Identities[0].Email != "a@b.c" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	out, err = read(
		t,
		s.auth(),
		func(r *v1.SyncRequest) { r.Options = &v1.SyncOptions{FieldAllowlist: []string{"office"}} },
	)
	if diff := cmp.Diff(map[string]any{"office.city": "Kyiv"}, out.Identities[0].Attributes); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestOnlyTheKindsAskedForArePassedOn(t *testing.T) {
	s := says(
		t,
		response.MediaJSON,
		`{"success":true,"identities":[{"external_id":"1"}],"accounts":[{"external_id":"1"}],"entitlements":[],"grants":[],"error":null}`,
	)
	out, err := read(
		t,
		s.auth(),
		func(r *v1.SyncRequest) { r.Options = &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Identities}} },
	)
	if err != nil || len(out.Accounts) != 0 || len(out.Identities) != 1 || len(out.Page.Scopes) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestRequestsSayWhatTheyAreAndAreSigned(t *testing.T) {
	const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	s := start(t, func(w http.ResponseWriter, _ v1.SyncRequest, n int) {
		if n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, whole3)
	})
	var body []byte
	key, err := signing.Key(secret)
	if err != nil {
		t.Fatal(err)
	}
	req := v1.SyncRequest{
		AuthConfig: s.auth("auth_method", "signature", "signing_secret", secret),
		Options:    &v1.SyncOptions{SyncRunID: "run-7"},
	}
	ctx := connectorkit.WithTrace(t.Context(), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if err := newConnector().Sync(ctx, req, func(context.Context, v1.SyncResponse) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for i, h := range s.heads {
		for name, want := range map[string]string{"Grantwright-Protocol": "v1", "Grantwright-Run-Id": "run-7",
			"Traceparent":  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
			"Content-Type": "application/json", "Accept": "application/json, application/x-ndjson",
			"Authorization": ""} {
			if got := h.Get(name); got != want {
				t.Errorf("request %d: %s is %q; want %q", i+1, name, got, want)
			}
		}
		body = []byte(
			`{"connector_business_id":"","incremental":false,"last_sync_at":null,"auth_config":{},"options":{"sync_run_id":"run-7"}}`,
		)
		if err := signing.Verify(h, time.Now(), body, key); err != nil {
			t.Errorf("request %d: %v", i+1, err)
		}
	}
	if a, b := s.heads[0].Get("Webhook-Id"), s.heads[1].Get("Webhook-Id"); a == b {
		t.Error("the second try has the id of the first")
	}
}

func TestTheServiceMayHaveOneAddress(t *testing.T) {
	s := start(t, func(http.ResponseWriter, v1.SyncRequest, int) {})
	_, _ = read(t, s.auth("sync_path", "/hooks/iga?tenant=7"), nil)
	if out, err := newConnector().Test(t.Context(), v1.TestRequest{AuthConfig: s.auth("sync_path", "hooks/iga")},
		nil); err != nil ||
		out.Success {
		t.Errorf("%+v, %v", out, err)
	}
	if diff := cmp.Diff([]string{"POST /hooks/iga?tenant=7", "POST /hooks/iga"}, s.paths); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestACancelledReadClosesTheStream(t *testing.T) {
	gone := make(chan struct{})
	s := start(t, func(w http.ResponseWriter, _ v1.SyncRequest, n int) {
		w.Header().Set("Content-Type", response.MediaNDJSON)
		_, _ = io.WriteString(w, answer(accounts(0, 2), `{"has_more":true}`)+"\n")
		_ = http.NewResponseController(w).Flush()
		for i := 0; ; i++ {
			if _, err := io.WriteString(w, "\n"); err != nil {
				break
			}
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Millisecond)
			if i == 100000 {
				t.Error("nobody closed the stream")
				break
			}
		}
		if n == 1 {
			close(gone)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := newConnector().Sync(ctx, v1.SyncRequest{AuthConfig: s.auth()}, func(context.Context, v1.SyncResponse) error {
		cancel()
		return nil
	})
	if err == nil {
		t.Error("a cancelled read ended without an error")
	}
	<-gone
}

func TestAnAuthorNeedsThirtyLinesOfPython(t *testing.T) {
	text, err := os.ReadFile("testdata/author.py")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 30 {
		t.Errorf("it has %d lines", n)
	}
	auth := startPython(t)
	out, err := read(t, auth, nil)
	if err != nil || len(out.Identities) != 2 || len(out.Accounts) != 2 || len(out.Grants) != 2 ||
		*out.Identities[0].DisplayName != "Zoë Okafor" {
		t.Fatalf("%+v, %v", out, err)
	}
	for _, kind := range response.AllKinds {
		if !scopeOf(out.Page, kind).Complete {
			t.Errorf("%s: %+v", kind, out.Page.Scopes)
		}
	}
	c := newConnector()
	verdict, err := c.Test(t.Context(), v1.TestRequest{AuthConfig: auth}, nil)
	if err != nil || !verdict.Success {
		t.Errorf("test: %+v, %v", verdict.Error, err)
	}
	fields, err := c.Discover(t.Context(), v1.DiscoverRequest{AuthConfig: auth}, nil)
	if err != nil || len(fields.Objects) != 4 ||
		!slices.ContainsFunc(
			fields.Objects[0].Fields,
			func(f v1.DiscoveredField) bool { return f.Name == "email" && f.Format == "email" },
		) {
		t.Errorf("discover: %+v, %v", fields, err)
	}
	auth["settings"] = map[string]any{"region": "mars"}
	if _, err := read(t, auth, nil); err == nil || err.Error() != "there is no region mars" {
		t.Errorf("a region that is not there: %v", err)
	}
	auth["bearer_token"] = "wrong"
	if verdict, err = c.Test(
		t.Context(),
		v1.TestRequest{AuthConfig: auth},
		nil,
	); err != nil || verdict.Success ||
		verdict.Error.Class != v1.ClassAuth {
		t.Errorf("a wrong token: %+v, %v", verdict.Error, err)
	}
}

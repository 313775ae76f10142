package remote

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/remote/response"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	canary = "CANARY-s3cret"
	whole3 = `{"success":true,"identities":[],"accounts":[{"external_id":"1"},{"external_id":"2"},{"external_id":"3"}],"entitlements":[],"grants":[],"error":null}`
)

func TestABadServiceIsToldWhatIsWrong(t *testing.T) {
	always := func(media, text string) func(http.ResponseWriter, v1.SyncRequest, int) {
		return func(w http.ResponseWriter, _ v1.SyncRequest, _ int) {
			w.Header().Set("Content-Type", media)
			_, _ = io.WriteString(w, text)
		}
	}
	status := func(code int, body string) func(http.ResponseWriter, v1.SyncRequest, int) {
		return func(w http.ResponseWriter, _ v1.SyncRequest, _ int) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	token := func(n int) string { return fmt.Sprintf(`{"has_more":true,"next_page_token":"t%d"}`, n) }
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter, v1.SyncRequest, int)
		class  v1.ErrorClass
		code   string
		says   string // part of the message
		most   int    // requests
	}{
		{"no JSON", always(response.MediaJSON, `success=yes`), v1.ClassConfig, "not_json", "instead of JSON", 1},
		{"broken JSON", always(response.MediaJSON, `{"success":true,}`), v1.ClassTargetFault, "bad_json", "not valid JSON", 1},
		{"cut JSON", always(response.MediaJSON, `{"success":true,"identities":[{"exter`), v1.ClassTransient, "json_cut",
			"ends in the middle", 5},
		{"nothing", always(response.MediaJSON, ``), v1.ClassTargetFault, "empty_body", "empty body", 1},
		{"HTML", always("text/html", `<!doctype html><title>Sign in</title>`), v1.ClassConfig, "not_json",
			"text/html instead of JSON", 1},
		{"a list", always(response.MediaJSON, `[{"external_id":"1"}]`), v1.ClassProtocol, "protocol_violation",
			"the answer is a list", 1},
		{"a text", always(response.MediaJSON, `"ok"`), v1.ClassProtocol, "protocol_violation",
			"a string where an object is expected", 1},
		{"two documents", always(response.MediaJSON, whole3+"\n"+whole3), v1.ClassProtocol, "protocol_violation",
			"application/x-ndjson", 1},
		{"no success", always(response.MediaJSON, `{"identities":[]}`), v1.ClassProtocol, "protocol_violation",
			"success is missing", 1},
		{"success as text", always(response.MediaJSON, `{"success":"true"}`), v1.ClassProtocol, "protocol_violation",
			"success has a string where a boolean is expected", 1},
		{"success and an error", always(response.MediaJSON, `{"success":true,"accounts":[],"error":"half of it"}`),
			v1.ClassProtocol, "protocol_violation", "half of it", 1},
		{"accounts as an object", always(response.MediaJSON, `{"success":true,"accounts":{"external_id":"1"}}`),
			v1.ClassProtocol, "protocol_violation", "accounts is no list", 1},
		{"a page as text", always(response.MediaJSON, `{"success":true,"page":{"has_more":"yes"}}`), v1.ClassProtocol,
			"protocol_violation", "page.has_more has a string where a boolean is expected", 1},
		{"a time that is none", always(response.MediaJSON, `{"success":true,"page":{"watermark":"yesterday"}}`),
			v1.ClassProtocol, "protocol_violation", "RFC 3339", 1},
		{"a scope of nothing", always(response.MediaJSON,
			`{"success":true,"page":{"scopes":[{"kind":"users","key":"*","complete":true}]}}`), v1.ClassProtocol,
			"protocol_violation", "page.scopes[0]", 1},
		{"a token too long", always(response.MediaJSON,
			answer("[]", `{"has_more":true,"next_page_token":"`+strings.Repeat("x", 5000)+`"}`)), v1.ClassProtocol,
			"protocol_violation", "page.next_page_token is longer than 4 KiB", 1},
		{"a checkpoint too long", always(response.MediaJSON, answer("[]", `{"checkpoint":"`+strings.Repeat("x", 70000)+`"}`)),
			v1.ClassProtocol, "protocol_violation", "page.checkpoint is longer", 1},
		{"more without a token", always(response.MediaJSON, answer("[]", `{"has_more":true}`)), v1.ClassProtocol,
			"protocol_violation", "no page.next_page_token", 1},
		{"the same page for ever", always(response.MediaJSON, answer(accounts(0, 3), token(1))), v1.ClassProtocol,
			"page_repeated", "the same records", 2},
		{"the same records under new tokens", func(w http.ResponseWriter, _ v1.SyncRequest, n int) {
			_, _ = io.WriteString(w, answer(accounts(0, 3), token(n)))
		},
			v1.ClassProtocol, "page_repeated", "the same records", 2},
		{"the same token for ever", func(w http.ResponseWriter, _ v1.SyncRequest, n int) {
			_, _ = io.WriteString(w, answer(accounts(n, 1), token(1)))
		},
			v1.ClassProtocol, "page_loop", "was given before", 2},
		{"tokens in a circle of seven", func(w http.ResponseWriter, _ v1.SyncRequest, n int) {
			_, _ = io.WriteString(w, answer(accounts(n, 1), token(n%7)))
		},
			v1.ClassProtocol, "page_loop", "was given before", 30},
		{"empty pages without an end", func(w http.ResponseWriter, _ v1.SyncRequest, n int) {
			_,
				_ = io.WriteString(w, answer("[]", token(n)))
		},
			v1.ClassProtocol, "empty_pages", "51 answers in a row", 51},
		{"pages without an end", func(w http.ResponseWriter, _ v1.SyncRequest, n int) {
			_, _ = io.WriteString(w, answer(accounts(n, 1), token(n)))
		},
			v1.ClassProtocol, "too_many_pages", "max_pages", 200},
		{"records that all do not fit", always(response.MediaJSON, answer(`[{},{},{},{},{},{"external_id":7}]`, "")),
			v1.ClassProtocol, "too_many_bad_records", "6 of 6 records", 1},
		{"a redirect", func(w http.ResponseWriter, _ v1.SyncRequest, _ int) {
			w.Header().Set("Location", "/v1/sync2")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, v1.ClassConfig, "http_307", "a redirect, which is not followed", 1},
		{"500", status(500, `oops`), v1.ClassTargetFault, "http_500", "500 Internal Server Error", 5},
		{"502", status(502, `oops`), v1.ClassTransient, "http_502", "502", 5},
		{"429", func(w http.ResponseWriter, _ v1.SyncRequest, _ int) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		}, v1.ClassRateLimited, "http_429", "429 Too Many Requests", 5},
		{"400", status(400, `{"title":"no"}`), v1.ClassConfig, "http_400", "400 Bad Request: no", 1},
		{"401", status(401, ``), v1.ClassAuth, "http_401", "401", 1},
		{"403", status(403, ``), v1.ClassPermission, "http_403", "403", 1},
		{"404", status(404, ``), v1.ClassNotFound, "http_404", "404", 1},
		{"409", status(409, `{"success":false,"error":"a run is under way"}`), v1.ClassConflict, "http_409",
			"a run is under way", 1},
		{"413", status(413, ``), v1.ClassConfig, "http_413", "413", 1},
		{"422 that names places", status(422,
			`{"title":"Invalid","errors":[{"pointer":"/auth_config/region","detail":"is not known"}]}`), v1.ClassConfig,
			"http_422", "/auth_config/region is not known", 1},
		{"503 with the protocol's own body",
			status(503, `{"success":false,"error":"being restored","error_detail":{"class":"transient","code":"restoring","message":"being restored"}}`),
			v1.ClassTransient, "restoring", "being restored", 5},
		{"401 of its target behind a 502", status(502,
			`{"success":false,"error":"LDAP says no","error_detail":{"class":"auth","code":"ldap_49","message":"LDAP says no"}}`),
			v1.ClassAuth, "ldap_49", "LDAP says no", 1},
		{"a failure", always(response.MediaJSON, `{"success":false,"identities":[],"accounts":[],"entitlements":[],"grants":[],"error":"the vault is sealed"}`),
			v1.ClassTargetFault, "connector_failed", "the vault is sealed", 1},
		{"a failure without words", always(response.MediaJSON, `{"success":false,"error":null}`), v1.ClassTargetFault,
			"connector_failed", "without saying which", 1},
		{"a failure that passes", always(response.MediaJSON,
			`{"success":false,"error":"busy","error_detail":{"class":"transient","code":"busy","message":"busy"}}`),
			v1.ClassTransient, "busy", "busy", 5},
		{"a failure of a class nobody may name",
			always(response.MediaJSON, `{"success":false,"error":"x","error_detail":{"class":"cancelled","code":"Not A Code","message":"x"}}`),
			v1.ClassTargetFault, "connector_failed", "x", 1},
		{"a stream that is cut", always(response.MediaNDJSON, answer(accounts(0, 2), `{"has_more":true}`)+"\n"),
			v1.ClassTransient, "stream_cut", "ended before a line", 5},
		{"a stream cut in a line", always(response.MediaNDJSON, answer(accounts(0, 2), `{"has_more":true}`)+"\n{\"succ"),
			v1.ClassTransient, "stream_cut", "ended before a line", 5},
		{"an empty stream", always(response.MediaNDJSON, "\n\n"), v1.ClassTransient, "stream_cut", "ended before a line", 5},
		{"a stream with a bad line", always(response.MediaNDJSON, answer(accounts(0, 2), `{"has_more":true}`)+"\n<html>\n"),
			v1.ClassProtocol, "protocol_violation", "line 2: it is not valid JSON near byte 1", 1},
		{"a stream that goes on after its end",
			always(response.MediaNDJSON, answer(accounts(0, 2), `{"has_more":false}`)+"\n"+answer(accounts(2, 2),
				`{"has_more":false}`)+"\n"),
			v1.ClassProtocol, "protocol_violation", "line 2 follows", 1},
		{"a stream of plain lines", always(response.MediaNDJSON,
			answer(accounts(0, 2), "")+"\n"+answer(accounts(2, 2), "")+"\n"), v1.ClassProtocol, "protocol_violation",
			"line 2 follows", 1},
		{"a stream that repeats itself", always(response.MediaNDJSON,
			strings.Repeat(answer(accounts(0, 2), `{"has_more":true}`)+"\n", 9)), v1.ClassProtocol, "page_repeated",
			"the same records", 1},
		{"a stream that fails", always(response.MediaNDJSON,
			answer(accounts(0, 2), `{"has_more":true}`)+"\n"+`{"success":false,"error":"the vault is sealed"}`+"\n"),
			v1.ClassTargetFault, "connector_failed", "the vault is sealed", 1},
		{"a huge line", func(w http.ResponseWriter, _ v1.SyncRequest, _ int) {
			w.Header().Set("Content-Type", response.MediaNDJSON)
			for range 5 << 10 {
				if _, err := io.WriteString(w, strings.Repeat(" x", 512)); err != nil {
					return
				}
			}
		}, v1.ClassTargetFault, "line_too_long", "line 1 of the answer is longer than 4 MiB", 1},
		{"only empty lines", always(response.MediaNDJSON, strings.Repeat("\n", 5000)), v1.ClassProtocol, "protocol_violation",
			"empty lines", 1},
		{"an answer too large", func(w http.ResponseWriter, _ v1.SyncRequest, _ int) {
			_, _ = io.WriteString(w, `{"success":true,"accounts":[`)
			for {
				if _, err := io.WriteString(w, strings.Repeat(`{"external_id":"1","display_name":"`+strings.Repeat("x",
					100)+`"},`, 5000)); err != nil {
					return
				}
			}
		}, v1.ClassTargetFault, "body_too_large", "larger than 32 MiB", 1},
		{"a bomb", func(w http.ResponseWriter, _ v1.SyncRequest, _ int) {
			w.Header().Set("Content-Encoding", "gzip")
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = io.WriteString(z, `{"success":true,"error":"`+strings.Repeat("a", 24<<20))
			_ = z.Close()
			_, _ = w.Write(b.Bytes())
		}, v1.ClassTargetFault, "compression_bomb", "hundredfold", 1},
		{"lists ten thousand deep", always(response.MediaJSON,
			`{"success":true,"accounts":`+strings.Repeat("[", 10001)+strings.Repeat("]", 10001)+`}`),
			v1.ClassTargetFault, "bad_json", "not valid JSON", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, tt.answer)
			_, err := read(
				t,
				s.auth("secret_settings", map[string]any{"key": canary}, "max_pages", 200, "timeout_s", 10),
				nil,
			)
			var d *v1.ErrorDetail
			if !errors.As(err, &d) {
				t.Fatalf("the read ended with %v", err)
			}
			if d.Class != tt.class || d.Code != tt.code || !strings.Contains(d.Message, tt.says) {
				t.Errorf("%s %s: %s; want %s %s: …%s…", d.Class, d.Code, d.Message, tt.class, tt.code, tt.says)
			}
			if n := len(s.asked()); n > tt.most || n == 0 {
				t.Errorf("%d requests; %d at most", n, tt.most)
			}
		})
	}
}

func TestAFailureIsShownVerbatimWithoutSecretsAndNotForEver(t *testing.T) {
	long := strings.Repeat("the directory says no; ", 1000)
	said := "bind with " + canary + " failed: " + long
	for name, text := range map[string]string{
		"sentence": fmt.Sprintf(`{"success":false,"error":%q}`, said),
		"detail": fmt.Sprintf(`{"success":false,"error":%q,"error_detail":{"class":"auth","code":"ldap_49","message":%q,"hint":%q,"phase":%q,
			"target":{"kind":"ldap","host":%q,"ldap":{"result_code":49,"name":"invalidCredentials","diagnostic":%q}}}}`,
			said, said, "not "+canary, canary, canary, canary),
		"escaped":    `{"success":false,"error":"\u0043ANARY-s3cret is wrong","error_detail":{"class":"auth","code":"x","target":{"kind":"\u0043ANARY-s3cret"}}}`,
		"both":       `{"success":true,"error":"` + canary + `"}`,
		"a warning":  answer("[]", `{"has_more":false,"warnings":[{"code":"`+canary+`","message":"`+canary+`"}],"read":{"strategy":"`+canary+`"}}`),
		"a bad type": `{"success":"` + canary + `"}`,
	} {
		s := says(t, response.MediaJSON, text)
		out, err := read(t, s.auth("secret_settings", map[string]any{"key": canary}), nil)
		seen := fmt.Sprintf("%+v", *out.Page)
		var d *v1.ErrorDetail
		if errors.As(err, &d) {
			seen += fmt.Sprintf("%+v", *d)
			if d.Target != nil {
				seen += fmt.Sprintf("%+v %+v %+v", *d.Target, d.Target.LDAP, d.Target.HTTP)
			}
			if len(d.Message) > 5000 {
				t.Errorf("%s: a message of %d bytes", name, len(d.Message))
			}
		}
		if strings.Contains(seen, canary) || strings.Contains(seen, "NARY-s3cret") {
			t.Errorf("%s: the secret is seen: %.600s", name, seen)
		}
		if name == "detail" &&
			(d.Target.LDAP == nil || d.Target.LDAP.ResultCode != 49 ||
				!strings.HasPrefix(d.Message, "bind with [secret] failed: the directory")) {
			t.Errorf("%+v", d)
		}
	}
}

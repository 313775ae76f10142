package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// FuzzLines holds the reader of lines against the obvious way to split a text, with every way in which a text may
// arrive.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"", "\n", "a\nb", "a\r\n\r\nb\r\n", "\xEF\xBB\xBFa\n", "  \n\t\n x ",
		strings.Repeat("y", 100) + "\nz", "\n\n\n\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		const most = 64
		var want []string
		var fails error
		for i, line := range strings.SplitAfter(string(text), "\n") {
			if len(line) > most {
				fails = response.ErrLineTooLong
				break
			}
			if i == 0 {
				line = strings.TrimPrefix(line, "\xEF\xBB\xBF")
			}
			if trimmed := string(bytes.TrimSpace([]byte(line))); trimmed != "" {
				want = append(want, trimmed)
			}
		}
		for _, in := range []io.Reader{bytes.NewReader(text), iotest.OneByteReader(bytes.NewReader(text)),
			iotest.DataErrReader(bytes.NewReader(text))} {
			l := response.NewLines(in, most)
			var got []string
			var err error
			for {
				var line []byte
				var whole bool
				if line, whole, err = l.Next(); err != nil {
					break
				}
				got = append(got, string(line))
				if !whole && !bytes.HasSuffix(text, line) && !bytes.HasSuffix(bytes.TrimSpace(text), line) {
					t.Errorf("the line %q passes for the last of %q", line, text)
				}
			}
			if errors.Is(err, response.ErrOnlyBlanks) {
				return
			}
			if fails == nil && !errors.Is(err, io.EOF) || fails != nil && !errors.Is(err, fails) {
				t.Fatalf("%q ended with %v; want %v", text, err, fails)
			}
			if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
				t.Fatalf("%q gives %q; want %q", text, got, want)
			}
		}
	})
}

// FuzzAnswer lets a service say anything: nothing may panic or hang, and only what says that it is complete may pass
// for it.
func FuzzAnswer(f *testing.F) {
	more, last := answer(
		accounts(0, 2),
		`{"has_more":true,"checkpoint":"c"}`,
	), answer(
		accounts(2, 1),
		`{"has_more":false,"scopes":[{"kind":"accounts","key":"*","complete":true}]}`,
	)
	for _, s := range []string{whole3, more + "\n" + last, more, last + "\n" + more, "{}", "null", "[]",
		`{"success":true}`, `{"success":true,"accounts":[null,1,{"external_id":"x","is_disabled":1}]}`} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, stream bool) {
		n := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if n++; n > 20 {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			w.Header().
				Set("Content-Type", map[bool]string{true: response.MediaNDJSON, false: response.MediaJSON}[stream])
			_, _ = w.Write(text)
		}))
		defer server.Close()
		c := newConnector()
		c.shared = &target.Shared{}
		var pages []v1.SyncResponse
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := connectorkit.Sync(
			ctx,
			c,
			v1.SyncRequest{AuthConfig: v1.AuthConfig{"base_url": server.URL}},
			connectorkit.Limits{},
			func(_ context.Context, p v1.SyncResponse) error {
				pages = append(pages, p)
				return nil
			},
		)
		if ctx.Err() != nil {
			t.Fatal("the read does not end")
		}
		if err == nil {
			end := pages[len(pages)-1]
			if end.Page.HasMore || !bytes.Contains(text, []byte("true")) {
				t.Errorf("%q passes for a whole read", text)
			}
		}
		for _, p := range pages {
			if _, err := json.Marshal(p); err != nil {
				t.Errorf("%q becomes a page that cannot be written: %v", text, err)
			}
			for _, a := range p.Accounts {
				if a.ExternalID == "" {
					t.Errorf("%q becomes an account without a key", text)
				}
			}
		}
	})
}

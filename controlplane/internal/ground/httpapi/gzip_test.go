package httpapi_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/sse"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// words answers as many words as the query asks for, with or without an ETag.
type words struct {
	N   int    `query:"n"`
	Tag bool   `query:"tag"`
	How string `query:"how"`
}

func answered(in *words) (*httpapi.One[string], error) {
	switch in.How {
	case "panic":
		panic(strings.Repeat("oh ", 1000))
	case "refused":
		return nil, fault.New(fault.NotFound, "there is no %s", strings.Repeat("such thing ", 400))
	}
	out := &httpapi.One[string]{Body: strings.Repeat("word ", in.N)}
	if in.Tag {
		out.ETag = httpapi.ETag(1)
	}
	return out, nil
}

// bare is a writer that can be asked for more through http.ResponseController alone.
type bare struct{ http.ResponseWriter }

func (b bare) Unwrap() http.ResponseWriter { return b.ResponseWriter }

func behindAnother(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(bare{w}, r) })
}

func packing(t *testing.T) string {
	t.Helper()
	tell := func(_ context.Context, _ viewer.Viewer, in *words) (*httpapi.One[string], error) { return answered(in) }
	next := make(chan struct{})
	t.Cleanup(func() { close(next) })
	s := serve(
		t,
		httpapi.Config{Now: time.Now, Address: behindAnother},
		httpapi.Handle("GET", "/words", "Say words", tell),
		httpapi.Handle("POST", "/words", "Say words", tell),
		httpapi.Handle("GET", "/auth/words", "Say words", tell),
		httpapi.Download(
			"GET",
			"/file",
			"A file",
			"application/x-ndjson",
			func(context.Context, viewer.Viewer, *struct{}) (httpapi.File, error) {
				return httpapi.File{Name: "x", Write: func(_ context.Context, w io.Writer) error {
					_, err := io.WriteString(w, strings.Repeat("{}\n", 2000))
					return err
				}}, nil
			},
		),
		httpapi.Handle(
			"GET",
			"/unsayable",
			"Fail on the way",
			func(context.Context, viewer.Viewer, *struct{}) (*httpapi.One[unsayable], error) {
				return &httpapi.One[unsayable]{}, nil
			},
		),
		httpapi.Stream(
			"GET",
			"/events",
			"Events",
			func(context.Context, viewer.Viewer, *struct{}) (func(context.Context, *sse.Events) error, error) {
				return func(ctx context.Context, e *sse.Events) error {
					if err := e.Send("first", "", strings.Repeat("long ", 1000)); err != nil {
						return err
					}
					select {
					case <-next: // until the test is over: the first must have come before
					case <-ctx.Done():
					}
					return nil
				}, nil
			},
		),
	)
	return s.URL + httpapi.Prefix
}

// unsayable begins to be an answer and then fails.
type unsayable struct {
	Begins string `json:"begins"`
	Fails  fails  `json:"fails"`
}

type fails struct{}

func (fails) MarshalJSON() ([]byte, error) { return nil, errors.New("no words for it") }

func TestAnAnswerThatFailsOnItsWayNeverLooksWhole(t *testing.T) {
	at := packing(t)
	for _, encoding := range []string{"gzip", "identity"} {
		res, err := http.DefaultTransport.RoundTrip(asking(t, "GET", at+"/unsayable", encoding))
		if err != nil {
			continue // cut before anything came
		}
		b, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err == nil && res.StatusCode < 500 {
			t.Errorf("%s: %d %s; want it cut, or 500", encoding, res.StatusCode, b)
		}
	}
}

// fetch asks as a client that unpacks nothing by itself.
func fetch(t *testing.T, method, url, encoding string, header ...string) *http.Response {
	t.Helper()
	req := asking(t, method, url, encoding)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func asking(t *testing.T, method, url, encoding string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer admin")
	req.Header.Set("Accept-Encoding", encoding)
	return req
}

func TestLongAnswersArePackedForThoseWhoTakeIt(t *testing.T) {
	at := packing(t)
	for _, tt := range []struct {
		what, method, path, encoding string
		status                       int
		packed                       bool
	}{
		{"a long answer", "GET", "/words?n=2000", "br, gzip", 200, true},
		{"a short one", "GET", "/words?n=20", "gzip", 200, false},
		{"for a client that takes none", "GET", "/words?n=2000", "identity", 200, false},
		{"for a client that refuses it", "GET", "/words?n=2000", "gzip;q=0", 200, false},
		{"with an ETag", "GET", "/words?n=2000&tag=true", "gzip", 200, false},
		{"of a write", "POST", "/words?n=2000", "gzip", 200, false},
		{"about signing in", "GET", "/auth/words?n=2000", "gzip", 200, false},
		{"a file", "GET", "/file", "gzip", 200, false},
		{"a refusal", "GET", "/words?how=refused", "gzip", 404, false},
		{"a fault", "GET", "/words?how=panic", "gzip", 500, false},
		{"an unknown path", "GET", "/nothing", "gzip", 404, false},
	} {
		res := fetch(t, tt.method, at+tt.path, tt.encoding)
		raw, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != tt.status || (res.Header.Get("Content-Encoding") == "gzip") != tt.packed {
			t.Errorf(
				"%s: %d %v %v; want %d, packed: %t",
				tt.what,
				res.StatusCode,
				res.Header,
				err,
				tt.status,
				tt.packed,
			)
			continue
		}
		if res.Header.Get("No-Gzip-Compression") != "" {
			t.Errorf("%s: an inner header is told", tt.what)
		}
		if tt.packed &&
			(len(raw) > 1000 || unpacked(t, string(raw)) != fmt.Sprintf("%q\n", strings.Repeat("word ", 2000)) ||
				res.Header.Get("Vary") != "Accept-Encoding") {
			t.Errorf("%s: %d bytes, Vary %q", tt.what, len(raw), res.Header.Get("Vary"))
		}
	}
}

func unpacked(t *testing.T, raw string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTheTagOfAResourceIsTheSameWhateverTheClientTakes(t *testing.T) {
	at := packing(t)
	tag := fetch(t, "GET", at+"/words?n=2000&tag=true", "gzip").Header.Get("ETag")
	if res := fetch(
		t,
		"GET",
		at+"/words?n=2000&tag=true",
		"gzip",
		"If-None-Match",
		tag,
	); tag != httpapi.ETag(1) ||
		res.StatusCode != 304 {
		t.Errorf("ETag %s, and asked again with it: %d; want %s, 304", tag, res.StatusCode, httpapi.ETag(1))
	}
}

func TestEventsComeAsTheyHappenToThoseWhoTakeGzip(t *testing.T) {
	res := fetch(t, "GET", packing(t)+"/events", "gzip")
	line, err := bufio.NewReader(res.Body).ReadString('\n')
	if err != nil || line != "event: first\n" || res.Header.Get("Content-Encoding") != "" {
		t.Errorf("the first line is %q, %v, %v", line, err, res.Header)
	}
}

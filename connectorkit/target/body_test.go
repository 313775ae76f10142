package target_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestBodiesAreBounded(t *testing.T) {
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	fmt.Fprint(zip, `"`, strings.Repeat("a", 3<<20))
	_ = zip.Close()
	for _, tt := range []struct {
		name  string
		h     http.HandlerFunc
		class v1.ErrorClass
		code  string
	}{
		{"too large", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `"`)
			for range 100 {
				fmt.Fprint(w, strings.Repeat("a", 64<<10))
			}
		}, v1.ClassTargetFault, "body_too_large"},
		{"too large when decompressed", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		}, v1.ClassTargetFault, "compression_bomb"},
		{"stalls", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"a":`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, v1.ClassTransient, "timeout"},
		{"drips", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, ` `)
				_ = http.NewResponseController(w).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		}, v1.ClassTransient, "body_too_slow"},
		{"is longer than it says", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n{\"a\":1}")
			_ = conn.Close()
		}, v1.ClassTransient, "json_cut"},
		{"is shorter than it says", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "50")
			fmt.Fprint(w, `{"a":1`)
		}, v1.ClassTransient, "body_cut"},
		{"says nothing", func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}, v1.ClassTransient, "timeout"},
		{"no gzip", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "plain text that calls itself compressed")
		}, v1.ClassTargetFault, "bad_compression"},
		{"endless headers", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("a", 40<<10))
		}, v1.ClassTargetFault, "headers_too_large"},
		{"hangs up", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			_ = conn.Close()
		}, v1.ClassTransient, "connection_closed"},
		{"no HTTP", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			fmt.Fprint(conn, "220 mail.example.test ESMTP\r\n")
			_ = conn.Close()
		}, v1.ClassTargetFault, "not_http"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := client(
				t,
				target.Options{
					BaseURL: serve(t, tt.h), MaxBody: 4 << 20, Tries: 1, Timeout: 200 * time.Millisecond,
					BodyTime: 500 * time.Millisecond,
				},
			)
			if d := detail(t, get(t, c)); d.Code != tt.code || d.Class != tt.class || d.Target.Kind != "http" {
				t.Errorf("error = %+v, want %s %s", d, tt.class, tt.code)
			}
		})
	}
}

func TestASlowReaderIsNotASlowTarget(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("a", 1<<20)) })
	resp, err := client(
		t, target.Options{BaseURL: base, Timeout: 100 * time.Millisecond},
	).Do(t.Context(), target.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Close()
	time.Sleep(300 * time.Millisecond)
	if n, err := io.Copy(io.Discard, resp.Body); n != 1<<20 || err != nil {
		t.Errorf("read %d bytes, %v", n, err)
	}
}

func TestAStreamOfHundredMegabytesNeedsLittleMemory(t *testing.T) {
	const n = 1_000_000
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		zip, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		fmt.Fprint(zip, "[")
		for i := range n {
			if i > 0 {
				fmt.Fprint(zip, ",")
			}
			fmt.Fprintf(zip, `{"id":"%08d-%08x","name":"somebody with a name %d"}`, i, i*2654435761, i*7919)
		}
		fmt.Fprint(zip, "]")
		_ = zip.Close()
	})
	resp, err := client(t, target.Options{BaseURL: base}).Do(t.Context(), target.Request{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Close()
	dec, err := resp.JSON()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = dec.Token()
	count := 0
	var mem runtime.MemStats
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			t.Fatal(err)
		}
		if count++; count == n/2 {
			runtime.GC()
			runtime.ReadMemStats(&mem)
		}
	}
	if count != n || mem.HeapAlloc > 32<<20 {
		t.Errorf("%d records with %d MiB of heap", count, mem.HeapAlloc>>20)
	}
}

func TestWhatOnlySoundsLikeASecretIsShownWhole(t *testing.T) {
	const answer = `{"changePassword":{"supported":false},"password":null,"must_change_password":true,"password":"hunter2","deep":{"api_key":"k-77"}}`
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(400)
		fmt.Fprint(w, answer)
	})
	h := detail(t, get(t, client(t, target.Options{BaseURL: base}))).Target.HTTP
	want := strings.NewReplacer("hunter2", "[secret]", "k-77", "[secret]").Replace(answer)
	if h.BodyExcerpt != want {
		t.Errorf("excerpt\n%s, want\n%s", h.BodyExcerpt, want)
	}
}

func TestExcerptsShowTheAnswerWithoutSecrets(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Server", "key the-api-key-value")
		w.Header().Set("Set-Cookie", "session=abc")
		w.WriteHeader(400)
		fmt.Fprint(
			w,
			`{"client_secret":"of somebody else","password": "x y", "got":"the-api-key-value","note":"`+
				strings.Repeat("ä", 5000)+`"}`,
		)
	})
	c := client(
		t, target.Options{BaseURL: base, Auth: target.APIKey{Name: "key", Key: "the-api-key-value", InQuery: true}},
	)
	d := detail(t, get(t, c))
	h := d.Target.HTTP
	if !h.Truncated || len(h.BodyExcerpt) > 4096 || !strings.Contains(h.BodyExcerpt, `"got":"[secret]"`) {
		t.Errorf("excerpt of %d bytes: %.200s", len(h.BodyExcerpt), h.BodyExcerpt)
	}
	if h.URL != base+"/x?key=[secret]" || h.Headers["Server"] != "key [secret]" || h.Headers["Set-Cookie"] != "" {
		t.Errorf("url %s, headers %v", h.URL, h.Headers)
	}
	b, _ := json.Marshal(d)
	for _, secret := range []string{"the-api-key-value", "of somebody else", "x y"} {
		if strings.Contains(string(b), secret) {
			t.Errorf("%q is told: %.300s", secret, b)
		}
	}
}

package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/rest/connection"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// What one hostile answer may cost.
const (
	bombTime = 2 * time.Second
	bombHeap = 256 << 20
)

func readAll(t *testing.T, auth v1.AuthConfig) error {
	return connectorkit.Sync(
		t.Context(),
		newConnector(),
		v1.SyncRequest{AuthConfig: auth},
		connectorkit.Limits{ChunkBytes: 2 << 20},
		func(context.Context, v1.SyncResponse) error { return nil },
	)
}

func TestBombsEndWithAnErrorWithinTheBudget(t *testing.T) {
	chain := strings.Repeat(`{"a":`, 400) + "1" + strings.Repeat("}", 400)
	objects := strings.Repeat("{},", 5_000_000) + "{}"
	for _, tt := range []struct{ name, stream, answer, code string }{
		{"a costly selector", `"record_selector":"$..` + strings.Repeat("[*,*,*]", 12) + `"`, chain, "query_too_costly"},
		{"a costly filter", `"record_selector":"$.data[*]","record_filter":"@` + strings.Repeat("[*,*,*]", 14) + `.x"`,
			`{"data":[` + chain + `]}`, "query_too_costly"},
		{"a costly key", `"record_selector":"$.data[*]","key_path":"$` + strings.Repeat("[*,*,*]", 14) + `"`,
			`{"data":[` + chain + `]}`, "query_too_costly"},
		{"a costly field", `"record_selector":"$.data[*]","fields":{"email":"$` + strings.Repeat("[*,*,*]", 14) + `"}`,
			`{"data":[{"id":1,"x":` + chain + `}]}`, "query_too_costly"},
		{"an answer held whole", `"record_selector":"$..x"`, `{"x":[` + objects + `]}`, "document_too_large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, tt.answer) })
			auth := settings(base, `[{"name":"users","object":"account","request":{"path":"users"},`+tt.stream+`}]`)
			var err error
			took, held := targettest.Cost(func() { err = readAll(t, auth) })
			var d *v1.ErrorDetail
			if !errors.As(err, &d) || d.Code != tt.code || took > bombTime || held > bombHeap {
				t.Errorf(
					"%v after %v with %d MiB; want %s within %v and %d MiB",
					err,
					took,
					held>>20,
					tt.code,
					bombTime,
					bombHeap>>20,
				)
			}
		})
	}
}

func TestTheTestAndDiscoveryEndWithinTheBudgetToo(t *testing.T) {
	chain := strings.Repeat(`{"a":`, 400) + "1" + strings.Repeat("}", 400)
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"data":[%s]}`, chain) })
	auth := settings(
		base,
		`[{"name":"users","object":"account","request":{"path":"users"},"record_selector":"$.data[*]",
		"key_path":"$`+strings.Repeat("[*,*,*]", 14)+`"}]`,
	)
	for name, call := range map[string]func() error{
		"test": func() error {
			answer, err := newConnector().Test(t.Context(), v1.TestRequest{AuthConfig: auth}, nil)
			if err == nil && answer.Error != nil {
				err = answer.Error
			}
			return err
		},
		"discovery": func() error {
			_, err := newConnector().Discover(t.Context(), v1.DiscoverRequest{AuthConfig: auth}, nil)
			return err
		},
	} {
		var err error
		took, held := targettest.Cost(func() { err = call() })
		if err == nil || !strings.Contains(err.Error(), "costly") || took > bombTime || held > bombHeap {
			t.Errorf("%s: %v after %v with %d MiB", name, err, took, held>>20)
		}
	}
}

func TestRecordsOfManyValuesDoNotPileUp(t *testing.T) {
	record := `{"id":%d,"list":[` + strings.Repeat("{},", 4_000) + `{}]}`
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[`)
		for i := range 2_400 { // 29 MB
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprintf(w, record, i)
		}
		fmt.Fprint(w, `]}`)
	})
	var err error
	_, held := targettest.Cost(func() {
		err = readAll(
			t,
			settings(
				base,
				`[{"name":"users","object":"account","request":{"path":"users"},"record_selector":"$.data[*]"}]`,
			),
		)
	})
	if err != nil || held > bombHeap {
		t.Errorf("%v with %d MiB", err, held>>20)
	}
}

func TestMoreThanOneDescentIsRefusedInSettings(t *testing.T) {
	for _, setting := range []string{`"record_selector":"$..a..b"`, `"key_path":"..a..b"`,
		`"record_filter":"@..a && @..b"`,
		`"error":{"message_path":"$..a..b"}`, `"fields":{"email":"$..a..b"}`} {
		err := connection.Check(
			settings("https://x.test", `[{"name":"users","object":"account","request":{"path":"users"},`+setting+`}]`),
		)
		if err == nil || !strings.Contains(err.Error(), ".. only once") {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

func TestAPathThatLeavesBaseURLIsRefusedInSettings(t *testing.T) {
	for _, path := range []string{"../../admin", "users/../../admin", "/../admin?x=1", "%2e%2e/admin"} {
		err := connection.Check(
			settings("https://x.test/api", `[{"name":"users","object":"account","request":{"path":"`+path+`"}}]`),
		)
		if err == nil || !strings.Contains(err.Error(), "out of the path of base_url") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

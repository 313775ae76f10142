package rest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// departments gives 130 records whose member dept has so many different values, 50 a page.
func departments(t *testing.T, different int) v1.AuthConfig {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := 0
		_, _ = fmt.Sscan(r.FormValue("offset"), &from)
		var out []string
		for i := from; i < min(from+50, 130); i++ {
			out = append(out, fmt.Sprintf(`{"id":%d,"dept":"d%d"}`, i, i%different))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "["+strings.Join(out, ",")+"]")
	}))
	t.Cleanup(srv.Close)
	return settings(
		srv.URL,
		`[{"name":"people","object":"account","request":{"path":"p"},"record_selector":"$[*]","key_path":"dept",
		"pagination":{"style":"offset","limit_param":"limit","size":50}}]`,
	)
}

func TestKeysThatAreNotUniqueAreNamedAsTheCause(t *testing.T) {
	t.Parallel()
	got := mustRead(t, departments(t, 28))
	found := false
	for _, w := range got.Page.Warnings {
		found = found ||
			w.Code == "keys_not_unique" && strings.Contains(w.Message, "d0, d1, d2") &&
				strings.Contains(w.Message, "key_path")
	}
	if !found {
		t.Errorf("warnings %+v; want keys_not_unique with examples", got.Page.Warnings)
	}
	for _, s := range got.Page.Scopes {
		if s.Kind == v1.Accounts && s.Complete {
			t.Errorf("%+v; records that replace each other prove nothing", s)
		}
	}
	if d := failing(t, departments(t, 2)); d.Code != "keys_not_unique" || !strings.Contains(d.Message, "d0, d1") ||
		!strings.Contains(d.Hint, "key_path") {
		t.Errorf("error %+v; want the keys named", d)
	}
}

func TestUniqueKeysGiveNoWarning(t *testing.T) {
	t.Parallel()
	for _, w := range mustRead(t, departments(t, 130)).Page.Warnings {
		if w.Code == "keys_not_unique" {
			t.Errorf("warned: %s", w.Message)
		}
	}
}

func TestATestNamesRecordsThatAreNoUTF8(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=iso-8859-1")
		_, _ = io.WriteString(w, "[{\"id\":1,\"name\":\"J\xf6rg\"},{\"id\":2,\"name\":\"Bj\xf6rn\"}]")
	}))
	t.Cleanup(srv.Close)
	auth := settings(srv.URL, `[{"name":"people","object":"account","request":{"path":"p"},"record_selector":"$[*]"}]`)
	got, err := newConnector().Test(t.Context(), v1.TestRequest{AuthConfig: auth}, nil)
	if err != nil || len(got.Warnings) != 1 || got.Warnings[0].Code != "flawed_record" ||
		!strings.Contains(got.Warnings[0].Message, "UTF-8") {
		t.Errorf("warnings %+v, %v; want the encoding named", got.Warnings, err)
	}
}

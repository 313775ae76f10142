package scim

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAnswersOfManyValuesEndWithinTheBudget(t *testing.T) {
	objects := strings.Repeat("{},", 10<<20) + "{}" // 30 MiB
	user := `{"id":"1","userName":"a","emails":[` + strings.Repeat("{},", 20_000) + `{}]}`
	list := func(resources string) string { return `{"totalResults":1,"Resources":[` + resources + `]}` }
	for _, tt := range []struct{ name, users, groups, code string }{
		{"empty users", list(objects), noUsers, "too_many_bad_records"},
		{"empty groups", noUsers, list(objects), "too_many_bad_records"},
		{"one user with many values", list(`{"id":"1","userName":"a","emails":[` + objects + `]}`), noUsers, ""},
		{"users with many values", list(strings.Repeat(user+",", 500) + user), noUsers, "answer_too_large"},
		{"many members beside the list", `{"totalResults":0,"x":[` + strings.Repeat("[],", 80_000) + `[]],` +
			strings.Repeat(`"y":[[],[],[]],`, 2_000_000) + `"Resources":[]}`, noUsers, "answer_too_large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/Users"):
					_, _ = io.WriteString(w, tt.users)
				case strings.HasSuffix(r.URL.Path, "/Groups"):
					_, _ = io.WriteString(w, tt.groups)
				default:
					http.NotFound(w, r)
				}
			}))
			var err error
			took, held := targettest.Cost(func() {
				err = connectorkit.Sync(
					t.Context(),
					connector(),
					v1.SyncRequest{AuthConfig: bearer(base)},
					connectorkit.Limits{
						ChunkBytes: 2 << 20,
					},
					func(context.Context, v1.SyncResponse) error { return nil },
				)
			})
			var d *v1.ErrorDetail
			code := ""
			if errors.As(err, &d) {
				code = d.Code
			}
			if code != tt.code || took > 2*time.Second || held > 256<<20 {
				t.Errorf("%v after %v with %d MiB; want %q", err, took, held>>20, tt.code)
			}
		})
	}
	t.Run("test", func(t *testing.T) {
		base := serve(
			t,
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, list(objects)) }),
		)
		took, held := targettest.Cost(func() {
			_, _ = connector().Test(t.Context(), v1.TestRequest{AuthConfig: bearer(base)}, nil)
		})
		if took > 2*time.Second || held > 256<<20 {
			t.Errorf("%v with %d MiB", took, held>>20)
		}
	})
}

package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// live is how many bytes a collection found in use. What the service of the test writes meanwhile does not count: on a
// busy machine it is many pages.
func live() uint64 {
	runtime.GC()
	found := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(found)
	return found[0].Value.Uint64()
}

// TestMemoryDoesNotGrowWithTheService reads 50,000 accounts of about 400 bytes, which are 20 MB, in both ways in which
// a long read may come.
func TestMemoryDoesNotGrowWithTheService(t *testing.T) {
	const lines, each = 100, 500
	one := func(n int) string {
		var b strings.Builder
		for i := range each {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(
				&b,
				`{"external_id":"a%d","username":"user%d","attributes":{"note":%q}}`,
				n*each+i,
				n*each+i,
				strings.Repeat("note ", 64),
			)
		}
		return "[" + b.String() + "]"
	}
	for name, answer := range map[string]func(http.ResponseWriter, v1.SyncRequest, int){
		"stream": func(w http.ResponseWriter, _ v1.SyncRequest, _ int) {
			w.Header().Set("Content-Type", response.MediaNDJSON)
			for i := range lines {
				_, _ = io.WriteString(w, answer(one(i), fmt.Sprintf(`{"has_more":%v}`, i < lines-1))+"\n")
			}
		},
		"pages": func(w http.ResponseWriter, _ v1.SyncRequest, n int) {
			page := fmt.Sprintf(`{"next_page_token":"t%d"}`, n)
			if n == lines {
				page = `{}`
			}
			_, _ = io.WriteString(w, answer(one(n-1), page))
		},
	} {
		s := start(t, answer)
		before, most, total, chunks := live(), uint64(0), 0, 0
		err := connectorkit.Sync(
			t.Context(),
			newConnector(),
			v1.SyncRequest{AuthConfig: s.auth()},
			connectorkit.Limits{ChunkSize: each},
			func(_ context.Context, p v1.SyncResponse) error {
				total += len(p.Accounts)
				if chunks++; chunks%10 == 0 {
					most = max(most, live())
				}
				return nil
			},
		)
		if err != nil || total != lines*each {
			t.Fatalf("%s: %d accounts, %v", name, total, err)
		}
		if grown := (max(most, before) - before) >> 20; grown > 12 {
			t.Errorf("%s: %d MiB more were held", name, grown)
		} else {
			t.Logf("%s: %d MiB more were held", name, grown)
		}
	}
}

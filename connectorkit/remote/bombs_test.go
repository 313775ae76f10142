package remote

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
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAnswersOfManyValuesEndWithAnErrorWithinTheBudget(t *testing.T) {
	objects := strings.Repeat("{},", 10<<20) + "{}" // 30 MiB
	few := strings.Repeat("{},", 1<<20) + "{}"      // of one line
	record := `{"external_id":"1","attributes":{"a":[` + strings.Repeat("{},", 60_000) + `{}]}}`
	for _, tt := range []struct{ name, media, answer, code string }{
		{"empty records", response.MediaJSON, `{"success":true,"accounts":[` + objects + `]}`, "answer_too_large"},
		{"empty records of a kind that is not read", response.MediaJSON, `{"success":true,"grants":[` + objects + `]}`,
			"answer_too_large"},
		{"a few empty records", response.MediaJSON, `{"success":true,"accounts":[` + strings.Repeat("{},", 2000) + `{}]}`,
			"too_many_bad_records"},
		{"many records", response.MediaJSON, `{"success":true,"accounts":[` +
			strings.Repeat(`{"external_id":"1"},`, response.MaxRecords) + `{"external_id":"1"}]}`, "protocol_violation"},
		{"attributes", response.MediaJSON, `{"success":true,"accounts":[` + strings.Repeat(record+",", 150) + record + `]}`,
			"answer_too_large"},
		{"present", response.MediaJSON, `{"success":true,"page":{"present":[` + objects + `]}}`, "answer_too_large"},
		{"a line", response.MediaNDJSON, `{"success":true,"accounts":[` + few + `],"page":{"has_more":false}}` + "\n",
			"answer_too_large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, func(w http.ResponseWriter, _ v1.SyncRequest, _ int) {
				w.Header().Set("Content-Type", tt.media)
				_, _ = io.WriteString(w, tt.answer)
			})
			var err error
			took, held := targettest.Cost(func() {
				err = connectorkit.Sync(
					t.Context(),
					newConnector(),
					v1.SyncRequest{
						AuthConfig: s.auth(),
						Options:    &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Accounts}},
					},
					connectorkit.Limits{
						ChunkBytes: 2 << 20,
					},
					func(context.Context, v1.SyncResponse) error { return nil },
				)
			})
			var d *v1.ErrorDetail
			if !errors.As(err, &d) || d.Code != tt.code || took > 2*time.Second || held > 256<<20 {
				t.Errorf("%v after %v with %d MiB; want %s", err, took, held>>20, tt.code)
			}
		})
	}
}

func TestTheMostRecordsOfAnAnswerAreRead(t *testing.T) {
	var b strings.Builder
	for i := range response.MaxRecords {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(
			&b,
			`{"external_id":"%d","username":"u%d","email":"u%d@x.test","display_name":"User %d"}`,
			i,
			i,
			i,
			i,
		)
	}
	s := start(t, func(w http.ResponseWriter, _ v1.SyncRequest, _ int) {
		_, _ = io.WriteString(w, `{"success":true,"accounts":[`+b.String()+`]}`)
	})
	n := 0
	_, held := targettest.Cost(func() {
		err := connectorkit.Sync(
			t.Context(),
			newConnector(),
			v1.SyncRequest{AuthConfig: s.auth()},
			connectorkit.Limits{},
			func(_ context.Context, p v1.SyncResponse) error { n += len(p.Accounts); return nil },
		)
		if err != nil {
			t.Error(err)
		}
	})
	if n != response.MaxRecords || held > 256<<20 {
		t.Errorf("%d records with %d MiB", n, held>>20)
	}
}

package syncrun_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// BenchmarkFirstLoad takes in 20,000 people and 40,000 memberships from a connector in this process.
func BenchmarkFirstLoad(b *testing.B) { firstLoad(b, func(*world) {}) }

// BenchmarkFirstLoadThatIsToldOf does the same while somebody wants to hear of every person.
func BenchmarkFirstLoadThatIsToldOf(b *testing.B) { firstLoad(b, (*world).listens) }

func firstLoad(b *testing.B, before func(*world)) {
	const people, groups, members = 20000, 200, 200
	var pages []v1.SyncResponse
	for lo := 0; lo < people; lo += 500 {
		var page v1.SyncResponse
		for i := lo; i < lo+500; i++ {
			id := fmt.Sprintf("u%07d", i)
			one := person(id, "Person "+id, id+"@x.test", map[string]any{
				"uid":              id,
				"givenName":        "Person",
				"sn":               id,
				"employeeNumber":   fmt.Sprint(100000 + i),
				"departmentNumber": fmt.Sprint("D", i%10),
				"manager": fmt.Sprintf(
					"uid=u%07d",
					i/10,
				),
				"objectClass":     []any{"top", "inetOrgPerson"},
				"entryUUID":       id,
				"createTimestamp": "2026-01-01T00:00:00Z",
			})
			page.Identities = append(page.Identities, one.Identities...)
			page.Accounts = append(page.Accounts, one.Accounts...)
		}
		pages = append(pages, page)
	}
	for g := range groups {
		names := make([]string, members)
		for k := range names {
			names[k] = fmt.Sprintf("uid=u%07d", (g*members+k)%people)
		}
		pages = append(pages, group(fmt.Sprintf("g%d", g), names...))
	}
	for b.Loop() {
		b.StopTimer()
		w := newWorld(b)
		w.source.pages = pages
		before(w)
		b.StartTimer()
		run := w.start(syncrun.Trigger{ChunkSize: 1000})
		run = w.await(run.ID, func(r syncrun.Run) bool { return r.Status.Ended() })
		if run.Status != syncrun.Succeeded {
			b.Fatalf("%s: %+v", run.Status, run.Error)
		}
		b.ReportMetric(float64(people*2+groups*members)/time.Since(*run.StartedAt).Seconds(), "records/s")
		w.stop()
	}
}

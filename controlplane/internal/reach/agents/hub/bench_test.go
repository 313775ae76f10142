package hub

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// bulk is a chunk of 1000 accounts as a directory has them, some 400 kB.
func bulk(last bool) *v1.SyncResponse {
	p := &v1.SyncResponse{Success: true, Page: &v1.Page{HasMore: !last}}
	for i := range 1000 {
		name := fmt.Sprintf("user%05d", i)
		p.Accounts = append(p.Accounts, v1.RemoteAccount{
			ExternalID: fmt.Sprintf("6d1f7c9e-0000-4000-8000-%012d", i), Username: &name,
			Attributes: map[string]any{
				"mail":              name + "@example.org",
				"department":        "Research and Development",
				"title":             "Engineer",
				"l":                 "Mühlheim",
				"distinguishedName": "uid=" + name + ",ou=people,dc=example,dc=org",
				"employeeNumber":    i,
			},
		})
	}
	p.Normalize()
	return p
}

// stream answers every offer of a sync with n chunks, held back by credit as a real agent is.
func (l *line) stream(n int) {
	offer, body := l.accept()
	w := wire.NewWindow(body.Credit)
	middle, last := bulk(false), bulk(true)
	for seq := 1; seq <= n; seq++ {
		for !w.Open() {
			l.acked(w)
		}
		f := of(offer, wire.TypeChunk)
		f.ID, f.TS, f.Seq = wire.NewID(time.Now()), time.Now(), seq
		page := middle
		if seq == n {
			page = last
		}
		data, err := wire.Encode(f, page)
		if err != nil {
			l.t.Error(err)
			return
		}
		if _, err := w.Add(data); err != nil {
			l.t.Error(err)
			return
		}
		l.write(data)
	}
	for w.Unacked() > 0 {
		l.acked(w)
	}
	l.finish(offer, wire.Summary{Chunks: n})
}

func (l *line) acked(w *wire.Window) {
	f := l.next()
	if f.Type != wire.TypeAck {
		return
	}
	a, err := wire.DecodeBody[wire.Ack](f)
	if err != nil {
		l.t.Error(err)
		return
	}
	if err := w.Ack(a); err != nil {
		l.t.Error(err)
	}
}

// BenchmarkSyncThroughAnAgent measures 100 chunks over a loopback socket, both ends in one process.
func BenchmarkSyncThroughAnAgent(b *testing.B) {
	h := newHouse(b)
	m := h.enrol("HQ", "")
	l := m.connect()
	size, err := wire.Encode(wire.Frame{Type: wire.TypeChunk}, bulk(false))
	if err != nil {
		b.Fatal(err)
	}
	const chunks = 100
	b.SetBytes(int64(len(size)) * chunks)
	var peak uint64
	for b.Loop() {
		go l.stream(chunks)
		err := h.dispatcher().Sync(ctx, m.run(1), v1.SyncRequest{}, func(context.Context, v1.SyncResponse) error {
			var s runtime.MemStats
			runtime.ReadMemStats(&s)
			peak = max(peak, s.HeapInuse)
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(peak)/(1<<20), "MB-heap-peak")
}

// BenchmarkTestThroughAnAgent measures what the way over the socket adds to a call.
func BenchmarkTestThroughAnAgent(b *testing.B) {
	h := newHouse(b)
	m := h.enrol("HQ", "")
	l := m.connect()
	go func() {
		for {
			select {
			case f := <-l.frames:
				if f.Type == wire.TypeOffer {
					l.finish(f, v1.TestResponse{Success: true})
				}
			case <-l.ended:
				return
			}
		}
	}()
	for b.Loop() {
		if _, err := h.dispatcher().Test(ctx, m.target(), v1.TestRequest{AuthConfig: secretly}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

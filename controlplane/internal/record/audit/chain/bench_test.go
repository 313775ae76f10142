package chain_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// links makes a log of ordinary entries.
func links(n int) []chain.Link {
	out := make([]chain.Link, n)
	prev := chain.Genesis
	for i := range out {
		event := fmt.Appendf(
			nil,
			`{"action":"identity.updated","actor":{"display":"ada@example.com",`+
				`"id":"01a1f99f-1d39-767a-8283-ef45f2482195","ip":"192.0.2.7","roles":["admin"],`+
				`"type":"user"},"category":"identity","changes":[{"after":"Sales","before":"Finance",`+
				`"field":"department"},{"after":"Lead","before":"Analyst","field":"title"}],`+
				`"context":{"request_id":"01a1f99f-1d39-767a-8283-ef45f2482196"},"outcome":"success","seq":%d,`+
				`"subject":{"display":"Ada Lovelace","id":"01a1f99f-1d39-767a-8283-ef45f2482197",`+
				`"type":"identity"},"tenant_id":"01a1f99f-1d39-767a-8283-ef45f2482198",`+
				`"time":"2026-01-02T03:04:05.678Z"}`,
			i+1,
		)
		out[i] = chain.Link{Seq: int64(i + 1), Event: event, Prev: prev, Hash: chain.Hash(prev, event)}
		prev = out[i].Hash
	}
	return out
}

func BenchmarkVerifier(b *testing.B) {
	log := links(10000)
	for b.Loop() {
		v := chain.From("", 0, chain.Genesis)
		for _, l := range log {
			if err := v.Next(l); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N*len(log))/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkVerifyFile(b *testing.B) {
	log := links(20000)
	var text []byte
	for _, l := range log {
		text = chain.AppendLink(text, l)
	}
	text = append(text, `{"type":"end","last_seq":20000}`...)
	path := filepath.Join(b.TempDir(), "audit.ndjson")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := chain.VerifyFile(path, public(key('a')))
		if err != nil || r.Break.Kind != chain.Unsigned || r.Events != int64(len(log)) {
			b.Fatalf("%+v, %v", r, err)
		}
	}
	b.ReportMetric(float64(b.N*len(log))/b.Elapsed().Seconds(), "events/s")
}

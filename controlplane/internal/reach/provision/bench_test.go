package provision_test

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkChanges grants one entitlement to each of 1000 accounts of a target that takes 20 ms for a change, and says
// which share of the time the calls were with the target, of all the time that the four calls at once had.
func BenchmarkChanges(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		h := Open(b)
		staff := h.Entitlement(h.connector, "staff")
		for i := range 1000 {
			name := fmt.Sprintf("p%04d", i)
			who := h.person(name)
			h.account(name, who)
			h.give(who, staff)
		}
		h.plan()
		h.target.delay = 20 * time.Millisecond
		calls := &stopwatch{}
		h.s.Dispatch = watched{h.target, calls.mark}
		b.StartTimer()
		began := time.Now()
		h.drain()
		whole := time.Since(began)
		if n := h.Count(`select count(*) from provisioning_task where state = 'done'`); n != 1000 {
			b.Fatalf("%d of 1000 are done", n)
		}
		b.ReportMetric(100*calls.sum.Seconds()/(4*whole.Seconds()), "%_waiting_for_target")
		b.ReportMetric(1000/whole.Seconds(), "changes/s")
	}
}

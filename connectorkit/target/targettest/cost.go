package targettest

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// gcPercent is that of the control plane.
const gcPercent = 300

// Cost is how much processor time do takes, which unlike the time on the wall does not depend on what else
// runs, and how many bytes of heap it holds at most over what there was before.
func Cost(do func()) (took time.Duration, held uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, atomic.Uint64{}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapAlloc))
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	began := cpuTime()
	do()
	took = cpuTime() - began
	close(stop)
	<-ended
	return took, max(most.Load(), before) - before
}

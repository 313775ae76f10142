package merge

import (
	"context"
	"runtime"
	"testing"
)

func TestAMergerTakesLittleMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx, stop := context.WithCancelCause(t.Context())
	m := &Pipeline{}
	m.Start(ctx, stop)
	if err := m.Finish(false); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("a merger with nothing to merge allocates %d KiB", grown>>10)
	}
}

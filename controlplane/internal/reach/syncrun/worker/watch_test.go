package worker

import (
	"testing"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestANoticeThatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	var w watch
	until := time.Now().Add(time.Hour)
	w.hear(v1.Progress{RateWaitUntil: &until})
	if _, _, fresh := w.news(); !fresh {
		t.Fatal("an announced wait is no news")
	}
	w.unwritten()
	if got, _, fresh := w.news(); !fresh || got == nil || !got.Equal(until) {
		t.Errorf("after a write that failed the wait is %v, news %v", got, fresh)
	}
}

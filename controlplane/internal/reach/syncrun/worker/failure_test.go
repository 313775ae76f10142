package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestOnlyALostDatabaseCountsAsLost(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{fmt.Errorf("stage chunk 3: %w", io.ErrUnexpectedEOF), true},
		{fault.Coded(fault.Unavailable, "database_unavailable", "the database does not answer"), true},
		{&v1.ErrorDetail{Class: v1.ClassTransient, Code: "reset", Message: "the target hung up"}, false},
		{errors.New("syntax error"), false},
		{context.Canceled, false},
	} {
		if got := lost(tt.err); got != tt.want {
			t.Errorf("lost(%v) = %v; want %v", tt.err, got, tt.want)
		}
	}
}

func TestPausesGrowWithEachFailure(t *testing.T) {
	for failures := 1; failures < maxFailures; failures++ {
		if d, next := pause(failures), pause(failures+1); d <= 0 || next < d*3/4 {
			t.Errorf("after %d failures %v, after the next %v", failures, d, next)
		}
	}
}

package syncrun_test

import (
	"context"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAReadingThatDidNotComeToItsEndIsNoSuccess(t *testing.T) {
	w := newWorld(t)
	all := staff(6)
	w.source.script = telling("c1", nil, all...)
	w.full(syncrun.Trigger{})
	before := w.holdings()
	last := v1.SyncResponse{
		Success: true,
		Page:    &v1.Page{Scopes: []v1.Scope{{Kind: v1.Accounts, Key: "*"}, {Kind: v1.Identities, Key: "*"}}},
	}
	w.source.script = func(ctx context.Context, _ v1.SyncRequest,
		emit connectorkit.Emit) error {
		return emit(ctx, last)
	}
	if got := w.full(syncrun.Trigger{}); got.Status != syncrun.Partial || got.Complete["accounts"] {
		t.Errorf("a run whose connector read nobody to the end is %s: %+v", got.Status, got.Error)
	}
	if got := w.holdings(); got != before {
		t.Errorf("it changed the store to\n%s\nfrom\n%s", got, before)
	}
	w.source.script = telling("c2", nil, all...)
	if got := w.full(syncrun.Trigger{}); got.Status != syncrun.Succeeded {
		t.Errorf("the next run is %s: %+v", got.Status, got.Error)
	}
}

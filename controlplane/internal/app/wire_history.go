package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/history"
)

// addHistory adds what was: timelines, and people compared with others and with themselves.
func addHistory(_ context.Context, p *parts) error {
	past := &history.Service{DB: p.db, Cursors: p.cursors, Now: time.Now}
	p.routes = append(p.routes, past.Routes()...)
	return nil
}

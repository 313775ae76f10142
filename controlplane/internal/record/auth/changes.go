package auth

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// changesChannel is where the database's triggers announce that somebody's rights, a session, a tenant or a key
// changed.
const changesChannel = "grantwright_auth"

const listenPause = time.Second // between two tries to listen

// Run listens for changes that other processes made, so that a revocation works here at once instead of when what is
// remembered has grown old. It ends with ctx. Nothing depends on it: without it, and while the connection is lost, the
// age of what is remembered bounds the delay.
func (s *Service) Run(ctx context.Context) error {
	for {
		err := pg.Listen(ctx, s.DB, changesChannel, s.heard)
		if ctx.Err() != nil {
			return nil
		}
		s.Log.DebugContext(ctx, "not hearing of changed rights for the moment", "err", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(listenPause):
		}
	}
}

// heard forgets what may have changed: the rights of all sessions, service tokens and tenants, since to read those in
// use again costs a query for each, which is what four seconds cost anyway.
func (s *Service) heard() {
	s.Signer.Keys.SetStale(true)
	s.ForgetTenants()
}

// ForgetTenants drops what is remembered of how tenants stand, which is also a part of what their tokens may do, so
// that in this process a change works at once.
func (s *Service) ForgetTenants() {
	s.ForgetAll()
	s.SSO.ForgetOptions()
}

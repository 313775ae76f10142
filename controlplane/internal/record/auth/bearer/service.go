package bearer

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/lru"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
)

// rightsAge is how old rights may be when a request is judged by them. With the time of a query it stays below the five
// seconds in which a revocation must work everywhere.
const rightsAge = 4 * time.Second

// Authenticator tells who is asking by the token of a request, with the rights that the database says they have now.
// What it remembers of rights is at most rightsAge old. It is safe for concurrent use.
type Authenticator struct {
	DB     *pg.DB
	Log    *slog.Logger
	Now    func() time.Time
	Signer *signing.Signer

	changes atomic.Int64 // how often a change of rights was announced

	verified     *lru.Cache[[32]byte, signing.Claims] // by the token's hash: a signature costs 50 µs to verify
	rights       *lru.Cache[string, rights]           // by session
	integrations *integrations
	standings    *lru.Cache[string, standing]  // by tenant
	denials      *lru.Cache[string, time.Time] // what was audited as refused, and when
	visits       *lru.Cache[string, time.Time] // when a tenant was last told that an operator works in it
}

// NewAuthenticator makes an Authenticator that remembers nothing yet.
func NewAuthenticator(db *pg.DB, log *slog.Logger, now func() time.Time, signer *signing.Signer) *Authenticator {
	return &Authenticator{
		DB: db, Log: log, Now: now, Signer: signer,
		verified:     lru.New[[32]byte, signing.Claims](10_000),
		rights:       lru.New[string, rights](10_000),
		integrations: newIntegrations(),
		standings:    lru.New[string, standing](10_000),
		denials:      lru.New[string, time.Time](10_000),
		visits:       lru.New[string, time.Time](10_000),
	}
}

// ForgetServiceTokens drops the rights that are remembered of all service tokens: they may stand on those of a user
// that changed.
func (s *Authenticator) ForgetServiceTokens() { s.integrations.forget() }

// ForgetAll drops the rights of all sessions and service tokens, and what is remembered of tenants. An answer of the
// database that is still on its way is not remembered either.
func (s *Authenticator) ForgetAll() {
	s.changes.Add(1)
	s.rights.Drop(func(string, rights) bool { return true })
	s.integrations.forget()
	s.standings.Drop(func(string, standing) bool { return true })
}

// ForgetUser drops what is remembered of a user's sessions, so that in this process a change works at once.
func (s *Authenticator) ForgetUser(tenantID, userID string) {
	s.rights.Drop(func(_ string, f rights) bool { return f.viewer.Tenant == tenantID && f.viewer.ID == userID })
}

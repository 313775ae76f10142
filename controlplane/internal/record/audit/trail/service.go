package trail

import (
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail/signingkey"
)

// Service reads, signs and shortens the log.
type Service struct {
	DB      *pg.DB
	Keys    *signingkey.Keys
	Cursors *httpapi.Cursors
	Log     *slog.Logger
	Now     func() time.Time

	broken brokenLogs
}

// New opens the key that checkpoints are signed with, making it on the first start.
func New(db *pg.DB, ring *seal.Keyring, cursors *httpapi.Cursors, log *slog.Logger) *Service {
	return &Service{DB: db, Keys: &signingkey.Keys{DB: db, Ring: ring}, Cursors: cursors, Log: log, Now: time.Now}
}

var readers = []viewer.Role{viewer.Admin, viewer.Auditor}

// Routes are the operations of the audit log.
func (s *Service) Routes() []httpapi.Route {
	const family = "audit-events"
	routes := []httpapi.Route{
		httpapi.Handle("GET", "/audit-events", "List audit events", s.handleList).
			Describe("The newest first. Reading the log is recorded as audit.read, " +
				"at most once a minute for each reader."),
		httpapi.Handle("GET", "/audit-events/catalog", "List audited actions", s.handleCatalog),
		httpapi.Handle("GET", "/audit-events/verify", "Verify the audit log", s.handleVerify).Errors(503).
			Describe("Recomputes the hash chain from one entry to another and compares it with every signed " +
				"checkpoint. A long log is verified in parts: while next_seq is not null, call again with " +
				"from_seq=next_seq. The verification is recorded as audit.verified."),
		httpapi.Handle("GET", "/audit-events/checkpoints", "List audit checkpoints", s.handleCheckpoints).
			Describe("The newest first, with the public keys that verify them. Keep copies elsewhere: they prove " +
				"whether the end of the log was removed or the whole log was replaced. Each call is recorded as " +
				"audit.checkpoints_read."),
		httpapi.Download("GET", "/audit-events/export", "Export audit events", "application/x-ndjson", s.handleExport).
			Errors(503).
			Describe("As it is read, of any size. ndjson carries seq, prev_hash and hash, and ends with the signed " +
				"checkpoints and the public key: " +
				"`grantwright audit verify FILE` needs nothing else. It accepts only from and to, because a chain " +
				"with holes proves nothing. csv and ocsf " +
				"(OCSF 1.3, one JSON object a line) take every filter. It is recorded as audit.exported before the " +
				"first byte."),
		httpapi.Handle("GET", "/audit-events/{id}", "Retrieve an audit event", s.handleFind).
			Describe("By its number, seq."),
	}
	for i := range routes {
		routes[i] = routes[i].For(readers...).Tag(family)
	}
	return append(
		routes,
		httpapi.Handle("GET", "/settings/audit/retention", "Get the audit retention", s.handleRetention).
			For(readers...).
			Tag("settings"),
		httpapi.Handle("PUT", "/settings/audit/retention", "Set how long the audit log is kept", s.handleKeep).
			For(viewer.Admin).
			Errors(412).
			Tag("settings").
			Describe("Older entries are deleted up to a signed checkpoint, from which the log stays verifiable."),
	)
}

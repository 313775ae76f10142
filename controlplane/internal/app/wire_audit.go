package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/stream"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail"
)

// addAudit adds what is done with the audit log: reading, signing, sending and shortening it.
func addAudit(_ context.Context, p *parts) error {
	log := trail.New(p.db, p.ring, p.cursors, p.log)
	streams := stream.New(p.db, p.ring, p.guard, p.cursors, p.log)
	p.routes = append(p.routes, log.Routes()...)
	p.routes = append(p.routes, streams.Routes()...)
	p.workers = append(p.workers, streams.Run)
	p.kinds = append(p.kinds, log.Kinds()...)
	p.jobs = append(p.jobs, log.Jobs()...)
	return nil
}

// AuditVerdict is what verifying a tenant's log found.
type AuditVerdict struct {
	Slug string
	trail.Verdict
}

// VerifyAudit verifies the audit logs of all tenants, or of the one with that short name, and reports each valid one.
// It returns an error that names the first bad entry of each that is not.
func VerifyAudit(
	ctx context.Context,
	db *pg.DB,
	ring *seal.Keyring,
	slug string,
	log *slog.Logger,
	good func(AuditVerdict),
) error {
	ids, names, err := database.TenantNames(ctx, db)
	if err != nil {
		return err
	}
	service := trail.New(db, ring, nil, log)
	var bad []error
	looked := 0
	for _, id := range ids {
		if slug != "" && names[id] != slug {
			continue
		}
		looked++
		verdict, err := verifyWhole(ctx, service, viewer.System(id))
		if err != nil {
			return fmt.Errorf("verify the audit log of %s: %w", names[id], err)
		}
		if !verdict.OK {
			bad = append(bad, fmt.Errorf("the audit log of %s does not verify: %w", names[id], verdict.FirstBreak))
			continue
		}
		good(AuditVerdict{names[id], verdict})
	}
	if slug != "" && looked == 0 {
		return fmt.Errorf("there is no tenant %q", slug)
	}
	return errors.Join(bad...)
}

// RotateAuditKey gives checkpoints a new key, announced in the log of every tenant, and returns its fingerprint.
func RotateAuditKey(
	ctx context.Context,
	db *pg.DB,
	ring *seal.Keyring,
	log *slog.Logger,
) (fingerprint string, err error) {
	tenants, _, err := database.TenantNames(ctx, db)
	if err != nil {
		return "", err
	}
	key, err := trail.New(db, ring, nil, log).Rotate(ctx, tenants)
	if err != nil {
		return "", err
	}
	return chain.Fingerprint(key.Public), nil
}

// verifyWhole verifies a log in as many parts as it takes.
func verifyWhole(ctx context.Context, service *trail.Service, v viewer.Viewer) (trail.Verdict, error) {
	whole, err := service.Verify(ctx, v, 0, 0)
	for part := whole; err == nil && part.OK && part.NextSeq != nil; {
		if part, err = service.Verify(ctx, v, *part.NextSeq, 0); err == nil {
			whole.Checked, whole.Checkpoints = whole.Checked+part.Checked, whole.Checkpoints+part.Checkpoints
			whole.OK, whole.FirstBreak, whole.Head = part.OK, part.FirstBreak, part.Head
		}
	}
	return whole, err
}

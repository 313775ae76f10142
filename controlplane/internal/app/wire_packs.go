package app

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// addPacks adds sector packs, and what binds the parts of them that wait.
func addPacks(_ context.Context, p *parts) error {
	trusted, err := packKeys(p.config.PackTrustedKeys)
	if err != nil {
		return err
	}
	p.packs = &pack.Service{
		DB:            p.db,
		Cursors:       p.cursors,
		Trusted:       trusted,
		AllowUnsigned: p.config.PackAllowUnsigned,
		Log:           p.log,
		Now:           time.Now,
	}
	p.routes = append(p.routes, p.packs.Routes()...)
	p.kinds = append(p.kinds, p.packs.Kinds()...)
	return nil
}

// packKeys reads the public keys whose packs may be uploaded.
func packKeys(paths []string) (keys []ed25519.PublicKey, err error) {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("pack-trusted-keys: %w", err)
		}
		more, err := archive.ParsePublicKeys(text)
		if err != nil {
			return nil, fmt.Errorf("pack-trusted-keys: %s: %w", path, err)
		}
		keys = append(keys, more...)
	}
	return keys, nil
}

// InitialPacks installs the sector packs that a tenant begins with: those that come with the service.
func InitialPacks(log *slog.Logger) tenant.Packs {
	packs := &pack.Service{Log: log, Now: time.Now}
	return tenant.Packs{
		Check: func(choices []tenant.SectorPackChoice) error { return pack.CheckChoices(chosen(choices)) },
		Install: func(ctx context.Context, tx *pg.Tx, choices []tenant.SectorPackChoice) error {
			return packs.Found(ctx, tx, chosen(choices))
		},
	}
}

func chosen(choices []tenant.SectorPackChoice) []pack.Choice {
	out := make([]pack.Choice, len(choices))
	for i, c := range choices {
		out[i] = pack.Choice{Key: c.Key, Version: c.Version, Parameters: c.Parameters}
	}
	return out
}

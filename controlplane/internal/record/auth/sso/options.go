package sso

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
)

// optionsRate is how often an address may ask what there is to sign in with: everybody of an office may open the page
// at once, nobody goes through a list of names.
var optionsRate = viewer.Rate{PerSecond: 5, Burst: 100}

// optionsAge is how long the options of a tenant are remembered.
const optionsAge = 4 * time.Second

// SignInOptions are the ways into a tenant, for a page that nobody has signed in to yet.
type SignInOptions struct {
	// the slug to sign in with: the one that was asked for, or that of the address, or of the only tenant; empty when
	// there are several
	Tenant string `json:"tenant"`
	// there are several tenants, and neither the request nor its address names one; who signs in with a password names
	// it where their address is used in several
	TenantRequired bool `json:"tenant_required"`
	// by name; none for a tenant that there is not
	Providers []SignInProvider `json:"providers" nullable:"false"`
	// Address of the pages on which passkeys work. Empty if passkeys are not available, because the service is not
	// reached by HTTPS and a host name.
	PasskeyOrigin string `json:"passkey_origin" example:"https://grantwright.example"`
}

// SignInProvider is an outside provider that people may sign in with.
type SignInProvider struct {
	// for GET /auth/oidc/start?provider=
	Key string `json:"key" example:"corporate"`
	// the key, as people read it
	DisplayName string `json:"display_name" example:"Corporate"`
}

// offered is what a tenant offered when the database was asked last.
type offered struct {
	at time.Time
	SignInOptions
}

// optionsIn is the input of the sign-in options.
type optionsIn struct {
	// the tenant's slug. The default is that of the address, or of the only tenant
	Tenant string `query:"tenant" maxLength:"63"`
}

// options tells what there is to sign in with. A tenant that there is not answers as one without providers does, after
// the same work; what is known of either is remembered for a moment.
func (s *Service) options(ctx context.Context, _ viewer.Viewer, in *optionsIn) (*httpapi.One[SignInOptions], error) {
	if v := s.askers.Take(httpapi.AddressOf(ctx)); !v.Allowed {
		f := fault.New(fault.TooMany, "too many requests from this address; wait a moment")
		f.RetryAfter = max(time.Second, v.Wait)
		return nil, f
	}
	slug := bearer.AddressedTenant(ctx, in.Tenant)
	known, ok := s.offers.Get(slug)
	if !ok || s.Now().Sub(known.at).Abs() >= optionsAge {
		known = offered{at: s.Now()}
		var err error
		if known.SignInOptions, err = s.findOptions(ctx, slug); err != nil {
			return nil, err
		}
		s.offers.Put(slug, known)
	}
	out := known.SignInOptions
	out.PasskeyOrigin = s.PasskeyOrigin(ctx)
	if in.Tenant != "" {
		out.Tenant = in.Tenant
	}
	return &httpapi.One[SignInOptions]{Body: out}, nil
}

// findOptions looks for an active tenant, which is the only one where none is named, and its providers.
func (s *Service) findOptions(ctx context.Context, slug string) (SignInOptions, error) {
	const sql = `
		select id::text, slug
		  from tenant
		 where status = 'active'
		   and ($1 = '' or slug = $1)
		 limit 2`
	out := SignInOptions{Tenant: slug, Providers: []SignInProvider{}}
	var ids []string
	err := s.DB.Across(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql, slug)
		if err != nil {
			return err
		}
		var id, name string
		_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
			ids, out.Tenant = append(ids, id), name
			return nil
		})
		return err
	})
	switch {
	case err != nil:
		return out, fmt.Errorf("find tenant: %w", err)
	case len(ids) > 1:
		out.Tenant, out.TenantRequired = "", true
		return out, nil
	case len(ids) == 0:
		ids = []string{uuid.Nil.String()} // nobody's: it is looked for all the same, so that no stopwatch tells
	}
	out.Providers, err = s.enabledProviders(ctx, ids[0])
	return out, err
}

// enabledProviders are the providers that a tenant offers, by name.
func (s *Service) enabledProviders(ctx context.Context, tenantID string) (found []SignInProvider, err error) {
	err = s.DB.As(ctx, viewer.System(tenantID), func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, `select name from identity_provider where enabled order by name`)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p SignInProvider, err error) {
			err = row.Scan(&p.Key)
			p.DisplayName = readable(p.Key)
			return p, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find identity providers: %w", err)
	}
	return found, nil
}

// readable makes "Corp login" of corp-login.
func readable(key string) string {
	words := strings.ReplaceAll(key, "-", " ")
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}

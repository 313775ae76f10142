package idp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// Provider is an OpenID Connect provider of a tenant.
type Provider struct {
	// ID of the identity provider.
	ID string `json:"id"`
	// As GET /auth/oidc/start takes it.
	Name string `json:"name"`
	// Address of the issuer, exactly as its tokens contain it.
	Issuer string `json:"issuer"`
	// Client ID at the provider.
	ClientID string `json:"client_id"`
	// State of the client secret, which is never shown.
	ClientSecret Written `json:"client_secret"`
	// Scopes that are requested in addition to openid.
	Scopes []string `json:"scopes" nullable:"false"`
	// Name of the claim with a person's groups; dots lead into objects.
	GroupClaim string `json:"group_claim"`
	// Group to the roles it gives.
	RoleMapping map[string][]string `json:"role_mapping"`
	// E-mail domains that the provider may vouch for; none: any.
	Domains []string `json:"domains" nullable:"false"`
	// Unknown users are created when they sign in.
	CreateUsers bool `json:"create_users"`
	// False if users cannot sign in with the provider.
	Enabled bool `json:"enabled"`
	// Time the identity provider was created.
	CreatedAt time.Time `json:"created_at"`
	// Time the identity provider was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// Version number, for If-Match.
	Version int `json:"version"`

	sealed []byte
}

// Written says of a secret that it is there, never what it is.
type Written struct {
	// True if a secret is stored.
	Set bool `json:"set"`
	// Time the secret was set. Null if there is none.
	UpdatedAt *time.Time `json:"updated_at" nullable:"true"`
}

// roles are those that a mapping may give.
var roles = []string{"manager", "resource_owner", "admin", "auditor"}

// Granted are the roles that groups give, in the order of the alphabet.
func (p Provider) Granted(groups []string) []string {
	out := []string{}
	for _, g := range groups {
		out = append(out, p.RoleMapping[g]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Vouches reports whether the provider may speak for an e-mail address.
func (p Provider) Vouches(email string) bool {
	_, domain, found := strings.Cut(strings.ToLower(email), "@")
	return found && (len(p.Domains) == 0 || slices.Contains(p.Domains, domain))
}

// place is where a client secret is sealed for.
func place(id string) seal.Place {
	return seal.Place{Table: "identity_provider", Column: "client_secret", Row: id}
}

const columns = `
	id::text, name, issuer, client_id, client_secret, secret_set_at, scopes, group_claim, role_mapping, domains,
	create_users, enabled, created_at, updated_at, version`

func scan(row pgx.CollectableRow) (p Provider, err error) {
	var mapping []byte
	err = row.Scan(
		&p.ID,
		&p.Name,
		&p.Issuer,
		&p.ClientID,
		&p.sealed,
		&p.ClientSecret.UpdatedAt,
		&p.Scopes,
		&p.GroupClaim,
		&mapping,
		&p.Domains,
		&p.CreateUsers,
		&p.Enabled,
		&p.CreatedAt,
		&p.UpdatedAt,
		&p.Version,
	)
	if err != nil {
		return p, err
	}
	p.ClientSecret.Set = p.sealed != nil
	return p, json.Unmarshal(mapping, &p.RoleMapping)
}

// one reads the provider for which where holds; any other is not_found.
func one(ctx context.Context, tx *pg.Tx, where, value string) (Provider, error) {
	p, err := pg.OneBy(
		ctx,
		tx,
		"find identity provider",
		scan,
		`select`+columns+` from identity_provider where `+where,
		value,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Provider{}, fault.New(fault.NotFound, "Identity provider %s was not found.", value)
	case err != nil:
		return Provider{}, err
	}
	return p, nil
}

// ByName finds a provider of the transaction's tenant that may be signed in with. It returns a fault of kind NotFound.
func ByName(ctx context.Context, tx *pg.Tx, name string) (Provider, error) {
	return one(ctx, tx, `enabled and name = $1`, name)
}

// ByID is ByName for an id.
func ByID(ctx context.Context, tx *pg.Tx, id string) (Provider, error) {
	return one(ctx, tx, `enabled and id = $1`, id)
}

// Hold is ByID for a sign-in that relies on the provider: until the transaction ends nobody changes or deletes it.
func Hold(ctx context.Context, tx *pg.Tx, id string) (Provider, error) {
	return one(ctx, tx, `enabled and id = $1 for share`, id)
}

// Secret opens the client's secret; it is empty for a public client.
func (s *Service) Secret(ctx context.Context, tx *pg.Tx, p Provider) (seal.Secret, error) {
	if p.sealed == nil {
		return "", nil
	}
	plain, err := s.Seal.Open(ctx, tx, place(p.ID), p.sealed)
	return seal.Secret(plain), err
}

// list reads a page of providers by name, and their number.
func list(ctx context.Context, tx *pg.Tx, page pg.Page) (items []Provider, total int64, err error) {
	if err := tx.QueryRow(ctx, `select count(*) from identity_provider`).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count identity providers: %w", err)
	}
	after := ""
	if len(page.After) > 0 {
		after = page.After[0]
	}
	const order = ` from identity_provider where name > $1 order by name limit $2 + 1 offset $3`
	if items, err = pg.AllBy(
		ctx,
		tx,
		"list identity providers",
		scan,
		`select`+columns+order,
		after,
		page.Limit,
		page.Offset,
	); err != nil {
		return nil, 0, err
	}
	return items, total, nil
}

// store writes a provider, new or not, with its secret as it is sealed.
func store(ctx context.Context, tx *pg.Tx, p Provider) (Provider, error) {
	const sql = `
		insert into identity_provider (tenant_id, id, name, issuer, client_id, client_secret, secret_set_at, scopes,
		    group_claim, role_mapping, domains, create_users, enabled)
		values (current_tenant(), @id, @name, @issuer, @client, @secret, @set, @scopes, @claim, @mapping, @domains,
		    @create, @enabled)
		    on conflict (tenant_id, id) do update
		       set name = excluded.name, issuer = excluded.issuer, client_id = excluded.client_id,
		           client_secret = excluded.client_secret, secret_set_at = excluded.secret_set_at,
		           scopes = excluded.scopes, group_claim = excluded.group_claim, role_mapping = excluded.role_mapping,
		           domains = excluded.domains, create_users = excluded.create_users, enabled = excluded.enabled,
		               updated_at = now(), version = identity_provider.version + 1`
	mapping, err := json.Marshal(p.RoleMapping)
	if err != nil {
		return p, fmt.Errorf("encode role mapping: %w", err)
	}
	p.ID = cmp.Or(p.ID, uuid.Must(uuid.NewV7()).String())
	args := pgx.NamedArgs{
		"id":      p.ID,
		"name":    p.Name,
		"issuer":  p.Issuer,
		"client":  p.ClientID,
		"secret":  p.sealed,
		"set":     p.ClientSecret.UpdatedAt,
		"scopes":  p.Scopes,
		"claim":   p.GroupClaim,
		"mapping": mapping,
		"domains": p.Domains,
		"create":  p.CreateUsers,
		"enabled": p.Enabled,
	}
	if _, err := tx.Exec(ctx, sql, args); err != nil {
		if pg.Violates(err, "identity_provider_name_unique") {
			return p, fault.New(fault.Conflict, "there is an identity provider %s already", p.Name).
				With(fault.Field{Pointer: "#/name", Code: "taken", Detail: "choose another name"})
		}
		return p, fmt.Errorf("keep identity provider: %w", err)
	}
	return one(ctx, tx, `id = $1`, p.ID)
}

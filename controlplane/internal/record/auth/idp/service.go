package idp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Service looks after the providers of tenants.
type Service struct {
	DB      *pg.DB
	Seal    *seal.Keyring
	Cursors *httpapi.Cursors
	Guard   *outbound.Guard // which addresses may be called
	Now     func() time.Time
	// End ends what a provider gave that goes: the sessions that it opened, the sign-ins on their way, the roles of its
	// mapping.
	End func(ctx context.Context, tx *pg.Tx, p Provider) (Ending, error)
	// Ended is called after that has come true, so that in this process it shows at once.
	Ended func()
}

// Ending is what went with a provider.
type Ending struct {
	Sessions int64  // that were open
	Users    int    // whose roles are fewer
	Kept     string // address of the administrator who stays one, because there would be none
}

// facts are what the audit log tells of it.
func (e Ending) facts() map[string]any {
	out := map[string]any{"sessions_ended": e.Sessions, "users_changed": e.Users}
	if e.Kept != "" {
		out["administrator_kept"] = e.Kept
	}
	return out
}

// Settings are what an administrator says of a provider. On a change, what is left out stays.
type Settings struct {
	// Lower-case letters, digits and hyphens.
	Name *string `json:"name,omitempty" maxLength:"63" example:"corporate"`
	// The issuer's address, to the letter as its tokens have it.
	Issuer *string `json:"issuer,omitempty" maxLength:"500" example:"https://login.example.com"`
	// Client ID at the provider.
	ClientID *string `json:"client_id,omitempty" minLength:"1" maxLength:"500"`
	// Never shown again. Empty for a public client. Give it again for another issuer.
	ClientSecret *seal.Secret `json:"client_secret,omitempty" maxLength:"2000"`
	// Asked for beside openid; profile and email unless given.
	Scopes []string `json:"scopes,omitempty" maxItems:"20"`
	// Name of the claim with a person's groups; dots lead into objects.
	GroupClaim *string `json:"group_claim,omitempty" maxLength:"200" example:"groups"`
	// Group to the roles it gives: manager, resource_owner, admin, auditor.
	RoleMapping map[string][]string `json:"role_mapping,omitempty" maxProperties:"200"`
	// E-mail domains that the provider may vouch for; none: any.
	Domains []string `json:"domains,omitempty" maxItems:"100" example:"[\"example.com\"]"`
	// Unknown users are created when they sign in. Requires domains.
	CreateUsers *bool `json:"create_users,omitempty"`
	// False if users cannot sign in with the provider.
	Enabled *bool `json:"enabled,omitempty"`
}

// Routes are /settings/identity-providers. No service token may write there: with a provider of its own it could make
// itself an administrator.
func (s *Service) Routes() []httpapi.Route {
	const path = "/settings/identity-providers"
	read := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.Handle("GET", path, "List identity providers", s.list).For(read...).Tag("settings"),
		httpapi.Handle("POST", path, "Add an identity provider", s.create).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Tag("settings").
			ForPeople().
			Describe("An OpenID Connect provider with which the users of the tenant sign in. Register the redirect " +
				"address <base>/api/v1/auth/oidc/callback with the provider, where <base> is the address at which " +
				"browsers start: that of the service or of the tenant."),
		httpapi.Handle("GET", path+"/{id}", "Retrieve an identity provider", s.find).For(read...).Tag("settings"),
		httpapi.Handle("PATCH", path+"/{id}", "Update an identity provider", s.change).
			For(viewer.Admin).
			Errors(409, 412).
			Tag("settings").
			ForPeople(),
		httpapi.Handle("DELETE", path+"/{id}", "Delete an identity provider", s.remove).
			For(viewer.Admin).
			Errors(412).
			Tag("settings").
			ForPeople().
			Describe("Users can no longer sign in with the provider, and its sessions end on all servers within five " +
				"seconds. The roles from its mapping are removed, except those of the last administrator. The links " +
				"to users are kept for the case that the same issuer is added again."),
	}
}

// list is GET of the identity providers.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *httpapi.Paging) (*httpapi.ListOut[Provider], error) {
	walk, err := s.Cursors.Walk(v, "identity_providers", *in, nil)
	if err != nil {
		return nil, err
	}
	var (
		items []Provider
		total int64
	)
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) { items, total, err = list(ctx, tx, walk.Page); return err })
	if err != nil {
		return nil, err
	}
	return httpapi.Out(walk, items, total, func(p Provider) []string { return []string{p.Name, p.ID} }), nil
}

type oneIn struct {
	// ID of the identity provider.
	ID string `path:"id"`
}

// find is GET of one provider.
func (s *Service) find(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[Provider], error) {
	var p Provider
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) { p, err = existing(ctx, tx, in.ID); return err })
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Provider]{ETag: httpapi.ETag(p.Version), Body: p}, nil
}

// existing reads and locks a provider.
func existing(ctx context.Context, tx *pg.Tx, id string) (Provider, error) {
	if uuid.Validate(id) != nil {
		return Provider{}, fault.New(fault.NotFound, "Identity provider %s was not found.", id)
	}
	return one(ctx, tx, `id = $1 for update`, id)
}

// create is POST of a provider. That its address can be reached is checked before the transaction.
func (s *Service) create(
	ctx context.Context,
	v viewer.Viewer,
	in *struct{ Body Settings },
) (*httpapi.Created[Provider], error) {
	fresh := Provider{
		Scopes:      []string{"profile", "email"},
		RoleMapping: map[string][]string{},
		Domains:     []string{},
		Enabled:     true,
	}
	if err := s.reachable(ctx, in.Body); err != nil {
		return nil, err
	}
	var p Provider
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		p, err = s.write(ctx, tx, fresh, in.Body, "auth.provider_created")
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[Provider]{
		Location: httpapi.Prefix + "/settings/identity-providers/" + p.ID,
		ETag:     httpapi.ETag(p.Version),
		Body:     p,
	}, nil
}

func (s *Service) change(ctx context.Context, v viewer.Viewer, in *struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body Settings
}) (*httpapi.One[Provider], error) {
	if err := s.reachable(ctx, in.Body); err != nil {
		return nil, err
	}
	var p Provider
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := existing(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		p, err = s.write(ctx, tx, before, in.Body, "auth.provider_updated")
		return err
	})
	s.Ended()
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Provider]{ETag: httpapi.ETag(p.Version), Body: p}, nil
}

// reachable refuses an issuer that may not be called from here. It asks name servers, so it comes before any
// transaction.
func (s *Service) reachable(ctx context.Context, in Settings) error {
	if in.Issuer == nil || *in.Issuer == "" {
		return nil
	}
	err := s.Guard.CheckURL(ctx, *in.Issuer, "the issuer's address")
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return f.With(fault.Field{Pointer: "#/issuer", Code: f.Code, Detail: f.Message})
	}
	return err
}

func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *struct {
	ID string `path:"id"`
	httpapi.IfMatch
}) (*struct{}, error) {
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		p, err := existing(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := in.Check(p.Version); err != nil {
			return err
		}
		ending, err := s.End(ctx, tx, p)
		if err != nil {
			return err
		}
		if err := pg.Exec(
			ctx,
			tx,
			"delete identity provider",
			`delete from identity_provider where id = $1`,
			p.ID,
		); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "auth.provider_deleted", Subject: subject(p), Context: ending.facts()},
		)
	})
	s.Ended()
	return nil, err
}

// subject names the provider in audit entries.
func subject(p Provider) audit.Subject {
	return audit.Subject{Type: "identity_provider", ID: p.ID, Display: p.Name}
}

// write puts the settings over what was there, checks the whole, seals the secret and records what became different.
func (s *Service) write(ctx context.Context, tx *pg.Tx, before Provider, in Settings, action string) (Provider, error) {
	p := in.over(before)
	if err := check(before, p, in.ClientSecret); err != nil {
		return p, err
	}
	if p.ID == "" {
		p.ID = uuid.Must(uuid.NewV7()).String()
	}
	if in.ClientSecret != nil {
		now := s.Now()
		p.sealed, p.ClientSecret.UpdatedAt = nil, nil
		if *in.ClientSecret != "" {
			sealed, err := s.Seal.Seal(ctx, tx, place(p.ID), []byte(in.ClientSecret.Reveal()))
			if err != nil {
				return p, err
			}
			p.sealed, p.ClientSecret.UpdatedAt = sealed, &now
		}
	}
	stored, err := store(ctx, tx, p)
	if err != nil {
		return p, err
	}
	entry := audit.Entry{
		Action:  action,
		Subject: subject(stored),
		Changes: differences(before, stored, in.ClientSecret != nil),
	}
	if stored.goesFrom(before) {
		ending, err := s.End(ctx, tx, before)
		if err != nil {
			return stored, err
		}
		entry.Context = ending.facts()
	}
	return stored, audit.Record(ctx, tx, entry)
}

// goesFrom reports whether what the provider was is none any more: it was switched off, or speaks for another issuer.
func (p Provider) goesFrom(before Provider) bool {
	return before.ID != "" && before.Enabled && (!p.Enabled || p.Issuer != before.Issuer)
}

// over is p with what the settings name.
func (in Settings) over(p Provider) Provider {
	set(&p.Name, in.Name)
	set(&p.Issuer, in.Issuer)
	set(&p.ClientID, in.ClientID)
	set(&p.GroupClaim, in.GroupClaim)
	set(&p.CreateUsers, in.CreateUsers)
	set(&p.Enabled, in.Enabled)
	if in.Scopes != nil {
		p.Scopes = in.Scopes
	}
	if in.RoleMapping != nil {
		p.RoleMapping = in.RoleMapping
	}
	if in.Domains != nil {
		p.Domains = make([]string, len(in.Domains))
		for i, d := range in.Domains {
			p.Domains[i] = strings.ToLower(strings.TrimSpace(d))
		}
	}
	return p
}

// set takes over a value that was given.
func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

var (
	nameShape   = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	domainShape = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)
	scopeShape  = regexp.MustCompile(`^[\x21\x23-\x5B\x5D-\x7E]{1,200}$`) // RFC 6749 section 3.3
)

// check refuses what cannot work, all of it at once.
func check(before, p Provider, secret *seal.Secret) error {
	var wrong []fault.Field
	refuse := func(pointer, code, detail string) {
		wrong = append(wrong, fault.Field{Pointer: pointer, Code: code, Detail: detail})
	}
	if !nameShape.MatchString(p.Name) {
		refuse("#/name", "invalid", "a name has lower-case letters, digits and hyphens, up to 63")
	}
	if p.ClientID == "" {
		refuse("#/client_id", "required", "the provider knows us by a client id")
	}
	if p.Issuer == "" {
		refuse("#/issuer", "required", "give the issuer's address")
	}
	if before.Issuer != "" && before.Issuer != p.Issuer && before.sealed != nil && secret == nil {
		refuse("#/client_secret", "required", "a secret is for one issuer; give it again with the new one")
	}
	if slices.ContainsFunc(p.Scopes, func(s string) bool { return !scopeShape.MatchString(s) }) {
		refuse("#/scopes", "invalid", "a scope is one word")
	}
	if slices.ContainsFunc(p.Domains, func(d string) bool { return !domainShape.MatchString(d) }) {
		refuse("#/domains", "invalid", "a domain looks like example.com")
	}
	if p.CreateUsers && len(p.Domains) == 0 {
		refuse(
			"#/domains",
			"required",
			"with create_users, anyone with an account at the issuer would become a user: set the allowed domains, "+
				"or disable create_users",
		)
	}
	for group, given := range p.RoleMapping {
		for _, r := range given {
			if !slices.Contains(roles, r) || group == "" {
				refuse("#/role_mapping", "invalid", "a group gives some of "+strings.Join(roles, ", "))
			}
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "The identity provider is invalid.").With(wrong...)
	}
	return nil
}

// differences are what changed, for the audit log.
func differences(before, after Provider, secret bool) []audit.Change {
	var out []audit.Change
	for _, c := range []audit.Change{
		{Field: "name", From: before.Name, To: after.Name}, {Field: "issuer", From: before.Issuer, To: after.Issuer},
		{Field: "client_id", From: before.ClientID, To: after.ClientID},
		{Field: "scopes", From: before.Scopes, To: after.Scopes},
		{Field: "group_claim", From: before.GroupClaim, To: after.GroupClaim},
		{Field: "role_mapping", From: before.RoleMapping, To: after.RoleMapping},
		{Field: "domains", From: before.Domains, To: after.Domains},
		{Field: "create_users", From: before.CreateUsers, To: after.CreateUsers},
		{Field: "enabled", From: before.Enabled, To: after.Enabled},
	} {
		if fmt.Sprint(c.From) != fmt.Sprint(c.To) {
			out = append(out, c)
		}
	}
	if secret {
		out = append(out, audit.Change{Field: "client_secret"})
	}
	return out
}

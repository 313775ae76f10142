package tenant

import (
	"context"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant/preferences"
)

// NewTenant is a tenant that is to be made.
type NewTenant struct {
	// 1 to 63 lower-case letters, digits and hyphens, none at its ends; part of the tenant's address, and fixed
	Slug string `json:"slug" pattern:"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$" example:"acme"`
	// Display name of the tenant.
	Name string `json:"name" minLength:"1" maxLength:"200"`
	// Region where the data of the tenant is kept, in the operator's words.
	Region string `json:"region,omitempty" maxLength:"64"`
	// E-mail address of the first administrator.
	AdminEmail string `json:"admin_email" minLength:"3" maxLength:"320" example:"ada@acme.example"`
	// Display name of the first administrator.
	AdminName string `json:"admin_display_name,omitempty" maxLength:"200"`
	// Sector packs that the tenant begins with, each by its key or as an object. They are installed with the tenant,
	// both or neither.
	SectorPacks []SectorPackChoice `json:"sector_packs,omitempty" maxItems:"50"`
	// Limits of the tenant.
	Limits preferences.Limits `json:"limits,omitempty" required:"false"`
	// Settings of the tenant.
	Settings preferences.Preferences `json:"settings,omitempty" required:"false"`
}

// createIn is the input of create.
type createIn struct{ Body NewTenant }

// Founded is a tenant that has just been made.
type Founded struct {
	Tenancy
	// First administrator of the tenant.
	Admin Founder `json:"admin"`
}

// Founder is the first admin of a tenant, and how they come in.
type Founder struct {
	// User ID of the first administrator.
	ID string `json:"id"`
	// E-mail address of the first administrator.
	Email string `json:"email"`
	// Shown once and good for an hour: POST /auth/sign-in-link sets the password by it.
	SignInToken string `json:"sign_in_token"`
}

// create is POST /tenants: the tenant, its first administrator with a sign-in link, and its sector
// packs, in one transaction. The audit entry is written in both tenants.
func (s *Service) create(ctx context.Context, v viewer.Viewer, in *createIn) (*httpapi.Created[Founded], error) {
	b := Bootstrap{
		Slug:        in.Body.Slug,
		Name:        in.Body.Name,
		Region:      in.Body.Region,
		AdminEmail:  in.Body.AdminEmail,
		AdminName:   in.Body.AdminName,
		SectorPacks: in.Body.SectorPacks,
		Packs:       s.Packs,
		Limits:      in.Body.Limits,
		Settings:    in.Body.Settings,
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	var made Result
	var token string
	err := s.DB.As(ctx, visiting(v, uuid.Must(uuid.NewV7()).String()), func(tx *pg.Tx) (err error) {
		if made, err = b.in(ctx, tx, nil); err != nil {
			return err
		}
		if token, err = s.Links.IssueSignInLink(ctx, tx, made.UserID); err != nil {
			return err
		}
		return recordBoth(ctx, tx, audit.Entry{
			Action:  "tenant.bootstrapped",
			Subject: made.Tenant.subject(),
			Context: map[string]any{"admin": b.AdminEmail, "region": b.Region, "sector_packs": b.packKeys()},
		})
	})
	if fault.IsCode(err, "tenant_exists") {
		return nil, fault.Coded(fault.Conflict, "tenant_exists", "there is a tenant %q already", b.Slug).
			With(fault.Field{Pointer: "#/slug", Code: "tenant_exists", Detail: "choose another slug"})
	}
	if err != nil {
		return nil, err
	}
	t := made.Tenant
	return &httpapi.Created[Founded]{
		Location: httpapi.Prefix + "/control-plane/tenants/" + t.ID, ETag: httpapi.ETag(t.Version),
		Body: Founded{Tenancy: s.resource(t), Admin: Founder{ID: made.UserID, Email: b.AdminEmail, SignInToken: token}},
	}, nil
}

// packKeys are the keys of the packs that the tenant begins with.
func (b Bootstrap) packKeys() []string {
	keys := []string{}
	for _, c := range b.SectorPacks {
		keys = append(keys, c.Key)
	}
	return keys
}

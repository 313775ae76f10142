package role

import (
	"regexp"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// RoleFields are what may be written of a role at any time.
type RoleFields struct {
	Name           string            `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	Description    string            `json:"description" db:"description" required:"false" maxLength:"4000"`
	RoleType       string            `json:"role_type" db:"role_type" required:"false" enum:"birthright,business,application,emergency,technical"`
	Lifecycle      string            `json:"lifecycle" db:"lifecycle" required:"false" enum:"draft,active,deprecated,retired" doc:"A draft gives nothing yet; deprecated: not for new rules; retired: gives nothing any more."`
	OwnerIDs       []string          `json:"owner_ids" db:"owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	EntitlementIDs []string          `json:"entitlement_ids" db:"entitlement_ids" required:"false" nullable:"false" maxItems:"1000" format:"uuid" doc:"What it holds, of any number of systems."`
	Labels         map[string]string `json:"labels" db:"labels" required:"false" nullable:"false"`
}

// Role is a bundle of entitlements.
type Role struct {
	ID  string `json:"id" db:"id"`
	Key string `json:"key" db:"key" doc:"A stable name for files and packs; it never changes."`
	RoleFields
	Origin      map[string]any `json:"origin" db:"origin" nullable:"false" doc:"Who made it: by hand, or a pack."`
	HolderCount int64          `json:"holder_count" db:"holder_count" doc:"People who hold something through it, by a reason that has not ended."`
	CreatedAt   time.Time      `json:"created_at" db:"created_at"`
	UpdatedAt   time.Time      `json:"updated_at" db:"updated_at"`
	Version     int            `json:"version" db:"version"`
}

// New is a role to be made. An empty Key is made of the name, an empty Lifecycle is active, and without Origin it is made by hand.
type New struct {
	Key    string
	Origin map[string]any
	RoleFields
}

// Lifecycles of a role.
const (
	Draft      = "draft"
	Active     = "active"
	Deprecated = "deprecated"
	Retired    = "retired"
)

// next are the lifecycles that may follow one.
var next = map[string][]string{
	Draft:      {Active, Retired},
	Active:     {Deprecated, Retired},
	Deprecated: {Active, Retired},
	Retired:    {},
}

var slug = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9])?$`)

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// keyOf makes a key of a name.
func keyOf(name string) string {
	key := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.TrimRight(key[:min(len(key), 100)], "-")
}

// complete fills in what was left out and checks the rest.
func (n *New) complete() error {
	if n.Key == "" {
		n.Key = keyOf(n.Name)
	}
	if n.Origin == nil {
		n.Origin = map[string]any{"kind": "manual"}
	}
	if err := n.RoleFields.complete(); err != nil {
		return err
	}
	if !slug.MatchString(n.Key) {
		return fault.New(fault.Invalid, "a role's key is made of small letters, digits, points, hyphens and underscores, at most 100").
			With(fault.Field{Pointer: "#/key", Code: "invalid", Detail: "such as finance-clerk"})
	}
	if n.Lifecycle == Retired {
		return fault.New(fault.Invalid, "a role cannot be made as a retired one").
			With(fault.Field{Pointer: "#/lifecycle", Code: "invalid", Detail: "make it a draft or active"})
	}
	return nil
}

func (f *RoleFields) complete() error {
	if strings.TrimSpace(f.Name) == "" {
		return fault.New(fault.Invalid, "a role needs a name").With(fault.Field{Pointer: "#/name", Code: "required", Detail: "say what its holders do"})
	}
	if f.RoleType == "" {
		f.RoleType = "business"
	}
	if f.Lifecycle == "" {
		f.Lifecycle = Active
	}
	if f.OwnerIDs == nil {
		f.OwnerIDs = []string{}
	}
	if f.EntitlementIDs == nil {
		f.EntitlementIDs = []string{}
	}
	if f.Labels == nil {
		f.Labels = map[string]string{}
	}
	return nil
}

// gives says whether those who have the role hold what is in it.
func (f RoleFields) gives() bool { return f.Lifecycle == Active || f.Lifecycle == Deprecated }

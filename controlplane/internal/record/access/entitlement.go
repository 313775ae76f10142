package access

import (
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
)

// EntitlementFields are what an administrator may write of an entitlement.
type EntitlementFields struct {
	BusinessDescription *string  `json:"business_description" db:"business_description" required:"false" maxLength:"4000" doc:"What it is for, in words for those who ask for it."`
	OwnerIDs            []string `json:"owner_ids" db:"owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid" doc:"Identities who own it; as resource owners they see who holds it."`
	Privileged          bool     `json:"privileged" db:"privileged" required:"false"`
	RiskLevel           string   `json:"risk_level" db:"risk_level" required:"false" enum:"low,medium,high,critical"`
	Requestable         bool     `json:"requestable" db:"requestable" required:"false" doc:"Needs a business_description or description."`
	Lifecycle           string   `json:"lifecycle" db:"lifecycle" required:"false" enum:"active,deprecated,retired" doc:"Deprecated: no new grants."`
}

// Entitlement is a right that can be granted in one target system: a group, role, permission set or licence.
type Entitlement struct {
	ID             string         `json:"id" db:"id"`
	ConnectorID    *string        `json:"connector_id" db:"connector_id"`
	ExternalID     string         `json:"external_id" db:"external_id" doc:"The immutable native id in the target system."`
	NativeIdentity *string        `json:"native_identity" db:"native_identity"`
	Kind           string         `json:"kind" db:"kind"`
	Name           string         `json:"name" db:"name"`
	DisplayName    string         `json:"display_name" db:"display_name"`
	Description    *string        `json:"description" db:"description" doc:"The target system's own words."`
	Resource       map[string]any `json:"resource" db:"resource" doc:"What it opens."`
	EntitlementFields
	Grantable            bool              `json:"grantable" db:"grantable"`
	Revocable            bool              `json:"revocable" db:"revocable"`
	ExclusionGroup       *string           `json:"exclusion_group" db:"exclusion_group"`
	MaxMembers           *int              `json:"max_members" db:"max_members"`
	DirectMemberCount    int64             `json:"direct_member_count" db:"direct_member_count" doc:"Accounts that hold it directly, of those the reader may see."`
	EffectiveMemberCount int64             `json:"effective_member_count" db:"effective_member_count" doc:"Accounts that hold it directly or through nesting, of those the reader may see."`
	FirstSeenAt          time.Time         `json:"first_seen_at" db:"first_seen_at"`
	MissingSince         *time.Time        `json:"missing_since" db:"missing_since"`
	Attributes           map[string]any    `json:"attributes" db:"attributes"`
	Labels               map[string]string `json:"labels" db:"labels"`
	CreatedAt            time.Time         `json:"created_at" db:"created_at"`
	UpdatedAt            time.Time         `json:"updated_at" db:"updated_at"`
	Version              int               `json:"version" db:"version"`
}

// EntitlementDetail is one entitlement with its nesting, as far as the reader may see it.
type EntitlementDetail struct {
	Entitlement
	Parents  []directory.Reference `json:"parents" nullable:"false" doc:"Whoever holds this holds these too."`
	Children []directory.Reference `json:"children" nullable:"false" doc:"Whoever holds one of these holds this too."`
}

// complete defaults and checks what is to be stored. description is the target system's own.
func (f *EntitlementFields) complete(description *string) error {
	if f.OwnerIDs == nil {
		f.OwnerIDs = []string{}
	}
	if f.RiskLevel == "" {
		f.RiskLevel = "low"
	}
	if f.Lifecycle == "" {
		f.Lifecycle = "active"
	}
	if f.Requestable && blank(f.BusinessDescription) && blank(description) {
		return fault.Coded(fault.Invalid, "description_required", "nobody can ask for what nobody describes: give it a business_description first").
			With(fault.Field{Pointer: "#/business_description", Code: "required", Detail: "say what it is for"})
	}
	return nil
}

func blank(s *string) bool { return s == nil || strings.TrimSpace(*s) == "" }

package apitoken

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// State of a token.
type State string

// States. Expiring, revoked and expired follow from the clock and from actions; disabled also from lack of use of
// the token, from its maker not being an active administrator any more, and from the token that made it being dead
// before its end.
const (
	Active   State = "active"
	Expiring State = "expiring" // ends within seven days
	Disabled State = "disabled"
	Revoked  State = "revoked"
	Expired  State = "expired"
)

// Bounds of what can be asked for.
const (
	usualLife   = 90 * 24 * time.Hour
	longestLife = 365 * 24 * time.Hour

	usualIdle    = 60 * 24 * time.Hour
	shortestIdle = time.Hour
	longestIdle  = longestLife

	usualOverlap   = 24 * time.Hour
	longestOverlap = 7 * 24 * time.Hour
)

// Token is a token of an integration, without the token itself.
type Token struct {
	// ID of the service token.
	ID string `json:"id"`
	Settings
	// Scopes of the token, in alphabetical order.
	Scopes []string `json:"scopes" nullable:"false" example:"[\"identities:read\"]"`
	// Limits the scopes: the token can see and do only what a user with this role can.
	Role viewer.Role `json:"role" enum:"manager,resource_owner,admin,auditor"`
	// As whom a manager or resource_owner sees.
	BoundIdentityID *string `json:"bound_identity_id"`
	// The last 8 characters of the token's jti claim, to_identify a token that you hold.
	JTITail string `json:"jti_tail" example:"9f31c2ab"`
	// State of the token. A token in the state expiring ends within seven days.
	State State `json:"state" enum:"active,expiring,disabled,revoked,expired"`
	// Why it is disabled. administrator: an administrator disabled it. idle: it was unused. creator: its creator is no
	// longer an active administrator. maker: the token that created it is disabled or revoked.
	DisabledReason *string `json:"disabled_reason" enum:"administrator,idle,creator,maker"`
	// Time the token expires.
	ExpiresAt time.Time `json:"expires_at"`
	// To the minute.
	LastUsedAt *time.Time `json:"last_used_at"`
	// IP address of the last use of the token. Null if there is none.
	LastUsedIP *string `json:"last_used_ip" example:"203.0.113.7"`
	// The token that this one replaces.
	RotatedFromID *string `json:"rotated_from_id"`
	// Until when this token, which was rotated, can still be used.
	OverlapUntil *time.Time `json:"rotation_overlap_until"`
	// The administrator on whose rights the token stands.
	CreatedBy TokenMaker `json:"created_by"`
	// The token by which it was made, where it was one: dead while that one is disabled, and revoked together with it.
	MadeByID *string `json:"made_by_token_id"`
	// Time the token was created.
	CreatedAt time.Time `json:"created_at"`
	// Time the token was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// Version number, for If-Match.
	Version int `json:"version"`
}

// Settings are what can be changed about a token that is in use.
type Settings struct {
	// Display name of the token.
	Name string `json:"name" example:"HR export"`
	// Purpose of the token, for its administrators.
	Description string `json:"description"`
	// Networks that it may be used from; empty: everywhere.
	AllowedCIDRs []string `json:"allowed_cidrs" nullable:"false" example:"[\"203.0.113.0/24\"]"`
	// Null: the usual 100 requests a second, 200 at once.
	RateLimit *TokenRate `json:"rate_limit"`
	// ISO 8601 duration: a token that is not used for so long is disabled.
	IdleDisableAfter string `json:"idle_disable_after" example:"P60D"`
	// False if the token was disabled by an administrator or because it was unused.
	Enabled bool `json:"enabled"`
}

// TokenRate is how many requests a token may make.
type TokenRate struct {
	// Requests a second.
	RPS int `json:"rps" minimum:"1" maximum:"10000" example:"250"`
	// Requests at once; twice rps otherwise.
	Burst int `json:"burst,omitempty" minimum:"1" maximum:"20000" example:"500"`
}

// TokenMaker is the user who made a token.
type TokenMaker struct {
	// ID of the user who created the token.
	ID string `json:"id"`
	// E-mail address of the user who created the token.
	Display string `json:"display" example:"ada@acme.example"`
}

// NewToken is the body of POST /settings/api-tokens.
type NewToken struct {
	// Display name of the token.
	Name string `json:"name" minLength:"1" maxLength:"100" example:"HR export"`
	// Description of the token.
	Description string `json:"description,omitempty" maxLength:"1000"`
	// What it may be used for; see GET /settings/api-tokens/scopes.
	Scopes []string `json:"scopes" nullable:"false" minItems:"1" maxItems:"64" example:"[\"identities:read\",\"entitlements:read\"]"`
	// Limits the scopes: the token can see and do only what a user with this role can.
	Role viewer.Role `json:"role" enum:"manager,resource_owner,admin,auditor" example:"auditor"`
	// Needed for manager and resource_owner: as whom it sees.
	BoundIdentityID *string `json:"bound_identity_id,omitempty" nullable:"true" format:"uuid"`
	// At most 365 days from now; 90 days otherwise.
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	// Networks from which the token can be used. Without any, it can be used from everywhere.
	AllowedCIDRs []string `json:"allowed_cidrs,omitempty" nullable:"false" maxItems:"50" example:"[\"203.0.113.0/24\"]"`
	// An administrator may raise the usual 100 requests a second.
	RateLimit *TokenRate `json:"rate_limit,omitempty"`
	// ISO 8601 duration from PT1H to P365D; P60D otherwise.
	IdleDisableAfter string `json:"idle_disable_after,omitempty" maxLength:"30" example:"P60D"`
}

// TokenPatch is the body of PATCH /settings/api-tokens/{id}, a JSON merge patch (RFC 7396). Rights and expiry do not
// change: for others, make another token.
type TokenPatch struct {
	// Display name of the token.
	Name *string `json:"name,omitempty" minLength:"1" maxLength:"100" example:"HR export, nightly"`
	// Description of the token.
	Description *string `json:"description,omitempty" maxLength:"1000"`
	// Networks from which the token can be used. Without any, it can be used from everywhere.
	AllowedCIDRs []string `json:"allowed_cidrs,omitempty" nullable:"false" maxItems:"50"`
	// Null: the usual one.
	RateLimit *TokenRate `json:"rate_limit,omitempty"`
	// ISO 8601 duration from PT1H to P365D: a token that is not used for this long is disabled.
	IdleDisableAfter *string `json:"idle_disable_after,omitempty" maxLength:"30"`
	// Enabling a token that was unused starts its period again.
	Enabled *bool `json:"enabled,omitempty"`
}

// TokenRotation is the body of POST /settings/api-tokens/{id}/rotate.
type TokenRotation struct {
	// ISO 8601 duration, at most P7D, for which the old token stays valid; PT24H otherwise.
	Overlap string `json:"overlap,omitempty" maxLength:"30" example:"PT24H"`
}

// Issued is a token with what it is made for: it is shown in this one answer.
type Issued struct {
	Token
	// The token, to be sent as Authorization: Bearer. It is shown once and cannot be read again.
	Secret string `json:"token" example:"eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTk5In0.c2ln"`
}

// row is a token as it is stored, with what is shown beside it.
type row struct {
	ID string `db:"id"`
	// JTI is the token's ID claim; its tail identifies the token in logs.
	JTI             string      `db:"jti"`
	Name            string      `db:"name"`
	Description     string      `db:"description"`
	Scopes          []string    `db:"scopes"`
	Role            viewer.Role `db:"role"`
	BoundIdentityID *string     `db:"bound_identity_id"`
	AllowedCIDRs    []string    `db:"allowed_cidrs"`
	RateRPS         *int        `db:"rate_rps"`
	RateBurst       *int        `db:"rate_burst"`
	IdleSeconds     int64       `db:"idle_seconds"`
	ExpiresAt       time.Time   `db:"expires_at"`
	CreatorID       string      `db:"creator_id"`
	Creator         string      `db:"creator"`
	MadeByID        *string     `db:"made_by_id"`
	LastUsedAt      *time.Time  `db:"last_used_at"`
	LastUsedIP      *string     `db:"last_used_ip"`
	State           State       `db:"state"`
	DisabledReason  *string     `db:"disabled_reason"`
	RotatedFromID   *string     `db:"rotated_from_id"`
	OverlapUntil    *time.Time  `db:"rotation_overlap_until"`
	CreatedAt       time.Time   `db:"created_at"`
	UpdatedAt       time.Time   `db:"updated_at"`
	Version         int         `db:"version"`
}

// shown is the token as the API shows it.
func (r row) shown() Token {
	t := Token{
		ID:              r.ID,
		Scopes:          r.Scopes,
		Role:            r.Role,
		BoundIdentityID: r.BoundIdentityID,
		JTITail:         r.JTI[max(0, len(r.JTI)-8):],
		State:           r.State,
		DisabledReason:  r.DisabledReason,
		ExpiresAt:       r.ExpiresAt,
		LastUsedAt:      r.LastUsedAt,
		LastUsedIP:      r.LastUsedIP,
		RotatedFromID:   r.RotatedFromID,
		OverlapUntil:    r.OverlapUntil,
		CreatedBy:       TokenMaker{ID: r.CreatorID, Display: r.Creator},
		MadeByID:        r.MadeByID,
		CreatedAt:       r.CreatedAt,
		UpdatedAt:       r.UpdatedAt,
		Version:         r.Version,
		Settings: Settings{
			Name: r.Name, Description: r.Description, AllowedCIDRs: r.AllowedCIDRs,
			IdleDisableAfter: span.Format(time.Duration(r.IdleSeconds) * time.Second), Enabled: r.enabled(),
		},
	}
	if r.RateRPS != nil && r.RateBurst != nil {
		t.RateLimit = &TokenRate{RPS: *r.RateRPS, Burst: *r.RateBurst}
	}
	return t
}

// enabled reports whether nothing but what it depends on keeps the token from being used.
func (r row) enabled() bool {
	return r.DisabledReason == nil || *r.DisabledReason == "creator" || *r.DisabledReason == "maker"
}

// end is when a token ends, by itself or because it was rotated.
func (t Token) end() time.Time {
	if t.OverlapUntil != nil && t.OverlapUntil.Before(t.ExpiresAt) {
		return *t.OverlapUntil
	}
	return t.ExpiresAt
}

// over reports whether a token is beyond being used ever again.
func (t Token) over() bool { return t.State == Revoked || t.State == Expired }

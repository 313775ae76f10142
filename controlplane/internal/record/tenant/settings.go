package tenant

import (
	"strings"
	"time"
	_ "time/tzdata" // a host may know no time zones

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// The usual rate of a token, which a tenant's limits may replace.
const (
	usualRPS   = 100
	usualBurst = 200
)

// Limits are what the operators allow a tenant. An absent one is the usual one.
type Limits struct {
	RPS   *int `json:"rps" required:"false" nullable:"true" minimum:"1" maximum:"10000" doc:"requests a second of each token that has no rate of its own; null: 100"`
	Burst *int `json:"burst" required:"false" nullable:"true" minimum:"1" maximum:"100000" doc:"how many of them at once; null: twice rps"`
}

// Rate is the rate of a token that has none of its own; zero when it is the usual one.
func (l Limits) Rate() viewer.Rate {
	if l.RPS == nil && l.Burst == nil {
		return viewer.Rate{}
	}
	rate := viewer.Rate{PerSecond: usualRPS, Burst: usualBurst}
	if l.RPS != nil {
		rate = viewer.Rate{PerSecond: *l.RPS, Burst: *l.RPS * usualBurst / usualRPS}
	}
	if l.Burst != nil {
		rate.Burst = *l.Burst
	}
	return rate
}

// Preferences are what a tenant decides for itself. Other rooms keep theirs beside these.
type Preferences struct {
	Timezone             string `json:"timezone" required:"false" nullable:"true" maxLength:"64" example:"Europe/Zurich" doc:"of the IANA database; null: UTC"`
	NotifyOperatorAccess bool   `json:"notify_operator_access" required:"false" nullable:"true" doc:"the tenant hears by webhooks of the event tenant.operator_access when an operator works in it; every such request stands in its audit log as tenant.cross_access, whatever this says"`
}

// fill puts defaults where nothing is set.
func (s *Preferences) fill() {
	if s.Timezone == "" {
		s.Timezone = "UTC"
	}
}

// check looks at what the members' schema cannot say.
func (s Preferences) check() error {
	if _, err := time.LoadLocation(s.Timezone); err != nil || s.Timezone == "Local" {
		return fault.New(fault.Invalid, "the settings cannot be stored like this").
			With(fault.Field{Pointer: "#/settings/timezone", Code: "invalid", Detail: "a name of the IANA time zone database, such as Europe/Zurich"})
	}
	return nil
}

// tidyName trims a tenant's name, which is its slug when nothing else is said.
func tidyName(name, slug string) string {
	if name = strings.TrimSpace(name); name == "" {
		return slug
	}
	return name
}

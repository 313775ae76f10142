package preferences

import (
	"fmt"
	"regexp"
	"slices"
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
	// requests a second of each token that has no rate of its own; null: 100
	RPS *int `json:"rps" required:"false" nullable:"true" minimum:"1" maximum:"10000"`
	// how many of them at once; null: twice rps
	Burst *int `json:"burst" required:"false" nullable:"true" minimum:"1" maximum:"100000"`
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

// Preferences are what a tenant decides for itself. Other packages keep their settings beside these.
type Preferences struct {
	// of the IANA database; null: UTC
	Timezone string `json:"timezone" required:"false" nullable:"true" maxLength:"64" example:"Europe/Zurich"`
	// the tenant receives the event tenant.operator_access by webhook when an operator works in it. Every such request
	// is in its audit log as tenant.cross_access, whatever this setting is
	NotifyOperatorAccess bool `json:"notify_operator_access" required:"false" nullable:"true"`

	// Hosts that callback_url of a sync run may name: host names, or *.example.com for all hosts below one. Empty
	// allows every public host.
	CallbackHosts []string `json:"callback_hosts" required:"false" nullable:"true" maxItems:"100" example:"[\"hooks.example.com\"]"`
}

// Fill puts defaults where nothing is set.
func (s *Preferences) Fill() {
	if s.Timezone == "" {
		s.Timezone = "UTC"
	}
	if s.CallbackHosts == nil {
		s.CallbackHosts = []string{}
	}
	for i, host := range s.CallbackHosts {
		s.CallbackHosts[i] = strings.ToLower(strings.TrimSpace(host))
	}
}

// Check looks at what the members' schema cannot say.
func (s Preferences) Check() error {
	if _, err := time.LoadLocation(s.Timezone); err != nil || s.Timezone == "Local" {
		return fault.New(fault.Invalid, "The settings are invalid.").
			With(fault.Field{Pointer: "#/settings/timezone", Code: "invalid", Detail: "a name of the IANA time zone " +
				"database, such as Europe/Zurich"})
	}
	for i, host := range s.CallbackHosts {
		if !hostPattern.MatchString(host) {
			return fault.New(fault.Invalid, "The settings cannot be stored.").
				With(fault.Field{
					Pointer: fmt.Sprintf("#/settings/callback_hosts/%d", i),
					Code:    "invalid",
					Detail: "must be a host name without scheme, port or path, such as hooks.example.com or " +
						"*.example.com",
				})
		}
	}
	return nil
}

// hostPattern matches a host name, or an asterisk for all hosts below one.
var hostPattern = regexp.MustCompile(`^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

// AllowsCallback reports whether the host of a callback address is one that the tenant allows. An empty list allows
// all.
func (s Preferences) AllowsCallback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return len(s.CallbackHosts) == 0 || slices.ContainsFunc(s.CallbackHosts, func(allowed string) bool {
		parent, below := strings.CutPrefix(allowed, "*")
		return host == allowed || below && strings.HasSuffix(host, parent)
	})
}

// TidyName trims a tenant's name, which is its slug when nothing else is said.
func TidyName(name, slug string) string {
	if name = strings.TrimSpace(name); name == "" {
		return slug
	}
	return name
}

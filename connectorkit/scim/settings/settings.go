package settings

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Ways of paging and of finding members.
const (
	Auto = "auto"

	PageIndex  = "index"
	PageCursor = "cursor"
	PageNone   = "none"

	MembersInline = "groups_inline" // as the list of groups carries them
	MembersByGet  = "group_get"     // group by group
	MembersByUser = "user_groups"   // as users carry their groups
	MembersFilter = "users_filter"  // by asking for the users of each group
)

// memberStrategies are the allowed values of the setting member_strategy.
var memberStrategies = []string{Auto, MembersInline, MembersByGet, MembersByUser, MembersFilter}

// Page sizes. Without the setting, a target that declares a larger maxResults than the default is asked for up to
// autoCount.
const (
	DefaultCount = 100
	AutoCount    = 500
	SweepCount   = 2000 // of ids alone
	maxCount     = 5000
)

// Settings are the settings of the connector, with those of target in Options.
type Settings struct {
	Options        target.Options
	Profile        quirks.Profile
	Pagination     string
	Count          int // 0: not set
	UsersPath      string
	GroupsPath     string
	UserFilter     string
	GroupFilter    string
	MemberStrategy string
	FilterSupport  string // of quirks, or auto
	LastModified   string
	Attributes     string
	GroupChanges   string
	ContentType    string
	Write          quirks.Writing
}

// authMethods are those that a SCIM target may be asked to use.
var authMethods = []string{
	target.AuthBearer,
	target.AuthClientCredentials,
	target.AuthBasic,
	target.AuthAPIKey,
	target.AuthNone,
}

// Read reads and checks the settings. What a user sets takes precedence over the profile of the vendor.
func Read(auth v1.AuthConfig) (Settings, error) {
	s := connectorkit.Read(auth)
	p := profileOf(s)
	// what a user sets comes before what is known of the vendor
	oneOf := func(key, known string, allowed ...string) string {
		v := s.OneOf(key, Auto, allowed...)
		if v == Auto && known != "" {
			return known
		}
		return v
	}
	set := Settings{
		Options:        target.ReadOptions(s),
		Profile:        p,
		Pagination:     oneOf("pagination", p.Pagination, Auto, PageIndex, PageCursor, PageNone),
		Count:          s.Int("count", 0, 1, maxCount),
		UsersPath:      s.String("users_path", cmp.Or(p.UsersPath, "/Users")),
		GroupsPath:     s.String("groups_path", cmp.Or(p.GroupsPath, "/Groups")),
		UserFilter:     s.String("user_filter", ""),
		GroupFilter:    s.String("group_filter", ""),
		MemberStrategy: oneOf("member_strategy", p.Members, memberStrategies...),
		FilterSupport: oneOf(
			"filter_support",
			p.Filter,
			Auto,
			quirks.FilterFull,
			quirks.FilterEqOnly,
			quirks.FilterNone,
		),
		LastModified: oneOf("last_modified", p.LastModified, Auto, quirks.Yes, quirks.No),
		Attributes:   oneOf("attributes_support", p.Attributes, Auto, quirks.Yes, quirks.No),
		GroupChanges: oneOf("group_changes", p.GroupChanges, Auto, quirks.GroupsByLastModified, quirks.GroupsAlways),
		ContentType:  s.String("content_type", "application/scim+json"),
		Write:        p.Write,
	}
	for _, choice := range writeChoices {
		at := choice.at(&set.Write)
		*at = oneOf(choice.key, *at, append([]string{Auto}, choice.words...)...)
		if *at == Auto {
			*at = ""
		}
	}
	set.Write.Unlock = s.String("unlock_attribute", p.Write.Unlock)
	if _, err := resource.ParsePath(set.Write.Unlock); set.Write.Unlock != "" && err != nil {
		s.Wrong("unlock_attribute is not the name of an attribute")
	}
	if _, given := auth["rate_limit_rps"]; !given {
		set.Options.RateRPS = p.RateRPS
	}
	if _, given := auth["max_concurrency"]; !given && p.Concurrency > 0 {
		set.Options.Concurrency = p.Concurrency
	}
	set.Options.Auth = target.ReadAuth(s, authMethods...)
	return set, s.Err()
}

// profileOf is the profile that is set, or the one that the address hints at.
func profileOf(s *connectorkit.Settings) quirks.Profile {
	key := s.OneOf("vendor_profile", Auto, append([]string{Auto}, quirks.Keys()...)...)
	if p, ok := quirks.Find(key); ok {
		return p
	}
	return quirks.ByURL(s.String("base_url", ""))
}

// Digest identifies the settings that decide the result of a sync: a checkpoint or cursor of other settings is not
// used.
func (s *Settings) Digest(o *v1.SyncOptions) string {
	h := sha256.New()
	fmt.Fprintf(
		h,
		"%q %q %q %q %q %q %q %q",
		s.Options.BaseURL,
		s.Profile.Key,
		s.Pagination,
		s.UsersPath,
		s.GroupsPath,
		s.UserFilter,
		s.GroupFilter,
		s.MemberStrategy,
	)
	if o != nil {
		fmt.Fprintf(h, " %q %q", o.Objects, o.FieldAllowlist)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

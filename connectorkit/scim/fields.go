package scim

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Ways of paging and of finding members.
const (
	auto = "auto"

	pageIndex  = "index"
	pageCursor = "cursor"
	pageNone   = "none"

	membersInline = "groups_inline" // as the list of groups carries them
	membersByGet  = "group_get"     // group by group
	membersByUser = "user_groups"   // as users carry their groups
	membersFilter = "users_filter"  // by asking for the users of each group
)

var memberStrategies = []string{auto, membersInline, membersByGet, membersByUser, membersFilter}

// Page sizes. Without the setting, a target that declares a larger maxResults than the default is asked for up to
// autoCount.
const (
	defaultCount = 100
	autoCount    = 500
	sweepCount   = 2000 // of ids alone
	maxCount     = 5000
)

// settings are the connector's own, beside those of target.
type settings struct {
	options        target.Options
	profile        quirks.Profile
	pagination     string
	count          int // 0: not set
	usersPath      string
	groupsPath     string
	userFilter     string
	groupFilter    string
	memberStrategy string
	filterSupport  string // of quirks, or auto
	lastModified   string
	attributes     string
	groupChanges   string
	contentType    string
	write          quirks.Writing
}

var authMethods = []string{
	target.AuthBearer,
	target.AuthClientCredentials,
	target.AuthBasic,
	target.AuthAPIKey,
	target.AuthNone,
}

func read(auth v1.AuthConfig) (settings, error) {
	s := connectorkit.Read(auth)
	p := profileOf(s)
	// what a user sets comes before what is known of the vendor
	oneOf := func(key, known string, allowed ...string) string {
		v := s.OneOf(key, auto, allowed...)
		if v == auto && known != "" {
			return known
		}
		return v
	}
	set := settings{
		options:        target.ReadOptions(s),
		profile:        p,
		pagination:     oneOf("pagination", p.Pagination, auto, pageIndex, pageCursor, pageNone),
		count:          s.Int("count", 0, 1, maxCount),
		usersPath:      s.String("users_path", cmp.Or(p.UsersPath, "/Users")),
		groupsPath:     s.String("groups_path", cmp.Or(p.GroupsPath, "/Groups")),
		userFilter:     s.String("user_filter", ""),
		groupFilter:    s.String("group_filter", ""),
		memberStrategy: oneOf("member_strategy", p.Members, memberStrategies...),
		filterSupport: oneOf(
			"filter_support",
			p.Filter,
			auto,
			quirks.FilterFull,
			quirks.FilterEqOnly,
			quirks.FilterNone,
		),
		lastModified: oneOf("last_modified", p.LastModified, auto, quirks.Yes, quirks.No),
		attributes:   oneOf("attributes_support", p.Attributes, auto, quirks.Yes, quirks.No),
		groupChanges: oneOf("group_changes", p.GroupChanges, auto, quirks.GroupsByLastModified, quirks.GroupsAlways),
		contentType:  s.String("content_type", "application/scim+json"),
		write:        p.Write,
	}
	for _, choice := range writeChoices {
		at := choice.at(&set.write)
		*at = oneOf(choice.key, *at, append([]string{auto}, choice.words...)...)
		if *at == auto {
			*at = ""
		}
	}
	set.write.Unlock = s.String("unlock_attribute", p.Write.Unlock)
	if _, err := parsePath(set.write.Unlock); set.write.Unlock != "" && err != nil {
		s.Wrong("unlock_attribute is not the name of an attribute")
	}
	if _, given := auth["rate_limit_rps"]; !given {
		set.options.RateRPS = p.RateRPS
	}
	if _, given := auth["max_concurrency"]; !given && p.Concurrency > 0 {
		set.options.Concurrency = p.Concurrency
	}
	set.options.Auth = target.ReadAuth(s, authMethods...)
	return set, s.Err()
}

// writeChoices are the settings that say how a target is changed, each instead of what the profile knows.
var writeChoices = []struct {
	key, label, help string
	words            []string
	at               func(*quirks.Writing) *string
}{
	{"update_method", "Changes by", "PATCH, or PUT of the whole record; auto does as the target declares.",
		[]string{quirks.ByPatch, quirks.ByPut}, func(w *quirks.Writing) *string { return &w.Update }},
	{"patch_style", "PATCH operations", "With a path each, or with their values in one object.",
		[]string{quirks.StylePath, quirks.StyleNoPath}, func(w *quirks.Writing) *string { return &w.Style }},
	{"patch_words", "PATCH words", "add, replace and remove, or with a capital letter.",
		[]string{quirks.WordsLower, quirks.WordsCapital}, func(w *quirks.Writing) *string { return &w.Words }},
	{"booleans", "Truth values", "As JSON has them, or as the texts True and False.",
		[]string{quirks.BooleansJSON, quirks.BooleansText}, func(w *quirks.Writing) *string { return &w.Booleans }},
	{
		"add_member",
		"A member is added",
		"How one member of a group is added; replace and put send the whole list, and are for targets that know no " +
			"other way.",
		[]string{quirks.MemberPath, quirks.MemberNoPath, quirks.MemberWrapped, quirks.MemberReplace, quirks.MemberPut},
		func(w *quirks.Writing) *string { return &w.AddMember },
	},
	{
		"remove_member",
		"A member is removed",
		"How one member of a group is removed. array and wrapped empty the group of a target that does not know them.",
		[]string{
			quirks.MemberValuePath,
			quirks.MemberArray,
			quirks.MemberWrapped,
			quirks.MemberReplace,
			quirks.MemberPut,
		},
		func(w *quirks.Writing) *string { return &w.RemoveMember },
	},
	{
		"disable_by",
		"Users are disabled",
		"By active, by DELETE where that only deactivates, or not at all.",
		[]string{
			quirks.DisableActive,
			quirks.DisableDelete,
			quirks.DisableNever,
		},
		func(w *quirks.Writing) *string { return &w.Disable },
	},
	{
		"delete_means",
		"DELETE of a user",
		"Whether it deletes for good or only deactivates. Users are deleted only where it deletes.",
		[]string{quirks.DeleteDeletes, quirks.DeleteDeactivates},
		func(w *quirks.Writing) *string { return &w.Delete },
	},
	{"password_support", "Passwords", "Whether passwords may be set; auto does as the target declares.",
		[]string{quirks.Yes, quirks.No}, func(w *quirks.Writing) *string { return &w.Password }},
}

// profileOf is the profile that is set, or the one that the address hints at.
func profileOf(s *connectorkit.Settings) quirks.Profile {
	key := s.OneOf("vendor_profile", auto, append([]string{auto}, quirks.Keys()...)...)
	if p, ok := quirks.Find(key); ok {
		return p
	}
	return quirks.ByURL(s.String("base_url", ""))
}

// digest tells settings apart by all that decides what a read gives: a checkpoint or a position of other settings is
// not used.
func (s *settings) digest(o *v1.SyncOptions) string {
	h := sha256.New()
	fmt.Fprintf(
		h,
		"%q %q %q %q %q %q %q %q",
		s.options.BaseURL,
		s.profile.Key,
		s.pagination,
		s.usersPath,
		s.groupsPath,
		s.userFilter,
		s.groupFilter,
		s.memberStrategy,
	)
	if o != nil {
		fmt.Fprintf(h, " %q %q", o.Objects, o.FieldAllowlist)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Fields describes the connection settings of the type scim2.
func Fields() []connectorkit.Field {
	least, most := 1, maxCount
	own := []connectorkit.Field{
		{
			Key:      "vendor_profile",
			Label:    "Vendor",
			Type:     "enum",
			Enum:     append([]string{auto}, quirks.Keys()...),
			Default:  auto,
			Advanced: true,
			Help: "Whose service this is, so that its known peculiarities are heeded; auto goes by the address. " +
				"The settings below come first.",
		},
		{
			Key:      "pagination",
			Label:    "Paging",
			Type:     "enum",
			Enum:     []string{auto, pageIndex, pageCursor, pageNone},
			Default:  auto,
			Advanced: true,
			Help:     "Index (RFC 7644) or cursor (RFC 9865); auto does as the target declares and answers.",
		},
		{
			Key:      "count",
			Label:    "Page size",
			Type:     "integer",
			Min:      &least,
			Max:      &most,
			Advanced: true,
			Help: "If omitted: 100, or the number that the target declares, up to 500. Never more than the " +
				"target declares.",
		},
		{Key: "users_path", Label: "Path of users", Type: "string", Default: "/Users", Advanced: true},
		{Key: "groups_path", Label: "Path of groups", Type: "string", Default: "/Groups", Advanced: true},
		{
			Key:      "user_filter",
			Label:    "Filter for users",
			Type:     "string",
			Advanced: true,
			Help:     `A SCIM filter, such as userType eq "Employee".`,
		},
		{Key: "group_filter", Label: "Filter for groups", Type: "string", Advanced: true},
		{
			Key:      "member_strategy",
			Label:    "Members",
			Type:     "enum",
			Enum:     memberStrategies,
			Default:  auto,
			Advanced: true,
			Help: "Members as the list of groups carries them, group by group, as users carry their groups, or " +
				"by asking for the users of each group; auto finds out.",
		},
		{
			Key:      "filter_support",
			Label:    "Filters",
			Type:     "enum",
			Enum:     []string{auto, quirks.FilterFull, quirks.FilterEqOnly, quirks.FilterNone},
			Default:  auto,
			Advanced: true,
			Help:     "What the target understands in filters; auto does as it declares.",
		},
		{
			Key:      "last_modified",
			Label:    "Changes by meta.lastModified",
			Type:     "enum",
			Enum:     []string{auto, quirks.Yes, quirks.No},
			Default:  auto,
			Advanced: true,
			Help: "Whether changed users can be asked for by time; auto tries it out before each read of " +
				"changes, and so does yes.",
		},
		{
			Key:      "attributes_support",
			Label:    "Choice of attributes",
			Type:     "enum",
			Enum:     []string{auto, quirks.Yes, quirks.No},
			Default:  auto,
			Advanced: true,
			Help:     "Whether attributes and excludedAttributes are honoured.",
		},
		{
			Key:      "group_changes",
			Label:    "Changed groups",
			Type:     "enum",
			Enum:     []string{auto, quirks.GroupsByLastModified, quirks.GroupsAlways},
			Default:  auto,
			Advanced: true,
			Help:     "Whether meta.lastModified of a group moves with its members; always reads every group each time.",
		},
		{Key: "content_type", Label: "Media type", Type: "string", Default: "application/scim+json", Advanced: true},
		{
			Key:      "unlock_attribute",
			Label:    "Attribute of a lock",
			Type:     "string",
			Advanced: true,
			Help:     "Set to false to unlock a user. SCIM itself knows no locks.",
		},
	}
	for _, choice := range writeChoices {
		own = append(
			own,
			connectorkit.Field{
				Key:      choice.key,
				Label:    choice.label,
				Type:     "enum",
				Enum:     append([]string{auto}, choice.words...),
				Default:  auto,
				Advanced: true,
				Help:     choice.help,
			},
		)
	}
	fields := []connectorkit.Field{
		{
			Key:      "base_url",
			Label:    "Base URL",
			Type:     "string",
			Required: true,
			Help:     "Where /Users is found below, such as https://example.com/scim/v2.",
		},
	}
	fields = append(fields, target.AuthFields(authMethods...)...)
	fields = append(fields, own...)
	return append(fields, target.CommonFields()...)
}

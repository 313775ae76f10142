package scim

import (
	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Ways of paging and of finding members.
const (
	auto = "auto"

	pageIndex  = "index"
	pageCursor = "cursor"
	pageNone   = "none"

	membersInline = "groups_inline"
	membersByGet  = "group_get"
)

// Page sizes. Without the setting, a target that declares a larger maxResults than the default is asked for up to autoCount.
const (
	defaultCount = 100
	autoCount    = 500
	maxCount     = 5000
)

// settings are the connector's own, beside those of target.
type settings struct {
	options        target.Options
	pagination     string
	count          int // 0: not set
	usersPath      string
	groupsPath     string
	userFilter     string
	groupFilter    string
	memberStrategy string
	contentType    string
}

var authMethods = []string{target.AuthBearer, target.AuthClientCredentials, target.AuthBasic, target.AuthAPIKey, target.AuthNone}

func read(auth v1.AuthConfig) (settings, error) {
	s := connectorkit.Read(auth)
	set := settings{
		options:        target.ReadOptions(s),
		pagination:     s.OneOf("pagination", auto, auto, pageIndex, pageCursor, pageNone),
		count:          s.Int("count", 0, 1, maxCount),
		usersPath:      s.String("users_path", "/Users"),
		groupsPath:     s.String("groups_path", "/Groups"),
		userFilter:     s.String("user_filter", ""),
		groupFilter:    s.String("group_filter", ""),
		memberStrategy: s.OneOf("member_strategy", auto, auto, membersInline, membersByGet),
		contentType:    s.String("content_type", "application/scim+json"),
	}
	set.options.Auth = target.ReadAuth(s, authMethods...)
	return set, s.Err()
}

// Fields describes the connection settings of the type scim2.
func Fields() []connectorkit.Field {
	least, most := 1, maxCount
	own := []connectorkit.Field{
		{Key: "pagination", Label: "Paging", Type: "enum", Enum: []string{auto, pageIndex, pageCursor, pageNone}, Default: auto, Advanced: true,
			Help: "Index (RFC 7644) or cursor (RFC 9865); auto does as the target declares and answers."},
		{Key: "count", Label: "Page size", Type: "integer", Min: &least, Max: &most, Advanced: true,
			Help: "100 when left out, or what the target declares up to 500. Never more than the target declares."},
		{Key: "users_path", Label: "Path of users", Type: "string", Default: "/Users", Advanced: true},
		{Key: "groups_path", Label: "Path of groups", Type: "string", Default: "/Groups", Advanced: true},
		{Key: "user_filter", Label: "Filter for users", Type: "string", Advanced: true, Help: `A SCIM filter, such as userType eq "Employee".`},
		{Key: "group_filter", Label: "Filter for groups", Type: "string", Advanced: true},
		{Key: "member_strategy", Label: "Members", Type: "enum", Enum: []string{auto, membersInline, membersByGet}, Default: auto, Advanced: true,
			Help: "Members as the list of groups carries them, or group by group; auto begins with the list."},
		{Key: "content_type", Label: "Media type", Type: "string", Default: "application/scim+json", Advanced: true},
	}
	fields := []connectorkit.Field{{
		Key: "base_url", Label: "Base URL", Type: "string", Required: true, Help: "Where /Users is found below, such as https://example.com/scim/v2.",
	}}
	fields = append(fields, target.AuthFields(authMethods...)...)
	fields = append(fields, own...)
	return append(fields, target.CommonFields()...)
}

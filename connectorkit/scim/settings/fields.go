package settings

import (
	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
)

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

// Fields describes the connection settings of the type scim2.
func Fields() []connectorkit.Field {
	least, most := 1, maxCount
	own := []connectorkit.Field{
		{
			Key:      "vendor_profile",
			Label:    "Vendor",
			Type:     "enum",
			Enum:     append([]string{Auto}, quirks.Keys()...),
			Default:  Auto,
			Advanced: true,
			Help: "Whose service this is, so that its known peculiarities are heeded; auto goes by the address. " +
				"The settings below come first.",
		},
		{
			Key:      "pagination",
			Label:    "Paging",
			Type:     "enum",
			Enum:     []string{Auto, PageIndex, PageCursor, PageNone},
			Default:  Auto,
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
			Default:  Auto,
			Advanced: true,
			Help: "Members as the list of groups carries them, group by group, as users carry their groups, or " +
				"by asking for the users of each group; auto finds out.",
		},
		{
			Key:      "filter_support",
			Label:    "Filters",
			Type:     "enum",
			Enum:     []string{Auto, quirks.FilterFull, quirks.FilterEqOnly, quirks.FilterNone},
			Default:  Auto,
			Advanced: true,
			Help:     "What the target understands in filters; auto does as it declares.",
		},
		{
			Key:      "last_modified",
			Label:    "Changes by meta.lastModified",
			Type:     "enum",
			Enum:     []string{Auto, quirks.Yes, quirks.No},
			Default:  Auto,
			Advanced: true,
			Help: "Whether changed users can be asked for by time; auto tries it out before each read of " +
				"changes, and so does yes.",
		},
		{
			Key:      "attributes_support",
			Label:    "Choice of attributes",
			Type:     "enum",
			Enum:     []string{Auto, quirks.Yes, quirks.No},
			Default:  Auto,
			Advanced: true,
			Help:     "Whether attributes and excludedAttributes are honoured.",
		},
		{
			Key:      "group_changes",
			Label:    "Changed groups",
			Type:     "enum",
			Enum:     []string{Auto, quirks.GroupsByLastModified, quirks.GroupsAlways},
			Default:  Auto,
			Advanced: true,
			Help: "Whether meta.lastModified of a group moves with its members; " +
				"always reads every group each time.",
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
				Enum:     append([]string{Auto}, choice.words...),
				Default:  Auto,
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

// Package quirks describes how the SCIM services of vendors differ from the standard and from each other. The
// descriptions are data: a profile states how to read a service, and every statement names its source and date.
package quirks

import (
	_ "embed"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
)

// Generic is the profile of an unknown service.
const Generic = "generic"

// What a service does with filters, in Profile.Filter. Empty: as it declares.
const (
	FilterFull   = "full"    // all of RFC 7644 section 3.4.2.2
	FilterEqOnly = "eq_only" // equality and perhaps and, so that nothing can be asked by time
	FilterNone   = "none"
)

// Answers to a plain question, in Profile.LastModified and Profile.Attributes. Empty: found out by asking the service.
const (
	Yes = "yes"
	No  = "no"
)

// How changed memberships are found, in Profile.GroupChanges. Empty: by lastModified where groups have it.
const (
	GroupsByLastModified = "last_modified" // meta.lastModified of a group moves with its members
	GroupsAlways         = "always"        // it does not: every group is read again
)

// Profile is what is known of one vendor's service. Empty members say nothing.
type Profile struct {
	Key   string   `json:"key"`
	Name  string   `json:"name"`
	Hosts []string `json:"hosts,omitempty"` // patterns of path.Match for the host of the base URL
	Paths []string `json:"paths,omitempty"` // beginnings of the path of the base URL; none: any

	UsersPath  string `json:"users_path,omitempty"`
	GroupsPath string `json:"groups_path,omitempty"`

	PageMax    int    `json:"page_max,omitempty"`   // resources in a page at most
	Pagination string `json:"pagination,omitempty"` // index, cursor, none

	Filter       string `json:"filter,omitempty"`
	LastModified string `json:"last_modified,omitempty"` // whether users can be filtered by meta.lastModified
	Attributes   string `json:"attributes,omitempty"`    // whether attributes and excludedAttributes are honoured
	GroupChanges string `json:"group_changes,omitempty"`

	Members     string `json:"members,omitempty"`      // groups_inline, group_get, user_groups, users_filter
	TruncatesAt int    `json:"truncates_at,omitempty"` // members of a group that are returned at most

	OnlyUsers bool `json:"only_users,omitempty"` // groups hold users only, so that members need not say what they are

	Write Writing `json:"write,omitzero"`

	RateRPS     float64 `json:"rate_rps,omitempty"` // requests a second that reading may use
	Concurrency int     `json:"concurrency,omitempty"`
	Rates       []Rate  `json:"rates,omitempty"` // as the vendor states them
	Quirks      []Quirk `json:"quirks"`
}

// How records are changed, in Writing.Update. Empty: by PATCH, unless the service declares that it has none.
const (
	ByPatch = "patch"
	ByPut   = "put"
)

// What a PATCH looks like, in Writing.Style and Writing.Words. Empty: as RFC 7644 section 3.5.2 has it.
const (
	StylePath   = "path"    // {"op":"replace","path":"active","value":false}
	StyleNoPath = "no_path" // {"op":"replace","value":{"active":false}}

	WordsLower   = "lower"
	WordsCapital = "capital" // Add, Replace, Remove
)

// How truth values are written, in Writing.Booleans. Empty: as JSON has them.
const (
	BooleansJSON = "json"
	BooleansText = "text" // "True", "False"
)

// What one member is added by, in Writing.AddMember, and removed by, in Writing.RemoveMember.
const (
	MemberPath      = "path"       // add: path members, value [{value}]
	MemberNoPath    = "no_path"    // add: value {members:[{value}]}
	MemberWrapped   = "wrapped"    // path members, value {members:[{value}]}
	MemberValuePath = "value_path" // remove: members[value eq "…"]
	MemberArray     = "array"      // remove: path members, value [{value}]
	MemberReplace   = "replace"    // the whole list by PATCH
	MemberPut       = "put"        // the whole group by PUT
)

// What keeps a user from signing in, in Writing.Disable, and what DELETE of a user does, in Writing.Delete. Empty:
// active is written, and the effect of DELETE is unknown.
const (
	DisableActive = "active"
	DisableDelete = "delete"
	DisableNever  = "none"

	DeleteDeletes     = "deletes"     // for good
	DeleteDeactivates = "deactivates" // and the record stays, or can be had back
)

// Writing is what is known of how a service is changed.
type Writing struct {
	Update       string `json:"update,omitempty"`
	Style        string `json:"style,omitempty"`
	Words        string `json:"words,omitempty"`
	Booleans     string `json:"booleans,omitempty"`
	NoFilterPath bool   `json:"no_filter_path,omitempty"` // emails[type eq "work"] is not understood in a path

	AddMember    string `json:"add_member,omitempty"`
	RemoveMember string `json:"remove_member,omitempty"`
	// of groups, with {group} and {user}: says whether the user is a member
	MemberFilter string `json:"member_filter,omitempty"`
	MostMembers  int    `json:"most_members,omitempty"` // changes of members in one request at most
	NoGroups     bool   `json:"no_groups,omitempty"`    // there is nothing to be a member of

	Disable  string   `json:"disable,omitempty"`
	Delete   string   `json:"delete,omitempty"`
	Password string   `json:"password,omitempty"`  // yes, no; empty: as the service declares
	Unlock   string   `json:"unlock,omitempty"`    // attribute that is set to false to unlock
	ReadOnly []string `json:"read_only,omitempty"` // attributes of a user that are returned and must not be sent back

	SettlesMS []int `json:"settles_ms,omitempty"` // pauses between looks at what became of a change; empty: 250, 1000
}

// Rate is a limit that a vendor states: so many of these requests in so many seconds.
type Rate struct {
	Requests string `json:"requests"`
	Count    int    `json:"count"`
	Seconds  int    `json:"seconds"`
}

// Quirk is one thing to know, who says so, and when that was looked up or written.
type Quirk struct {
	Note   string `json:"note"`
	Source string `json:"source"`
	Date   string `json:"date"` // RFC 3339 date
}

//go:embed quirks.json
var file []byte

// profiles are read from quirks.json when the package is loaded. A mistake in that file is a panic,
// which every test of the package meets.
var profiles = load()

// load reads the embedded file; its test makes sure that it can be read.
func load() []Profile {
	var all []Profile
	if err := jsonvalue.Strict(file, &all); err != nil {
		panic(fmt.Sprintf("quirks.json: %v", err))
	}
	return all
}

// All are the profiles in their order, the generic one first.
func All() []Profile { return append([]Profile(nil), profiles...) }

// Keys are the names of all profiles, in their order.
func Keys() []string {
	keys := make([]string, len(profiles))
	for i, p := range profiles {
		keys[i] = p.Key
	}
	return keys
}

// Find gives the profile with a key.
func Find(key string) (Profile, bool) {
	for _, p := range profiles {
		if p.Key == key {
			return p, true
		}
	}
	return Profile{}, false
}

// ByURL guesses the profile from a base URL. Where nothing fits it is the generic one.
func ByURL(base string) Profile {
	u, err := url.Parse(base)
	if err == nil {
		for _, p := range profiles {
			if p.fits(strings.ToLower(u.Hostname()), u.Path) {
				return p
			}
		}
	}
	generic, _ := Find(Generic)
	return generic
}

// fits says whether the address is one of this vendor's. A path alone proves nothing.
func (p Profile) fits(host, at string) bool {
	for _, pattern := range p.Hosts {
		if ok, _ := path.Match(pattern, host); !ok {
			continue
		}
		for _, begin := range p.Paths {
			if strings.HasPrefix(at, begin) {
				return true
			}
		}
		return len(p.Paths) == 0
	}
	return false
}

// Package quirks knows how the SCIM services of vendors differ from the standard and from each other. What it knows is data: a
// profile says how a service likes to be read, and every statement names its source and date.
package quirks

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// Generic is the profile of a service nobody knows anything particular of.
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
	TruncatesAt int    `json:"truncates_at,omitempty"` // members of a group that are told at most

	OnlyUsers bool `json:"only_users,omitempty"` // groups hold users only, so that members need not say what they are

	RateRPS     float64 `json:"rate_rps,omitempty"` // requests a second that reading may use
	Concurrency int     `json:"concurrency,omitempty"`
	Rates       []Rate  `json:"rates,omitempty"` // as the vendor states them
	Quirks      []Quirk `json:"quirks"`
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

var profiles = load()

// load reads the embedded file; its test makes sure that it can be read.
func load() []Profile {
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	var all []Profile
	if err := dec.Decode(&all); err != nil {
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

package fact

import (
	"time"
)

// Facts are what conditions may ask about a person. One value is used by one goroutine at a time.
type Facts interface {
	// Fields are the members of the identity as the API names them. Dates are YYYY-MM-DD, instants RFC 3339.
	Fields() map[string]any
	// InTree says whether the manager, an identity id or external id, is among those above the person.
	InTree(manager string) bool
	// HasRole says whether they hold the role, which is an id or a key, otherwise than by a policy.
	HasRole(role string) bool
	// HasEntitlement says the same of the id of an entitlement.
	HasEntitlement(id string) bool
	// Today is the day that relative dates count from.
	Today() time.Time
}

// Person is a person whose facts are all at hand.
type Person struct {
	Identity     map[string]any
	Managers     map[string]bool // ids and external ids of all above them
	Roles        map[string]bool // ids and keys
	Entitlements map[string]bool // ids
	Day          time.Time
}

// Fields implements Facts.
func (p *Person) Fields() map[string]any { return p.Identity }

// InTree implements Facts.
func (p *Person) InTree(manager string) bool { return p.Managers[manager] }

// HasRole implements Facts.
func (p *Person) HasRole(role string) bool { return p.Roles[role] }

// HasEntitlement implements Facts.
func (p *Person) HasEntitlement(id string) bool { return p.Entitlements[id] }

// Today implements Facts.
func (p *Person) Today() time.Time { return p.Day }

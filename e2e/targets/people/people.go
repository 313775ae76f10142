// Package people invents the company whose staff fill the bundled target systems.
//
// One seed gives one company, to the letter: an HR file, a directory and a SaaS application that
// speak of the same people, joined by the employee number and the mail address. Nobody in it exists;
// the mail domain ends in .example (RFC 2606).
//
// The company is not tidy. It carries the untidiness that a governance tool is bought to find, and
// [Company.Wrinkles] names every case, so that a test can compare what was found with what is there.
// Counts with n people (each at least 1; ‰ of n):
//
//	SameName              2     two different people called Anna Müller
//	MissingMail           1     a person without a mail address
//	DuplicateMail         2     two people who share one mail address
//	EnabledLeavers        4 ‰   terminated people whose directory account still works
//	ActiveSaaSLeavers     3 ‰   terminated people who are still active in the SaaS application
//	ManagerGone           -     active people whose manager has left: the reports of 1 ‰ of n managers
//	OverdueContractors    3 ‰   contractors past the end of their contract, still active everywhere
//	StaleDepartment       4 ‰   people whose directory account names a department they have left
//	OrphanAccounts        3 ‰   directory accounts of people whom HR does not know
//	OrphanSaaSAccounts    2 ‰   SaaS accounts of people whom HR does not know
//	ServiceAccounts       10    directory accounts that belong to machines
//	SaaSServiceAccounts   3     SaaS accounts that belong to machines
//	LeaverAdmins          2     terminated people who are still in an administrators' group
//	ToxicPairs            1 ‰   people who may both create and approve payments
//	DanglingMembers       2     group members whose account was deleted
//	NestedGroups          -     directory groups that are members of other groups
//	GroupCycle            2     two groups that contain each other
//	LeaverRoles           2     terminated people who still hold an HR security role
package people

import "time"

// Smallest is the least number of people [NewCompany] makes: fewer could not carry every wrinkle.
const Smallest = 120

// Reference is the day that [NewCompany] describes the company on. It is fixed, so that a seed gives
// the same company in every year.
var Reference = time.Date(2026, time.June, 30, 0, 0, 0, 0, time.UTC)

// Kind says what somebody, or an account, is to the company.
type Kind string

// The kinds. Service and Unknown occur on accounts only.
const (
	Employee   Kind = "Employee"
	Contractor Kind = "Contractor"
	Service    Kind = "Service"
	Unknown    Kind = "Unknown"
)

// Status is where a person stands in HR.
type Status string

// The states of a person, as an HR system spells them.
const (
	Active     Status = "Active"
	OnLeave    Status = "On Leave"
	Terminated Status = "Terminated"
)

// Person is somebody HR knows.
type Person struct {
	Number      string // employee number, unique, the same in every system
	Login       string // unique, ASCII, lower case
	GivenName   string
	FamilyName  string
	DisplayName string
	Mail        string // empty for one person, shared by two
	Title       string
	Department  string // name, see Company.Departments
	CostCenter  string // code, see Company.CostCenters
	Location    string // city, see Company.Locations
	Country     string // ISO 3166-1 alpha-2
	Phone       string
	Manager     string // employee number, empty for the head of the company alone
	Kind        Kind
	Status      Status
	HireDate    time.Time
	EndDate     time.Time // last day, or end of contract; zero when open
	Modified    time.Time // when HR last touched the record
}

// Department is a part of the company.
type Department struct {
	ID   string // "D-010"
	Name string
	Slug string // "customer-support", as group names spell it
	Head string // employee number
}

// CostCenter is where somebody's cost is booked.
type CostCenter struct {
	Code       string // "CC-1010"
	Name       string
	Department string // name
}

// Location is an office.
type Location struct {
	City    string
	Slug    string // "sao-paulo"
	Country string // ISO 3166-1 alpha-2
}

// Account is a login in the directory or in the SaaS application.
type Account struct {
	ID          string // UUID, never changes, unique per system
	Login       string // unique per system
	Number      string // employee number; empty when the account says nothing about its owner
	GivenName   string
	FamilyName  string
	DisplayName string
	Mail        string
	Title       string
	Department  string
	CostCenter  string
	Location    string
	Phone       string
	Manager     string // login of the manager's account in the same system, or empty
	Kind        Kind
	Enabled     bool
	Created     time.Time
	Modified    time.Time
}

// Group is a group of the directory or of the SaaS application.
type Group struct {
	ID          string // UUID, unique per system
	Name        string // unique per system
	Description string
	Members     []string // logins; the directory has two that no account bears
	Groups      []string // names of the groups inside this one
	Privileged  bool     // gives the rights of an administrator
	Created     time.Time
	Modified    time.Time
}

// System is what one target holds: accounts, and groups of them.
type System struct {
	Accounts []Account
	Groups   []Group
}

// SecurityRole is a right inside the HR system itself, held by employee number.
type SecurityRole struct {
	ID          string // "SR-01"
	Name        string
	Description string
	Members     []RoleMember
}

// RoleMember is one holder of a security role.
type RoleMember struct {
	Number   string // employee number
	Assigned time.Time
}

// Company is everything the three systems know.
type Company struct {
	Name        string
	Domain      string // of mail addresses
	Seed        int64
	Day         time.Time // the day all this is true on, midnight UTC
	People      []Person  // in the order of their numbers; the first is the head of the company
	Departments []Department
	CostCenters []CostCenter
	Locations   []Location
	Roles       []SecurityRole // of the HR system
	Directory   System
	SaaS        System
	Wrinkles    Wrinkles
}

// Wrinkles names what is wrong with the company. People stand by employee number, accounts by login,
// groups by name; the package comment says what each list means.
type Wrinkles struct {
	SameName            []string
	MissingMail         []string
	DuplicateMail       []string
	EnabledLeavers      []string
	ActiveSaaSLeavers   []string
	ManagerGone         []string
	OverdueContractors  []string
	StaleDepartment     []string
	OrphanAccounts      []string
	OrphanSaaSAccounts  []string
	ServiceAccounts     []string
	SaaSServiceAccounts []string
	LeaverAdmins        []string
	ToxicPairs          []string
	DanglingMembers     []string
	NestedGroups        []string
	GroupCycle          []string
	LeaverRoles         []string
}

// Counts gives the number of cases of each wrinkle, by its field name.
func (w Wrinkles) Counts() map[string]int {
	return map[string]int{
		"SameName":            len(w.SameName),
		"MissingMail":         len(w.MissingMail),
		"DuplicateMail":       len(w.DuplicateMail),
		"EnabledLeavers":      len(w.EnabledLeavers),
		"ActiveSaaSLeavers":   len(w.ActiveSaaSLeavers),
		"ManagerGone":         len(w.ManagerGone),
		"OverdueContractors":  len(w.OverdueContractors),
		"StaleDepartment":     len(w.StaleDepartment),
		"OrphanAccounts":      len(w.OrphanAccounts),
		"OrphanSaaSAccounts":  len(w.OrphanSaaSAccounts),
		"ServiceAccounts":     len(w.ServiceAccounts),
		"SaaSServiceAccounts": len(w.SaaSServiceAccounts),
		"LeaverAdmins":        len(w.LeaverAdmins),
		"ToxicPairs":          len(w.ToxicPairs),
		"DanglingMembers":     len(w.DanglingMembers),
		"NestedGroups":        len(w.NestedGroups),
		"GroupCycle":          len(w.GroupCycle),
		"LeaverRoles":         len(w.LeaverRoles),
	}
}

// Person finds somebody by employee number.
func (c *Company) Person(number string) (Person, bool) {
	for _, p := range c.People {
		if p.Number == number {
			return p, true
		}
	}
	return Person{}, false
}

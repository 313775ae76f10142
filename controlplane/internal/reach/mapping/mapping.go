// Package mapping turns a source's record of a person into the fields of an identity. It is pure: no database, no clock.
//
// Every field of the source is looked at by the same heuristics: its name equals one of ours or a case variant of it
// (exact), it is an attribute of the SCIM enterprise user extension (scim_extension, RFC 7643 section 4.3), a common synonym
// (synonym), the first date of the record (type_shape) or a vendor's word (vendor_template). The rule named first wins where two
// source fields claim one of ours. Where a person has decided (package fieldmap keeps that), their rules take the heuristics' place.
package mapping

import (
	"strings"
)

// Rule says how a source field came to be mapped.
type Rule string

// The rules, best first.
const (
	Exact          Rule = "exact"
	ScimExtension  Rule = "scim_extension"
	Synonym        Rule = "synonym"
	TypeShape      Rule = "type_shape"
	VendorTemplate Rule = "vendor_template"

	// SectorPack is no heuristic: a pack that the tenant has installed offers it.
	SectorPack Rule = "sector_pack"

	// Manual and Copied are no heuristics: a person said so, here or at another connector.
	Manual Rule = "manual"
	Copied Rule = "copied"
)

// enterprise is the URN of the SCIM enterprise user extension.
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:user:"

var extension = map[string]Field{
	"employeenumber": EmployeeNumber, "costcenter": CostCenter, "organization": Organization, "division": Division,
	"department": Department, "manager.value": Manager, "manager": Manager,
}

// vendor are words that one vendor's systems use and nobody else means otherwise.
var vendor = map[string]Field{
	"userprincipalname": Email, "useraccountcontrol": IsDisabled, "nsaccountlock": IsDisabled, "logindisabled": IsDisabled,
}

// synonyms are common words for our fields, folded.
var synonyms = map[string]Field{
	"mail": Email, "emailaddress": Email, "workemail": Email, "primaryemail": Email, "emails.value": Email,
	"cn": DisplayName, "fullname": DisplayName, "commonname": DisplayName, "name": DisplayName, "name.formatted": DisplayName,
	"samaccountname": Username, "uid": Username, "login": Username, "loginname": Username, "userid": Username, "accountname": Username,
	"givenname": FirstName, "name.givenname": FirstName, "forename": FirstName,
	"sn": LastName, "surname": LastName, "familyname": LastName, "name.familyname": LastName,
	"name.middlename": MiddleName, "nickname": PreferredName, "knownas": PreferredName,
	"employeeid": EmployeeNumber, "empno": EmployeeNumber, "personnelnumber": EmployeeNumber, "staffid": EmployeeNumber, "workerid": EmployeeNumber,
	"dept": Department, "departmentname": Department, "departmentnumber": Department, "department.name": Department, "dept.name": Department, "dept.code": Department,
	"company": Organization, "o": Organization, "organisation": Organization,
	"costcentre": CostCenter, "costcentercode": CostCenter, "cost_centre": CostCenter,
	"jobtitle": Title, "position": Title, "l": Location, "city": Location, "office": Location, "physicaldeliveryofficename": Location, "locationname": Location,
	"c": Country, "co": Country, "countrycode": Country,
	"usertype": EmploymentType, "employeetype": EmploymentType, "workertype": EmploymentType, "contracttype": EmploymentType,
	"managerid": Manager, "managerexternalid": Manager, "manageremployeeid": Manager, "managerdn": Manager, "managerid.value": Manager,
	"supervisor": Manager, "supervisorid": Manager, "reportsto": Manager, "manageremail": Manager, "manager.id": Manager, "manageremployeenumber": Manager,
	"hired": HireDate, "datehired": HireDate, "dateofhire": HireDate, "hiredon": HireDate, "joined": HireDate, "joindate": HireDate,
	"enddate": TerminationDate, "terminatedon": TerminationDate, "leavedate": TerminationDate, "lastday": TerminationDate,
	"disabled": IsDisabled, "accountdisabled": IsDisabled, "inactive": IsDisabled, "suspended": IsDisabled,
	"active": Status, "enabled": Status, "isactive": Status, "employmentstatus": Status, "state": Status,
}

// fold makes one of displayName, display_name, Display-Name and DISPLAYNAME. Dots and colons keep their meaning.
func fold(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

var exact = func() map[string]Field {
	m := make(map[string]Field, len(fields))
	for _, f := range fields {
		m[fold(string(f))] = f
	}
	return m
}()

// rank orders the rules; a lower one wins.
var rank = map[Rule]int{Exact: 0, ScimExtension: 1, SectorPack: 2, Synonym: 3, TypeShape: 4, VendorTemplate: 5}

// Match says which field a source field maps to by default, and by which rule. ok is false where none does.
func Match(source string) (f Field, rule Rule, ok bool) {
	name := fold(source)
	if strings.HasPrefix(name, fold(enterprise)) {
		f, ok = extension[strings.TrimPrefix(name, fold(enterprise))]
		return f, ScimExtension, ok
	}
	if f, ok = exact[name]; ok {
		return f, Exact, true
	}
	if f, ok = vendor[name]; ok {
		return f, VendorTemplate, true
	}
	f, ok = synonyms[name]
	return f, Synonym, ok
}

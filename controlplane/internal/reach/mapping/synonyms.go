package mapping

import ()

// words are the names by which the fields of a kind of object are known, folded.
type words struct {
	// exact, extension, vendor and synonyms are looked up in this order; see Match.
	exact, extension, vendor, synonyms map[string]Field
}

var (
	wordsOfPeople       = words{byName(fields), extension, vendor, synonyms}
	wordsOfEntitlements = words{
		exact:    byName(entitlementFields),
		vendor:   entitlementVendor,
		synonyms: entitlementSynonyms,
	}
	wordsOfGrants = words{exact: byName(grantFields), synonyms: grantSynonyms}
)

// wordsOf are those of an object. An account is called by the words of the person whose it is.
func wordsOf(object string) words {
	switch object {
	case ObjectIdentity, ObjectAccount:
		return wordsOfPeople
	case ObjectEntitlement:
		return wordsOfEntitlements
	case ObjectGrant:
		return wordsOfGrants
	}
	return words{}
}

// byName maps the folded name of each field to the field.
func byName(fields []Field) map[string]Field {
	m := make(map[string]Field, len(fields))
	for _, f := range fields {
		m[Fold(string(f))] = f
	}
	return m
}

// enterprise is the URN of the SCIM enterprise user extension.
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:user:"

// extension are the names of the SCIM enterprise extension (RFC 7643 section 4.3).
var extension = map[string]Field{
	"employeenumber": EmployeeNumber, "costcenter": CostCenter, "organization": Organization, "division": Division,
	"department": Department, "manager.value": Manager, "manager": Manager,
}

// vendor are words that one vendor's systems use and that have no other meaning elsewhere.
var vendor = map[string]Field{
	"userprincipalname":  Email,
	"useraccountcontrol": IsDisabled,
	"nsaccountlock":      IsDisabled,
	"logindisabled":      IsDisabled,
}

// synonyms are common words for our fields, folded.
var synonyms = map[string]Field{
	"mail":                       Email,
	"emailaddress":               Email,
	"workemail":                  Email,
	"primaryemail":               Email,
	"emails.value":               Email,
	"cn":                         DisplayName,
	"fullname":                   DisplayName,
	"commonname":                 DisplayName,
	"name":                       DisplayName,
	"name.formatted":             DisplayName,
	"samaccountname":             Username,
	"uid":                        Username,
	"login":                      Username,
	"loginname":                  Username,
	"userid":                     Username,
	"accountname":                Username,
	"givenname":                  FirstName,
	"name.givenname":             FirstName,
	"forename":                   FirstName,
	"sn":                         LastName,
	"surname":                    LastName,
	"familyname":                 LastName,
	"name.familyname":            LastName,
	"name.middlename":            MiddleName,
	"nickname":                   PreferredName,
	"knownas":                    PreferredName,
	"employeeid":                 EmployeeNumber,
	"empno":                      EmployeeNumber,
	"personnelnumber":            EmployeeNumber,
	"staffid":                    EmployeeNumber,
	"workerid":                   EmployeeNumber,
	"dept":                       Department,
	"departmentname":             Department,
	"departmentnumber":           Department,
	"department.name":            Department,
	"dept.name":                  Department,
	"dept.code":                  Department,
	"company":                    Organization,
	"o":                          Organization,
	"organisation":               Organization,
	"costcentre":                 CostCenter,
	"costcentercode":             CostCenter,
	"cost_centre":                CostCenter,
	"jobtitle":                   Title,
	"position":                   Title,
	"l":                          Location,
	"city":                       Location,
	"office":                     Location,
	"physicaldeliveryofficename": Location,
	"locationname":               Location,
	"c":                          Country,
	"co":                         Country,
	"countrycode":                Country,
	"usertype":                   EmploymentType,
	"employeetype":               EmploymentType,
	"workertype":                 EmploymentType,
	"contracttype":               EmploymentType,
	"managerid":                  Manager,
	"managerexternalid":          Manager,
	"manageremployeeid":          Manager,
	"managerdn":                  Manager,
	"managerid.value":            Manager,
	"supervisor":                 Manager,
	"supervisorid":               Manager,
	"reportsto":                  Manager,
	"manageremail":               Manager,
	"manager.id":                 Manager,
	"manageremployeenumber":      Manager,
	"hired":                      HireDate,
	"datehired":                  HireDate,
	"dateofhire":                 HireDate,
	"hiredon":                    HireDate,
	"joined":                     HireDate,
	"joindate":                   HireDate,
	"enddate":                    TerminationDate,
	"terminatedon":               TerminationDate,
	"leavedate":                  TerminationDate,
	"lastday":                    TerminationDate,
	"lastworkingday":             LastWorkingAt,
	"lastworkingdate":            LastWorkingAt,
	"lastdayworked":              LastWorkingAt,
	"lastdayofwork":              LastWorkingAt,
	"leavestart":                 LeaveFrom,
	"leavestartdate":             LeaveFrom,
	"leavebegin":                 LeaveFrom,
	"loastartdate":               LeaveFrom,
	"absencestart":               LeaveFrom,
	"leaveend":                   LeaveTo,
	"leaveenddate":               LeaveTo,
	"loaenddate":                 LeaveTo,
	"absenceend":                 LeaveTo,
	"disabled":                   IsDisabled,
	"accountdisabled":            IsDisabled,
	"inactive":                   IsDisabled,
	"suspended":                  IsDisabled,
	"active":                     Status,
	"enabled":                    Status,
	"isactive":                   Status,
	"employmentstatus":           Status,
	"state":                      Status,
}

// entitlementVendor are words of Active Directory: see groupType and asTruth for how their numbers are read.
var entitlementVendor = map[string]Field{"grouptype": Kind, "admincount": Privileged}

// entitlementSynonyms are common words for the fields of an entitlement, folded.
var entitlementSynonyms = map[string]Field{
	"cn": Name, "commonname": Name, "groupname": Name, "rolename": Name, "entitlementname": Name,
	"samaccountname": Name,
	"title":          DisplayName, "label": DisplayName, "friendlyname": DisplayName,
	"desc": Description, "summary": Description, "comment": Description, "comments": Description,
	"entitlementtype": Kind, "entitlementkind": Kind,
	"isprivileged": Privileged, "isadmin": Privileged, "privilegedaccess": Privileged,
	"isrequestable": Requestable, "isgrantable": Grantable, "isassignable": Grantable, "isrevocable": Revocable,
	"maxusers": MaxMembers, "memberlimit": MaxMembers,
	"resourceid": ResourceID, "applicationid": ResourceID, "appid": ResourceID,
	"resource": ResourceName, "resource.name": ResourceName, "resourcedisplayname": ResourceName,
	"application": ResourceName, "applicationname": ResourceName, "appname": ResourceName,
}

// grantSynonyms are common words for the fields of a grant, folded.
var grantSynonyms = map[string]Field{
	"startdate": StartsAt, "startdatetime": StartsAt, "validfrom": StartsAt, "effectivefrom": StartsAt,
	"effectivedate": StartsAt,
	"enddate":       ExpiresAt, "enddatetime": ExpiresAt, "endsat": ExpiresAt, "validto": ExpiresAt,
	"validuntil": ExpiresAt, "expires": ExpiresAt,
	"expiry": ExpiresAt, "expirydate": ExpiresAt, "expiration": ExpiresAt, "expirationdate": ExpiresAt,
	"expireson": ExpiresAt,
	"grantedon": GrantedAt, "grantdate": GrantedAt, "assignedat": GrantedAt, "assignedon": GrantedAt,
	"assigneddate":   GrantedAt,
	"assignmentdate": GrantedAt, "createdat": GrantedAt, "createddatetime": GrantedAt,
	"lastused": LastUsedAt, "lastusedon": LastUsedAt, "lastuseddate": LastUsedAt, "lastaccess": LastUsedAt,
	"lastaccessedat": LastUsedAt,
	"grantedby":      AssignedBy, "assigner": AssignedBy, "assignedbyname": AssignedBy, "createdby": AssignedBy,
	"isimmutable": Immutable, "readonly": Immutable,
}

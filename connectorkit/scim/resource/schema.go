package resource

// enterpriseAttributes are those of the enterprise extension, which may be named without it.
var enterpriseAttributes = []string{"employeeNumber", "costCenter", "organization", "division", "department", "manager"}

const errorSchema = "urn:ietf:params:scim:api:messages:2.0:error"

// Well-known schemas, for targets that list schemas but no resource types.
const (
	UserSchema  = "urn:ietf:params:scim:schemas:core:2.0:User"
	GroupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group"
)

// EnterpriseUser is the extension of RFC 7643 section 4.3.
const EnterpriseUser = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

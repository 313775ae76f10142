package approval

// Kinds of resolver.
const (
	ByManager          = "manager"
	ByRoleOwner        = "role_owner"
	ByEntitlementOwner = "entitlement_owner"
	ByConnectorOwner   = "connector_owner"
	ByResourceOwner    = "resource_owner"
	BySponsor          = "sponsor"
	ByIdentity         = "identity"
	ByGroup            = "group"
	ByAppRole          = "app_role"
	ByExpression       = "expression"
	ByWebhook          = "webhook"
	ByChoice           = "requester_choice"
	ByOnCall           = "on_call"
)

// Admin is the role whose users decide where nobody else can.
const Admin = "admin"

// MaxManagerLevel is how many managers above a person can be asked.
const MaxManagerLevel = 5

// RoleName names the users with a role of the tenant, in the plural.
func RoleName(role string) string {
	switch role {
	case Admin:
		return "administrators"
	case "auditor":
		return "auditors"
	case "manager":
		return "managers"
	case "resource_owner":
		return "resource owners"
	}
	return "all users with the role " + role
}

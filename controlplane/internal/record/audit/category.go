package audit

import "strings"

// Category groups actions.
type Category string

// Categories of the catalog.
const (
	Authentication Category = "authentication"
	Authorization  Category = "authorization"
	Identity       Category = "identity"
	Account        Category = "account"
	Entitlement    Category = "entitlement"
	Grant          Category = "grant"
	Connector      Category = "connector"
	Sync           Category = "sync"
	Request        Category = "request"
	Certification  Category = "certification"
	Policy         Category = "policy"
	Violation      Category = "violation"
	Mining         Category = "mining"
	RoleModel      Category = "role"
	Pack           Category = "pack"
	ProofOfConcept Category = "poc"
	Agent          Category = "agent"
	Webhook        Category = "webhook"
	Token          Category = "token"
	Settings       Category = "settings"
	TenantItself   Category = "tenant"
	Export         Category = "export"
)

// domains are the categories of actions by the part before the dot, where a single action does not say otherwise.
var domains = map[string]Category{
	"auth":                Authentication,
	"user":                Account,
	"sign_in_rule":        Account,
	"identity":            Identity,
	"account":             Account,
	"accounts":            Account,
	"entitlement":         Entitlement,
	"grant":               Grant,
	"connector":           Connector,
	"provisioning":        Account,
	"sync_run":            Sync,
	"agent":               Agent,
	"tenant":              TenantItself,
	"audit":               Export,
	"audit_stream":        Settings,
	"webhook":             Webhook,
	"api_token":           Token,
	"key":                 Settings,
	"role":                RoleModel,
	"access_request":      Request,
	"certification":       Certification,
	"policy":              Policy,
	"duty":                Policy,
	"mitigating_control":  Policy,
	"mitigation":          Violation,
	"separation_policy":   Policy,
	"violation":           Violation,
	"requirement_gap":     Violation,
	"policy_review":       Policy,
	"sector_pack":         Pack,
	"approval_rule":       Policy,
	"decision_task":       Request,
	"decision_delegation": Request,
	"work_item":           Settings,

	"notification_settings": Settings,
	"mail_message":          Settings,
	"mail_address":          Settings,
	"notification_template": Settings,
}

// exceptions are actions whose category is not that of their domain.
var exceptions = map[string]Category{
	"audit.trimmed":              Settings,
	"audit.retention_updated":    Settings,
	"audit.verified":             Export,
	"audit.key_rotated":          Settings,
	"tenant.cross_access":        Authorization,
	"auth.wrong_address":         Authorization,
	"sync_run.changes_exported":  Export,
	"identity.exported":          Export,
	"role.exported":              Export,
	"separation_policy.exported": Export,
	"policy.table_exported":      Export,
}

// CategoryOf is the category of an action.
func CategoryOf(action string) Category {
	if c, ok := exceptions[action]; ok {
		return c
	}
	domain, _, _ := strings.Cut(action, ".")
	if c, ok := domains[domain]; ok {
		return c
	}
	return Settings
}

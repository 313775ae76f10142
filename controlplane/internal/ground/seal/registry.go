package seal

// Column is a column with values that Seal sealed for Places.
type Column struct {
	Table, Column string
	Row           string // SQL for the Place's Row
}

// Columns are all columns with values of tenants. What is not here is not sealed anew when a data key changes; a test
// holds the list against every Place in the code.
var Columns = []Column{
	{"agent_task", "request", "id::text"},
	{"agent_task", "result", "id::text"},
	{"audit_stream", "ca", "id::text"},
	{"audit_stream", "header_value", "id::text"},
	{"connector", "credentials", "id::text"},
	{"identity_provider", "client_secret", "id::text"},
	{"kept_answer", "answer", "claim::text"},
	{"mail_message", "secret", "id::text"},
	{"notification_settings", "secret", "tenant_id::text"},
	{"second_factor", "secret", "user_id::text"},
	{"webhook", "headers_sealed", "id::text"},
	{"webhook", "url_sealed", "id::text"},
	{"webhook_secret", "sealed", "id::text"},
}

// GlobalColumn is a column with values that SealGlobal sealed. Its table belongs to no tenant.
type GlobalColumn struct {
	Table, Column string
	Purpose       string // SQL for what SealGlobal was given
}

// GlobalColumns are all columns that the master key sealed directly, but for the tenants' data keys.
var GlobalColumns = []GlobalColumn{
	{"signing_key", "sealed", "'signing-key|' || audience || '|' || kid"},
	{"deployment_secret", "sealed", "'deployment|' || name"},
}

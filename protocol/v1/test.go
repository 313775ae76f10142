package v1

import "time"

// TestRequest asks for a live probe of a connection. A test has no side effects and never touches cursors.
type TestRequest struct {
	ConnectorBusinessID string     `json:"connector_business_id"`
	AuthConfig          AuthConfig `json:"auth_config"`
}

// TestResponse is the verdict of a probe with every step it took.
type TestResponse struct {
	Success    bool         `json:"success"`
	DurationMS int64        `json:"duration_ms"`
	ExecutedBy *ExecutedBy  `json:"executed_by,omitempty"`
	Steps      []TestStep   `json:"steps"`
	Result     *Target      `json:"result,omitempty"` // the target's answer the verdict rests on
	Facts      *TargetFacts `json:"facts,omitempty"`
	Warnings   []Warning    `json:"warnings,omitempty"`
	Error      *ErrorDetail `json:"error"`

	// Operations are the changes that the target offers, as its schema or manifest shows. Absent: it does not show
	// them.
	Operations []ProvisionOp `json:"operations,omitempty"`
}

// TestStep is one step of a probe: dns, tcp, tls, token, service_provider_config, users_probe, anonymous_bind,
// paged_search_anonymous, start_tls, bind, paged_search, request.
type TestStep struct {
	Name   string      `json:"name"`
	OK     bool        `json:"ok"`
	MS     int64       `json:"ms"`
	Detail string      `json:"detail,omitempty"`
	HTTP   *HTTPResult `json:"http,omitempty"`
	LDAP   *LDAPResult `json:"ldap,omitempty"`
	TLS    *TLSResult  `json:"tls,omitempty"`
	Net    *NetResult  `json:"net,omitempty"`
	Hint   string      `json:"hint,omitempty"`
}

// ExecutedBy says which process spoke to the target.
type ExecutedBy struct {
	Mode     string `json:"mode"` // hosted, agent
	AgentID  string `json:"agent_id,omitempty"`
	Hostname string `json:"hostname,omitempty"`
}

// TargetFacts is what a probe learned about the target.
type TargetFacts struct {
	Vendor            string   `json:"vendor,omitempty"`
	Version           string   `json:"version,omitempty"`
	SupportedControls []string `json:"supported_controls,omitempty"`
	NamingContexts    []string `json:"naming_contexts,omitempty"`
	Pagination        []string `json:"pagination,omitempty"` // index, cursor
	// how a change could be found: none, last_modified, dirsync, usn, syncrepl, modify_timestamp, parameter
	Incremental string     `json:"incremental,omitempty"`
	MaxPageSize int        `json:"max_page_size,omitempty"`
	ServerTime  *time.Time `json:"server_time,omitempty"`
}

package rig

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/process"
)

// Targets are the three bundled systems: a directory, a SCIM service provider and an HR system.
type Targets struct {
	Bin    string // directory of the programs
	File   string // state file, see State
	Log    string // file
	People int
	Seed   int64 // 0: the program's own

	*process.Child // nil until it was started
}

// State is what the state file of the targets tells: where they listen, and with which credentials.
type State struct {
	Company string `json:"company"`
	People  int    `json:"people"`
	LDAP    struct {
		Addr         string `json:"addr"`
		BaseDN       string `json:"base_dn"`
		BindDN       string `json:"bind_dn"`
		BindPassword string `json:"bind_password"`
	} `json:"ldap"`
	SCIM struct {
		BaseURL string `json:"base_url"`
		Token   string `json:"token"`
	} `json:"scim"`
	REST struct {
		BaseURL string `json:"base_url"`
		Header  string `json:"api_key_header"`
		APIKey  string `json:"api_key"`
	} `json:"rest"`
	Wrinkles map[string]int `json:"wrinkles"`
}

// Start serves the three systems and tells how to reach them.
func (t *Targets) Start(ctx context.Context) (State, error) {
	args := []string{"--state", t.File, "--people", strconv.Itoa(t.People)}
	if t.Seed != 0 {
		args = append(args, "--seed", strconv.FormatInt(t.Seed, 10))
	}
	var err error
	t.Child, err = process.Start(
		process.Spec{Name: "the sample systems", Path: filepath.Join(t.Bin, TargetsProgram), Args: args, Log: t.Log},
	)
	if err != nil {
		return State{}, err
	}
	ready := func(context.Context) bool { return strings.HasSuffix(t.Output(), "ready\n") }
	if err := t.Await(ctx, "serve", ready); err != nil {
		return State{}, err
	}
	return t.State()
}

// State reads the state file.
func (t *Targets) State() (s State, err error) {
	raw, err := os.ReadFile(t.File)
	if err != nil {
		return s, fmt.Errorf("state of the sample systems: %w", err)
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("state of the sample systems: %w", err)
	}
	return s, nil
}

// Directory is a connector that reads accounts and groups of the LDAP directory.
func (s State) Directory() api.Connector {
	host, port, _ := net.SplitHostPort(s.LDAP.Addr) // the targets wrote it
	number, _ := strconv.Atoi(port)
	return api.Connector{
		BusinessID: "directory", Name: "Corporate directory", Type: "ldap", Purpose: "target",
		Connection: map[string]any{
			"host": host, "port": number, "security": "none", "base_dn": s.LDAP.BaseDN, "bind_dn": s.LDAP.BindDN,
		},
		Credentials: map[string]any{"bind_password": s.LDAP.BindPassword},
	}
}

// Workspace is a connector that reads users and groups of the SaaS application by SCIM.
func (s State) Workspace() api.Connector {
	return api.Connector{
		BusinessID: "workspace", Name: "SaaS workspace", Type: "scim2", Purpose: "target",
		Connection:  map[string]any{"base_url": s.SCIM.BaseURL, "auth_method": "bearer"},
		Credentials: map[string]any{"bearer_token": s.SCIM.Token},
	}
}

// Personnel is a connector that reads the people of the HR system.
func (s State) Personnel() api.Connector {
	return api.Connector{
		BusinessID: "hr", Name: "HR system", Type: "rest", Purpose: "source",
		Connection: map[string]any{
			"base_url":     s.REST.BaseURL,
			"auth_method":  "api_key_header",
			"api_key_name": s.REST.Header,
			"probe_path":   "employees",
			"streams":      []any{employees()},
		},
		Credentials: map[string]any{"api_key": s.REST.APIKey},
	}
}

// PersonnelWithRoles also reads the accounts and security roles of the HR system itself.
func (s State) PersonnelWithRoles() api.Connector {
	c := s.Personnel()
	users := employees()
	users["object"] = "user"
	c.Purpose = "both"
	c.Connection["streams"] = []any{users, securityRoles(), roleMembers()}
	return c
}

func byPage() map[string]any {
	return map[string]any{
		"style":      "page",
		"page_param": "page",
		"size_param": "per_page",
		"size":       200,
		"total_path": "total",
	}
}

func employees() map[string]any {
	return map[string]any{
		"name": "employees", "object": "identity", "record_selector": "data", "key_path": "employeeId",
		"request": map[string]any{"path": "employees"}, "pagination": byPage(),
		"fields": map[string]any{
			"employee_number":     "employeeId",
			"email":               "mail",
			"username":            "userName",
			"display_name":        "displayName",
			"first_name":          "firstName",
			"last_name":           "lastName",
			"title":               "jobTitle",
			"department":          "departmentName",
			"cost_center":         "costCenter",
			"location":            "location",
			"country":             "country",
			"manager_external_id": "managerEmployeeId",
			"employment_type":     "employmentType",
			"status":              "status",
			"hire_date":           "hireDate",
			"termination_date":    "endDate",
		},
	}
}

func securityRoles() map[string]any {
	return map[string]any{
		"name":             "security-roles",
		"object":           "entitlement",
		"entitlement_kind": "role",
		"record_selector":  "data",
		"key_path":         "roleId",
		"request":          map[string]any{"path": "security-roles"},
		"pagination":       byPage(),
		"fields":           map[string]any{"name": "name", "description": "description"},
	}
}

func roleMembers() map[string]any {
	return map[string]any{
		"name":            "role-members",
		"object":          "grant",
		"record_selector": "data",
		"key_path":        "employeeId",
		"request":         map[string]any{"path": "security-roles/{role}/members"},
		"pagination":      byPage(),
		"parent":          map[string]any{"stream": "security-roles", "param": "role"},
		"fields": map[string]any{
			"account_external_id":     "employeeId",
			"entitlement_external_id": "{role}",
			"granted_at":              "assignedOn",
		},
	}
}

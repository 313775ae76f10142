package openapi

import (
	"strings"
)

// OperationID makes get_identities_id out of GET /identities/{id}.
func OperationID(method, path string) string {
	clean := strings.NewReplacer("{", "", "}", "", "-", "_").Replace(strings.Trim(path, "/"))
	return strings.ToLower(method) + "_" + strings.ReplaceAll(clean, "/", "_")
}

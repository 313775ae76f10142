package incoming

import (
	"strings"
)

// Under matches whole path segments, so that /api/v1/agents never inherits the rules of /api/v1/agent.
func Under(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

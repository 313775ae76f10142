package session

import (
	"fmt"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ResolveBases settles where searches start.
func (se *Session) ResolveBases() error {
	base := se.BaseDN
	if base == "" {
		base = se.Root.First("defaultNamingContext")
	}
	if contexts := se.Root["namingcontexts"]; base == "" && len(contexts) == 1 {
		base = contexts[0]
	}
	if base == "" && (se.UserBaseDN == "" || se.GroupBaseDN == "") {
		return &v1.ErrorDetail{
			Class: v1.ClassConfig, Code: "invalid_settings",
			Message: "base_dn is missing, and the directory does not name one naming context",
			Hint:    "Set base_dn." + se.contextsHint(),
		}
	}
	se.BaseDN = base
	if se.UserBaseDN == "" {
		se.UserBaseDN = base
	}
	if se.GroupBaseDN == "" {
		se.GroupBaseDN = base
	}
	return nil
}

// contextsHint lists the naming contexts, to help find the right base DN.
func (se *Session) contextsHint() string {
	contexts := sorted(se.Root["namingcontexts"])
	if len(contexts) == 0 {
		return ""
	}
	if len(contexts) > 10 {
		contexts = contexts[:10]
	}
	return fmt.Sprintf(" This server's naming contexts: %s.", quoted(contexts))
}

// quoted is the list in quotes, separated by commas, for a hint.
func quoted(list []string) string {
	out := ""
	for i, s := range list {
		if i > 0 {
			out += ", "
		}
		out += `"` + s + `"`
	}
	return out
}

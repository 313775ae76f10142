package settings

import (
	"regexp"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit"
)

// ClassesOrDefault gives the configured classes, or the usual ones where none are configured.
func ClassesOrDefault(configured, def []string) []string {
	if len(configured) > 0 {
		return configured
	}
	return def
}

// Filters gives the filters for people and groups that the settings and the kind of directory ask for.
func Filters(s *Settings, f Flavor) (users, groups string) {
	userClass := f.UserFilter
	if userClass == "" || len(s.UserClasses) > 0 {
		userClass = ClassFilter(s.UserClasses, f.UserClasses)
	}
	return JoinFilters(userClass, s.UserFilter, len(s.UserClasses) > 0), JoinFilters(
		ClassFilter(s.GroupClasses, f.GroupClasses), s.GroupFilter, len(s.GroupClasses) > 0,
	)
}

// ClassFilter matches entries of any of the classes, or of the usual ones where none are given (RFC 4515).
func ClassFilter(classes, def []string) string {
	if len(classes) == 0 {
		classes = def
	}
	var b strings.Builder
	for _, c := range classes {
		b.WriteString("(objectClass=" + goldap.EscapeFilter(c) + ")")
	}
	if len(classes) == 1 {
		return b.String()
	}
	return "(|" + b.String() + ")"
}

var (
	classTest   = regexp.MustCompile(`(?i)\(\s*object(class|category)\s*=`)
	classDenied = regexp.MustCompile(`(?i)\(\s*!\s*\(\s*object(class|category)\s*=[^()]*\)\s*\)`)
)

// TestsClasses says whether a filter itself says which classes it wants.
func TestsClasses(filter string) bool {
	return classTest.MatchString(classDenied.ReplaceAllString(filter, ""))
}

// JoinFilters joins the filter on classes with the configured one. A filter that itself says which classes it
// wants, and not only which it does not, stands alone, unless classes were configured too.
func JoinFilters(class, custom string, keepClass bool) string {
	switch {
	case custom == "":
		return class
	case !keepClass && TestsClasses(custom):
		return custom
	}
	return "(&" + class + custom + ")"
}

// filterOf reads a filter, adds the outer parentheses people leave out, and checks it.
func filterOf(in *connectorkit.Settings, key string) string {
	f := strings.TrimSpace(in.String(key, ""))
	if f == "" {
		return ""
	}
	if !strings.HasPrefix(f, "(") {
		f = "(" + f + ")"
	}
	if filterDepth(f) > maxFilterDepth {
		in.Wrong("%s has more than %d levels of parentheses", key, maxFilterDepth)
		return ""
	}
	if _, err := goldap.CompileFilter(f); err != nil {
		in.Wrong("%s is not a valid LDAP filter (RFC 4515): %v", key, err)
	}
	return f
}

// maxFilterDepth is more than anybody writes: filters are compiled, and matched by the directory, level by level.
const maxFilterDepth = 50

// filterDepth counts the levels of parentheses in a filter.
func filterDepth(filter string) (most int) {
	level := 0
	for i := 0; i < len(filter); i++ {
		switch filter[i] {
		case '\\':
			i++
		case '(':
			level++
			most = max(most, level)
		case ')':
			level--
		}
	}
	return most
}

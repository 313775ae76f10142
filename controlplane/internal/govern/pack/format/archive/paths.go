package archive

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// kindFolders are the folders that hold objects of a kind, one or several a file.
var kindFolders = []string{
	"dutyTags",
	"fieldMappings",
	"roles",
	"birthrights",
	"accessGrantPolicies",
	"sodPolicies",
	"mitigationPolicies",
	"certificationTemplates",
	"approvalRules",
	"lifecyclePolicies",
	"reportSections",
	"tests",
}

// names watches over the paths of a pack: what differs in case alone is one file on many machines.
type names struct {
	seen map[string]string // by folded path
	dirs map[string]bool   // folded paths of folders, named or implied
}

// newNames begins a set of names that are unique on every file system.
func newNames() *names { return &names{seen: map[string]string{}, dirs: map[string]bool{}} }

// fold makes names equal that differ in case.
var fold = cases.Fold()

// folded is the form in which names are compared: two names that a file system without case or with
// another normalization takes for one are one.
func folded(name string) string { return norm.NFKC.String(fold.String(norm.NFKC.String(name))) }

// add takes a file's path, or says why it cannot be one.
func (n *names) add(name string) (code, why string) {
	if code, why = checkPath(name); code != "" {
		return code, why
	}
	key := folded(name)
	switch other, twice := n.seen[key]; {
	case twice && other == name:
		return "duplicate_name", "the path occurs twice"
	case twice:
		return "colliding_names", "it is " + other + " where capitals do not count"
	case n.dirs[key]:
		return "colliding_names", "there is a folder of this name"
	}
	for dir := path.Dir(key); dir != "."; dir = path.Dir(dir) {
		if other, is := n.seen[dir]; is {
			return "colliding_names", other + " is a file, not a folder"
		}
		n.dirs[dir] = true
	}
	n.seen[key] = name
	return "", ""
}

// checkPath says what is wrong with a path, with a code; empty: nothing. It keeps an unpacked pack
// inside its folder on every operating system.
func checkPath(name string) (code, why string) {
	switch {
	case name == "" || !utf8.ValidString(name):
		return "unsafe_path", "a path is not empty, and UTF-8"
	case len(name) > maxPath:
		return "unsafe_path", "a path has 200 bytes at most"
	case strings.ContainsAny(name, `\:`) ||
		strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }):
		return "unsafe_path", `a path holds no backslash, colon or invisible character`
	case !fs.ValidPath(name) || name == ".":
		return "unsafe_path", "a path leads from the top of the pack to a file, without . and .. and not from the root"
	case strings.Count(name, "/") >= maxDepth:
		return "unsafe_path", "folders are nested too deep"
	}
	return "", ""
}

// other matches the files beside the content that a pack may have.
var other = regexp.MustCompile(`^(README|LICENSE|NOTICE|CHANGELOG)(\.md|\.txt)?$`)

// Known reports whether a file has a place in the format.
func Known(name string) bool {
	if name == ManifestName || name == signatureName || other.MatchString(name) {
		return true
	}
	dir, file := path.Split(name)
	return path.Ext(file) == ".yaml" &&
		(dir == "locales/" || slices.Contains(kindFolders, strings.TrimSuffix(dir, "/")))
}

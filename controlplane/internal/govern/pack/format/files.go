package format

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Limits of a pack.
const (
	MaxPacked   = 5 << 20  // bytes of an archive
	MaxUnpacked = 50 << 20 // bytes of all files together
	MaxEntries  = 1000     // files and folders
	MaxRatio    = 100      // how many times as large as its archive a pack may be
	maxYAML     = 1 << 20  // bytes of a file that is read as YAML
	maxAllYAML  = 8 << 20  // bytes of all of them
	maxPath     = 200      // bytes of a path
	maxDepth    = 4        // names in a path
)

// Files are the files of a pack by their path.
type Files map[string][]byte

// The files with a meaning of their own.
const (
	manifestName  = "pack.yaml"
	signatureName = "SIGNATURE"
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

// Digest lists the files but for the signature, sorted by path, one "sha256  path" a line: what a signature signs.
func (f Files) Digest() []byte {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if name == signatureName {
			continue
		}
		sum := sha256.Sum256(f[name])
		b.WriteString(hex.EncodeToString(sum[:]) + "  " + name + "\n")
	}
	return []byte(b.String())
}

// Checksum identifies the content: the hash of its digest.
func (f Files) Checksum() string {
	sum := sha256.Sum256(f.Digest())
	return hex.EncodeToString(sum[:])
}

// Size is the bytes of all files.
func (f Files) Size() (n int64) {
	for _, content := range f {
		n += int64(len(content))
	}
	return n
}

// names watches over the paths of a pack: what differs in case alone is one file on many machines.
type names struct {
	seen map[string]string // by folded path
	dirs map[string]bool   // folded paths of folders, named or implied
}

func newNames() *names { return &names{seen: map[string]string{}, dirs: map[string]bool{}} }

var fold = cases.Fold()

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

var other = regexp.MustCompile(`^(README|LICENSE|NOTICE|CHANGELOG)(\.md|\.txt)?$`)

// known reports whether a file has a place in the format.
func known(name string) bool {
	if name == manifestName || name == signatureName || other.MatchString(name) {
		return true
	}
	dir, file := path.Split(name)
	return path.Ext(file) == ".yaml" &&
		(dir == "locales/" || slices.Contains(kindFolders, strings.TrimSuffix(dir, "/")))
}

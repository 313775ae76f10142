package prose

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Kind is what a text is for.
type Kind string

const (
	Document Kind = "document" // a paragraph, list item or table cell of a document
	Summary  Kind = "summary"  // the summary of an operation
	Message  Kind = "message"  // a string literal that is a sentence: an error, a hint, a description, a log line
	Screen   Kind = "screen"   // a text of the console
	Comment  Kind = "comment"  // of a table, a column or a function of the database
	Pack     Kind = "pack"     // of a sector pack
)

// Text is one text of the product.
type Text struct {
	File  string // relative to the root
	Line  int
	Kind  Kind
	Words string // without markup, code and placeholders
}

// skipped are folders that hold no text of ours.
var skipped = []string{"node_modules", "dist", "bin", ".git", "testdata", "data", ".cache", "assets"}

// Extract takes all texts out of the tree at root.
func Extract(root string) ([]Text, error) {
	var all []Text
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && slices.Contains(skipped, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		take := extractorOf(filepath.ToSlash(rel))
		if take == nil {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		texts, err := take(rel, string(source))
		all = append(all, texts...)
		return err
	})
	return all, err
}

type extractor func(file, source string) ([]Text, error)

// extractorOf is the way to read a file, or nil where it has no texts for users. Tests, benchmarks and test programs
// have none.
func extractorOf(file string) extractor {
	in := func(prefix string) bool { return strings.HasPrefix(file, prefix) }
	switch ext := filepath.Ext(file); {
	case ext == ".md" && !in("docs/adr/"):
		return markdown
	case ext == ".go" && !strings.HasSuffix(file, "_test.go") && !in("e2e/") && !strings.Contains(file, "test/"):
		return goSource
	case in("controlplane/console/src/") && (ext == ".tsx" || ext == ".ts") && !strings.Contains(file, ".test.") &&
		!strings.HasSuffix(file, "schema.d.ts"):
		return script
	case ext == ".sql" && in("controlplane/migrations/"):
		return sql
	case ext == ".yaml" && strings.Contains(file, "/packs/"):
		return pack
	}
	return nil
}

var (
	fence       = regexp.MustCompile("(?s)```.*?```")
	inlineCode  = regexp.MustCompile("`[^`\n]*`")
	link        = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	placeholder = regexp.MustCompile(`%[-+#0-9.*]*[a-zA-Z%]|\$\{[^}]*\}|\{[^}]*\}|<[^>]*>|https?://\S+`)
)

// plain takes markup, code and placeholders out of a text, each replaced by one word so that a sentence keeps its
// length.
func plain(s string) string {
	s = inlineCode.ReplaceAllString(s, "X")
	s = link.ReplaceAllString(s, "$1")
	s = placeholder.ReplaceAllString(s, "X")
	return strings.NewReplacer("**", "", "*", "", "_", " ", "\u00a0", " ").Replace(s)
}

// markdown takes the paragraphs, list items and cells of a document.
func markdown(file, source string) ([]Text, error) {
	source = fence.ReplaceAllStringFunc(
		source,
		func(code string) string { return strings.Repeat("\n", strings.Count(code, "\n")) },
	)
	var all []Text
	var block []string
	from := 0
	flush := func() {
		if len(block) > 0 {
			all = append(all, Text{file, from, Document, plain(strings.Join(block, " "))})
		}
		block = nil
	}
	for i, line := range strings.Split(source, "\n") {
		line = strings.TrimSpace(line)
		starts := line == "" || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") ||
			listItem.MatchString(line)
		if starts {
			flush()
		}
		if strings.HasPrefix(line, "|") {
			for cell := range strings.SplitSeq(strings.Trim(line, "|"), " | ") {
				all = append(all, Text{file, i + 1, Document, strings.TrimSpace(plain(cell))})
			}
			continue
		}
		if line != "" {
			if len(block) == 0 {
				from = i + 1
			}
			block = append(block, strings.TrimLeft(listItem.ReplaceAllString(line, ""), "#> "))
		}
	}
	flush()
	return all, nil
}

var listItem = regexp.MustCompile(`^(?:[-*+]|\d+\.)\s+`)

var (
	sqlComment = regexp.MustCompile(`(?is)comment on [^;']*? is\s+((?:'(?:[^']|'')*'\s*)+);`)
	sqlLiteral = regexp.MustCompile(`(?s)'((?:[^']|'')*)'`)
)

// sql takes the comments of database objects. Literals on lines that follow each other are one text.
func sql(file, source string) ([]Text, error) {
	var all []Text
	for _, at := range sqlComment.FindAllStringSubmatchIndex(source, -1) {
		var words strings.Builder
		for _, literal := range sqlLiteral.FindAllStringSubmatch(strings.ReplaceAll(source[at[2]:at[3]], "''", "’"),
			-1) {
			words.WriteString(literal[1])
		}
		all = append(all, Text{file, lineOf(source, at[2]), Comment, plain(words.String())})
	}
	return all, nil
}

var packText = regexp.MustCompile(
	`(?m)^\s*(?:- )?(?:name|title|description|summary|reason|advice|instructions|text|purpose):` +
		`\s*["']?(\S+ \S.*?)["']?\s*$`,
)

// pack takes the names and descriptions of a sector pack.
func pack(file, source string) ([]Text, error) {
	var all []Text
	for _, at := range packText.FindAllStringSubmatchIndex(source, -1) {
		all = append(all, Text{file, lineOf(source, at[2]), Pack, plain(source[at[2]:at[3]])})
	}
	return all, nil
}

func lineOf(source string, at int) int { return 1 + strings.Count(source[:at], "\n") }

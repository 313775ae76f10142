package prose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// goSource takes the string literals of a Go file that are sentences, and the texts of struct tags.
func goSource(file, source string) ([]Text, error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var all []Text
	add := func(n ast.Node, kind Kind, words string) {
		if !strings.ContainsAny(words, " \n") {
			return // An error code or a key, such as not_found_here: plain would make words of it.
		}
		if words = plain(words); sentence(words) {
			all = append(all, Text{file, fset.Position(n.Pos()).Line, kind, words})
		}
	}
	summaries := map[ast.Expr]bool{}
	tags := map[ast.Expr]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.CallExpr:
			if i := summaryArgument(n); i >= 0 && i < len(n.Args) {
				summaries[n.Args[i]] = true
			}
		case *ast.Field:
			if n.Tag != nil {
				tags[n.Tag] = true
				for _, words := range tagTexts(n.Tag.Value) {
					add(n.Tag, Message, words)
				}
				if words := FieldText(n); words != "" {
					add(n, Message, words)
				}
			}
		case *ast.BinaryExpr:
			// Words that are joined are one text.
			if words, ok := joined(n); ok {
				add(n, Message, words)
				return false
			}
		case *ast.BasicLit:
			if words, ok := literal(n); ok && !tags[n] {
				kind := Message
				if summaries[n] {
					kind = Summary
				}
				add(n, kind, words)
			}
		}
		return true
	})
	return all, nil
}

// summaryArgument is the place of the summary in a call that makes a route: httpapi.Handle(method, path, summary,
// handler).
func summaryArgument(call *ast.CallExpr) int {
	if len(call.Args) < 4 {
		return -1
	}
	method, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return -1
	}
	switch method.Value {
	case `"GET"`, `"POST"`, `"PUT"`, `"PATCH"`, `"DELETE"`:
		return 2
	}
	return -1
}

func tagTexts(raw string) []string {
	unquoted, err := strconv.Unquote(raw)
	if err != nil {
		return nil
	}
	tag := reflect.StructTag(unquoted)
	var all []string
	for _, key := range []string{"doc", "description", "help"} {
		if words := tag.Get(key); words != "" {
			all = append(all, words)
		}
	}
	return all
}

func literal(n *ast.BasicLit) (string, bool) {
	if n.Kind != token.STRING {
		return "", false
	}
	words, err := strconv.Unquote(n.Value)
	return words, err == nil
}

// joined is the text of literals with + between them.
func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return literal(e)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, ok := joined(e.X)
		if !ok {
			return "", false
		}
		right, ok := joined(e.Y)
		return left + right, ok
	}
	return "", false
}

var (
	query = regexp.MustCompile(
		`(?is)^\s*(?:--|with |select |insert |update \w+ |delete from|create |alter |` +
			`drop |lock |call |set |from |join |where |and |or |case |order by|group by|grant |revoke \w+ on|` +
			`analyze |notify |listen |copy |exists|coalesce|on conflict|not exists|left join|union)`,
	)
	queried = regexp.MustCompile(
		`(?i)\b(?:from|join|into|set|where|values|returning)\b.*[=(]|::|\$\d|\bis (?:not )?null\b|@\w+`,
	)
)

// sentence says whether a literal is a text for people: three words or more, no table of
// syllables and no statement of SQL.
func sentence(s string) bool {
	words := strings.Fields(s)
	if len(words) < 3 || short(words) || query.MatchString(s) && queried.MatchString(s) ||
		queried.MatchString(s) && strings.Contains(s, "\n") {
		return false
	}
	letters := 0
	for _, r := range s {
		if r >= 'a' && r <= 'z' || r == ' ' {
			letters++
		}
	}
	return letters*10 >= len(s)*7
}

// short says that most words are one or two letters, as in a table of syllables.
func short(words []string) bool {
	long := 0
	for _, w := range words {
		if len(w) > 2 {
			long++
		}
	}
	return long*4 < len(words)
}

var (
	scriptComment = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m:^[ \t]*//.*$)`)
	jsxText       = regexp.MustCompile(`>([^<>{}=;]*[A-Za-z][^<>{}=;]* [^<>{}=;]*)[<{]`)
	scriptString  = regexp.MustCompile("\"((?:[^\"\\\\\n]|\\\\.)*)\"|`((?:[^`\\\\]|\\\\.)*)`")
	expression    = regexp.MustCompile(`\$\{(?:[^{}]|\{[^{}]*\})*\}`)
)

// script takes the texts of a TypeScript source: what stands between tags, and string literals of two words or more.
func script(file, source string) ([]Text, error) {
	source = scriptComment.ReplaceAllStringFunc(
		source,
		func(c string) string { return strings.Repeat("\n", strings.Count(c, "\n")) },
	)
	var all []Text
	add := func(at int, words string) {
		words = plain(expression.ReplaceAllString(words, "X"))
		if fields := strings.Fields(words); len(fields) >= 2 && spoken.MatchString(words) {
			all = append(all, Text{file, lineOf(source, at), Screen, strings.Join(fields, " ")})
		}
	}
	for _, at := range jsxText.FindAllStringSubmatchIndex(source, -1) {
		add(at[2], source[at[2]:at[3]])
	}
	for _, at := range scriptString.FindAllStringSubmatchIndex(source, -1) {
		if at[2] >= 0 {
			add(at[2], source[at[2]:at[3]])
		} else {
			add(at[4], source[at[4]:at[5]])
		}
	}
	return all, nil
}

// spoken tells a text from a list of class names: it has a capital or a mark of punctuation.
var spoken = regexp.MustCompile(`[A-Z]|[.,?!]`)

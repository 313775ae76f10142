package prose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	functionName = regexp.MustCompile("`([a-z]+(?:\\.[A-Za-z]+){1,2})`")
	tableName    = regexp.MustCompile(
		"`([a-z]+(?:_[a-z]+)+|account|entitlement|identity|event|chain|fulfilment)(?:\\.([a-z_]+))?`",
	)
)

// TestJourneysNameFunctionsAndTablesThatExist holds docs/journeys.md against the sources of the control plane.
func TestJourneysNameFunctionsAndTablesThatExist(t *testing.T) {
	text, err := os.ReadFile("../../docs/journeys.md")
	if err != nil {
		t.Fatal(err)
	}
	functions := declared(t)
	schema := migrationText(t)
	named := 0
	for _, row := range strings.Split(string(text), "\n") {
		cells := strings.Split(row, "|")
		if len(cells) < 5 {
			continue
		}
		for _, m := range functionName.FindAllStringSubmatch(cells[2], -1) {
			named++
			if !functions[m[1]] {
				t.Errorf("there is no function %s", m[1])
			}
		}
		for _, m := range tableName.FindAllStringSubmatch(cells[3], -1) {
			if !regexp.MustCompile(`create table ` + m[1] + ` \(`).MatchString(schema) {
				t.Errorf("there is no table %s", m[1])
			}
			if m[2] != "" && !regexp.MustCompile(`\b`+m[2]+` `).MatchString(schema) {
				t.Errorf("there is no column %s.%s", m[1], m[2])
			}
		}
	}
	if named < 30 {
		t.Errorf("only %d functions are named: the tables were not read", named)
	}
}

// declared are all functions as package.Function and all methods as package.Type.Method.
func declared(t *testing.T) map[string]bool {
	names := map[string]bool{}
	err := filepath.WalkDir("../../controlplane/internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				names[file.Name.Name+"."+receiver(f)+f.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}

func migrationText(t *testing.T) string {
	files, err := filepath.Glob("../../controlplane/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

package seal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// eachFile parses every Go file of the control plane that is no test, but for this package's own.
func eachFile(t *testing.T, look func(path string, file *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(filepath.ToSlash(path), "ground/seal/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			look(path, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// placeIn reads a seal.Place{Table: "…", Column: "…"}; ok is false for another expression.
func placeIn(n ast.Node) (place string, ok bool) {
	literal, isLiteral := n.(*ast.CompositeLit)
	if !isLiteral {
		return "", false
	}
	typ, isSelector := literal.Type.(*ast.SelectorExpr)
	if !isSelector || typ.Sel.Name != "Place" {
		return "", false
	}
	if pkg, isName := typ.X.(*ast.Ident); !isName || pkg.Name != "seal" {
		return "", false
	}
	members := map[string]string{}
	for _, e := range literal.Elts {
		if kv, isPair := e.(*ast.KeyValueExpr); isPair {
			if text, isText := kv.Value.(*ast.BasicLit); isText {
				members[kv.Key.(*ast.Ident).Name] = strings.Trim(text.Value, `"`)
			}
		}
	}
	return members["Table"] + "." + members["Column"], true
}

func TestEveryPlaceInTheCodeIsSealedAnewByARotation(t *testing.T) {
	registered := map[string]bool{}
	for _, c := range seal.Columns {
		registered[c.Table+"."+c.Column] = true
	}
	used := map[string]bool{}
	eachFile(t, func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			place, ok := placeIn(n)
			if !ok {
				return true
			}
			used[place] = true
			if !registered[place] {
				t.Errorf(
					"%s seals for %q, which a rotation does not know: write Table and Column as plain texts, and add "+
						"them to Columns in registry.go",
					path,
					place,
				)
			}
			return true
		})
	})
	for place := range registered {
		if !used[place] {
			t.Errorf("%s is on the list and nobody seals for it", place)
		}
	}
}

// globals are the files that seal under the master key, and the columns that they keep it in.
var globals = map[string]string{
	"record/auth/signing/keys.go":           "signing_key.sealed",
	"record/audit/trail/signingkey/keys.go": "signing_key.sealed",
}

func TestEverythingUnderTheMasterKeyIsSealedAnewByARotation(t *testing.T) {
	registered := map[string]bool{"deployment_secret.sealed": true} // this package's own
	for _, column := range globals {
		registered[column] = true
	}
	for _, c := range seal.GlobalColumns {
		if !registered[c.Table+"."+c.Column] {
			t.Errorf("%s.%s is on the list and nobody seals for it", c.Table, c.Column)
		}
	}
	if len(seal.GlobalColumns) != len(registered) {
		t.Errorf("%d columns in GlobalColumns; want %d", len(seal.GlobalColumns), len(registered))
	}
	eachFile(t, func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.SelectorExpr); ok && call.Sel.Name == "SealGlobal" {
				if _, known := globals[strings.TrimPrefix(filepath.ToSlash(path), "../../../internal/")]; !known {
					t.Errorf(
						"%s seals under the master key, which a rotation does not know: add its column to "+
							"GlobalColumns and to this list",
						path,
					)
				}
			}
			return true
		})
	})
}

func TestEveryRegisteredColumnIsThereAndMayBeWritten(t *testing.T) {
	db := pgtest.New(t)
	a := pgtest.Tenant(t, db, "a")
	check := func(tx *pg.Tx, table, column, name string) error {
		var typ string
		var mayWrite bool
		const sql = `
			select format_type(atttypid, atttypmod), has_column_privilege(attrelid, attname, 'update')
			  from pg_attribute
			 where attrelid = $1::text::regclass
			   and attname = $2`
		if err := tx.QueryRow(ctx, sql, table, column).Scan(&typ, &mayWrite); err != nil {
			return fmt.Errorf("%s.%s: %w", table, column, err)
		}
		if typ != "bytea" || !mayWrite {
			return fmt.Errorf("%s.%s is %s, and the application may write it: %v", table, column, typ, mayWrite)
		}
		_, err := tx.Exec(ctx, fmt.Sprintf("select (%s)::text from %s limit 1 for no key update", name, table))
		return err
	}
	for _, c := range seal.Columns {
		if err := db.As(ctx, a, func(tx *pg.Tx) error { return check(tx, c.Table, c.Column, c.Row) }); err != nil {
			t.Error(err)
		}
	}
	for _, c := range seal.GlobalColumns {
		if err := db.Deployment(
			ctx,
			func(tx *pg.Tx) error { return check(tx, c.Table, c.Column, c.Purpose) },
		); err != nil {
			t.Error(err)
		}
	}
}

package prose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// FieldText is the first paragraph of the comment above a field that the API shows: one with a json, query, path,
// header or cookie tag. It is the field's description in the API, unless its tag has another (doc).
func FieldText(field *ast.Field) string {
	if field.Doc == nil || field.Tag == nil {
		return ""
	}
	raw, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return ""
	}
	tag, shown := reflect.StructTag(raw), false
	for _, key := range []string{"json", "query", "path", "header", "cookie"} {
		name, _, _ := strings.Cut(tag.Get(key), ",")
		shown = shown || name != "" && name != "-"
	}
	if !shown {
		return ""
	}
	first, _, _ := strings.Cut(field.Doc.Text(), "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

// FieldTexts are the texts of all fields of the control plane that the API may show, by folder, type and field, such
// as "controlplane/internal/record/access/grant.Grant.Status". Fields of a struct without a name follow those of the
// field that has it: "….Patch.Body.Reason".
func FieldTexts(root string) (map[string]string, error) {
	all := fields{texts: map[string]string{}, defined: map[string]string{}}
	packages := filepath.Join(root, "controlplane", "internal")
	err := filepath.WalkDir(packages, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		return all.read(root, path)
	})
	all.inherit()
	return all.texts, err
}

// fields are texts by address, and the types that are defined by another type, whose fields they have.
type fields struct {
	texts   map[string]string
	defined map[string]string // address of a type to that of the other
}

// read adds the texts of one file.
func (f fields) read(root, path string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ParseComments)
	if err != nil {
		return err
	}
	folder, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return err
	}
	folder = filepath.ToSlash(folder)
	for _, d := range parsed.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			named := spec.(*ast.TypeSpec)
			f.structure(named.Type, folder+"."+named.Name.Name)
			if of := definition(parsed, folder, named.Type); of != "" {
				f.defined[folder+"."+named.Name.Name] = of
			}
		}
	}
	return nil
}

// structure adds the texts of the fields of a struct, or of the struct that a pointer, list or map holds.
func (f fields) structure(t ast.Expr, at string) {
	switch t := t.(type) {
	case *ast.StarExpr:
		f.structure(t.X, at)
	case *ast.ArrayType:
		f.structure(t.Elt, at)
	case *ast.MapType:
		f.structure(t.Value, at)
	case *ast.StructType:
		for _, field := range t.Fields.List {
			for _, name := range field.Names {
				if text := FieldText(field); text != "" {
					f.texts[at+"."+name.Name] = text
				}
				f.structure(field.Type, at+"."+name.Name)
			}
		}
	}
}

// definition is the address of the type that another one is defined by; empty for literals of types.
func definition(file *ast.File, folder string, t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return folder + "." + t.Name
	case *ast.SelectorExpr:
		pkg, ok := t.X.(*ast.Ident)
		if !ok {
			return ""
		}
		for _, imported := range file.Imports {
			path := strings.Trim(imported.Path.Value, `"`)
			if imported.Name != nil && imported.Name.Name == pkg.Name ||
				imported.Name == nil && path[strings.LastIndex(path, "/")+1:] == pkg.Name {
				return strings.TrimPrefix(path, "github.com/grantwright/grantwright/") + "." + t.Sel.Name
			}
		}
	}
	return ""
}

// inherit gives defined types the texts of the types that they are defined by.
func (f fields) inherit() {
	inherited := map[string]string{}
	for at, of := range f.defined {
		for address, text := range f.texts {
			if field, ok := strings.CutPrefix(address, of+"."); ok {
				inherited[at+"."+field] = text
			}
		}
	}
	for address, text := range inherited {
		if _, own := f.texts[address]; !own {
			f.texts[address] = text
		}
	}
}

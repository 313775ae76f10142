package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
)

// source is what reflection cannot see: comments and constants, by "package.Type" or "package.Type.Field".
type source struct {
	comments map[string]string
	values   map[string][]any
}

// readSource reads the packages in the given folders.
func readSource(dirs ...string) (*source, error) {
	s := &source{comments: map[string]string{}, values: map[string][]any{}}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("no Go files in %s: %w", dir, errors.Join(err, fs.ErrNotExist))
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return nil, fmt.Errorf("parse: %w", err)
			}
			s.file(f)
		}
	}
	return s, nil
}

// file collects the types and constants of one file.
func (s *source) file(f *ast.File) {
	pkg := f.Name.Name
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.typeSpec(pkg, spec, decl.Doc)
			case *ast.ValueSpec:
				s.constant(pkg, spec)
			}
		}
	}
}

// typeSpec collects the comments of a type and its fields. A comment behind a field wins over one
// above it.
func (s *source) typeSpec(pkg string, spec *ast.TypeSpec, doc *ast.CommentGroup) {
	name := pkg + "." + spec.Name.Name
	s.comments[name] = text(doc)
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range structure.Fields.List {
		for _, id := range field.Names {
			if t := cmp.Or(text(field.Comment), text(field.Doc)); t != "" {
				s.comments[name+"."+id.Name] = t
			}
		}
	}
}

// constant collects the values of typed string constants, in their order.
func (s *source) constant(pkg string, spec *ast.ValueSpec) {
	typ, ok := spec.Type.(*ast.Ident)
	if !ok {
		return
	}
	for _, v := range spec.Values {
		lit, ok := v.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		if value, err := strconv.Unquote(lit.Value); err == nil {
			s.values[pkg+"."+typ.Name] = append(s.values[pkg+"."+typ.Name], value)
		}
	}
}

// text is a comment on one line.
func text(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

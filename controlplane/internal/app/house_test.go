package app_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source is one file of a wing that speaks to the outside: the control plane and the connectors, without their tests.
type source struct {
	path string // from the root of the repository, with slashes
	file *ast.File
	pos  *token.FileSet
}

func sources(t *testing.T) (all []source) {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	for _, wing := range []string{"controlplane/internal", "controlplane/cmd", "connectorkit"} {
		err := filepath.WalkDir(filepath.Join(root, wing), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains([]string{"node_modules", "testdata", "pgtest", "ldaptest", "targettest",
				"recordtest"}, d.Name()):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			s := source{pos: token.NewFileSet()}
			if s.file, err = parser.ParseFile(s.pos, path, nil, parser.SkipObjectResolution); err != nil {
				return err
			}
			rel, err := filepath.Rel(root, path)
			s.path = filepath.ToSlash(rel)
			all = append(all, s)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 150 {
		t.Fatalf("only %d files looked at: the list is not whole", len(all))
	}
	return all
}

// imports gives the names that a file calls packages by.
func (s source) imports() map[string]string {
	names := map[string]string{}
	for _, i := range s.file.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		name := path[strings.LastIndex(path, "/")+1:]
		if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" { // a major version is no name
			name = path[:strings.LastIndex(path, "/")]
			name = name[strings.LastIndex(name, "/")+1:]
		}
		if i.Name != nil {
			name = i.Name.Name
		}
		names[name] = path
	}
	return names
}

// unguarded are ways to connect that ask nobody where to: what is reached by them is not held against the operator's
// ranges.
var unguarded = map[string][]string{
	"net":        {"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialIP", "DialUnix", "Dialer"},
	"net/http":   {"DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm", "ProxyFromEnvironment"},
	"crypto/tls": {"Dial", "DialWithDialer", "Dialer"},
	"net/smtp":   {"Dial", "SendMail"},
	"net/rpc":    {"Dial", "DialHTTP", "DialHTTPPath"},
	"syscall":    {"Connect"},

	"github.com/go-ldap/ldap/v3":   {"Dial", "DialTLS", "DialURL"},
	"github.com/coder/websocket":   {"Dial"},
	"golang.org/x/sys/unix":        {"Connect"},
	"golang.org/x/net/proxy":       {"Dial", "FromEnvironment", "Direct"},
	"golang.org/x/oauth2/jwt":      {"Config"},
	"golang.org/x/net/websocket":   {"Dial", "DialConfig"},
	"github.com/gorilla/websocket": {"DefaultDialer", "Dialer"},
}

// mayDial are the files that may, each for its reason.
var mayDial = map[string]string{
	"controlplane/internal/ground/outbound": "is the guard",
	"controlplane/internal/ground/embedded": "asks whether our own server listens",
}

// dials finds where a file connects by itself.
func (s source) dials() (found []string) {
	names := s.imports()
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && slices.Contains(unguarded[names[pkg.Name]], n.Sel.Name) {
				found = append(found, s.at(n)+": "+pkg.Name+"."+n.Sel.Name)
			}
		case *ast.CompositeLit:
			// A client without a Transport of its own is http.DefaultTransport by another name, and a transport without
			// a dialer net.Dial.
			if isHTTP(n.Type, names, "Client") && !has(n, "Transport") {
				found = append(found, s.at(n)+": a client without a Transport")
			}
			if isHTTP(n.Type, names, "Transport") && !has(n, "DialContext") {
				found = append(found, s.at(n)+": a transport without a DialContext")
			}
		case *ast.CallExpr:
			if made, ok := n.Fun.(*ast.Ident); ok && made.Name == "new" && len(n.Args) == 1 &&
				(isHTTP(n.Args[0], names, "Client") || isHTTP(n.Args[0], names, "Transport")) {
				found = append(found, s.at(n)+": a client or transport of nothing")
			}
		case *ast.ValueSpec:
			if n.Values == nil && (isHTTP(n.Type, names, "Client") || isHTTP(n.Type, names, "Transport")) {
				found = append(found, s.at(n)+": a client or transport of nothing")
			}
		case *ast.ImportSpec:
			// Without its name before what is called, nobody sees whose it is.
			if path := strings.Trim(n.Path.Value, `"`); n.Name != nil && n.Name.Name == "." && unguarded[path] != nil {
				found = append(found, s.at(n)+": "+path+" without its name")
			}
		}
		return true
	})
	return found
}

// isHTTP reports whether an expression is the type of that name of net/http.
func isHTTP(e ast.Expr, names map[string]string, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && names[pkg.Name] == "net/http"
}

func (s source) at(n ast.Node) string {
	at := s.pos.Position(n.Pos())
	return fmt.Sprintf("%s:%d", s.path, at.Line)
}

func has(literal *ast.CompositeLit, member string) bool {
	return slices.ContainsFunc(literal.Elts, func(e ast.Expr) bool {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		name, ok := pair.Key.(*ast.Ident)
		return ok && name.Name == member
	})
}

func TestNothingConnectsAroundTheGuard(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t) {
		for _, found := range s.dials() {
			if room := allowed(s.path); room != "" {
				used[room] = true
			} else {
				t.Errorf("%s connects to wherever it is told; take the client or the dialer of ground/outbound", found)
			}
		}
	}
	for room := range mayDial {
		if !used[room] {
			t.Errorf("%s is on the list and connects to nothing by itself", room)
		}
	}
}

// allowed is the room of mayDial that a file is in.
func allowed(path string) string {
	for room := range mayDial {
		if strings.HasPrefix(path, room+"/") {
			return room
		}
	}
	return ""
}

// queries are the methods that run SQL, with the place of the text among their arguments.
var queries = map[string]int{"Query": 1, "QueryRow": 1, "Exec": 1, "Queue": 0}

// pasted finds statements that hold a member of a request. Values travel as parameters.
func (s source) pasted() (found []string, looked int) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if at, known := queries[sel.Sel.Name]; known && at < len(call.Args) {
			looked++
			if from := asked(call.Args[at]); from != "" {
				found = append(found, s.at(n)+": "+from)
			}
		}
		return true
	})
	return found, looked
}

func TestNoTextOfARequestBecomesSQL(t *testing.T) {
	statements := 0
	for _, s := range sources(t) {
		found, looked := s.pasted()
		statements += looked
		for _, f := range found {
			t.Errorf("%s is part of a statement, and a request brought it", f)
		}
	}
	if statements < 150 {
		t.Errorf("only %d statements looked at: the list is not whole", statements)
	}
}

func TestTheHousesRulesFindWhatBreaksThem(t *testing.T) {
	const text = `package x
		import ("net"; web "net/http"; . "crypto/tls")
		func f(in struct{ Body struct{ Name string } }) {
			_, _ = net.Dial("tcp", "a")
			_, _ = web.Get("a")
			_ = web.Client{Timeout: 1}
			_ = &web.Client{Transport: nil}
			_, _ = &web.Transport{TLSClientConfig: nil}, &web.Transport{DialContext: nil}
			_ = new(web.Client)
			var plain web.Transport
			tx.Query(ctx, "select " + in.Body.Name, in.Body.Name)
			tx.Query(ctx, "select $1", in.Body.Name)
		}`
	s := source{path: "x.go", pos: token.NewFileSet()}
	var err error
	if s.file, err = parser.ParseFile(s.pos, "x.go", text, parser.SkipObjectResolution); err != nil {
		t.Fatal(err)
	}
	if got := s.dials(); len(got) != 7 {
		t.Errorf("dials = %v; want lines 2, 4, 5, 6, 8, 9 and 10", got)
	}
	if got, looked := s.pasted(); len(got) != 1 || looked != 2 {
		t.Errorf("pasted = %v of %d; want line 11 of 2", got, looked)
	}
}

// asked finds, in an expression for a statement, a member of a request: of a variable called in, req or body, as
// handlers call theirs.
func asked(e ast.Expr) (from string) {
	ast.Inspect(e, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		root := sel.X
		for {
			inner, deeper := root.(*ast.SelectorExpr)
			if !deeper {
				break
			}
			root = inner.X
		}
		if name, ok := root.(*ast.Ident); ok && slices.Contains([]string{"in", "req", "body"}, name.Name) {
			from = name.Name + "." + sel.Sel.Name
		}
		return true
	})
	return from
}

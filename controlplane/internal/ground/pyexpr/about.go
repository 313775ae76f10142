package pyexpr

import (
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// names are what an expression calls the two things that it is given.
type names struct {
	value, record string
	members       bool // members of the record are read by a dot, and those it does not have are None
}

var transform = names{value: "value", record: "record"}

// CompileAbout reads an expression about a person: a text that it calls value, and a record of theirs that it calls
// record. It reads the record's members by a dot too, however deep, and one that is not there is None, as are all
// members of None. A field of an f-string that is None raises an exception: the word None in a name is an error.
func CompileAbout(source, value, record string) (*Program, error) {
	return compile(source, names{value: value, record: record, members: true})
}

// Reads are the members of the record that the expression names, with dots between, sorted. Only CompileAbout tells
// them.
func (p *Program) Reads() []string { return p.members }

// note adds a member to those that the program reads.
func (p *Program) note(path []string) {
	if name := strings.Join(path, "."); !slices.Contains(p.members, name) {
		p.members = append(p.members, name)
		slices.Sort(p.members)
	}
}

// member is the path of the member that x names of the record: of record.a.b, record['a']['b'] and record.get('a') too.
// It is empty for the record itself, and ok is false for everything else.
func (c *compiler) member(x syntax.Expr) (path []string, ok bool) {
	if !c.p.names.members {
		return nil, false
	}
	switch x := x.(type) {
	case *syntax.Name:
		up, slot, found := c.scope.find(x.ID)
		return nil, found && x.ID == c.p.names.record && slot == 1 && c.up(up).up == nil && !c.reassigned
	case *syntax.Attribute:
		path, ok = c.member(x.X)
		return append(path, x.Name), ok && !strings.HasPrefix(x.Name, "_")
	case *syntax.Subscript:
		return c.keyed(x.X, x.Index)
	case *syntax.Call:
		if a, is := x.Func.(*syntax.Attribute); is && a.Name == "get" && len(x.Args) == 1 && len(x.Keywords) == 0 {
			return c.keyed(a.X, x.Args[0])
		}
	}
	return nil, false
}

func (c *compiler) keyed(of, key syntax.Expr) (path []string, ok bool) {
	k, isConst := key.(*syntax.Const)
	if !isConst {
		return nil, false
	}
	name, isText := k.Value.(string)
	path, ok = c.member(of)
	return append(path, name), ok && isText
}

// read is the node of x where it names a member of the record, nil where it does not.
func (c *compiler) read(x syntax.Expr) evaluation.Node {
	path, ok := c.member(x)
	if !ok || len(path) == 0 {
		return nil
	}
	c.p.note(path)
	at := x.At()
	return func(f *evaluation.Frame) object.Value {
		f.Thread.Steps(len(path))
		f.Thread.At = at
		v, _ := f.Thread.Extra.(*Record).Field(path[0])
		for _, name := range path[1:] {
			d, isDict := v.(*object.Dict)
			switch {
			case v == nil:
				return nil
			case isDict:
				v, _ = d.Lookup(name)
			default:
				v = library.Attr(f.Thread, v, name)
			}
		}
		return v
	}
}

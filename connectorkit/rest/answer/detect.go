package answer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
)

// detectBytes is how far into an answer the list of records is looked for.
const detectBytes = 256 << 10

// listNames are the members that hold the records in the answers of most targets, the best first.
var listNames = []string{
	"items",
	"data",
	"results",
	"value",
	"values",
	"records",
	"resources",
	"users",
	"employees",
	"people",
	"entries",
}

// detectList finds the list of records at the beginning of an answer, without taking it from the reader: the document
// itself, or the best named array at the top or one level below.
func detectList(in *bufio.Reader) (*jsonpath.Path, bool) {
	// An error here is met again when the answer is read.
	start, _ := in.Peek(detectBytes)
	dec := json.NewDecoder(bytes.NewReader(start))
	dec.UseNumber()
	first, err := dec.Token()
	if err != nil {
		return nil, false
	}
	if first == json.Delim('[') {
		return jsonpath.MustCompile("$[*]"), true
	}
	if first != json.Delim('{') {
		return nil, false
	}
	g := &detector{dec: dec}
	g.object(nil)
	if g.best == nil {
		return nil, false
	}
	text := "$"
	for _, name := range g.best {
		text += "[" + quoteName(name) + "]"
	}
	p, err := jsonpath.Compile(text + "[*]")
	return p, err == nil
}

// quoteName writes a member name as a quoted JSONPath name.
func quoteName(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range name {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20:
			fmt.Fprintf(&b, `\u%s`, strconv.FormatInt(0x10000+int64(r), 16)[1:])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// detector walks over as much of the document as there is.
type detector struct {
	dec *json.Decoder
	// best is the path of the best list so far, and rank how good it is.
	best []string
	rank int
}

// object looks at the members of an object whose brace is read; above are the names that led here. It is false when the
// text ended.
func (g *detector) object(above []string) bool {
	for g.dec.More() {
		name, err := g.dec.Token()
		if err != nil {
			return false
		}
		path := append(slices.Clone(above), fmt.Sprint(name))
		t, err := g.dec.Token()
		if err != nil {
			return false
		}
		switch {
		case t == json.Delim('{') && len(above) == 0:
			if !g.object(path) {
				return false
			}
		case t == json.Delim('{') && !g.rest(1), t == json.Delim('[') && !g.array(path):
			return false
		}
	}
	_, err := g.dec.Token()
	return err == nil
}

// array looks at an array whose bracket is read. One that begins with an object can be a list of records; an empty one
// too, if there is nothing better.
func (g *detector) array(path []string) bool {
	first, err := g.dec.Token()
	switch {
	case err != nil:
		return false
	case first == json.Delim('{'):
		g.consider(path, 0)
		return g.rest(2)
	case first == json.Delim(']'):
		g.consider(path, 2*len(listNames))
		return true
	case first == json.Delim('['):
		return g.rest(2)
	}
	return g.rest(1)
}

// consider keeps the array with the best name; at the top is better than below.
func (g *detector) consider(path []string, penalty int) {
	at := slices.IndexFunc(listNames, func(name string) bool { return strings.EqualFold(name, path[len(path)-1]) })
	if at < 0 {
		return
	}
	if rank := at + (len(path)-1)*len(listNames) + penalty; g.best == nil || rank < g.rank {
		g.best = path
		g.rank = rank
	}
}

// rest passes over the rest of what is open, so many levels deep.
func (g *detector) rest(depth int) bool {
	for depth > 0 {
		t, err := g.dec.Token()
		if err != nil {
			return false
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return true
}

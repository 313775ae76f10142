package response

import (
	"bufio"
	"bytes"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
)

// Element is one element of Resources: a record, or what is known of one that cannot be used.
type Element struct {
	Record  resource.Record
	Problem string // why it cannot be used; empty: it can
	id      string // of one that cannot be used, where it can be made out
}

// Element reads one whole resource.
func (r *Reader) Element() (Element, error) {
	v, err := r.Next(MaxResource)
	if err != nil {
		return Element{}, err
	}
	bad := v.Problem(MaxResource)
	if bad == "" {
		if err := r.Charge(v); err != nil {
			return Element{}, err
		}
		out, err := v.Decode()
		if err == nil {
			rec, _ := out.(map[string]any)
			return Element{Record: rec}, nil
		}
		bad = "is no valid JSON"
	}
	return Element{Problem: bad, id: idIn(v.Text)}, nil
}

// idIn finds the id in a resource that cannot be used as a whole.
func idIn(text []byte) (id string) {
	r := &Reader{in: bufio.NewReader(bytes.NewReader(text))}
	_ = r.Object(func(name string) error {
		v, err := r.Next(4 << 10)
		if err != nil || !strings.EqualFold(name, "id") || v.Problem(0) != "" {
			return err // whatever came before the trouble counts
		}
		if out, err := v.Decode(); err == nil {
			id = resource.TextOf(out)
		}
		return nil
	})
	if resource.InvalidID(id) != "" {
		return ""
	}
	return id
}

// Key returns the id; empty if it cannot be read.
func (res Element) Key() string {
	if res.Problem != "" {
		return res.id
	}
	return res.Record.Text("id")
}

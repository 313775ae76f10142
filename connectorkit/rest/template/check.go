package template

import (
	"net/http"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
)

// checkRead checks what a read may be asked with.
func (d *ReadDefinition) check(c *stream.Compiler, at string) {
	d.Method = c.OneOf(at+".method", strings.ToUpper(d.Method), http.MethodGet, http.MethodGet, http.MethodPost)
	if d.Body != nil && d.Method != http.MethodPost {
		c.Wrong("%s.body needs method POST", at)
	}
	if d.Absent != "" && d.MessagePath == "" {
		c.Wrong("%s.missing_contains needs message_path", at)
	}
}

// checkAlready checks the statuses of already. One of success needs the target's words to tell the two apart.
func (d *OperationDefinition) checkAlready(c *stream.Compiler, at string) {
	if d.Already == nil {
		return
	}
	worded := d.Already.Contains != "" && d.MessagePath != ""
	wrong := func(s int) bool { return !(s >= 400 && s <= 499 || s >= 200 && s <= 299 && worded) }
	if len(d.Already.Status) == 0 || slices.ContainsFunc(d.Already.Status, wrong) {
		c.Wrong(
			"%s.already.status must be between 400 and 499, "+
				"or between 200 and 299 together with contains and message_path",
			at,
		)
	}
}

// request checks what reads and changes have in common.
func (w *Set) request(
	c *stream.Compiler,
	at, path string,
	query map[string]stream.ScalarText,
	headers map[string]string,
	names []string,
) {
	switch {
	case path == "":
		c.Wrong("%s.path is missing", at)
	case connectorkit.LeavesBase(stream.PathOf(path)):
		c.Wrong(
			"%s.path leads out of the path of base_url by its \"..\"; "+
				"write the path below base_url, or shorten base_url",
			at,
		)
	case strings.Contains(path, "://"), strings.HasPrefix(path, "//"):
		c.Wrong("%s.path must be a path below base_url", at)
	case strings.ContainsAny(path, "?#"):
		c.Wrong("%s.path must have no query; there is %s.query", at, at)
	}
	w.texts(c, at+".path", []string{path}, names)
	for _, name := range jsonvalue.SortedKeys(query) {
		text := string(query[name])
		w.texts(c, at+".query."+name, []string{text}, names)
		found, err := parsePlaceholders(text)
		if err == nil && wholePlaceholder.FindString(text) == "" &&
			slices.ContainsFunc(found, func(p placeholder) bool { return p.filter == "" }) {
			c.Wrong(
				"%s.query.%s: a value inside of an expression must be written {{…|quoted}}, so that it stays a value",
				at,
				name,
			)
		}
	}
	for _, name := range jsonvalue.SortedKeys(headers) {
		if strings.EqualFold(name, "Authorization") {
			c.Wrong("%s.headers: credentials are settings of their own", at)
		}
		w.texts(c, at+".headers."+name, []string{headers[name]}, names)
	}
}

// accountMembers are the members of an account that placeholders know.
var accountMembers = []string{
	"username",
	"email",
	"display_name",
	"first_name",
	"last_name",
	"employee_number",
	"enabled",
	"container",
}

// texts checks the placeholders of texts: names says which groups there are.
func (w *Set) texts(c *stream.Compiler, at string, texts, names []string) {
	for _, text := range texts {
		found, err := parsePlaceholders(text)
		if err != nil {
			c.Wrong("%s %v", at, err)
			continue
		}
		for _, p := range found {
			if why := w.unknown(p.name, names); why != "" {
				c.Wrong("%s: {{%s}} %s", at, p.name, why)
			}
		}
	}
}

// unknown says why a placeholder can have no value there, or nothing.
func (w *Set) unknown(name string, names []string) string {
	group, rest, _ := strings.Cut(name, ".")
	if group == "reads" {
		read, path, ok := strings.Cut(rest, ".")
		if _, known := w.document.Reads[read]; !known || !ok || path == "" {
			return "names no read; it is {{reads.NAME.member}}"
		}
		return ""
	}
	if !slices.Contains(names, group) && !slices.Contains(names, name) {
		return "has no value here; there are " + strings.Join(names, ", ") + " and reads"
	}
	known := true
	switch group {
	case "account":
		known = slices.Contains(accountMembers, rest) ||
			strings.HasPrefix(rest, "attributes.") && len(rest) > len("attributes.")
	case "target":
		known = slices.Contains([]string{"remote_id", "username", "native_ref"}, rest)
	case "entitlement":
		known = slices.Contains([]string{"remote_id", "native_ref"}, rest)
	case "credential":
		known = rest == "password"
	}
	if !known {
		return "is no member of " + group
	}
	return ""
}

// dependsOnItself finds a read that needs its own answer.
func (w *Set) dependsOnItself(name string, under []string) bool {
	if slices.Contains(under, name) {
		return true
	}
	t := w.Reads[name]
	if t == nil {
		return false
	}
	texts := append(jsonvalue.AllTexts(t.Body), t.Path, t.Equals)
	for _, v := range t.Query {
		texts = append(texts, string(v))
	}
	for _, v := range t.Headers {
		texts = append(texts, v)
	}
	for _, text := range texts {
		found, _ := parsePlaceholders(text)
		for _, p := range found {
			if rest, is := strings.CutPrefix(p.name, "reads."); is {
				other, _, _ := strings.Cut(rest, ".")
				if w.dependsOnItself(other, append(slices.Clone(under), name)) {
					return true
				}
			}
		}
	}
	return false
}

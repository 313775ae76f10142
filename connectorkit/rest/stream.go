package rest

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// What a record of a stream is.
const (
	objectIdentity    = "identity"
	objectAccount     = "account"
	objectUser        = "user" // an identity and an account in one
	objectEntitlement = "entitlement"
	objectGrant       = "grant"
)

var objects = []string{objectIdentity, objectAccount, objectUser, objectEntitlement, objectGrant}

// stream is a compiled document.
type stream struct {
	document
	selector  *jsonpath.Path // nil: found by itself
	filter    *jsonpath.Filter
	key       *jsonpath.Path // nil: guessed from the usual names
	nativeRef *jsonpath.Path
	fields    []field
	explode   []explosion
	picks     picks
	verdict   verdict        // where the words of a refusal stand
	plan      *jsonpath.Plan // nil without selector

	incremental *incremental
	presence    *stream // the list of what is still there
	deleted     *stream // the list of what was deleted
	serves      bool    // is the list of what was deleted of another stream, and not read for itself

	parentKey *jsonpath.Path // in the parent's record; nil: its key
	parent    *stream
	children  []*stream
}

// explosion makes rows from the elements of an array in a record.
type explosion struct {
	explodeDocument
	path, key, name *jsonpath.Path
}

// picks are the values wanted from around the records, and where each stands in the result of a plan; -1: not wanted.
type picks struct {
	paths                                 []*jsonpath.Path
	cursor, more, total, success, message int
	next                                  []int
}

// compiler gathers the mistakes of one document.
type compiler struct{ problems []string }

func (c *compiler) wrong(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *compiler) path(member, text string) *jsonpath.Path {
	if text == "" {
		return nil
	}
	p, err := jsonpath.CompileShort(text)
	if err != nil {
		c.wrong("%s: %v", member, err)
		return nil
	}
	return p
}

func (c *compiler) oneOf(member, value, def string, allowed ...string) string {
	if value == "" {
		return def
	}
	if !slices.Contains(allowed, value) {
		c.wrong("%s must be one of %s, not %q", member, strings.Join(allowed, ", "), value)
		return def
	}
	return value
}

// pathOf is a path of the settings without its query.
func pathOf(text string) string {
	path, _, _ := strings.Cut(text, "?")
	return strings.TrimPrefix(path, "/")
}

// compile checks a document and makes it fit for use. The problems are those of this stream alone; see relate.
func (d document) compile(pageSize int) (*stream, []string) {
	c := &compiler{}
	st := &stream{document: d}
	if d.Object == "" {
		c.wrong("object is missing")
	}
	st.Object = c.oneOf("object", d.Object, objectUser, objects...)
	if st.Name == "" {
		st.Name = st.Object
	}
	st.Request.Method = c.oneOf("request.method", strings.ToUpper(d.Request.Method), "GET", "GET", "POST")
	if strings.Contains(d.Request.Path, "://") {
		c.wrong("request.path must be a path below base_url")
	}
	if target.LeavesBase(pathOf(d.Request.Path)) {
		c.wrong("request.path leads out of the path of base_url by its \"..\"; write the path below base_url, or shorten base_url")
	}
	if d.Request.Body != nil && st.Request.Method == "GET" {
		c.wrong("request.body needs request.method POST")
	}
	st.selector = c.path("record_selector", d.RecordSelector)
	st.key = c.path("key_path", d.KeyPath)
	st.nativeRef = c.path("native_ref_path", d.NativeRefPath)
	if d.RecordFilter != "" {
		filter, err := jsonpath.CompileFilter(d.RecordFilter)
		if err != nil {
			c.wrong("record_filter: %v", err)
		}
		st.filter = filter
	}
	c.pagination(st, pageSize)
	c.fields(st)
	c.explosions(st)
	if d.Parent != nil {
		c.parent(st)
	}
	c.rules(st)
	c.incremental(st, pageSize)
	c.picks(st)
	return st, c.problems
}

func (c *compiler) parent(st *stream) {
	p := *st.Parent
	if p.Stream == "" {
		c.wrong("parent.stream is missing")
	}
	if p.Param == "" {
		p.Param = "id"
	}
	if p.Concurrency < 0 || p.Concurrency > 16 {
		c.wrong("parent.concurrency must be between 1 and 16")
	}
	if p.Concurrency == 0 {
		p.Concurrency = 4
	}
	st.parentKey = c.path("parent.key_path", p.KeyPath)
	st.Parent = &p
}

func (c *compiler) explosions(st *stream) {
	for i, d := range st.document.Explode {
		member := func(name string) string {
			if len(st.document.Explode) == 1 {
				return "explode." + name
			}
			return fmt.Sprintf("explode[%d].%s", i, name)
		}
		if d.Path == "" {
			c.wrong("%s is missing", member("path"))
		}
		d.As = c.oneOf(member("as"), strings.TrimSuffix(d.As, "s"), "both", "grant", "entitlement", "both")
		d.Principal = c.oneOf(member("principal"), d.Principal, objectAccount, objectAccount, objectEntitlement)
		switch {
		case st.Object == objectGrant:
			c.wrong("explode cannot be used on a stream of grants")
		case st.Object == objectEntitlement && d.As == "entitlement":
			c.wrong("%s must be grant on a stream of entitlements", member("as"))
		case st.Object == objectEntitlement:
			d.As = "grant"
		}
		st.explode = append(st.explode, explosion{
			explodeDocument: d, path: c.path(member("path"), d.Path),
			key: c.path(member("key_path"), d.KeyPath), name: c.path(member("name_path"), d.NamePath),
		})
	}
}

// nextMembers are where targets give the address of the next page when nobody said where.
var nextMembers = []string{
	"$.next", "$.next_url", "$.nextUrl", "$.next_page_url", "$.nextPageUrl", "$.nextLink", "$['@odata.nextLink']", "$['@nextLink']",
	"$.links.next", "$.links.next.href", "$._links.next", "$._links.next.href", "$.paging.next", "$.pagination.next", "$.pagination.next_url",
	"$.meta.next", "$.meta.next_url",
}

func (c *compiler) picks(st *stream) {
	p := &st.picks
	want := func(path *jsonpath.Path) int {
		if path == nil {
			return -1
		}
		p.paths = append(p.paths, path)
		return len(p.paths) - 1
	}
	d := st.Pagination
	p.cursor = want(c.path("pagination.cursor_path", d.CursorPath))
	p.more = want(c.path("pagination.has_more_path", d.HasMorePath))
	p.total = want(c.path("pagination.total_path", d.TotalPath))
	st.verdict = (&compiler{}).verdict("error", "", st.Error.MessagePath) // mistakes are noted below
	p.success = want(c.path("error.success_path", st.Error.SuccessPath))
	p.message = want(c.path("error.message_path", st.Error.MessagePath))
	if next := want(c.path("pagination.next_url_path", d.NextURLPath)); next >= 0 {
		p.next = []int{next}
	}
	if st.auto {
		for _, text := range nextMembers {
			p.next = append(p.next, want(jsonpath.MustCompile(text)))
		}
	}
	if st.selector != nil && len(c.problems) == 0 {
		st.plan = jsonpath.NewPlan(st.selector, p.paths...)
	}
}

// relate joins children to their parents and tells what keeps the streams from fitting together.
func relate(streams []*stream) []string {
	var problems []string
	byName := map[string]*stream{}
	for _, st := range streams {
		if byName[st.Name] != nil {
			problems = append(problems, fmt.Sprintf("the name %q is used twice", st.Name))
		}
		byName[st.Name] = st
	}
	for _, st := range streams {
		if st.Parent == nil || st.Parent.Stream == "" {
			continue
		}
		if st.parent = byName[st.Parent.Stream]; st.parent == nil {
			problems = append(problems, fmt.Sprintf("%q has the parent %q, which is no stream", st.Name, st.Parent.Stream))
			continue
		}
		st.parent.children = append(st.parent.children, st)
	}
	problems = append(problems, relateDeleted(streams, byName)...)
	for _, st := range streams {
		steps := 0
		for at := st.parent; at != nil; at = at.parent {
			if steps++; steps > len(streams) {
				return append(problems, fmt.Sprintf("%q is its own ancestor", st.Name))
			}
		}
		problems = append(problems, st.unknownPlaceholders()...)
	}
	return problems
}

// unknownPlaceholders names placeholders that no ancestor fills.
func (st *stream) unknownPlaceholders() []string {
	known := map[string]bool{}
	for at := st; at != nil && at.Parent != nil && len(known) <= 64; at = at.parent {
		known[at.Parent.Param] = true
	}
	var out []string
	for _, name := range placeholders(st.Request.Path) {
		if !known[name] {
			out = append(out, fmt.Sprintf("the path of %q has the placeholder {%s}, which no parent fills", st.Name, name))
		}
	}
	for _, f := range st.fields {
		if f.param != "" && !known[f.param] {
			out = append(out, fmt.Sprintf("the fields of %q use {%s}, which no parent fills", st.Name, f.param))
		}
	}
	return out
}

func placeholders(text string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(text, "{")
		if !ok {
			return out
		}
		name, rest, ok := strings.Cut(rest, "}")
		if !ok {
			return out
		}
		out, text = append(out, name), rest
	}
}

// kinds are the kinds of record a stream gives, in the order of v1.
func (st *stream) kinds() []v1.ObjectKind {
	set := map[v1.ObjectKind]bool{}
	switch st.Object {
	case objectIdentity:
		set[v1.Identities] = true
	case objectAccount:
		set[v1.Accounts] = true
	case objectUser:
		set[v1.Identities], set[v1.Accounts] = true, true
	case objectEntitlement:
		set[v1.Entitlements] = true
	case objectGrant:
		set[v1.Grants] = true
	}
	for _, e := range st.explode {
		set[v1.Grants] = set[v1.Grants] || e.As != "entitlement"
		set[v1.Entitlements] = set[v1.Entitlements] || e.As != "grant"
	}
	var out []v1.ObjectKind
	for _, k := range allKinds {
		if set[k] {
			out = append(out, k)
		}
	}
	return out
}

var allKinds = []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

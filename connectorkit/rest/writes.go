package rest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// writesDocument is the setting writes: how the target is changed, and how it is looked at before and after.
type writesDocument struct {
	Stream string                  `json:"stream"` // whose fields make an account of a record; default: the first of accounts
	Reads  map[string]readDocument `json:"reads"`
	Ops    map[string]opDocument   `json:"ops"`
}

// readDocument is one request that reads: GET, or POST where the interface searches so. A status of Missing means that there is
// none, and so do words of the target that contain Absent.
type readDocument struct {
	Method     string            `json:"method"`
	Path       string            `json:"path"`
	Body       any               `json:"body"`
	Query      map[string]plain  `json:"query"`
	Headers    map[string]string `json:"headers"`
	RecordPath string            `json:"record_path"`
	Missing    []int             `json:"missing"`
	Absent     string            `json:"missing_contains"`

	SuccessPath string `json:"success_path"`
	MessagePath string `json:"message_path"`

	// Of the read named membership alone.
	KeyPath string   `json:"key_path"` // of the records: the entitlement's id is among them
	Equals  string   `json:"equals"`   // what the key has to be; default {{entitlement.remote_id}}
	State   string   `json:"state_path"`
	Held    []string `json:"held"`    // words of the state that say yes
	Pending []string `json:"pending"` // and that say: not yet
}

type opDocument struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Query   map[string]plain  `json:"query"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body"`
	Success []int             `json:"success"`
	Already *alreadyDocument  `json:"already"`
	IDPath  string            `json:"id_path"`

	SuccessPath string `json:"success_path"`
	MessagePath string `json:"message_path"`

	Attributes bool `json:"merge_attributes"` // attributes are put into the body under their names
}

// alreadyDocument says which refusal means that there is nothing to do. It is believed after a look only.
type alreadyDocument struct {
	Status   []int  `json:"status"`
	Contains string `json:"contains"`
}

// Reads that the connector itself makes; others serve placeholders.
const (
	readAccount    = "account"    // one account by target.remote_id
	readFind       = "find"       // accounts by target.username
	readMembership = "membership" // whether target.remote_id holds entitlement.remote_id
)

var writeOps = []v1.ProvisionOp{
	v1.OpAccountCreate, v1.OpAccountUpdate, v1.OpAccountRename, v1.OpAccountEnable, v1.OpAccountDisable, v1.OpAccountUnlock,
	v1.OpAccountDelete, v1.OpAccountPassword, v1.OpEntitlementGrant, v1.OpEntitlementRevoke,
}

// writes is a compiled writesDocument.
type writes struct {
	document writesDocument
	stream   *stream
	reads    map[string]*readTemplate
	ops      map[v1.ProvisionOp]*opTemplate
}

type readTemplate struct {
	readDocument
	verdict            verdict
	record, key, state *jsonpath.Path
}

type opTemplate struct {
	opDocument
	verdict verdict
	id      *jsonpath.Path
}

// compileWrites reads the setting. The problems say where each mistake is.
func compileWrites(setting any, streams []*stream) (*writes, []string) {
	if setting == nil || setting == "" {
		return nil, nil
	}
	text, err := json.Marshal(setting)
	if s, is := setting.(string); is {
		text, err = []byte(s), nil
	}
	w := &writes{reads: map[string]*readTemplate{}, ops: map[v1.ProvisionOp]*opTemplate{}}
	if err == nil {
		err = strict(text, &w.document)
	}
	if err != nil {
		return nil, []string{"writes: " + err.Error()}
	}
	c := &compiler{}
	w.chooseStream(c, streams)
	for _, name := range sortedKeys(w.document.Reads) {
		w.read(c, name)
	}
	for _, name := range sortedKeys(w.document.Ops) {
		w.op(c, name)
	}
	for _, name := range sortedKeys(w.reads) {
		if w.circles(name, nil) {
			c.wrong("reads.%s needs itself", name)
			break
		}
	}
	for i, p := range c.problems {
		c.problems[i] = "writes." + p
	}
	return w, c.problems
}

func (w *writes) chooseStream(c *compiler, streams []*stream) {
	for _, st := range streams {
		fits := (st.Object == objectAccount || st.Object == objectUser) && !st.auto
		switch {
		case w.document.Stream != "" && st.Name == w.document.Stream && fits, w.document.Stream == "" && fits:
			w.stream = st
			return
		case w.document.Stream != "" && st.Name == w.document.Stream:
			c.wrong("stream: %q is no stream of accounts", w.document.Stream)
			return
		}
	}
	if w.document.Stream != "" {
		c.wrong("stream: there is no stream %q", w.document.Stream)
	}
	if w.stream == nil {
		w.stream = &stream{document: document{Name: "accounts", Object: objectAccount}}
	}
}

func (w *writes) read(c *compiler, name string) {
	d := w.document.Reads[name]
	at := "reads." + name
	if !requestName.MatchString(name) {
		c.wrong("%s: a name has letters, digits and _ only", at)
	}
	if d.RecordPath == "" {
		d.RecordPath = "$"
	}
	if d.Missing == nil {
		d.Missing = []int{404, 410}
	}
	d.check(c, at)
	t := &readTemplate{readDocument: d, verdict: c.verdict(at, d.SuccessPath, d.MessagePath), record: c.path(at+".record_path", d.RecordPath), key: c.path(at+".key_path", d.KeyPath), state: c.path(at+".state_path", d.State)}
	if name != readMembership && (d.KeyPath != "" || d.State != "" || d.Equals != "" || d.Held != nil || d.Pending != nil) {
		c.wrong("%s: key_path, equals, state_path, held and pending belong to the read membership", at)
	}
	if d.State != "" && len(d.Held) == 0 {
		c.wrong("%s.held is missing: which words of state_path say that the entitlement is held", at)
	}
	switch name {
	case readAccount:
		t.known(c, w, at, "target")
	case readFind:
		t.known(c, w, at, "target.username")
		if _, told := w.stream.Fields["username"]; len(w.stream.Fields) > 0 && !told {
			c.wrong("%s: the stream %q maps no username, so no account can be found by it", at, w.stream.Name)
		}
	default:
		t.known(c, w, at, "target", "entitlement")
	}
	w.reads[name] = t
}

func (t *readTemplate) known(c *compiler, w *writes, at string, names ...string) {
	w.request(c, at, t.Path, t.Query, t.Headers, names)
	w.texts(c, at+".equals", []string{t.Equals}, names)
	w.texts(c, at+".body", textsIn(t.Body), names)
}

func (w *writes) op(c *compiler, name string) {
	d := w.document.Ops[name]
	at := "ops." + name
	op := v1.ProvisionOp(name)
	if !slices.Contains(writeOps, op) {
		c.wrong("%s: there is no such change; there are %s", at, joinOps())
		return
	}
	d.Method = c.oneOf(at+".method", strings.ToUpper(d.Method), "POST", "POST", "PUT", "PATCH", "DELETE")
	for _, status := range d.Success {
		if status < 200 || status > 299 {
			c.wrong("%s.success must be between 200 and 299", at)
		}
	}
	d.checkAlready(c, at)
	if _, object := d.Body.(map[string]any); d.Attributes && !object && d.Body != nil {
		c.wrong("%s.merge_attributes needs a body that is an object", at)
	}
	names := []string{"target"}
	switch op {
	case v1.OpAccountCreate:
		names = []string{"account", "credential"}
	case v1.OpAccountUpdate, v1.OpAccountRename:
		names = append(names, "account")
	case v1.OpAccountPassword:
		names = append(names, "credential")
	case v1.OpEntitlementGrant, v1.OpEntitlementRevoke:
		names = append(names, "entitlement", "expires_at")
	}
	names = append(names, "idempotency_key")
	w.request(c, at, d.Path, d.Query, d.Headers, names)
	w.texts(c, at+".body", textsIn(d.Body), names)
	if op == v1.OpAccountPassword && !slices.ContainsFunc(textsIn(d.Body), func(s string) bool { return strings.Contains(s, "credential.password") }) {
		c.wrong("%s.body must have {{credential.password}}", at)
	}
	w.ops[op] = &opTemplate{opDocument: d, verdict: c.verdict(at, d.SuccessPath, d.MessagePath), id: c.path(at+".id_path", d.IDPath)}
}

// checkAlready checks the statuses of already. One of success needs the target's words to tell the two apart.
func (d *opDocument) checkAlready(c *compiler, at string) {
	if d.Already == nil {
		return
	}
	worded := d.Already.Contains != "" && d.MessagePath != ""
	wrong := func(s int) bool { return !(s >= 400 && s <= 499 || s >= 200 && s <= 299 && worded) }
	if len(d.Already.Status) == 0 || slices.ContainsFunc(d.Already.Status, wrong) {
		c.wrong("%s.already.status must be between 400 and 499, or between 200 and 299 together with contains and message_path", at)
	}
}

func joinOps() string {
	out := make([]string, len(writeOps))
	for i, op := range writeOps {
		out[i] = string(op)
	}
	return strings.Join(out, ", ")
}

// request checks what reads and changes have in common.
func (w *writes) request(c *compiler, at, path string, query map[string]plain, headers map[string]string, names []string) {
	switch {
	case path == "":
		c.wrong("%s.path is missing", at)
	case target.LeavesBase(pathOf(path)):
		c.wrong("%s.path leads out of the path of base_url by its \"..\"; write the path below base_url, or shorten base_url", at)
	case strings.Contains(path, "://"), strings.HasPrefix(path, "//"):
		c.wrong("%s.path must be a path below base_url", at)
	case strings.ContainsAny(path, "?#"):
		c.wrong("%s.path must have no query; there is %s.query", at, at)
	}
	w.texts(c, at+".path", []string{path}, names)
	for _, name := range sortedKeys(query) {
		text := string(query[name])
		w.texts(c, at+".query."+name, []string{text}, names)
		found, err := placeholdersIn(text)
		if err == nil && wholePlaceholder.FindString(text) == "" && slices.ContainsFunc(found, func(p placeholder) bool { return p.filter == "" }) {
			c.wrong("%s.query.%s: a value inside of an expression must be written {{…|quoted}}, so that it stays a value", at, name)
		}
	}
	for _, name := range sortedKeys(headers) {
		if strings.EqualFold(name, "Authorization") {
			c.wrong("%s.headers: credentials are settings of their own", at)
		}
		w.texts(c, at+".headers."+name, []string{headers[name]}, names)
	}
}

// accountMembers are the members of an account that placeholders know.
var accountMembers = []string{"username", "email", "display_name", "first_name", "last_name", "employee_number", "enabled", "container"}

// texts checks the placeholders of texts: names says which groups there are.
func (w *writes) texts(c *compiler, at string, texts, names []string) {
	for _, text := range texts {
		found, err := placeholdersIn(text)
		if err != nil {
			c.wrong("%s %v", at, err)
			continue
		}
		for _, p := range found {
			if why := w.unknown(p.name, names); why != "" {
				c.wrong("%s: {{%s}} %s", at, p.name, why)
			}
		}
	}
}

// unknown says why a placeholder can have no value there, or nothing.
func (w *writes) unknown(name string, names []string) string {
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
		known = slices.Contains(accountMembers, rest) || strings.HasPrefix(rest, "attributes.") && len(rest) > len("attributes.")
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

// circles finds a read that needs its own answer.
func (w *writes) circles(name string, under []string) bool {
	if slices.Contains(under, name) {
		return true
	}
	t := w.reads[name]
	if t == nil {
		return false
	}
	texts := append(textsIn(t.Body), t.Path, t.Equals)
	for _, v := range t.Query {
		texts = append(texts, string(v))
	}
	for _, v := range t.Headers {
		texts = append(texts, v)
	}
	for _, text := range texts {
		found, _ := placeholdersIn(text)
		for _, p := range found {
			if rest, is := strings.CutPrefix(p.name, "reads."); is {
				other, _, _ := strings.Cut(rest, ".")
				if w.circles(other, append(slices.Clone(under), name)) {
					return true
				}
			}
		}
	}
	return false
}

// uses says whether a change has a placeholder.
func (t *opTemplate) uses(name string) bool {
	texts := append(textsIn(t.Body), t.Path)
	for _, v := range t.Query {
		texts = append(texts, string(v))
	}
	for _, v := range t.Headers {
		texts = append(texts, v)
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		found, _ := placeholdersIn(text)
		return slices.ContainsFunc(found, func(p placeholder) bool { return p.name == name })
	})
}

// why says what the settings declare no template for.
func (w *writes) why() string {
	if w == nil {
		return "the setting writes declares no changes"
	}
	var missing []string
	for _, op := range writeOps {
		if w.ops[op] == nil {
			missing = append(missing, string(op))
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("the setting writes has no template for %s", strings.Join(missing, ", "))
}

var requestName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

package template

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Reads that the connector itself makes; others serve placeholders.
const (
	ReadAccount    = "account"    // one account by target.remote_id
	ReadFind       = "find"       // accounts by target.username
	ReadMembership = "membership" // whether target.remote_id holds entitlement.remote_id
)

// writeOps are the changes that a template can describe.
var writeOps = []v1.ProvisionOp{
	v1.OpAccountCreate, v1.OpAccountUpdate, v1.OpAccountRename, v1.OpAccountEnable, v1.OpAccountDisable,
	v1.OpAccountUnlock,
	v1.OpAccountDelete, v1.OpAccountPassword, v1.OpEntitlementGrant, v1.OpEntitlementRevoke,
}

// Set is a compiled writesDocument.
type Set struct {
	document Definition
	Stream   *stream.Stream
	Reads    map[string]*ReadTemplate
	Ops      map[v1.ProvisionOp]*OperationTemplate
}

// ReadTemplate is a compiled ReadDefinition.
type ReadTemplate struct {
	ReadDefinition
	Verdict stream.SuccessCheck
	// Record, Key and State are the paths in the answer. Nil: none is given.
	Record, Key, State *jsonpath.Path
}

// OperationTemplate is a compiled OperationDefinition.
type OperationTemplate struct {
	OperationDefinition
	Verdict stream.SuccessCheck
	// Id is the path of the new record's key in the answer.
	Id *jsonpath.Path
}

// Compile reads the setting. The problems say where each mistake is.
func Compile(setting any, streams []*stream.Stream) (*Set, []string) {
	if setting == nil || setting == "" {
		return nil, nil
	}
	text, err := json.Marshal(setting)
	if s, is := setting.(string); is {
		text = []byte(s)
		err = nil
	}
	w := &Set{Reads: map[string]*ReadTemplate{}, Ops: map[v1.ProvisionOp]*OperationTemplate{}}
	if err == nil {
		err = jsonvalue.Strict(text, &w.document)
	}
	if err != nil {
		return nil, []string{"writes: " + err.Error()}
	}
	c := &stream.Compiler{}
	w.chooseStream(c, streams)
	for _, name := range jsonvalue.SortedKeys(w.document.Reads) {
		w.read(c, name)
	}
	for _, name := range jsonvalue.SortedKeys(w.document.Ops) {
		w.op(c, name)
	}
	for _, name := range jsonvalue.SortedKeys(w.Reads) {
		if w.dependsOnItself(name, nil) {
			c.Wrong("reads.%s needs itself", name)
			break
		}
	}
	for i, p := range c.Problems {
		c.Problems[i] = "writes." + p
	}
	return w, c.Problems
}

// chooseStream finds the stream whose field rules make an account of a record: the one that is
// named, or the first of accounts.
func (w *Set) chooseStream(c *stream.Compiler, streams []*stream.Stream) {
	for _, st := range streams {
		fits := (st.Object == stream.ObjectAccount || st.Object == stream.ObjectUser) && !st.Detected
		switch {
		case w.document.Stream != "" && st.Name == w.document.Stream && fits, w.document.Stream == "" && fits:
			w.Stream = st
			return
		case w.document.Stream != "" && st.Name == w.document.Stream:
			c.Wrong("stream: %q is no stream of accounts", w.document.Stream)
			return
		}
	}
	if w.document.Stream != "" {
		c.Wrong("stream: there is no stream %q", w.document.Stream)
	}
	if w.Stream == nil {
		w.Stream = &stream.Stream{Definition: stream.Definition{Name: "accounts", Object: stream.ObjectAccount}}
	}
}

// read compiles one read.
func (w *Set) read(c *stream.Compiler, name string) {
	d := w.document.Reads[name]
	at := "reads." + name
	if !requestName.MatchString(name) {
		c.Wrong("%s: a name has letters, digits and _ only", at)
	}
	if d.RecordPath == "" {
		d.RecordPath = "$"
	}
	if d.Missing == nil {
		d.Missing = []int{404, 410}
	}
	d.check(c, at)
	t := &ReadTemplate{
		ReadDefinition: d,
		Verdict:        c.SuccessCheck(at, d.SuccessPath, d.MessagePath),
		Record:         c.Path(at+".record_path", d.RecordPath),
		Key:            c.Path(at+".key_path", d.KeyPath),
		State:          c.Path(at+".state_path", d.State),
	}
	if name != ReadMembership &&
		(d.KeyPath != "" || d.State != "" || d.Equals != "" || d.Held != nil || d.Pending != nil) {
		c.Wrong("%s: key_path, equals, state_path, held and pending belong to the read membership", at)
	}
	if d.State != "" && len(d.Held) == 0 {
		c.Wrong("%s.held is missing: which words of state_path say that the entitlement is held", at)
	}
	switch name {
	case ReadAccount:
		t.known(c, w, at, "target")
	case ReadFind:
		t.known(c, w, at, "target.username")
		if _, told := w.Stream.Fields["username"]; len(w.Stream.Fields) > 0 && !told {
			c.Wrong("%s: the stream %q maps no username, so no account can be found by it", at, w.Stream.Name)
		}
	default:
		t.known(c, w, at, "target", "entitlement")
	}
	w.Reads[name] = t
}

// known checks that the template uses only values that a change of its kind has.
func (t *ReadTemplate) known(c *stream.Compiler, w *Set, at string, names ...string) {
	w.request(c, at, t.Path, t.Query, t.Headers, names)
	w.texts(c, at+".equals", []string{t.Equals}, names)
	w.texts(c, at+".body", jsonvalue.AllTexts(t.Body), names)
}

// op compiles one change, and checks that its template uses only values that the change has.
func (w *Set) op(c *stream.Compiler, name string) {
	d := w.document.Ops[name]
	at := "ops." + name
	op := v1.ProvisionOp(name)
	if !slices.Contains(writeOps, op) {
		c.Wrong("%s: there is no such change; there are %s", at, joinOps())
		return
	}
	d.Method = c.OneOf(at+".method", strings.ToUpper(d.Method), "POST", "POST", "PUT", "PATCH", "DELETE")
	for _, status := range d.Success {
		if status < 200 || status > 299 {
			c.Wrong("%s.success must be between 200 and 299", at)
		}
	}
	d.checkAlready(c, at)
	if _, object := d.Body.(map[string]any); d.Attributes && !object && d.Body != nil {
		c.Wrong("%s.merge_attributes needs a body that is an object", at)
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
	w.texts(c, at+".body", jsonvalue.AllTexts(d.Body), names)
	if op == v1.OpAccountPassword &&
		!slices.ContainsFunc(
			jsonvalue.AllTexts(d.Body),
			func(s string) bool { return strings.Contains(s, "credential.password") },
		) {
		c.Wrong("%s.body must have {{credential.password}}", at)
	}
	w.Ops[op] = &OperationTemplate{
		OperationDefinition: d,
		Verdict:             c.SuccessCheck(at, d.SuccessPath, d.MessagePath),
		Id:                  c.Path(at+".id_path", d.IDPath),
	}
}

// joinOps lists the changes for a message.
func joinOps() string {
	out := make([]string, len(writeOps))
	for i, op := range writeOps {
		out[i] = string(op)
	}
	return strings.Join(out, ", ")
}

// Uses says whether a change has a placeholder.
func (t *OperationTemplate) Uses(name string) bool {
	texts := append(jsonvalue.AllTexts(t.Body), t.Path)
	for _, v := range t.Query {
		texts = append(texts, string(v))
	}
	for _, v := range t.Headers {
		texts = append(texts, v)
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		found, _ := parsePlaceholders(text)
		return slices.ContainsFunc(found, func(p placeholder) bool { return p.name == name })
	})
}

// Offered are the changes that there are templates for, with the reason why the others are missing.
func (w *Set) Offered() connectorkit.Writes {
	out := connectorkit.Writes{Ops: []v1.ProvisionOp{}, Why: w.Why()}
	if w == nil {
		return out
	}
	for _, op := range writeOps {
		if w.Ops[op] != nil {
			out.Ops = append(out.Ops, op)
		}
	}
	return out
}

// Why says what the settings declare no template for.
func (w *Set) Why() string {
	if w == nil {
		return "the setting writes declares no changes"
	}
	var missing []string
	for _, op := range writeOps {
		if w.Ops[op] == nil {
			missing = append(missing, string(op))
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("the setting writes has no template for %s", strings.Join(missing, ", "))
}

// requestName matches the name of a read.
var requestName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

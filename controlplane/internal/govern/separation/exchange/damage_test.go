package exchange_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// good are rule sets without a mistake, by format.
var good = map[string]map[string]string{
	"yaml": {"rules.yaml": rules},
	"csv": {
		"duties.csv": "duty,description,process,owners,group,member_kind,connector,external_id,role,duty_tag\n" +
			"Maintain vendors,,P2P,,1,external,bank,VENDOR-EDIT,,\nPay,Runs payments,P2P,,1,entitlement,bank,PAY-RUN,,\n" +
			"Pay,,,,2,duty_tag,,,,company-1000\n",
		"policies.csv": "policy,severity,kind,n,conflicts,valid_to,side,side_label,duty\n" +
			"Vendors and payments,high,pair,,,2030-01-01T00:00:00Z,1,Vendors,Maintain vendors\n" +
			"Vendors and payments,high,pair,,,,2,Payments,Pay\n",
	},
	"txt": {
		"function.txt":            "PP01\tEN\tMaintain vendors\nPP02\tEN\tPay\n",
		"function action.txt":     "PP01\tSAPR3\tXK01\t0\nPP02\tSAPR3\tF110\t0\n",
		"function permission.txt": "PP02\tSAPR3\tF110\tF_REGU\tFBTCH\t02\t\tOR\t0\n",
		"rule set.txt":            "GLOBAL\tEN\tGlobal\n",
		"risk.txt":                "P001\tPP01\tPP02\t\t\t\tPP00\t1\t0\t1\n",
		"risk description.txt":    "P001\tEN\tVendors and payments\n",
		"risk rule set.txt":       "P001\tGLOBAL\n",
	},
	"xml": {"rules.xml": `<?xml version="1.0"?>
<RULE_SET>
<FUNCTION><item><FUNCTID>PP01</FUNCTID><LANGU>EN</LANGU><DESCN>Maintain vendors</DESCN></item>
<item><FUNCTID>PP02</FUNCTID><LANGU>EN</LANGU><DESCN>Pay</DESCN></item></FUNCTION>
<FUNCTION_ACTION><item><FUNCTID>PP01</FUNCTID><CONNECTOR>SAPR3</CONNECTOR><ACTION>XK01</ACTION></item>
<item><FUNCTID>PP02</FUNCTID><CONNECTOR>SAPR3</CONNECTOR><ACTION>F110</ACTION></item></FUNCTION_ACTION>
<RISK><item><RISKID>P001</RISKID><FUNCTID1>PP01</FUNCTID1><FUNCTID2>PP02</FUNCTID2><PRIORITY>1</PRIORITY></item></RISK>
</RULE_SET>
`},
}

// damage is one way of spoiling a text.
type damage struct {
	name string
	of   func(text string) string
}

// bytewise are damages of a whole file.
var bytewise = []damage{
	{"empty", func(string) string { return "" }},
	{"blank", func(string) string { return " \n\t\n" }},
	{"half", func(s string) string { return s[:len(s)/2] }},
	{"without its end", func(s string) string { return s[:len(s)-9] }},
	{"NUL", func(s string) string { return s[:9] + "\x00" + s[9:] }},
	{"escape", func(s string) string { return s[:9] + "\x1b[2J" + s[9:] }},
	{"DEL", func(s string) string { return s[:9] + "\x7f" + s[9:] }},
	{"half a character", func(s string) string { return s[:9] + "\xc3" + s[9:] }},
	{"marked as UTF-8, and is not", func(s string) string { return "\xef\xbb\xbf" + s[:9] + "\xff" + s[9:] }},
	{"byte order mark inside", func(s string) string { return s[:9] + "\ufeff" + s[9:] }},
	{"UTF-16 with half a character", func(string) string { return "\xff\xfea" }},
	{"UTF-16 that is UTF-8", func(s string) string { return "\xff\xfe" + s }},
	{"UTF-16 big-endian surrogate", func(string) string { return "\xfe\xff\xd8\x00\x00a" }},
	{"an archive, by its first bytes", func(s string) string { return "PK\x03\x04" + s }},
	{"twice", func(s string) string { return s + s }},
	{"other line ends", func(s string) string { return strings.ReplaceAll(s, "\n", "\r") }},
	{"one line", func(s string) string { return strings.ReplaceAll(s, "\n", " ") }},
	{"upper case", strings.ToUpper},
	{"a page of HTML", func(string) string { return "<!DOCTYPE html><html><body>Sign in</body></html>" }},
	{"JSON", func(string) string { return `{"duties": [{"name": 1}]}` }},
	{"nesting", func(string) string { return strings.Repeat("[", 5000) }},
	{"elements in each other", func(string) string { return strings.Repeat("<a>", 5000) }},
	{"aliases", func(s string) string {
		return "version: 1\nduties:\n  - &a {name: x, all_of: []}\n  - *a\n" + s[:3]
	}},
	{"billion laughs", func(string) string {
		return `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l>&b;</l>`
	}},
	{"external entity", func(string) string {
		return `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><RISK><RISKID>&e;</RISKID></RISK>`
	}},
	{"unknown entity", func(string) string { return `<RISK><RISKID>&nothing;</RISKID></RISK>` }},
	{"a script of YAML", func(string) string { return "!!python/object/apply:os.system [ls]\n" }},
	{"another version", func(s string) string { return strings.Replace(s, "version: 1", "version: 2", 1) + "\n" }},
}

// cells are damages of one cell or value.
var cells = []damage{
	{"removed", func(string) string { return "" }},
	{"unknown", func(string) string { return "no-such-thing" }},
	{"long", func(s string) string { return strings.Repeat(s+"x", 4001/(len(s)+1)) }},
	{"quoted on one side", func(s string) string { return `"` + s }},
	{"with a separator", func(s string) string { return s + ",;\t|" }},
	{"negative", func(string) string { return "-1" }},
	{"huge", func(string) string { return "99999999999999999999" }},
	{"markup", func(s string) string { return "<b>" + s + "&" }},
}

// spoiled are the good rule sets with one damage each, by a name for the damage.
func spoiled() map[string]map[string]string {
	all := map[string]map[string]string{}
	for format, set := range good {
		put := func(how, name, text string) {
			changed := maps.Clone(set)
			changed[name] = text
			all[format+", "+name+": "+how] = changed
		}
		for name, text := range set {
			for _, d := range bytewise {
				put(d.name, name, d.of(text))
			}
			for how, tokens := range map[string][]string{
				"line": strings.SplitAfter(text, "\n"), "value": values(text),
			} {
				at := 0
				for i, token := range tokens {
					begin := strings.Index(text[at:], token) + at
					at = begin + len(token)
					if how == "line" {
						put(fmt.Sprintf("line %d removed", i+1), name, text[:begin]+text[at:])
						put(fmt.Sprintf("line %d twice", i+1), name, text[:at]+text[begin:])
						continue
					}
					for _, d := range cells {
						put(
							fmt.Sprintf("%s %d (%s) %s", how, i+1, token, d.name),
							name,
							text[:begin]+d.of(token)+text[at:],
						)
					}
				}
			}
			changed := maps.Clone(set)
			delete(changed, name)
			changed["other"+name[strings.LastIndex(name, "."):]] = text
			all[format+", "+name+": renamed"] = changed
			changed = maps.Clone(changed)
			clear(changed)
			changed[name+".doc"] = text
			all[format+", "+name+": another extension"] = changed
		}
	}
	for name, archive := range map[string][]byte{
		"bomb": archived("a.csv", bytes.Repeat([]byte("a"), 80<<20)), "nested": archived("a.zip", archived("a.csv", nil)),
		"empty": archived(".hidden", nil), "climbing": archived("../../../etc/passwd.csv", []byte("duty")),
		"cut": archived("a.csv", []byte("duty"))[:60], "of nothing": []byte("PK\x05\x06" + strings.Repeat("\x00", 18)),
	} {
		all["archive "+name] = map[string]string{"x.zip": string(archive)}
	}
	many := map[string]string{}
	for i := range 60 {
		many[fmt.Sprintf("%d.csv", i)] = "duty,member_kind\n"
	}
	all["many files"] = many
	all["mixed"] = map[string]string{"a.yaml": rules, "b.csv": good["csv"]["duties.csv"]}
	return all
}

// values are the words of a text that a damage can be done to.
func values(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("\t\n,:<>/{}[]?=- ", c) })
}

// archived is a ZIP archive of one file.
func archived(name string, content []byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, _ := z.Create(name)
	_, _ = w.Write(content)
	_ = z.Close()
	return b.Bytes()
}

// TestDamageIsExplainedOrHarmless imports rule sets with one mistake each. Each is explained by file, line and what to
// do, or imported whole.
func TestDamageIsExplainedOrHarmless(t *testing.T) {
	h := open(t)
	state := func() string {
		return strings.Join(h.Strings(`
			select d.name || d.version || coalesce((select string_agg(m::text, ',' order by m::text) from duty_member m
			           where m.duty_id = d.id), '') from duty d
			 union all
			select p.name || p.version || p.sides::text from separation_policy p
			 order by 1`), "\n")
	}
	with := func(set map[string]string) object {
		body := files(set)
		body["connector"] = "bank"
		return body
	}
	for format, set := range good {
		if p := h.plan(with(set)); p.Body["problem_count"] != 0.0 {
			t.Fatalf("%s: %v", format, p.Body["problems"])
		}
	}
	distinct, explained := map[string]bool{}, map[string]int{}
	harmless := 0
	before := state()
	all := spoiled()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		body := with(all[name])
		key := fmt.Sprint(body)
		if distinct[key] {
			continue
		}
		distinct[key] = true
		p := h.Call("admin", "POST", imports+"?dry_run=true", body)
		if p.Status != 200 {
			t.Errorf("%s: %d %v", name, p.Status, p.Body)
			continue
		}
		problems := p.Body["problems"].([]any)
		if len(problems) == 0 {
			harmless++
			if p.Text("plan_hash") == "" {
				t.Errorf("%s: neither problems nor a plan", name)
			}
			continue
		}
		for _, each := range problems {
			w := each.(object)
			explained[w["code"].(string)]++
			if detail := w["detail"].(string); !strings.Contains(detail, ". ") && !strings.HasSuffix(detail, "…") {
				t.Errorf("%s: %q does not say what to do", name, detail)
			}
			if w["file"] == "" && w["code"] != "empty" {
				t.Errorf("%s: %v names no file", name, w)
			}
		}
		if p.Text("plan_hash") != "" {
			t.Errorf("%s: a plan with problems has a hash", name)
		}
		if a := h.Call("admin", "POST", imports+"?confirm=x", body); a.Status != 422 {
			t.Errorf("%s: %d %v", name, a.Status, a.Body)
		}
	}
	if now := state(); now != before {
		t.Errorf("something was written: %s", now)
	}
	t.Logf(
		"%d damages: %d explained by %d codes, %d harmless",
		len(distinct),
		len(distinct)-harmless,
		len(explained),
		harmless,
	)
	if len(distinct) < 300 || len(explained) < 20 {
		t.Errorf("%d damages with the codes %v", len(distinct), explained)
	}
}

// TestTenThousandFunctionsAreImportedWithinSeconds imports a large rule set.
func TestTenThousandFunctionsAreImportedWithinSeconds(t *testing.T) {
	h := open(t)
	var functions, actions, risks strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&functions, "F%05d\tEN\tFunction %d\n", i, i)
		for a := range 10 {
			fmt.Fprintf(&actions, "F%05d\tSAP\tT%d\t0\n", i, i*7+a)
		}
		if i > 0 && i%2 == 0 {
			fmt.Fprintf(&risks, "R%05d\tF%05d\tF%05d\n", i, i-1, i)
		}
	}
	body := files(map[string]string{
		"function.txt": functions.String(), "function action.txt": actions.String(), "risk.txt": risks.String(),
	})
	body["connector"] = "bank"
	done := h.apply(body)
	if n := h.Count(`select count(*) from duty_member`); n != 100_000 {
		t.Errorf("%d members", n)
	}
	if done.Body["policies"].(object)["created"] != 4999.0 {
		t.Errorf("policies %v", done.Body["policies"])
	}
	if p := h.plan(body); p.Body["duties"].(object)["unchanged"] != 10_000.0 {
		t.Errorf("again %v", p.Body["duties"])
	}
}

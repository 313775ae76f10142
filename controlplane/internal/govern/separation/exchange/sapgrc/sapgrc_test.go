package sapgrc

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/source"
)

// texts are files as source reads them.
func texts(t rapid.TB, of map[string][]byte) (list []source.Text) {
	r := &ruleset.Report{}
	for name, content := range of {
		list = append(list, source.Read([]source.File{{Name: name, Content: content}}, r)...)
	}
	if !r.OK() {
		t.Fatalf("%v", r.Problems)
	}
	slices.SortFunc(list, func(a, b source.Text) int { return strings.Compare(a.Name, b.Name) })
	return list
}

var files = map[string]string{
	"Business Process.txt":    "PP00\tEN\tPurchase to pay\r\nPP00\tDE\tEinkauf\r\n",
	"Function.txt":            "PP01\tEN\tMaintain vendors\tS\r\nPP02\tDE\tZahlen\tS\r\nPP02\tEN\tPay\tS\r\n",
	"Function BP.txt":         "PP01\tPP00\r\nPP02\tPP00\r\n",
	"Function Action.txt":     "PP01\tSAPR3\tXK01\t0\r\nPP01\tSAPR3\tXK02\t1\r\nPP02\tSAPR3\tF110\t0\r\nPP02\tSAPR3\tFB60\t0\r\n",
	"Function Permission.txt": "PP02\tSAPR3\tF110\tF_REGU\tFBTCH\t02\t03\tOR\t0\r\nPP02\tSAPR3\tF110\tF_REGU\tFBTCH\t21\t\tOR\t0\r\n",
	"Rule Set.txt":            "GLOBAL\tEN\tGlobal\r\n",
	"Risk.txt":                "P001\tPP01\tPP02\t\t\t\tPP00\t1\t0\t1\r\nC001\tPP02\t\t\t\t\tPP00\t3\t0\t2\r\n",
	"Risk Description.txt":    "P001\tEN\tVendors and payments\tPays who was invented\r\n",
	"Risk Rule Set.txt":       "P001\tGLOBAL\r\nC001\tGLOBAL\r\n",
	"Risk Owner.txt":          "P001\tANN\r\n",
}

func content(of map[string]string) map[string][]byte {
	to := map[string][]byte{}
	for name, text := range of {
		to[name] = []byte(text)
	}
	return to
}

func TestFunctionsAreDutiesAndRisksArePolicies(t *testing.T) {
	r := &ruleset.Report{}
	s := Read(
		texts(t, content(files)),
		false,
		Options{Systems: map[string]string{"SAPR3": "erp"}, Permissions: true},
		r,
	)
	if !r.OK() || r.NoteCount != 1 || r.Notes[0].Code != "not_separation_of_duties" {
		t.Fatalf("report %+v", r)
	}
	want := []string{
		"PP01: Maintain vendors (Purchase to pay) XK01",
		"PP02: Pay (Purchase to pay) F110,FB60 / F_REGU:FBTCH:02..03,F_REGU:FBTCH:21,FB60",
	}
	var got []string
	for _, d := range s.Duties {
		var groups []string
		for _, g := range d.Groups {
			var ids []string
			for _, m := range g {
				ids = append(ids, m.ExternalID)
			}
			groups = append(groups, strings.Join(ids, ","))
		}
		got = append(got, fmt.Sprintf("%s (%s) %s", d.Name, d.Process, strings.Join(groups, " / ")))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("duties (-want +got)\n%s", diff)
	}
	p := s.Policies[0]
	if len(s.Policies) != 1 || p.Name != "P001: Vendors and payments" || p.Severity != "high" || p.Kind != "pair" ||
		p.Description != "Pays who was invented" || !slices.Equal(p.Owners, []string{"ANN"}) || len(p.Sides) != 2 {
		t.Errorf("policies %+v", s.Policies)
	}
	german := Read(texts(t, content(files)), false, Options{Connector: "erp", Language: "de"}, r)
	if german.Duties[1].Name != "PP02: Zahlen" || len(german.Duties[1].Groups) != 1 {
		t.Errorf("German %+v", german.Duties)
	}
}

func TestElementsMayHaveTheirColumnsAndRowsInEachOther(t *testing.T) {
	const nested = `<?xml version="1.0" encoding="utf-16"?><asx:abap xmlns:asx="x"><asx:values>
		<GRACFUNC FUNCTID="PP01"><GRACFUNCACT><item><CONNECTOR>SAPR3</CONNECTOR><ACTION>XK01</ACTION><ACTIVE>X</ACTIVE></item>
		<item><CONNECTOR>SAPR3</CONNECTOR><ACTION>XK02</ACTION><ACTIVE/></item></GRACFUNCACT></GRACFUNC>
		<Function><FunctionId>PP02</FunctionId><Description>Pay</Description></Function>
		<FunctionAction><FunctionId>PP02</FunctionId><System>SAPR3</System><Action>F110</Action></FunctionAction>
		<Risk><RiskId>P001</RiskId><RiskLevel>3</RiskLevel></Risk>
		<RiskFunction><RiskId>P001</RiskId><FunctionId>PP01</FunctionId></RiskFunction>
		<RiskFunction><RiskId>P001</RiskId><FunctionId>PP02</FunctionId></RiskFunction>
		<Other><What>x</What></Other></asx:values></asx:abap>`
	r := &ruleset.Report{}
	s := Read(texts(t, map[string][]byte{"rules.xml": []byte(nested)}), true, Options{Connector: "erp"}, r)
	if !r.OK() || r.NoteCount != 1 || r.Notes[0].Field != "Other" {
		t.Fatalf("report %+v", r)
	}
	if len(s.Duties) != 2 || len(s.Duties[0].Groups[0]) != 1 || len(s.Policies) != 1 || len(s.Policies[0].Sides) != 2 ||
		s.Policies[0].Severity != "critical" {
		t.Errorf("set %+v", s)
	}
}

func TestTwoFunctionsOfThreeAreAViolationOnlyWithTheThird(t *testing.T) {
	three := map[string]string{
		"function.txt":        "A\nB\nC\n",
		"function_action.txt": "FUNCTION\tACTION\tSYSTEM\nA\ta\tX\nB\tb\tX\nC\tc\tX\n",
		"risk.txt":            "R\tA\tB\tC\n",
	}
	r := &ruleset.Report{}
	s := Read(texts(t, content(three)), false, Options{Connector: "erp"}, r)
	if !r.OK() || s.Policies[0].Kind != "n_of_m" || *s.Policies[0].N != 3 {
		t.Errorf("%+v %+v", s, r)
	}
}

// word is a text as IDs and names have it.
var word = rapid.StringMatching(`[A-Z][A-Za-z0-9_/&<]{0,7}`)

// randomSet is a rule set that the layouts can express.
func randomSet(t *rapid.T) (s ruleset.Set) {
	actions := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Z]{2}[0-9]{2}`), 1, 4, rapid.ID[string])
	n := rapid.IntRange(2, 6).Draw(t, "duties")
	for i := range n {
		d := ruleset.Duty{
			Key:     fmt.Sprintf("F%d", i),
			Process: rapid.SampledFrom([]string{"", "Pay & go", "Sell"}).Draw(t, "process"),
		}
		d.Name = titled(d.Key, rapid.SampledFrom([]string{"", "Some text", `"quoted"`, "<&>"}).Draw(t, "text"))
		var names []string
		group := []ruleset.Member{}
		for _, a := range actions.Draw(t, "actions") {
			names = append(names, a)
			group = append(group, ruleset.Member{Kind: "external", Connector: "erp", ExternalID: a})
		}
		d.Groups = append(d.Groups, group)
		for f := range rapid.IntRange(0, 3).Draw(t, "fields") {
			group := []ruleset.Member{}
			for v := range rapid.IntRange(1, 3).Draw(t, "values") {
				id := fmt.Sprintf("OBJ%d:FIELD:%02d%s", f, v, rapid.SampledFrom([]string{"", "..99"}).Draw(t, "to"))
				group = append(group, ruleset.Member{Kind: "external", Connector: "erp", ExternalID: id})
			}
			for _, a := range names[1:] {
				if rapid.Bool().Draw(t, "free") {
					group = append(group, ruleset.Member{Kind: "external", Connector: "erp", ExternalID: a})
				}
			}
			d.Groups = append(d.Groups, group)
		}
		s.Duties = append(s.Duties, d)
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "policies") {
		p := ruleset.Policy{
			Key: fmt.Sprintf("R%d", i), Kind: "pair", Enabled: rapid.Bool().Draw(t, "enabled"),
			Severity: rapid.SampledFrom([]string{"low", "medium", "high", "critical"}).Draw(t, "severity"),
		}
		p.Name = titled(p.Key, word.Draw(t, "name"))
		sides := rapid.IntRange(2, min(5, n)).Draw(t, "sides")
		for k := range sides {
			p.Sides = append(p.Sides, ruleset.Side{Duties: []ruleset.Ref{{Name: s.Duties[k].Name}}})
		}
		if sides > 2 {
			p.Kind, p.N = "n_of_m", &sides
		}
		s.Policies = append(s.Policies, p)
	}
	return s
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := randomSet(t)
		options := Options{Systems: map[string]string{"erp": "erp"}, Permissions: true}
		for name, made := range map[string]map[string][]byte{
			"text": Text(s, "GLOBAL"), "xml": {"x.xml": XML(s, "GLOBAL")},
		} {
			r := &ruleset.Report{}
			again := Read(texts(t, made), name == "xml", options, r)
			if !r.OK() {
				t.Fatalf("%s: %+v", name, r.Problems)
			}
			for i := range again.Duties {
				sortGroups(again.Duties[i].Groups)
				sortGroups(s.Duties[i].Groups)
			}
			if diff := cmp.Diff(
				s,
				again,
				cmpopts.IgnoreTypes(ruleset.Place{}, ruleset.Given{}),
				cmpopts.EquateEmpty(),
				cmpopts.IgnoreFields(
					ruleset.Duty{},
					"Alias",
				),
				cmpopts.IgnoreFields(ruleset.Policy{}, "Alias", "LenientOwners"),
			); diff != "" {
				t.Fatalf("%s (-written +read)\n%s\n%s", name, diff, made)
			}
		}
	})
}

func sortGroups(groups [][]ruleset.Member) {
	for _, g := range groups {
		slices.SortFunc(g, func(a, b ruleset.Member) int { return strings.Compare(a.ExternalID, b.ExternalID) })
	}
}

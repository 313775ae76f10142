package sapgrc

import (
	"strings"
	"unicode"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
)

// Tables of a rule set.
const (
	processes    = "business process"
	functions    = "function"
	functionBP   = "function business process"
	actions      = "function action"
	permissions  = "function permission"
	ruleSets     = "rule set"
	risks        = "risk"
	riskTexts    = "risk description"
	riskRuleSets = "risk rule set"
	riskOwners   = "risk owner"
	riskFuncs    = "risk function"
)

// layout is a table: the columns in the order of its text file, of which the first ones are required, and the names of
// its files and elements.
type layout struct {
	columns  []string
	required int
	names    []string
}

var layouts = map[string]layout{
	processes: {[]string{"BPROC", "LANGU", "DESCN"}, 1, []string{"businessprocess", "businessprocesses", "busproc",
		"bproc", "gracbproc", "gracbproct"}},
	functions: {[]string{"FUNCTID", "LANGU", "DESCN", "SCOPE"}, 1, []string{"function", "functions", "func", "gracfunc",
		"gracfunct"}},
	functionBP: {[]string{"FUNCTID", "BPROC"}, 2, []string{"functionbusinessprocess", "functionbp", "functionbproc",
		"funcbp", "funcbproc", "gracfuncbproc", "gracfuncbp"}},
	actions: {[]string{"FUNCTID", "CONNECTOR", "ACTION", "STATUS"}, 3, []string{"functionaction", "functionactions",
		"funcaction", "funcact", "gracfuncact"}},
	permissions: {[]string{"FUNCTID", "CONNECTOR", "ACTION", "OBJECT", "FIELD", "FROMVAL", "TOVAL", "SEARCHTYPE",
		"STATUS"}, 4, []string{"functionpermission", "functionpermissions", "funcpermission", "funcprm",
		"gracfuncprm"}},
	ruleSets: {[]string{"RULESETID", "LANGU", "DESCN"}, 1, []string{"ruleset", "rulesets", "gracruleset",
		"gracrulesett"}},
	risks: {[]string{"RISKID", "FUNCTID1", "FUNCTID2", "FUNCTID3", "FUNCTID4", "FUNCTID5", "BPROC", "PRIORITY",
		"STATUS", "RISKTYPE"}, 1, []string{"risk", "risks", "accessrisk", "gracsodrisk"}},
	riskTexts: {[]string{"RISKID", "LANGU", "DESCN", "DETAIL"}, 1, []string{"riskdescription", "riskdescriptions",
		"riskdesc", "risktext", "gracsodriskt"}},
	riskRuleSets: {[]string{"RISKID", "RULESETID"}, 2, []string{"riskruleset", "riskrulesets", "gracsodriskrs",
		"gracriskruleset"}},
	riskOwners: {[]string{"RISKID", "OWNER"}, 2, []string{"riskowner", "riskowners", "gracsodriskown"}},
	riskFuncs:  {[]string{"RISKID", "FUNCTID"}, 2, []string{"riskfunction", "riskfunctions", "gracsodriskfunc"}},
}

// order is the order in which tables are written.
var order = []string{processes, functions, functionBP, actions, permissions, ruleSets, risks, riskTexts, riskRuleSets,
	riskOwners}

// spellings are other names of columns, without what is neither a letter nor a digit.
var spellings = map[string]string{
	"FUNCTION": "FUNCTID", "FUNCTIONID": "FUNCTID", "FUNC": "FUNCTID", "SYSTEM": "CONNECTOR", "SYSTEMID": "CONNECTOR",
	"CONNECTORID": "CONNECTOR", "LOGICALSYSTEM": "CONNECTOR", "CONNECTORGROUP": "CONNECTOR", "TCODE": "ACTION",
	"TRANSACTION": "ACTION", "PERMISSION": "OBJECT", "RESOURCEID": "OBJECT", "RESOURCE": "OBJECT",
	"AUTHOBJECT": "OBJECT", "RESOURCEEXTN": "FIELD", "PERMISSIONFIELD": "FIELD", "FROM": "FROMVAL",
	"FROMVALUE": "FROMVAL", "VALUEFROM": "FROMVAL", "TO": "TOVAL", "TOVALUE": "TOVAL", "VALUETO": "TOVAL",
	"CONDITION": "SEARCHTYPE", "ANDOR": "SEARCHTYPE", "BUSINESSPROCESS": "BPROC", "BUSINESSPROCESSID": "BPROC",
	"BPROCID": "BPROC", "PROCESS": "BPROC", "LANGUAGE": "LANGU", "LANG": "LANGU", "SPRAS": "LANGU",
	"DESCRIPTION": "DESCN", "DESC": "DESCN", "TEXT": "DESCN", "DETAILDESCRIPTION": "DETAIL",
	"DETAILEDDESCRIPTION": "DETAIL", "RULESET": "RULESETID", "RISK": "RISKID", "ACCESSRISKID": "RISKID",
	"FUNCTION1": "FUNCTID1", "FUNCTION2": "FUNCTID2", "FUNCTION3": "FUNCTID3", "FUNCTION4": "FUNCTID4",
	"FUNCTION5": "FUNCTID5", "RISKLEVEL": "PRIORITY", "LEVEL": "PRIORITY", "TYPE": "RISKTYPE", "RISKOWNER": "OWNER",
	"OWNERID": "OWNER", "ANALYSISSCOPE": "SCOPE",
}

// column is the name of a column, whatever its spelling.
func column(name string) string {
	name = strings.ToUpper(strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, name))
	if known, there := spellings[name]; there {
		return known
	}
	return name
}

// tableOf is the table of a file or element: its name, or the longest one that its name ends with.
func tableOf(name string) string {
	name = strings.ToLower(strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) {
			return c
		}
		return -1
	}, name))
	best, found := 0, ""
	for table, l := range layouts {
		for _, n := range l.names {
			if len(n) > best && strings.HasSuffix(name, n) {
				best, found = len(n), table
			}
		}
	}
	return found
}

// record is a row of a table.
type record struct {
	ruleset.Place
	values map[string]string
}

// get is the value of a column, without spaces around it.
func (r record) get(column string) string { return strings.TrimSpace(r.values[column]) }

// tables are the records of all tables.
type tables map[string][]record

package table

import (
	"strings"
)

// Columns of the two tables. The first ones are those without which a row means nothing.
var (
	dutyColumns = []string{"duty", "key", "description", "process", "owners", "group", "member_kind", "connector",
		"external_id", "role", "duty_tag"}
	policyColumns = []string{
		"policy",
		"key",
		"description",
		"rationale",
		"regulation_refs",
		"owners",
		"enabled",
		"mode",
		"severity",
		"kind",
		"n",
		"conflicts",
		"history_window",
		"same_environment",
		"same_legal_entity",
		"same_attributes",
		"exclude_read_only",
		"on_request", "on_assign", "on_detect",
		"remediation", "mitigating_controls", "max_mitigation", "exception_rule", "exemptions",
		"valid_from",
		"valid_to",
		"side",
		"side_label",
		"duty",
	}
)

// separator is between the elements of a list in a cell.
const separator = "|"

// join writes a list into a cell.
func join(list []string) string {
	cells := make([]string, len(list))
	for i, each := range list {
		cells[i] = strings.ReplaceAll(strings.ReplaceAll(each, `\`, `\\`), separator, `\`+separator)
	}
	return strings.Join(cells, separator)
}

// split reads the list in a cell.
func split(cell string) (list []string) {
	if cell == "" {
		return nil
	}
	var b strings.Builder
	escaped := false
	for _, c := range cell {
		switch {
		case escaped:
			b.WriteRune(c)
			escaped = false
		case c == '\\':
			escaped = true
		case string(c) == separator:
			list = append(list, strings.TrimSpace(b.String()))
			b.Reset()
		default:
			b.WriteRune(c)
		}
	}
	return append(list, strings.TrimSpace(b.String()))
}

// formulas are what spreadsheets take for the beginning of a formula, and the apostrophe itself.
const formulas = "=+-@\t\n＝＋－＠ '"

// meant takes away the apostrophe that keeps spreadsheets from taking a cell for a formula.
func meant(cell string) string {
	if rest, quoted := strings.CutPrefix(
		cell,
		"'",
	); quoted && rest != "" &&
		strings.ContainsRune(formulas, []rune(rest)[0]) {
		return rest
	}
	return cell
}

// harmless keeps a cell that begins with an apostrophe from being taken for a quoted one.
func harmless(cell string) string {
	if rest, quoted := strings.CutPrefix(
		cell,
		"'",
	); quoted && rest != "" &&
		strings.ContainsRune(formulas, []rune(rest)[0]) {
		return "'" + cell
	}
	return cell
}

package employment

import (
	"strings"
)

// employmentWords are what sources call the kinds of employment, in lower case without spaces, hyphens and underscores.
var employmentWords = func() map[string]string {
	words := map[string]string{}
	for kind, called := range map[string]string{
		"employee": "employee employees fte pte fulltime parttime fulltimeemployee parttimeemployee regular " +
			"permanent perm staff " +
			"salaried hourly internal worker fixedterm executive",
		"contractor": "contractor contractors contract contingent contingentworker consultant freelancer freelance " +
			"external " +
			"externalworker temp temporary temporaryworker agency agencyworker independentcontractor",
		"intern":  "intern interns internship trainee apprentice apprenticeship",
		"vendor":  "vendor vendors supplier",
		"partner": "partner partners",
		"student": "student students workingstudent",
		"service": "service serviceaccount",
		"other":   "other",
	} {
		for word := range strings.FieldsSeq(called) {
			words[word] = kind
		}
	}
	return words
}()

// EmploymentOf is the kind of employment that a source's word stands for. A word that is not known is the kind other.
func EmploymentOf(word string) (kind string, known bool) {
	kind, known = employmentWords[strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(word))]
	if !known {
		return "other", false
	}
	return kind, true
}

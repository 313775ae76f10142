package ldap

import (
	"fmt"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// warningList bounds what is told: so many of a kind and no more. What was taken from it is not told again.
type warningList struct {
	list    []v1.Warning
	perCode map[string]int
	total   int
}

const maxWarningsPerCode = 20

func (w *warningList) add(code, id, message string) {
	if w.perCode == nil {
		w.perCode = map[string]int{}
	}
	w.total++
	if w.perCode[code]++; w.perCode[code] <= maxWarningsPerCode {
		w.list = append(w.list, v1.Warning{Code: code, Message: message, ExternalID: id})
	}
}

// take gives what has come since the last call; at the end with a count of those left out.
func (w *warningList) take(last bool) []v1.Warning {
	out := w.list
	w.list = nil
	if !last {
		return out
	}
	for _, code := range sortedKeys(w.perCode) {
		if n := w.perCode[code]; n > maxWarningsPerCode {
			out = append(out, v1.Warning{Code: code, Message: fmt.Sprintf("%d more of the same kind", n-maxWarningsPerCode)})
		}
	}
	return out
}

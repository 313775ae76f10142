package read

import (
	"fmt"
	"maps"
	"slices"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// warningList bounds the warnings: so many of a kind and no more. A warning that was taken from it is not repeated.
type warningList struct {
	List    []v1.Warning
	perCode map[string]int
	Total   int
}

// maxWarningsPerCode is how many warnings of one code a run reports one by one.
const maxWarningsPerCode = 20

// Add adds a warning about the record id, which may be empty. Beyond the limit of its code it is
// counted and not kept.
func (w *warningList) Add(code, id, message string) {
	if w.perCode == nil {
		w.perCode = map[string]int{}
	}
	w.Total++
	if w.perCode[code]++; w.perCode[code] <= maxWarningsPerCode {
		w.List = append(w.List, v1.Warning{Code: code, Message: message, ExternalID: id})
	}
}

// take gives what has come since the last call; at the end with a count of those left out.
func (w *warningList) take(last bool) []v1.Warning {
	out := w.List
	w.List = nil
	if !last {
		return out
	}
	for _, code := range slices.Sorted(maps.Keys(w.perCode)) {
		if n := w.perCode[code]; n > maxWarningsPerCode {
			out = append(
				out, v1.Warning{Code: code, Message: fmt.Sprintf("%d more of the same kind", n-maxWarningsPerCode)},
			)
		}
	}
	return out
}

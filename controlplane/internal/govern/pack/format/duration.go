package format

import (
	"regexp"
	"strconv"
	"strings"
)

var durationShape = regexp.MustCompile(`^P([0-9]{1,4}Y)?([0-9]{1,5}M)?([0-9]{1,5}W)?([0-9]{1,6}D)?(T([0-9]{1,7}H)?([0-9]{1,8}M)?([0-9]{1,9}S)?)?$`)

// isDuration reports whether a text is an ISO 8601 duration of whole units.
func isDuration(s string) bool {
	return durationShape.MatchString(s) && s != "P" && !strings.HasSuffix(s, "T")
}

// isNothing reports whether a duration is zero.
func isNothing(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= '1' && r <= '9' }) < 0
}

func parseInt(s string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	return n, err == nil
}

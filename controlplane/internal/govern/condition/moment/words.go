package moment

import (
	"fmt"
	"strings"
)

// Say is the time in words.
func (w Moment) Say() string {
	if !w.Relative {
		return w.String()
	}
	var parts []string
	for _, p := range []struct {
		n    int
		unit string
	}{{w.years, "year"}, {w.months, "month"}, {w.days, "day"}} {
		switch {
		case p.n == 1:
			parts = append(parts, "1 "+p.unit)
		case p.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", p.n, p.unit))
		}
	}
	switch {
	case len(parts) == 0:
		return "today"
	case w.past:
		return strings.Join(parts, " ") + " ago"
	}
	return strings.Join(parts, " ") + " from today"
}

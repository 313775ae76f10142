package template

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/romanize"
)

// most is how many numbers are tried for a name that is taken.
const most = 10_000

// numbered is the name with a number: before the @ where there is one, and within the length.
func (u UniqueRule) numbered(stem string, n int) (string, bool) {
	suffix := u.Separator + strconv.Itoa(n)
	local, domain := stem, ""
	if i := strings.LastIndexByte(stem, '@'); i > 0 {
		local, domain = stem[:i], stem[i:]
	}
	local = romanize.Shorten(local, max(0, u.MaxLength-len(suffix)-len(domain)))
	return local + suffix + domain, local != ""
}

// Free is the first free name by the rule.
func (u UniqueRule) Free(stem string, taken func(string) bool) (string, *AttributeProblem) {
	for name := range u.Names(stem) {
		if taken == nil || !taken(name) {
			return name, nil
		}
	}
	p := &AttributeProblem{
		Field:   MemberUsername,
		Code:    CodeExhausted,
		Missing: []string{},
		Message: fmt.Sprintf(
			"username cannot be made: %s is taken, and so is each of the %d names with a number after it",
			stem,
			most,
		),
	}
	if u.Suffix == "none" {
		p.Code, p.Message = CodeTaken, fmt.Sprintf(
			"no username is free: %s is taken, and the username rule has no alternative",
			stem,
		)
	}
	return "", p
}

// Names yields the names by the rule, the best first.
func (u UniqueRule) Names(stem string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if !yield(stem) || u.Suffix == "none" {
			return
		}
		for n := u.Start; n < u.Start+most; n++ {
			name, ok := u.numbered(stem, n)
			if !ok || !yield(name) {
				return
			}
		}
	}
}

// Fits reports whether a name is one that the rule makes of a stem.
func (u UniqueRule) Fits(stem, name string) bool {
	if strings.EqualFold(stem, name) {
		return true
	}
	if u.Suffix == "none" {
		return false
	}
	local, _, _ := strings.Cut(name, "@")
	from := len(local)
	for from > 0 && local[from-1] >= '0' && local[from-1] <= '9' {
		from--
	}
	// The stem may end in digits itself, so that less of them is the number.
	for ; from < len(local); from++ {
		n, err := strconv.Atoi(local[from:])
		if err != nil || n < u.Start || local[from] == '0' {
			continue
		}
		if made, ok := u.numbered(stem, n); ok && strings.EqualFold(made, name) {
			return true
		}
	}
	return false
}

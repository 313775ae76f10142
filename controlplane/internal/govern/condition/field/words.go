package field

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// Clip shortens a text of more than 60 characters, for messages.
func Clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// PlainNumber is a number as JSON writes it.
func PlainNumber(n float64) string {
	text, err := json.Marshal(n)
	if err != nil {
		return "0"
	}
	return string(text)
}

// LooksLikeNumber says whether a text would be read as a number.
func LooksLikeNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

var (
	plain = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} ._&@/+:'#-]*$`)
	bare  = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._-]*$`)
)

// reserved are the words with which a value cannot begin, and those it cannot have.
var (
	reserved = map[string]bool{
		"not":     true,
		"neither": true,
		"nor":     true,
		"known":   true,
		"more":    true,
		"less":    true,
		"before":  true,
		"after":   true,
		"true":    false,
		"false":   false,
	}
	joints = []string{" or ", " nor ", " and "}
)

// isName says whether a text can be written without quotes.
func isName(s string) bool { return bare.MatchString(s) }

// IsPlain says whether a value needs no quotes in a sentence.
func IsPlain(s string) bool {
	// A period at the end would be read as the end of the sentence.
	if !plain.MatchString(s) || strings.HasSuffix(s, " ") || strings.HasSuffix(s, ".") || strings.Contains(s, "  ") {
		return false
	}
	first, _, _ := strings.Cut(s, " ")
	if reserved[first] {
		return false
	}
	padded := " " + s + " "
	for _, j := range joints {
		if strings.Contains(padded, j) {
			return false
		}
	}
	return true
}

// QuotedUnless is the text, in quotes unless ok.
func QuotedUnless(s string, ok func(string) bool) string {
	if ok(s) {
		return s
	}
	return strconv.Quote(s)
}

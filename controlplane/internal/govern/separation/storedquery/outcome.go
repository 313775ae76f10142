package storedquery

// Outcomes of an answer.
const (
	Passed     = "passed"
	Failed     = "failed"
	Unanswered = "unanswered"
)

// Judge returns what an answer means. found is how many were found, and unknown how many more could not be decided, so
// that the true number is from found to found+unknown. problems says that something else keeps the answer from being
// trusted, such as a source that was not synced: an answer with problems has not passed and not failed.
func (q Query) Judge(found, unknown int, problems bool) string {
	if problems {
		return Unanswered
	}
	least, most := q.meets(found), q.meets(found+unknown)
	switch {
	case least && most:
		return Passed
	case !least && !most:
		return Failed
	}
	return Unanswered
}

// meets reports whether a number is what the query expects.
func (q Query) meets(n int) bool {
	switch q.Expect {
	case None:
		return n == 0
	case Some:
		return n > 0
	case AtMost:
		return q.AtMost != nil && n <= *q.AtMost
	}
	return false
}

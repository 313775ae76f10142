package task

// Cancellation is a task that is not to be done any more, and why, in words for people.
type Cancellation struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

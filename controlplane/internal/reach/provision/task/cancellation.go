package task

// Cancellation is a task that is not to be done any more, and why, in words for people.
type Cancellation struct {
	// ID of the task.
	ID string `json:"id"`
	// Reason for the cancellation, shown to people.
	Why string `json:"why"`
}

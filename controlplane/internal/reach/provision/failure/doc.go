// Package failure sorts the errors of target systems into classes, and advises what to do about them. The class
// decides whether a task is retried, waits for a person, or stops all tasks of its connector. All functions are pure.
//
// Package provision calls ClassOf and Advice when an attempt has ended.
package failure

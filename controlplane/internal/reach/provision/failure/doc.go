// Package failure sorts the errors of target systems into classes, and advises what to do about them. The class
// decides whether a task is tried again, waits for a person, or stops its connector's lane. All functions are pure.
//
// Package provision calls ClassOf and Advice when an attempt has ended.
package failure

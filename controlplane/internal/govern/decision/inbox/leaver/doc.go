// Package leaver takes people who can no longer decide off the tasks that they were assigned to, and gives the tasks to
// those who stand in for them. It is the work of the queue kind for people whose state changed.
package leaver

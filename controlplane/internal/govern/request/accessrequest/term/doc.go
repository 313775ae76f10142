// Package term decides how long requested access lasts and how long a request may stay undecided.
package term

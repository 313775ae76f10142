// Package shape says how a connector writes: what becomes of a person when they get an account in a target system,
// under which name, and within which bounds changes are made. Templates are Python expressions over what is known of
// the person; making an account of one is a pure function, so that it can be shown before it is done.
package shape

// Package process runs the servers of the tests: it finds their programs, starts each in the foreground, waits until
// it answers, and ends it with the test, even when the test itself is killed. It also keeps the folders of a server
// that takes long to set up in one tar file, for the next test.
//
// The servers of package ldaptest call it:
//
//	p, err := process.Start(exec.Command(slapd, "-d", "0"), 30*time.Second, ready)
//	defer p.Kill()
package process

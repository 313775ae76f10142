// Package mailtest is a mail server for tests. It keeps what it accepts, and fails as a test wishes.
package mailtest

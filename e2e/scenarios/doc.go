// Package scenarios has end-to-end tests of a whole deployment: built programs, a real PostgreSQL, real sockets, real
// target systems. It contains only tests.
package scenarios

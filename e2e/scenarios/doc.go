// Package scenarios tells, as tests, what people live through with a whole deployment: built programs, a real
// PostgreSQL, real sockets, real target systems. There is no code in it but tests.
package scenarios

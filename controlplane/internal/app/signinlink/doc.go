// Package signinlink makes the one-time token by which the first administrator of a tenant signs in.
package signinlink

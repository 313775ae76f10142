// Package apitoken administers the tokens of integrations: what each may do, where from and how long, and how it is
// replaced without an interruption. A token is shown once and never kept; what it may do is read from here with every
// request, by package auth.
package apitoken

// Package explanation holds why correlation linked an account to an identity or did not: the candidates, the rules that
// were tried for each, and what each comparison gave.
package explanation

// Package account makes the changes of accounts: create, update, rename, enable, disable, unlock, delete and reset
// password.
//
// Each operation reads the account, plans what is missing, sends it, and reads the account back. An account that is
// as asked already is answered with "already". On Active Directory a new account stays disabled until its password is
// set, because the directory would accept a sign-in without one.
//
// How accounts are disabled follows from the settings and the flavor (session.Disabling): by userAccountControl, by an
// attribute, or by moving to a container.
//
//	w := account.NewWriter(c)
//	err := w.SetDisabled(found, true)
package account

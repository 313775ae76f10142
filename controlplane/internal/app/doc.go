// Package app puts the control plane together: it wires every feature once, serves, and stops in order.
//
// What an operator sets is in app/config, opening the database in app/database, backups in app/backup, the exchange of
// keys in app/sealing, and the addresses of tenants in app/tenantaddress. Each file wire_*.go joins the features of one
// subject: it gives every package the functions of other packages that it declares as interfaces. The commands of the
// program are the only callers.
//
// Example: the command serve calls database.OpenToServe, config.Keyring and New, and then App.Serve, which returns
// after the context has ended and all requests and work in progress are done.
package app

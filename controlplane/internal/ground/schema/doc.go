// Package schema brings a database to the present schema and checks, at every start, that it keeps tenants apart.
package schema

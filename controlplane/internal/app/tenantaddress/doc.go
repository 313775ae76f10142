// Package tenantaddress builds the address of a tenant, and finds the tenant that a request addresses: by a host below
// the base domain (acme.grantwright.example), by a path (/t/acme), or by both, which must agree.
package tenantaddress

// Package tenantaddress tells at which address a tenant is reached, and which tenant a request addresses: by a host
// below the base domain (acme.grantwright.example), by a path (/t/acme), or by both, which must agree.
package tenantaddress

package incoming

import (
	"context"
)

type tenantKey struct{}

type address struct{ slug, base string }

// AddressedTenant is the slug of the tenant that the request's address names, by its host or its first path segments;
// empty when it names none. Neither the tenant nor the token has been checked yet.
func AddressedTenant(ctx context.Context) string {
	at, _ := ctx.Value(tenantKey{}).(address)
	return at.slug
}

// AddressedBase is the address of that tenant in the form in which the request came, without a slash at its end; empty
// when the request came by the service's own. It is put together from settings: what a client says of its host is not
// in it.
func AddressedBase(ctx context.Context) string {
	at, _ := ctx.Value(tenantKey{}).(address)
	return at.base
}

// WithAddressedTenant notes which tenant an address names, and what that address is.
func WithAddressedTenant(ctx context.Context, slug, base string) context.Context {
	return context.WithValue(ctx, tenantKey{}, address{slug, base})
}

package httpapi

import "context"

type tenantKey struct{}

// AddressedTenant is the slug of the tenant that the request's address names, by its host or its first path segments; empty when
// it names none. Nobody has checked yet that there is such a tenant, or that the token is one of its.
func AddressedTenant(ctx context.Context) string {
	slug, _ := ctx.Value(tenantKey{}).(string)
	return slug
}

// WithAddressedTenant notes which tenant an address names.
func WithAddressedTenant(ctx context.Context, slug string) context.Context {
	return context.WithValue(ctx, tenantKey{}, slug)
}

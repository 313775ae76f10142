// Package schema reads what a directory declares about its object classes and attributes (RFC 4512 section 4.2).
//
// Discovery lists fields from it. A sync takes from it the structural classes of people beyond the usual ones. The
// connection test takes from it whether accounts can be disabled. A directory that hides its schema gives an empty
// one, and callers then rely on samples.
//
//	sc, err := schema.Read(ctx, se)
//	required := sc.AttributesOf([]string{"inetOrgPerson"})["sn"] // true
package schema

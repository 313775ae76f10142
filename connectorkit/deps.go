package connectorkit
import (
 _ "github.com/go-ldap/ldap/v3"
 _ "github.com/go-asn1-ber/asn1-ber"
 _ "github.com/google/go-cmp/cmp"
 _ "github.com/elimity-com/scim"
 _ "golang.org/x/sync/errgroup"
 _ "github.com/grantwright/grantwright/protocol/v1"
 _ "pgregory.net/rapid"
)

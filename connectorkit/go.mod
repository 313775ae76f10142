module github.com/grantwright/grantwright/connectorkit

go 1.26.0

require github.com/elimity-com/scim v0.0.0-20260328082225-d5e7ba418946

require (
	github.com/go-asn1-ber/asn1-ber v1.5.8
	github.com/go-ldap/ldap/v3 v3.4.15
	github.com/golang-jwt/jwt/v5 v5.3.1
	github.com/google/go-cmp v0.7.0
	github.com/grantwright/grantwright/protocol v0.0.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/Azure/go-ntlmssp v0.1.1 // indirect
	github.com/di-wu/parser v0.2.2 // indirect
	github.com/di-wu/xsd-datetime v1.0.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/scim2/filter-parser/v2 v2.2.0 // indirect
	golang.org/x/crypto v0.54.0 // indirect
)

replace github.com/grantwright/grantwright/protocol => ../protocol

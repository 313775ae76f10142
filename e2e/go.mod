module github.com/grantwright/grantwright/e2e

go 1.26.0

require (
	github.com/elimity-com/scim v0.0.0-20260328082225-d5e7ba418946
	github.com/emersion/go-smtp v0.25.1
	github.com/go-asn1-ber/asn1-ber v1.5.8
	github.com/go-ldap/ldap/v3 v3.4.15
	github.com/google/go-cmp v0.7.0
	github.com/google/uuid v1.6.0
	github.com/grantwright/grantwright/protocol v0.0.0
	github.com/hashicorp/go-hclog v1.6.3
	github.com/jackc/pgx/v5 v5.12.0
	github.com/jimlambrt/gldap v0.1.14
	golang.org/x/net v0.61.0
	golang.org/x/sys v0.49.0
)

require github.com/emersion/go-sasl v0.0.0-20241020182733-b788ff22d5a6 // indirect

require (
	github.com/Azure/go-ntlmssp v0.1.1 // indirect
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/di-wu/parser v0.2.2 // indirect
	github.com/di-wu/xsd-datetime v1.0.0 // indirect
	github.com/fatih/color v1.17.0 // indirect
	github.com/grantwright/grantwright/connectorkit v0.0.0
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/mattn/go-colorable v0.1.13 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/scim2/filter-parser/v2 v2.2.0 // indirect
	github.com/stretchr/testify v1.11.1 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/grantwright/grantwright/connectorkit => ../connectorkit

replace github.com/grantwright/grantwright/protocol => ../protocol

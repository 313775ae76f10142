module github.com/grantwright/grantwright/agent

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/gorilla/websocket v1.5.3
	github.com/grantwright/grantwright/connectorkit v0.0.0
	github.com/grantwright/grantwright/protocol v0.0.0
	github.com/kardianos/service v1.3.0
	golang.org/x/crypto/x509roots/fallback v0.0.0-20261030153154-30a33513ff6d
	golang.org/x/net v0.57.0
	golang.org/x/sys v0.47.0
)

require (
	github.com/Azure/go-ntlmssp v0.1.1 // indirect
	github.com/go-asn1-ber/asn1-ber v1.5.8 // indirect
	github.com/go-ldap/ldap/v3 v3.4.15 // indirect
	github.com/golang-jwt/jwt/v5 v5.3.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	golang.org/x/crypto v0.54.0 // indirect
	golang.org/x/text v0.40.0 // indirect
)

replace github.com/grantwright/grantwright/protocol => ../protocol

replace github.com/grantwright/grantwright/connectorkit => ../connectorkit

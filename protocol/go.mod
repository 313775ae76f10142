module github.com/grantwright/grantwright/protocol

go 1.26.0

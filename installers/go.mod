module github.com/grantwright/grantwright/installers

go 1.26.0

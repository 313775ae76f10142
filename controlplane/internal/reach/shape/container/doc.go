// Package container has rules about the containers in which accounts of directories are created: it takes DNs apart,
// finds the container of most accounts, and refuses a container into which a value of a person has brought names of its
// own.
//
// The package is pure and owns no table. It is called by the package shape.
//
//	container.CommonParent([]string{"uid=a,ou=people,dc=x", "uid=b,ou=people,dc=x"}) // ou=people,dc=x
package container

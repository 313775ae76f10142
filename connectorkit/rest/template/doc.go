// Package template holds the request templates of the setting writes.
//
// # Purpose
//
// A Set has one template for each operation and some reads. Compile checks all of them at once and names every mistake
// with its place. A placeholder is replaced by a value wherever it is: in a path it is one segment, in a query
// expression it is quoted, in a JSON body it keeps its type. No value can become part of the request's
// structure.
//
// # States
//
// A Set is made for one call and is not changed after that.
//
// # Callers
//
// connectorkit/rest compiles the setting, connectorkit/rest/write fills the templates.
//
// # Example
//
//	{"ops": {"account.create": {"method": "POST", "path": "users",
//	  "body": {"login": "{{account.username}}", "active": "{{account.enabled}}"}, "id_path": "id"}},
//	 "reads": {"account": {"path": "users/{{target.remote_id}}"}}}
package template

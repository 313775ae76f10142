// Package history shows the past: timelines of a person, an account and a grant, and comparisons of the access of two
// people, or of one person at two times.
//
// It owns no table. Database triggers keep earlier versions of rows in the tables *_past. Reasons, provisioning tasks,
// requests and the audit log are never deleted, and are read from their own tables. The state of a resource at an
// instant is served by the package of the resource, with the parameter as_of.
//
// A viewer sees the past of the people, accounts and grants that they can see today. Resource owners, who see a person
// because of what they own, see only the part of the person's past that concerns their resources.
package history

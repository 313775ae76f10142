// Package table reads and writes rule sets as CSV. Duties have a row for each member, policies a row for each duty of a
// side. Rows of the same duty or policy repeat its other columns, or leave them empty. A table is recognized by its
// columns, whatever the name of its file. Columns that are absent stay as they are when an object is changed.
//
// Example:
//
//	duty,group,member_kind,connector,external_id
//	Pay,1,external,bank,PAY-RUN
//
//	policy,kind,severity,side,duty
//	Vendors and payments,pair,high,1,Maintain vendors
//	Vendors and payments,pair,high,2,Pay
package table

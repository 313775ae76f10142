// Package desired encodes the values that a change is to write, and compares them with those that an entry has.
//
// Values arrive in the form in which a sync emits them: text, numbers, booleans, RFC 3339 times, {"$bin": base64}, or
// a reference {"kind", "value"} to another account. Secrets, keys and attributes that the directory computes are
// refused. Of several values only those that differ are added and deleted, so that concurrent changes of others stay.
//
//	values, err := encoder.Values(req.Account)
//	differing := encoder.Differing(account, values)
package desired

// Package masking finds values whose names say that they are secrets, in JSON and in forms, so that secrets which
// nobody configured, such as another user's password in an answer, are masked too.
//
//	masking.WithoutSecrets(`{"password":"x"}`) // {"password":"[secret]"}
package masking

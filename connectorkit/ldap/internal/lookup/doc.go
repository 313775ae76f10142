// Package lookup finds accounts and groups as they are now, made into the same records as a sync makes.
//
// Entries are found by their key; a DN only saves a search. Where an account is not found, the presence tells what
// that proves: present, not_visible (outside of what is read), gone (proven: all naming contexts were searched and
// the login sees the container), or unknown.
//
// Changes and readback call it:
//
//	a, presence, err := finder.Locate(v1.ProvisionTarget{RemoteID: id, NativeRef: dn})
package lookup

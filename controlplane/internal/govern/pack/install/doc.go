// Package install installs, upgrades and uninstalls sector packs. It writes the tables of package installation, and the
// objects of package object.
//
// A request runs in one transaction: it finds the version, completes the parameters, merges object after object,
// compares access before and after, and asks for a confirmation of what is beyond the limits. A plan is the same
// transaction, rolled back at its end, so it cannot differ from the installation. run.go brings one object after the
// other from what was installed to what the version wants; drop.go takes out what the version no longer has;
// uninstall.go detaches or removes.
//
// Package pack serves its routes, and calls InTx for the packs of a new tenant.
//
// Example: POST /sector-packs/baseline/plan reports 12 objects to add, two of them pending_binding, and a plan_hash.
// POST /sector-packs/baseline/install with that hash as confirm installs exactly this, or fails with plan_changed.
package install

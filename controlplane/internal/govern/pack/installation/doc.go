// Package installation has the rows of installed sector packs. It owns the tables sector_pack_installation,
// sector_pack_object and sector_pack_conflict.
//
// An installation is installed or uninstalled. An object is
//
//	installed        as the pack and the tenant want it
//	pending_binding  a selector has found nothing yet
//	conflict         both sides have changed it; see package conflict
//	skipped          not installed, for a reason
//	leaving          out of use, and deleted when no one holds it any more
//
// Every change of a tenant's packs takes Lock first, so that two of them never interleave. Packages install, binding,
// conflict, object and catalog use this package.
//
// Example: a birthright whose selector matches no entitlement is a row in the state pending_binding, and its Pending
// names the selector with the reason no_entitlement.
package installation

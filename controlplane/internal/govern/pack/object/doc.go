// Package object reads and writes the objects that packs install: roles, access policies, approval rules, duties,
// separation-of-duties policies, mitigating controls and the tenant's lifecycle settings. They are rows of other
// packages, and written by their functions; this package also reads the table sector_pack_object, and lists it under
// /sector-packs/{key}/objects.
//
// Current reads objects field by field, a Writer creates and updates them with the pack as their origin, and Retire
// takes them out of use. Packages install, binding and conflict call it.
//
// Example: Retire of a policy with a grace period disables it, so that access ends after the grace period. It reports
// that the object is not gone yet, and binding deletes it when the last holder has lost it.
package object

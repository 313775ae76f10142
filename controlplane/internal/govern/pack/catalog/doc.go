// Package catalog lists the sector packs that a tenant can install: those that come with the service, and uploaded
// ones. It owns the table sector_pack_upload.
//
// An uploaded archive is checked and tried on its own tests; it must be signed by a trusted key, unless the operator
// allows unsigned packs. A version of a pack never changes: another content needs another version. Package pack serves
// the routes and hands Find to package install.
//
// Example: uploading the same archive twice stores it once; uploading another archive with the same key and version is
// the fault pack_exists.
package catalog

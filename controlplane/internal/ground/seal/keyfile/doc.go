// Package keyfile reads and writes files of master keys: one key a line, 32 bytes in base64. Only the owner
// of a file may read it.
// Files are replaced as a whole, so that a crash leaves the old keys or the new ones.
package keyfile

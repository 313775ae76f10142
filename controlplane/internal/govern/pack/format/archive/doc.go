// Package archive reads and writes the files of a sector pack: a folder, or a .gwpack archive, which is a tar archive
// packed with gzip. It also signs and verifies them.
//
// Archives are read within limits, without links and with safe paths only, and are written so that the same files give
// the same bytes. A signature covers the digest of all other files. Package format reads the Files; the commands
// "grantwright pack" call the rest.
//
// Example: Unpack refuses an archive whose content is more than 100 times its size, with the code archive_too_large.
package archive

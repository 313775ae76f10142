// Package compose makes a message of its content: plain text and HTML with the same words, and headers that no text
// from outside can change.
//
// Every message has one recipient. Its Message-ID is made of the ID of the stored message, so a message that is sent
// again after a crash can be recognized. Messages about one object share a reference, so mail programs show them as a
// thread. Auto-Submitted and Precedence keep absence notes from answering.
//
// Links lead to pages. A page shows the facts and asks for a sign-in. Opening a link changes nothing.
//
// Tables. None.
package compose

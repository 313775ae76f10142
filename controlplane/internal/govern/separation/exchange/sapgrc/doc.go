// Package sapgrc reads and writes rule sets in the layouts of SAP GRC Access Control: tab-separated text files, one for
// each table, and XML with the same tables.
//
// A function becomes a duty, and an access risk of the type separation of duties becomes a policy of the kind pair or,
// with more than two functions, n_of_m. IDs become keys, by which a later import finds the same objects. Actions are
// members by external ID. With permissions, each object and field is a further group of the duty.
//
// Groups. A function is performed with one action that has its permissions. For each object and field the group has the
// permissions of it, and the actions that do not need it. This is exact for one action, and counts too many people
// rather than too few where actions need different values of one field.
//
// The names of XML elements are not published. An element is a row if its name, or that of the element around rows
// called item, is the name of a table or text file. Its columns are attributes or child elements.
//
// Example: the line "AP01 <tab> SAPR3 <tab> FB60 <tab> 0" of Function Action.txt is a member of the duty with the key
// AP01: the entitlement FB60 of the connector for SAPR3.
package sapgrc

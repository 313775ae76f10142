// Package grammar reads the sentences of conditions: the fixed English that Condition.Sentence writes. It owns no
// table.
//
// Rules of one group are joined by ", and " or ", or ", inner groups are in parentheses, and values that could be
// mistaken for words of the grammar are in quotes. Read checks the form alone; package condition checks what the rules
// mean, as it does for JSON.
//
// Package condition calls it in ParseSentence, for policies that are written in words.
//
// Example: "department is Nursing or Surgery, and employment type is employee" is a group of the match all with the
// rules department in ["Nursing", "Surgery"] and employment_type eq "employee".
package grammar

package ldaptest

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
)

var (
	firstNames = []string{
		"Anna", "Bo", "Chloé", "Dmitri", "Eva", "Farid", "Grace", "Hiro", "Inés", "Jürgen", "Kofi", "Lina",
	}
	lastNames = []string{
		"Andersson", "Brown", "Chen", "Dubois", "Eriksen", "Fischer", "García", "Hansen", "Ito", "Jansen", "Kowalski",
		"Łoś",
	}
	departments = []string{
		"Cardiology", "Finance", "HR", "IT", "Legal", "Nursing", "Pharmacy", "Radiology", "Sales", "Surgery",
	}
)

// UserDN is the DN of the i-th of Options.Users.
func UserDN(i int) string { return fmt.Sprintf("uid=u%07d,%s", i, PeopleDN) }

// GroupDN is the DN of the i-th of Options.Groups.
func GroupDN(i int) string { return fmt.Sprintf("cn=g%05d,%s", i, GroupsDN) }

// Attr is a line of LDIF (RFC 2849), in base64 where the value needs it.
func Attr(name, value string) string {
	for i := 0; i < len(value); i++ {
		if c := value[i]; c >= 0x7F || c < 0x20 || i == 0 && (c == ' ' || c == ':' || c == '<') {
			return name + ":: " + base64.StdEncoding.EncodeToString([]byte(value)) + "\n"
		}
	}
	return name + ": " + value + "\n"
}

// writeLDIF writes a whole test directory: the suffix, the reader, people, groups, and further
// entries of the options. It is streamed, so that a large organization needs no memory.
func writeLDIF(to io.Writer, o Options, readerPass string) error {
	w := bufio.NewWriterSize(to, 1<<20)
	fmt.Fprintf(w, "dn: %s\nobjectClass: dcObject\nobjectClass: organization\ndc: iga\no: IGA Test\n\n", Suffix)
	fmt.Fprintf(
		w,
		"dn: %s\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: reader\nuserPassword: %s\n\n",
		ReaderDN, readerPass,
	)
	fmt.Fprintf(w, "dn: %s\nobjectClass: organizationalUnit\nou: people\n\n", PeopleDN)
	fmt.Fprintf(w, "dn: %s\nobjectClass: organizationalUnit\nou: groups\n\n", GroupsDN)
	for i := range o.Users {
		writeUser(w, i)
	}
	for g := range o.Groups {
		writeGroup(w, g, o.PerGroup, o.Users)
	}
	fmt.Fprintf(w, "%s\n", o.LDIF)
	return w.Flush()
}

// writeUser writes the i-th person. The manager is person (i-1)/10, so that everyone has ten reports and the first one
// has no manager.
func writeUser(w *bufio.Writer, i int) {
	first, last := firstNames[i%len(firstNames)], lastNames[(i/len(firstNames))%len(lastNames)]
	fmt.Fprintf(w, "dn: %s\nobjectClass: inetOrgPerson\nuid: u%07d\n", UserDN(i), i)
	w.WriteString(
		Attr("cn", first+" "+last) + Attr("givenName", first) + Attr("sn", last) + Attr("displayName", first+" "+last),
	)
	fmt.Fprintf(
		w, "mail: u%07d@iga.test\nemployeeNumber: %d\ndepartmentNumber: %s\n", i, 100000+i,
		departments[i%len(departments)],
	)
	if i > 0 {
		fmt.Fprintf(w, "manager: %s\n", UserDN((i-1)/10))
	}
	w.WriteString("\n")
}

// writeGroup writes the g-th group. Members follow each other from group to group and begin again
// after the last person.
func writeGroup(w *bufio.Writer, g, members, users int) {
	fmt.Fprintf(w, "dn: %s\nobjectClass: groupOfNames\ncn: g%05d\ndescription: group %d\n", GroupDN(g), g, g)
	for k := range members {
		fmt.Fprintf(w, "member: %s\n", UserDN((g*members+k)%users))
	}
	w.WriteString("\n")
}

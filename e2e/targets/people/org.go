package people

// division is a department in the plan: who heads it, how big it is, which teams it has.
type division struct {
	name, slug, head string
	weight           int // of 100
	teams            []team
}

// team is a part of a department with its own cost centre and jobs.
type team struct {
	name   string
	titles []string // of those who lead nobody
}

// ceoTitle is the job of the one person without a manager.
const ceoTitle = "Chief Executive Officer"

// plan is the company. The weights add up to 100.
var plan = []division{
	{
		"Engineering",
		"engineering",
		"Chief Technology Officer",
		25,
		[]team{
			{
				"Platform Engineering",
				[]string{
					"Software Engineer",
					"Senior Software Engineer",
					"Site Reliability Engineer",
					"Staff Engineer",
				},
			},
			{
				"Product Engineering",
				[]string{"Software Engineer", "Senior Software Engineer", "Frontend Engineer", "UX Designer"},
			},
			{"Data", []string{"Data Engineer", "Data Analyst", "Machine Learning Engineer"}},
			{"Quality", []string{"Test Engineer", "Release Engineer"}},
		},
	},
	{"Operations", "operations", "Chief Operating Officer", 17, []team{
		{"Logistics", []string{"Logistics Planner", "Dispatcher", "Freight Coordinator", "Customs Specialist"}},
		{"Warehouse", []string{"Warehouse Associate", "Inventory Specialist", "Shift Lead"}},
		{"Procurement", []string{"Buyer", "Procurement Specialist", "Vendor Analyst"}}}},
	{"Customer Support", "customer-support", "VP Customer Support", 13, []team{
		{"Service Desk", []string{"Support Agent", "Senior Support Agent", "Escalation Specialist"}},
		{"Customer Success", []string{"Customer Success Associate", "Onboarding Specialist"}}}},
	{"Sales", "sales", "Chief Revenue Officer", 13, []team{
		{"Field Sales", []string{"Account Executive", "Regional Sales Representative", "Sales Engineer"}},
		{"Inside Sales", []string{"Sales Development Representative", "Inside Sales Representative"}},
		{"Revenue Operations", []string{"Sales Operations Analyst", "Deal Desk Specialist"}}}},
	{
		"Finance",
		"finance",
		"Chief Financial Officer",
		8,
		[]team{
			{
				"Accounting",
				[]string{"Accountant", "Accounts Payable Clerk", "Accounts Receivable Clerk", "Senior Accountant"},
			},
			{"Treasury", []string{"Treasury Analyst", "Payments Specialist"}},
			{"Controlling", []string{"Financial Analyst", "Controller"}},
		},
	},
	{"Marketing", "marketing", "Chief Marketing Officer", 6, []team{
		{"Brand", []string{"Brand Specialist", "Copywriter", "Graphic Designer"}},
		{"Demand Generation", []string{"Campaign Specialist", "Marketing Analyst"}}}},
	{"Human Resources", "human-resources", "Chief People Officer", 5, []team{
		{"People Operations", []string{"HR Generalist", "Payroll Specialist", "HR Business Partner"}},
		{"Talent", []string{"Recruiter", "Learning Specialist"}}}},
	{"Information Technology", "information-technology", "Chief Information Officer", 7, []team{
		{"Infrastructure", []string{"Systems Administrator", "Network Engineer", "Database Administrator"}},
		{"Business Applications", []string{"Application Specialist", "ERP Consultant"}},
		{"Workplace", []string{"Desktop Support Technician", "Asset Coordinator"}}}},
	{"Legal and Compliance", "legal-and-compliance", "General Counsel", 3, []team{
		{"Legal", []string{"Legal Counsel", "Paralegal", "Contract Specialist"}},
		{"Compliance", []string{"Compliance Officer", "Internal Auditor", "Privacy Specialist"}}}},
	{"Facilities", "facilities", "VP Facilities", 3, []team{
		{"Site Services", []string{"Facilities Coordinator", "Receptionist", "Maintenance Technician"}}}},
}

// executive is the office of the head of the company, a department of its own.
var executive = division{"Executive Office", "executive-office", ceoTitle, 0, []team{{"Executive Office", nil}}}

// offices with the share of people in each, of 100.
var offices = []struct {
	Location
	weight int
	dial   string
}{
	{Location{"Hamburg", "hamburg", "DE"}, 28, "+49 40 5550"},
	{Location{"Kraków", "krakow", "PL"}, 14, "+48 12 555"},
	{Location{"Dublin", "dublin", "IE"}, 12, "+353 1 555"},
	{Location{"Toronto", "toronto", "CA"}, 14, "+1 416 555"},
	{Location{"Singapore", "singapore", "SG"}, 8, "+65 6555"},
	{Location{"São Paulo", "sao-paulo", "BR"}, 10, "+55 11 5550"},
	{Location{"Lyon", "lyon", "FR"}, 8, "+33 4 5550"},
	{Location{"Bengaluru", "bengaluru", "IN"}, 6, "+91 80 5550"},
}

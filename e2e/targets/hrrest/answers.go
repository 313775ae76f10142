package hrrest

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/e2e/targets/people"
)

// employee is a person as the API shows one.
type employee struct {
	EmployeeID        string  `json:"employeeId"`
	Mail              *string `json:"mail"`
	FirstName         string  `json:"firstName"`
	LastName          string  `json:"lastName"`
	DisplayName       string  `json:"displayName"`
	UserName          string  `json:"userName"`
	JobTitle          string  `json:"jobTitle"`
	DepartmentID      string  `json:"departmentId"`
	DepartmentName    string  `json:"departmentName"`
	CostCenter        string  `json:"costCenter"`
	Location          string  `json:"location"`
	Country           string  `json:"country"`
	WorkPhone         string  `json:"workPhone"`
	ManagerEmployeeID *string `json:"managerEmployeeId"`
	EmploymentType    string  `json:"employmentType"`
	Status            string  `json:"status"`
	HireDate          string  `json:"hireDate"`
	EndDate           *string `json:"endDate"`
	UpdatedAt         string  `json:"updatedAt"`
}

func (f *file) show(p people.Person) employee {
	return employee{
		EmployeeID:        p.Number,
		Mail:              orNull(p.Mail),
		FirstName:         p.GivenName,
		LastName:          p.FamilyName,
		DisplayName:       p.DisplayName,
		UserName:          p.Login,
		JobTitle:          p.Title,
		DepartmentID:      f.departmentIDs[p.Department],
		DepartmentName:    p.Department,
		CostCenter:        p.CostCenter,
		Location:          p.Location,
		Country:           p.Country,
		WorkPhone:         p.Phone,
		ManagerEmployeeID: orNull(p.Manager),
		EmploymentType:    string(p.Kind),
		Status:            string(p.Status),
		HireDate:          p.HireDate.Format(time.DateOnly),
		EndDate:           date(p.EndDate),
		UpdatedAt:         p.Modified.UTC().Format(time.RFC3339),
	}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func date(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return orNull(t.Format(time.DateOnly))
}

// listEmployees answers GET /api/employees.
func (s *Server) listEmployees(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	since := time.Time{}
	if text := q.Get("updated_since"); text != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			problem(w, http.StatusBadRequest, "bad_parameter", "updated_since must be a time as RFC 3339 writes it.")
			return
		}
	}
	status, department := q.Get("status"), q.Get("department")
	found := s.file.employees(func(p people.Person) bool {
		// Not before: a record changed in the very second of the last reading is given again.
		return !p.Modified.Before(since) && (status == "" || strings.EqualFold(string(p.Status), status)) &&
			(department == "" || strings.EqualFold(p.Department, department))
	})
	answer(w, r, s.cfg.MaxPage, found, s.file.show)
}

// oneEmployee answers GET /api/employees/{id}.
func (s *Server) oneEmployee(w http.ResponseWriter, r *http.Request) {
	p, ok := s.file.employee(r.PathValue("id"))
	if !ok {
		problem(w, http.StatusNotFound, "not_found", "There is no such employee.")
		return
	}
	reply(w, http.StatusOK, map[string]any{"data": s.file.show(p)})
}

// listDepartments answers GET /api/departments.
func (s *Server) listDepartments(w http.ResponseWriter, r *http.Request) {
	answer(w, r, s.cfg.MaxPage, s.cfg.Company.Departments, func(d people.Department) any {
		return map[string]any{"departmentId": d.ID, "name": d.Name, "headEmployeeId": d.Head}
	})
}

// listCostCenters answers GET /api/cost-centers.
func (s *Server) listCostCenters(w http.ResponseWriter, r *http.Request) {
	answer(w, r, s.cfg.MaxPage, s.cfg.Company.CostCenters, func(c people.CostCenter) any {
		return map[string]any{"code": c.Code, "name": c.Name, "departmentName": c.Department}
	})
}

// listRoles answers GET /api/security-roles.
func (s *Server) listRoles(w http.ResponseWriter, r *http.Request) {
	answer(w, r, s.cfg.MaxPage, s.file.allRoles(), func(x people.SecurityRole) any {
		return map[string]any{
			"roleId":      x.ID,
			"name":        x.Name,
			"description": x.Description,
			"memberCount": len(x.Members),
		}
	})
}

// listRoleMembers answers GET /api/security-roles/{id}/members.
func (s *Server) listRoleMembers(w http.ResponseWriter, r *http.Request) {
	role, ok := s.file.role(r.PathValue("id"))
	if !ok {
		problem(w, http.StatusNotFound, "not_found", "There is no such security role.")
		return
	}
	answer(w, r, s.cfg.MaxPage, role.Members, func(m people.RoleMember) any {
		return map[string]any{"roleId": role.ID, "employeeId": m.Number, "assignedOn": m.Assigned.Format(time.DateOnly)}
	})
}

// answer gives the page of all that the client asked for.
func answer[T, V any](w http.ResponseWriter, r *http.Request, largest int, all []T, show func(T) V) {
	page, size, err := paging(r.URL.Query(), largest)
	if err != nil {
		problem(w, http.StatusBadRequest, "bad_parameter", err.Error())
		return
	}
	from := min((page-1)*size, len(all))
	shown := make([]V, 0, size)
	for _, x := range all[from:min(from+size, len(all))] {
		shown = append(shown, show(x))
	}
	pages := max(1, (len(all)+size-1)/size)
	w.Header().Set("Link", links(r, page, pages, size))
	w.Header().Set("X-Total-Count", strconv.Itoa(len(all)))
	reply(
		w,
		http.StatusOK,
		map[string]any{"data": shown, "page": page, "per_page": size, "total": len(all), "total_pages": pages},
	)
}

// farthest is the highest page number taken, so that page times size cannot overflow.
const farthest = 1_000_000_000

// paging reads page (from 1) and per_page, which is clamped to the largest.
func paging(q url.Values, largest int) (page, size int, err error) {
	page, size = 1, defaultPage
	for name, into := range map[string]*int{"page": &page, "per_page": &size} {
		text := q.Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > farthest {
			return 0, 0, fmt.Errorf("%s must be a number from 1 to %d", name, farthest)
		}
		*into = n
	}
	return page, min(size, largest), nil
}

// links are the pages around this one (RFC 8288), with the filters of the request kept.
func links(r *http.Request, page, pages, size int) string {
	var all []string
	add := func(rel string, to int) {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(to))
		q.Set("per_page", strconv.Itoa(size))
		all = append(all, fmt.Sprintf(`<http://%s%s?%s>; rel="%s"`, r.Host, r.URL.EscapedPath(), q.Encode(), rel))
	}
	add("first", 1)
	if page > 1 {
		add("prev", min(page-1, pages))
	}
	if page < pages {
		add("next", page+1)
	}
	add("last", pages)
	return strings.Join(all, ", ")
}

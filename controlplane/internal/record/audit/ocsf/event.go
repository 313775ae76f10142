package ocsf

import (
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Event is an entry of the log in the schema's shape. Members that a class does not have are left out.
type Event struct {
	ActivityID  int    `json:"activity_id"`
	CategoryUID int    `json:"category_uid"`
	ClassUID    int    `json:"class_uid"`
	TypeUID     int    `json:"type_uid"`
	SeverityID  int    `json:"severity_id"`
	StatusID    int    `json:"status_id"`
	Status      string `json:"status"`
	// Time of the action in milliseconds since 1970-01-01 UTC.
	Time     int64    `json:"time"` // milliseconds since 1970
	Message  string   `json:"message"`
	Metadata Metadata `json:"metadata"`
	// Actor who performed the action.
	Actor       Actor      `json:"actor"`
	Source      *Endpoint  `json:"src_endpoint,omitempty"`
	HTTPRequest *Request   `json:"http_request,omitempty"`
	User        *User      `json:"user,omitempty"`
	Entity      *Entity    `json:"entity,omitempty"`
	Service     *Named     `json:"service,omitempty"`
	API         *API       `json:"api,omitempty"`
	Privileges  []string   `json:"privileges,omitempty"`
	Resources   []Entity   `json:"resources,omitempty"`
	Comment     string     `json:"comment,omitempty"`
	Unmapped    Unmapped   `json:"unmapped"`
	Observables []Observed `json:"observables,omitempty"`
}

// Metadata says who wrote the event, and names it.
type Metadata struct {
	Version        string  `json:"version"`
	Product        Product `json:"product"`
	UID            string  `json:"uid"`
	Sequence       int64   `json:"sequence"`
	EventCode      string  `json:"event_code"`
	TenantUID      string  `json:"tenant_uid"`
	CorrelationUID string  `json:"correlation_uid,omitempty"`
	OriginalTime   string  `json:"original_time"`
	LogName        string  `json:"log_name"`
}

// Product is what wrote the event.
type Product struct {
	Name       string `json:"name"`
	VendorName string `json:"vendor_name"`
}

// Actor is who did it.
type Actor struct {
	User    User   `json:"user"`
	Session *Named `json:"session,omitempty"`
}

// User is a person, a service or the product itself.
type User struct {
	UID    string  `json:"uid,omitempty"`
	Name   string  `json:"name,omitempty"`
	TypeID int     `json:"type_id"` // 1 user, 2 admin, 3 system, 4 service
	Groups []Named `json:"groups,omitempty"`
}

// Named is anything with a name or an id.
type Named struct {
	UID  string `json:"uid,omitempty"`
	Name string `json:"name,omitempty"`
}

// Entity is what something was done to.
type Entity struct {
	UID  string `json:"uid,omitempty"`
	Name string `json:"name,omitempty"`
	Type string `json:"type,omitempty"`
}

// Endpoint is where a request came from.
type Endpoint struct {
	IP   string `json:"ip,omitempty"`
	Name string `json:"name,omitempty"`
}

// Request is the HTTP request that it came in.
type Request struct {
	UID       string `json:"uid,omitempty"`
	UserAgent string `json:"user_agent,omitempty"`
}

// API is the operation.
type API struct {
	Operation string `json:"operation"`
	Request   *Named `json:"request,omitempty"`
}

// Observed is a value that systems look for across events.
type Observed struct {
	Name   string `json:"name"`
	TypeID int    `json:"type_id"`
	Value  string `json:"value"`
}

// Unmapped keeps what the schema has no place for. With the hashes the chain survives its way through other systems.
type Unmapped struct {
	Category  audit.Category   `json:"category"`
	PrevHash  string           `json:"prev_hash"`
	Hash      string           `json:"hash"`
	Changes   []audit.Changed  `json:"changes,omitempty"`
	Context   map[string]any   `json:"context,omitempty"`
	Elsewhere *audit.Elsewhere `json:"on_behalf_of_tenant,omitempty"`
	ActingFor *audit.Subject   `json:"acting_for,omitempty"`
}

const ipAddress = 2 // the type of an observable

// From tells an entry of the log.
func From(e audit.Event) Event {
	class := ClassOf(e.Action, e.Outcome)
	out := Event{
		ActivityID:  class.ActivityID,
		ClassUID:    class.ClassUID,
		CategoryUID: class.ClassUID / 1000,
		TypeUID:     class.ClassUID*100 + class.ActivityID,
		SeverityID:  class.SeverityID,
		Time:        e.Time.UnixMilli(),
		Message:     message(e),
		Metadata:    metadata(e),
		Actor:       actor(e.Actor),
		Comment:     e.Reason,
		Unmapped: Unmapped{
			Category:  e.Category,
			PrevHash:  e.PrevHash,
			Hash:      e.Hash,
			Changes:   e.Changes,
			Context:   e.Context,
			Elsewhere: e.Elsewhere,
			ActingFor: e.ActingFor,
		},
	}
	out.StatusID, out.Status = 1, "Success"
	if e.Outcome != audit.Success {
		out.StatusID, out.Status = 2, "Failure"
	}
	if e.Actor.IP != "" {
		out.Source = &Endpoint{IP: e.Actor.IP}
		out.Observables = []Observed{{Name: "src_endpoint.ip", TypeID: ipAddress, Value: e.Actor.IP}}
	}
	if id := out.Metadata.CorrelationUID; id != "" || e.Actor.UserAgent != "" {
		out.HTTPRequest = &Request{UID: id, UserAgent: e.Actor.UserAgent}
	}
	out.about(e)
	return out
}

// about fills in what the class asks for.
func (o *Event) about(e audit.Event) {
	subject := entity(e)
	for _, each := range e.Objects {
		o.Resources = append(o.Resources, Entity{UID: each.ID, Name: each.Display, Type: each.Type})
	}
	switch o.ClassUID {
	case authentication:
		o.User, o.Service = &User{UID: subject.UID, Name: subject.Name, TypeID: 1}, &Named{Name: "grantwright"}
	case accountChange, userAccess:
		o.User = &User{UID: subject.UID, Name: subject.Name, TypeID: 1}
		if o.ClassUID == userAccess {
			o.Privileges = privileges(e)
		}
	case apiActivity:
		o.API = &API{Operation: e.Action}
		o.Resources = append([]Entity{subject}, o.Resources...)
		if o.Source == nil {
			o.Source = &Endpoint{Name: "grantwright"}
		}
	default:
		o.Entity = &subject
	}
}

// entity is the subject; what has none is about the tenant.
func entity(e audit.Event) Entity {
	if e.Subject == nil || e.Subject.Type == "" {
		return Entity{UID: e.TenantID, Type: "tenant"}
	}
	return Entity{UID: e.Subject.ID, Name: e.Subject.Display, Type: e.Subject.Type}
}

// privileges are the entitlements that a grant is about.
func privileges(e audit.Event) []string {
	out := []string{}
	for _, o := range e.Objects {
		if o.Type == "entitlement" || o.Type == "role" {
			out = append(out, o.ID)
		}
	}
	if len(out) == 0 {
		out = append(out, entity(e).UID)
	}
	return out
}

func metadata(e audit.Event) Metadata {
	m := Metadata{
		Version:      Version,
		Product:      Product{Name: "Grantwright", VendorName: "Grantwright"},
		UID:          e.TenantID + "/" + strconv.FormatInt(e.Seq, 10),
		Sequence:     e.Seq,
		EventCode:    e.Action,
		TenantUID:    e.TenantID,
		OriginalTime: e.Time.UTC().Format("2006-01-02T15:04:05.000Z"),
		LogName:      "audit",
	}
	m.CorrelationUID, _ = e.Context["request_id"].(string)
	return m
}

func actor(a audit.Actor) Actor {
	out := Actor{
		User: User{UID: a.ID, Name: a.Display, TypeID: map[string]int{"user": 1, "service": 4, "agent": 4}[a.Type]},
	}
	if out.User.TypeID == 0 {
		out.User.TypeID = 3
	}
	for _, r := range a.Roles {
		out.User.Groups = append(out.User.Groups, Named{Name: r})
		if r == "admin" && a.Type == "user" {
			out.User.TypeID = 2
		}
	}
	if out.User.UID == "" && out.User.Name == "" {
		out.User.Name = a.Type
	}
	if a.TokenID != "" {
		out.Session = &Named{UID: a.TokenID}
	}
	return out
}

func message(e audit.Event) string {
	who, what := e.Actor.Display, ""
	if who == "" {
		who = e.Actor.Type
	}
	if e.Subject != nil {
		if what = e.Subject.Display; what == "" {
			what = e.Subject.ID
		}
		what = " " + e.Subject.Type + " " + what
	}
	return who + ": " + e.Action + what + " (" + string(e.Outcome) + ")"
}
